"""Whole campaigns of two or four systems through the core: `init_from_plan`, `assign_tasks` and `step`.

Each is a campaign of the core: it gives out tasks, looks after every label and stops labelling a pair at its verdict.
Five people work at the same time. Answers are drawn when a task is given out and arrive when they are finished.

To certify another world write a function that returns a `Play`, and add it to `designs.DESIGNS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from benchmarks.worlds.crowds import Arrived, Crowd, live
from benchmarks.worlds.simulation import simulated_rule
from benchmarks.worlds.small_campaigns import protocol_of, study_of
from numpy.typing import NDArray

from tiebreak.campaign import CampaignPlan, State, TaskAssigned, make_plan
from tiebreak.data.study import Study
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.settings.protocol import DecisionSettings, ItemOrder, LabelSettings, OrderSettings, PairSettings
from tiebreak.simulate.engines.stops import stops

ALPHA = 0.05
DIFFERENCE = 0.24  # P(a preferred) - P(b preferred) of a label, where there is something to find
TIES, MOST_LEAN = 0.2, 0.7
FOUR = ("ant", "bee", "cat", "dog")

Rng = np.random.Generator
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Played:
    """One campaign. `wrong`: 1 with any wrong verdict, else 0 (for a false discovery rate: the share of wrong verdicts
    among those given); `verdicts`: how many were given; `controls`: whether the same answers mislead whoever reads them
    in ways that are known to be wrong, one for each such way.
    """

    wrong: float
    verdicts: int
    labels: int
    controls: tuple[bool, ...] = ()


Play = Callable[[Rng], Played]

# ---- people and items ------------------------------------------------------------------------------------------

POLICIES = {
    "one person an item": LabelSettings(),
    "majority of 3": LabelSettings("majority", 3),
    "max-three": LabelSettings("max-three"),
}
PROMPT = Crowd()
LATE = Crowd(in_flight=30, slow=3.0)
MISSING = Crowd(give_up=0.2)
ASKED_AGAIN = Crowd(give_up=0.5, ask_again=True)
FOURS = Crowd(hand=4)
LATE_FOURS = Crowd(hand=4, in_flight=60, slow=4.0)


def preference(rng: Rng, lean: float) -> int:
    """A tie with chance 0.2, and a win with chance 0.4 (1 + lean)."""
    wins, luck = (1 - TIES) / 2 * (1 + lean), rng.random()
    return 1 if luck < wins else -1 if luck >= wins + TIES else 0


def answer_by_lean(plan: CampaignPlan, lean: Floats, rng: Rng, crowd: Crowd) -> tuple[State, list[Arrived]]:
    """A campaign about two systems whose items lean to a (above 0) or to b, so that people agree more than by luck."""

    def draw(rng: Rng, task: TaskAssigned) -> int:
        return preference(rng, lean[plan.item_numbers[task.item]])

    return live(plan, draw, rng, crowd)


def played(state: State, arrived: Sequence[Arrived], right: str | None, *controls: bool) -> Played:
    """Counts; `right`: the one verdict that is not wrong, None where every verdict is."""
    given = [measure.verdict for measure in state.measures if measure.verdict != "undecided"]
    return Played(float(any(verdict != right for verdict in given)), len(given), len(arrived), controls)


# ---- ways to read answers that are known to be wrong -------------------------------------------------------------


def by_arrival(plan: CampaignPlan, arrived: Sequence[Arrived]) -> list[list[int]]:
    """The outcomes of each pair as they came in."""
    found: list[list[int]] = [[] for _ in plan.tracks]
    for task, outcome in arrived:
        found[plan.track_numbers[task.system_a, task.system_b]].append(outcome)
    return found


def in_sealed_order(plan: CampaignPlan, arrived: Sequence[Arrived]) -> list[list[int]]:
    """The outcomes of each pair in the order of its items; one answer an item."""
    outcomes = {(task.system_a, task.system_b, task.item): outcome for task, outcome in arrived}
    return [
        [outcomes[key] for item in pair.order if (key := (pair.system_a, pair.system_b, plan.items[item])) in outcomes]
        for pair in plan.tracks
    ]


def evidence_reaches(sequences: Sequence[Sequence[int]], threshold: float) -> bool:
    """Whether the exact walk of any pair, in the order given, ever crosses the boundary of 1/`threshold`."""
    return any(
        bool(stops(np.array([of], dtype=np.int8), simulated_rule("anytime", len(of), 2 / threshold)).decided[0])
        for of in sequences
        if len(of)
    )


def sign_tests_reach(sequences: Sequence[Sequence[int]], alpha: float) -> bool:
    """Whether a sign test of any pair, looked at after every outcome, is ever at or below `alpha` (two-sided)."""
    for outcomes in map(np.array, sequences):
        test = sign_test(np.cumsum(outcomes == 1), np.cumsum(outcomes == -1))
        if test.p_two_sided.min(initial=1.0) <= alpha:
            return True
    return False


# ---- two systems -----------------------------------------------------------------------------------------------


def two_systems(
    policy: str, items: int = 100, crowd: Crowd = PROMPT, difference: float = 0.0, control: bool = False
) -> Callable[[], Play]:
    """A pair whose items' leans are uniform around difference / 0.8. `control`: also read in the order of arrival, what
    is missing left out."""

    def prepare() -> Play:
        settings = protocol_of(decision=DecisionSettings(alpha=ALPHA), labels=POLICIES[policy])
        plan = make_plan(settings, study_of(items=items))

        def play(rng: Rng) -> Played:
            lean = difference / (1 - TIES) + rng.uniform(-MOST_LEAN, MOST_LEAN, size=items)
            state, arrived = answer_by_lean(plan, lean, rng, crowd)
            controls = (evidence_reaches(by_arrival(plan, arrived), 2 / ALPHA),) if control else ()
            return played(state, arrived, "a" if difference > 0 else None, *controls)

        return play

    return prepare


def drifting(order: ItemOrder, items: int = 100) -> Callable[[], Play]:
    """Equal systems; the study lists the items from those that lean most to a to those that lean most to b."""

    def prepare() -> Play:
        study = study_of(items=items)

        def play(rng: Rng) -> Played:
            plan = _own_order(rng, study, order)
            lean = np.sort(rng.uniform(-MOST_LEAN, MOST_LEAN, size=items))[::-1]
            return played(*answer_by_lean(plan, lean, rng, PROMPT), None)

        return play

    return prepare


def left_sided(items: int = 100) -> Callable[[], Play]:
    """Equal systems, and people who prefer what they see on the left by 0.4; read again as if a was always left."""

    def prepare() -> Play:
        study = study_of(items=items)

        def play(rng: Rng) -> Played:
            plan = _own_order(rng, study, "shuffled")

            def draw(rng: Rng, task: TaskAssigned) -> int:
                return preference(rng, 0.5) * _side(task)

            state, arrived = live(plan, draw, rng, PROMPT)
            always_left = [_side(task) * outcome for task, outcome in arrived]
            return played(state, arrived, None, evidence_reaches([always_left], 2 / ALPHA))

        return play

    return prepare


def _own_order(rng: Rng, study: Study, order: ItemOrder) -> CampaignPlan:
    """A plan with a sealed order, and sides, of this campaign's own."""
    settings = OrderSettings(order, int(rng.integers(2**31)))
    return make_plan(protocol_of(decision=DecisionSettings(alpha=ALPHA), order=settings), study)


