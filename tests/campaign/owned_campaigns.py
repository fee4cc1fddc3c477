"""Owners who withdraw what they do not like, in whole campaigns through `assign_tasks` and `step`.

The owner knows every answer before it arrives, and so what waits behind which task. All labels come from `draw`, at
once and for all items; whatever the owner does, evidence for either side must stay below that of the same answers
without a withdrawal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from benchmarks.worlds.small_campaigns import NOW, WORDS, open_plan
from numpy.typing import NDArray
from tests.planned_evidence import scan_of

from tiebreak.campaign import CampaignPlan, ItemWithdrawn, LabelGiven, State, TaskAssigned, assign_tasks, step
from tiebreak.campaign.kinds import Preferred
from tiebreak.rules import planned
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import Units

PEOPLE = ("p", "q", "r", "s", "t")
IN_FLIGHT = 12

Rng = np.random.Generator
Outcomes = NDArray[np.int64]
"""(n,): what people say of the items of the pair, in the order of the study."""


@dataclass
class Owner:
    """What may be withdrawn: `tasks` by item that were handed out, of which `answered` have arrived."""

    state: State
    outcomes: Outcomes
    tasks: dict[str, TaskAssigned]
    answered: set[str]
    gone: set[str]

    def likes(self) -> int:
        """1 for a, -1 for b: whoever has more evidence now."""
        for_a, for_b = _directions(self.state)
        return 1 if for_a >= for_b else -1

    def of(self, item: str) -> int:
        """What people say, or will say, of an item."""
        return int(self.outcomes[self.state.plan.item_numbers[item]])

    def left(self) -> list[str]:
        """Items that may be withdrawn: those that were answered."""
        return [item for item in self.tasks if item in self.answered and item not in self.gone]


Strategy = Callable[[Owner, Rng], list[str]]


def every_unwelcome_label(owner: Owner, _: Rng) -> list[str]:
    """At every look, all losses of a that have arrived."""
    return [item for item in owner.left() if owner.of(item) < 0]


def whoever_leads(owner: Owner, rng: Rng) -> list[str]:
    """At some looks, what speaks against the leading side: losses of it and ties."""
    side = owner.likes()
    return [item for item in owner.left() if rng.random() < 0.15 and side * owner.of(item) <= 0]


def for_bolder_bets(owner: Owner, rng: Rng) -> list[str]:
    """Ties and losses of the leading side just before wins of it that wait or are out."""
    side, plan = owner.likes(), owner.state.plan.tracks[0]
    done = int(plan.starts[owner.state.tracks[0].done])
    coming = [owner.state.plan.items[int(k)] for k in plan.order[done : done + 6]]
    lucky = sum(side * owner.of(item) for item in coming)
    if lucky < 3:
        return []
    return [item for item in owner.left() if side * owner.of(item) < 1 and rng.random() < 0.3]


STRATEGIES: Mapping[str, Strategy] = {
    "every unwelcome label": every_unwelcome_label,
    "whoever leads": whoever_leads,
    "for bolder bets": for_bolder_bets,
}


@dataclass(frozen=True, slots=True)
class Owned:
    """A campaign about two equal systems. `largest`: the largest log E of either side, which is wrong from log(2/alpha)
    on; `withdrawn`: items; `dropped`, `again`: the largest log E that whoever leaves out what was withdrawn finds in
    the same answers, or has it answered again by somebody; `above`: how far log E of either side was above that without
    a withdrawal (at most 0, but for rounding).
    """

    largest: float
    withdrawn: int
    dropped: float
    again: float
    above: float


def owned_campaign(plan: CampaignPlan, outcomes: Outcomes, strategy: Strategy, rng: Rng) -> Owned:
    """To its end. Several tasks are out at any time, and answers come in a random order, with a look after each."""
    owner = Owner(open_plan(plan), outcomes, {}, set(), set())
    out: list[TaskAssigned] = []
    turn = idle = 0
    while owner.state.ended is None:
        while len(out) < IN_FLIGHT and idle < len(PEOPLE):
            tasks, owner.state = assign_tasks(owner.state, PEOPLE[turn % len(PEOPLE)], 1, NOW)
            turn, idle = turn + 1, 0 if tasks else idle + 1
            out += tasks
            owner.tasks |= {task.item: task for task in tasks}
        if not out:
            break
        _withdraw(owner, strategy(owner, rng))
        task = out.pop(int(rng.integers(len(out))))
        if task.task in owner.state.tasks:
            owner.answered.add(task.item)
            outcome = WORDS[owner.of(task.item)]
            owner.state = step(owner.state, LabelGiven(NOW, task.task, task.annotator, Preferred(outcome)))  # type: ignore[arg-type]
        idle = 0
        _withdraw(owner, strategy(owner, rng))
    return _looked_at(owner, rng)


def _directions(state: State) -> tuple[float, float]:
    """The evidence for either side, at its largest."""
    found = planned.evidence(state.plan.rule_plans[0], state.measures[0].evidence.pair)
    return float(found.directions[0, 0]), float(found.directions[0, 1])


def _withdraw(owner: Owner, items: list[str]) -> None:
    for item in items:
        if owner.state.ended is not None:
            return
        task = owner.tasks[item]
        owner.gone.add(item)
        owner.state = step(owner.state, ItemWithdrawn(NOW, task.task, task.systems, item, "unwelcome"))


def _looked_at(owner: Owner, rng: Rng) -> Owned:
    state, (plan,), (measure,) = owner.state, owner.state.plan.tracks, owner.state.measures
    rule, rule_plan = RULES[state.protocol.decision.rule], state.plan.rule_plans[0]
    units = [
        owner.outcomes[plan.order[plan.starts[unit] : plan.starts[unit + 1]]].mean() for unit in range(measure.done)
    ]
    without, _ = rule.advance(rule_plan, rule.start(rule_plan), Units.labelled(np.array([units], dtype=np.float64)))
    found = planned.evidence(rule_plan, measure.evidence.pair).directions[0]
    above = float((found - planned.evidence(rule_plan, without.pair).directions[0]).max())
    asked = [k for k in plan.order.tolist() if state.plan.items[k] in owner.tasks]
    gone = np.array([state.plan.items[k] in owner.gone for k in asked], dtype=bool)
    said = owner.outcomes[asked]
    anew = np.where(gone, rng.permutation(owner.outcomes)[: said.size], said)
    return Owned(
        largest=float(found.max()),
        withdrawn=int(gone.sum()),
        dropped=_largest(said[~gone], state.protocol.decision.alpha),
        again=_largest(anew, state.protocol.decision.alpha),
        above=float(np.nan_to_num(above, nan=0.0)),  # both infinite: a whole pool is known
    )


def _largest(outcomes: Outcomes, alpha: float) -> float:
    """Of the evidence in these outcomes, for either side."""
    return float(scan_of(outcomes, alpha=alpha, planned=len(outcomes)).directions.max(initial=0.0))
