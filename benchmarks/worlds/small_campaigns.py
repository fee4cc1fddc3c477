"""Small campaigns for the tests: studies from numbers, protocols in a line, and people who answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tiebreak.campaign import (
    CampaignOpened,
    CampaignPlan,
    LabelGiven,
    Protocol,
    State,
    TaskAssigned,
    init,
    init_from_plan,
    next_tasks,
    step,
)
from tiebreak.campaign.kinds import Preferred, Tally, kind_of
from tiebreak.data.study import Study
from tiebreak.settings.protocol import (
    Budget,
    DecisionSettings,
    LabelSettings,
    OrderSettings,
    PairSettings,
    PeopleSettings,
)

NOW = "2026-05-01T09:30:00Z"
WORDS = {1: "a", 0: "tie", -1: "b"}

Answer = Callable[[TaskAssigned], str]


def item_names(count: int) -> list[str]:
    return [f"i{k:03d}" for k in range(count)]


def study_of(
    systems: Sequence[str] = ("ant", "bee"),
    items: int = 60,
    *,
    identical: Iterable[int] = (),
    cluster_size: int = 1,
    scores: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
    judges: Mapping[str, Mapping[tuple[str, str], Sequence[str]]] | None = None,
) -> Study:
    """All systems wrote something else on each item, but the same on the `identical` ones. `scores`: by metric and
    system; `judges`: by judge and pair, one outcome per item.
    """
    names, same = item_names(items), set(identical)
    outputs = [
        {"item": name, "system": system, "text": f"text {k}" if k in same else f"{system} {k}"}
        for system in systems
        for k, name in enumerate(names)
    ]
    listed = [{"item": name, "cluster": f"c{k // cluster_size:03d}"} for k, name in enumerate(names)]
    scored = [
        {"item": name, "system": system, "metric": metric, "value": float(value)}
        for metric, of in (scores or {}).items()
        for system, values in of.items()
        for name, value in zip(names, values, strict=False)
    ]
    judged = [
        {"item": name, "system_a": a, "system_b": b, "judge": judge, "outcome": outcome}
        for judge, of in (judges or {}).items()
        for (a, b), outcomes in of.items()
        for name, outcome in zip(names, outcomes, strict=False)
    ]
    return Study.from_tables(
        items=listed, outputs=outputs, scores=scored or None, judge_preferences=judged or None, name="small"
    )


def protocol_of(
    *,
    systems: Sequence[str] = (),
    baseline: str | None = None,
    only_pairs: tuple[tuple[str, str], ...] = (),
    labels: LabelSettings | None = None,
    pairs: PairSettings | None = None,
    budget: Budget | None = None,
    decision: DecisionSettings | None = None,
    order: OrderSettings | None = None,
    people: PeopleSettings | None = None,
) -> Protocol:
    """The default protocol with some parts changed."""
    given = {
        "labels": labels,
        "pairs": pairs,
        "budget": budget,
        "decision": decision,
        "order": order,
        "people": people,
    }
    parts = {name: part for name, part in given.items() if part is not None}
    return replace(Protocol(systems=tuple(systems), baseline=baseline, only_pairs=only_pairs), **parts)  # type: ignore[arg-type]


def opened(state: State) -> State:
    return step(state, CampaignOpened(NOW, state.plan.fingerprint, state.plan.study))


def open_campaign(protocol: Protocol | None = None, study: Study | None = None) -> State:
    return opened(init(protocol if protocol is not None else Protocol(), study if study is not None else study_of()))


def open_plan(plan: CampaignPlan) -> State:
    return opened(init_from_plan(plan))


def assign(state: State, annotator: str = "ann", n: int = 1) -> tuple[State, tuple[TaskAssigned, ...]]:
    """The state with up to n tasks more out, and the tasks."""
    tasks = next_tasks(state, annotator, n, NOW)
    for task in tasks:
        state = step(state, task)
    return state, tasks


def answered(state: State, task: TaskAssigned, outcome: str, seconds: float | None = None) -> State:
    return step(state, LabelGiven(NOW, task.task, task.annotator, Preferred(outcome), seconds))  # type: ignore[arg-type]


def give(state: State, outcomes: str, annotator: str = "ann") -> State:
    """One person answers one task after the other: `w` for system_a, `t` a tie, `l` for system_b."""
    for code in outcomes:
        state, (task,) = assign(state, annotator)
        state = answered(state, task, {"w": "a", "t": "tie", "l": "b"}[code])
    return state


def run(state: State, answer: Answer, people: Sequence[str] = ("ann",), at_once: int = 1, most: int = 100_000) -> State:
    """People take turns to ask for tasks and answer them, until nobody gets any."""
    while state.ended is None and most > 0:
        idle = 0
        for person in people:
            state, tasks = assign(state, person, min(at_once, most))
            idle += not tasks
            most -= len(tasks)
            for task in tasks:
                state = answered(state, task, answer(task))
        if idle == len(people):
            break
    return state


def sealed_outcomes(state: State, outcomes: Mapping[int, Sequence[int]]) -> Answer:
    """Answers such that the units of pair k, in their sealed order, have the outcomes given for k (each one item)."""
    table = {
        (plan.system_a, plan.system_b, state.plan.items[int(item)]): WORDS[int(outcomes[k][place])]
        for k, plan in enumerate(state.plan.tracks)
        if k in outcomes
        for place, item in enumerate(plan.order[: len(outcomes[k])])
    }
    return lambda task: table[(task.system_a, task.system_b, task.item)]


def random_outcomes(seed: int, count: int, difference: float = 0.0, ties: float = 0.3) -> list[int]:
    rng = np.random.default_rng(seed)
    share = [(1 - ties - difference) / 2, ties, (1 - ties + difference) / 2]
    return [int(code) - 1 for code in rng.choice(3, size=count, p=share)]


def tally(state: State, measure: int = 0) -> Tally:
    """Done items of a measure, by what became of them."""
    plan = state.plan
    of = plan.measures[measure]
    return kind_of(state.protocol).tally(plan, state.tracks[of.tracks[0]], of)