def _side(task: TaskAssigned) -> int:
    return 1 if task.left == task.system_a else -1


def documents(count: int = 40, size: int = 5) -> Callable[[], Play]:
    """Equal systems, and documents whose items all lean alike; read again with each item as a bet of its own."""

    def prepare() -> Play:
        settings = protocol_of(decision=DecisionSettings(alpha=ALPHA))
        plan = make_plan(settings, study_of(items=count * size, cluster_size=size))

        def play(rng: Rng) -> Played:
            lean = np.repeat(rng.choice([-MOST_LEAN, MOST_LEAN], size=count), size)
            state, arrived = answer_by_lean(plan, lean, rng, PROMPT)
            return played(state, arrived, None, evidence_reaches(in_sealed_order(plan, arrived), 2 / ALPHA))

        return play

    return prepare


# ---- four systems ----------------------------------------------------------------------------------------------

Control = Literal["thresholds", "arrival"]


def four_systems(
    policy: str, batch: int, alpha: float, crowd: Crowd = FOURS, control: Control | None = None, items: int = 50
) -> Callable[[], Play]:
    """Six pairs of equal systems under Holm; the pairs share the systems' outputs, so that their labels depend on each
    other.

    An output's quality is normal; a person sees the difference of two with noise of the same size, and calls a tie what
    is closer than 0.3. Read again with "thresholds": each pair by itself, and by sign tests (Bonferroni) after every
    label; with "arrival": in the order of arrival at 12/alpha.
    """

    def prepare() -> Play:
        settings = protocol_of(decision=DecisionSettings(alpha=alpha), pairs=PairSettings(policy, batch))
        plan = make_plan(settings, study_of(FOUR, items))
        pairs = len(plan.tracks)

        def play(rng: Rng) -> Played:
            quality = rng.normal(size=(items, len(FOUR)))

            def draw(rng: Rng, task: TaskAssigned) -> int:
                of_item = quality[plan.item_numbers[task.item]]
                a, b = (of_item[plan.systems.index(name)] for name in (task.system_a, task.system_b))
                seen = a - b + rng.normal()
                return 0 if abs(seen) < 0.3 else 1 if seen > 0 else -1

            state, arrived = live(plan, draw, rng, crowd)
            controls: tuple[bool, ...] = ()
            if control == "arrival":
                controls = (evidence_reaches(by_arrival(plan, arrived), 2 * pairs / alpha),)
            elif control == "thresholds":
                sealed = in_sealed_order(plan, arrived)
                controls = evidence_reaches(sealed, 2 / alpha), sign_tests_reach(sealed, alpha / pairs)
            return played(state, arrived, None, *controls)

        return play

    return prepare
