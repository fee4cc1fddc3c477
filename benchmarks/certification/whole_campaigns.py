"""Whole campaigns of two or four systems through the core: `init_from_plan`, `assign_tasks` and `step`.

Each is a campaign of the core: it gives out tasks, looks after every label and stops labelling a pair at its verdict.
Five people work at the same time. Answers are drawn when a task is given out and arrive when they are finished.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from tests.campaign.campaigns import protocol_of, study_of
from tests.campaign.crowds import Crowd, live

from tiebreak.campaign import TaskAssigned, make_plan
from tiebreak.campaign.settings import DecisionSettings, LabelSettings, PairSettings
from tiebreak.kernels import bet_mixture

ALPHA = 0.05
DIFFERENCE = 0.24  # P(a preferred) - P(b preferred) of a label, where there is something to find

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Played:
    """One campaign. `wrong`: 1 with any wrong verdict, else 0 (for a false discovery rate: the share of wrong verdicts
    among those given); `verdicts`: how many were given; `careless`: whether the same labels mislead whoever bets on
    them in the order of arrival and leaves out what is missing, None where that was not asked.
    """

    wrong: float
    verdicts: int
    labels: int
    careless: bool | None = None


Play = Callable[[Rng], Played]


def two_systems(
    labels: LabelSettings, items: int, difference: float, crowd: Crowd, careless: bool
) -> Callable[[], Play]:
    """A pair whose items lean to one side or the other, so that two people agree on an item more often than by luck.

    A label is a tie with chance .2, and a win with chance .4 (1 + lean); the lean of an item is uniform around
    difference / .8.
    """

    def prepare() -> Play:
        plan = make_plan(protocol_of(decision=DecisionSettings(alpha=ALPHA), labels=labels), study_of(items=items))

        def play(rng: Rng) -> Played:
            lean = difference / 0.8 + rng.uniform(-0.7, 0.7, size=items)

            def draw(rng: Rng, task: TaskAssigned) -> int:
                wins = 0.4 * (1 + lean[int(task.item[1:])])
                luck = rng.random()
                return 1 if luck < wins else -1 if luck >= wins + 0.2 else 0

            state, arrived = live(plan, draw, rng, crowd)
            verdict = state.pairs[0].verdict
            wrong = verdict == "b" or (difference == 0 and verdict == "a")
            given = int(verdict != "undecided")
            return Played(float(wrong), given, len(arrived), misled(arrived) if careless else None)

        return play

    return prepare


def misled(arrived: list[int]) -> bool:
    """Whether bets on the answers in the order in which they came in ever decide."""
    prior = bet_mixture.default_prior()
    sup = max(bet_mixture.log_e_path(side * np.array(arrived), prior).max(initial=0.0) for side in (1, -1))
    return bool(sup >= math.log(2 / ALPHA))


def four_systems(policy: str, batch: int) -> Play:
    """Six pairs of equal systems under Holm, 20 % ties; any verdict is wrong."""
    settings = protocol_of(decision=DecisionSettings(alpha=ALPHA), pairs=PairSettings(policy, batch))
    plan = make_plan(settings, study_of(("ant", "bee", "cat", "dog"), 40))

    def draw(rng: Rng, _: TaskAssigned) -> int:
        luck = rng.random()
        return 1 if luck < 0.4 else -1 if luck >= 0.6 else 0

    def play(rng: Rng) -> Played:
        state, arrived = live(plan, draw, rng, Crowd())
        given = sum(pair.verdict != "undecided" for pair in state.pairs)
        return Played(float(given > 0), given, len(arrived))

    return play


POLICIES = {
    "one person an item": LabelSettings(),
    "majority of 3": LabelSettings("majority", 3),
    "max-three": LabelSettings("max-three"),
}
PROMPT = Crowd()
LATE = Crowd(in_flight=30, slow=3.0)
MISSING = Crowd(give_up=0.2)


def equal_pair(policy: str, crowd: Crowd = PROMPT) -> Callable[[], Play]:
    """Two equal systems, 100 items; late and missing labels are also read carelessly."""
    return two_systems(POLICIES[policy], 100, 0.0, crowd, crowd is not PROMPT)


def different_pair(policy: str) -> Callable[[], Play]:
    """A pair with something to find, and items enough to find it."""
    return two_systems(POLICIES[policy], 300, DIFFERENCE, PROMPT, careless=False)


def equal_four(policy: str, batch: int) -> Callable[[], Play]:
    """Four equal systems, 40 items."""
    return partial(four_systems, policy, batch)
