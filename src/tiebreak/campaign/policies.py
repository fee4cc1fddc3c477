"""What every policy says about which track is asked next.

Allocations: which system's outputs are rated next.

A new allocation is a class here and a line in `ALLOCATIONS`.

Pair policies: which pair is asked next.

A new policy is a class here and a line in `PAIR_POLICIES`.
"""

from __future__ import annotations

import heapq
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.outcome_marks import outcome_counts
from tiebreak.campaign.plan import CampaignPlan
from tiebreak.campaign.state import State
from tiebreak.kernels.davidson import DavidsonFit, davidson, outcome_probabilities
from tiebreak.kernels.strengths import most_informative, winner_only

IsOpen = Callable[[int], bool]


class TrackPolicy(ABC):
    """Which pair, or which system, is asked about next. It may look at all answers, because the sealed order says by
    itself which item of it comes next.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:
        """The tracks of the next `count` items of a person, in order; a track may come several times. Empty where none
        is open.

        `wanted`: those that matter. `is_open(k)`: whether track k has an item for who asks; to be asked only of tracks
        that may be chosen, since there can be many.
        """

    def wanted(self, state: State) -> list[int]:
        """The tracks with a measure whose verdict still matters; none: the campaign's question is answered."""
        measures = state.plan.measures
        return sorted({track for number in state.undecided for track in measures[number].tracks})

    def whole(self, state: State, n: int) -> int:  # noqa: ARG002
        """Of `n` tasks that are asked for, how many to hand out at once."""
        return n


def _in_turn(
    wanted: Sequence[int], is_open: IsOpen, count: int, rank: Callable[[int, int], tuple[int, ...]]
) -> list[int]:
    """So many open tracks, each time the one with the lowest `rank`, which is asked for by the track and by how often
    it was chosen here.
    """
    queue = [(rank(k, 0), k) for k in wanted]
    heapq.heapify(queue)
    times: dict[int, int] = {}  # of the tracks that turned out to be open
    chosen: list[int] = []
    while queue and len(chosen) < count:
        _, k = queue[0]
        if k not in times and not is_open(k):
            heapq.heappop(queue)
            continue
        chosen.append(k)
        times[k] = times.get(k, 0) + 1
        heapq.heapreplace(queue, (rank(k, times[k]), k))
    return chosen


class Equal(TrackPolicy):
    """The system of which a person has had the fewest outputs goes first; among equals, the one with the fewest asked.

    So a person's severity falls on all systems alike. Where differences are to be found out people get whole items,
    all systems' outputs of each: the two ratings of a difference are one person's.
    """

    name: ClassVar[str] = "equal"
    title: ClassVar[str] = "all systems in turn"

    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:
        """By outputs handed to this person and by outputs asked, those chosen here counted."""
        handed = state.person(annotator).handed or (0,) * len(state.tracks)
        return _in_turn(wanted, is_open, count, lambda k, more: (handed[k] + more, state.tracks[k].opened + more))

    def whole(self, state: State, n: int) -> int:
        """Whole items, where there are that many tasks."""
        together = 1 if state.protocol.ratings.until == "means" else max(1, len(self.wanted(state)))
        return n if n < together else n - n % together


class Widest(Equal):
    """Ratings go where they are needed most: systems that people agree about, or that are all alike, need few.

    It looks at intervals, which depend on ratings; the order of items stays the sealed one, so that intervals hold.
    """

    name: ClassVar[str] = "widest"
    title: ClassVar[str] = "the system whose interval is the widest"

    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:  # noqa: ARG002
        """Those that are out count as if they had come: an interval shrinks with the root of the ratings."""
        widths = _widths(state)
        asked = {k: max(1, state.tracks[k].opened) for k in wanted}
        left = {k for k in wanted if is_open(k)}
        chosen: list[int] = []
        while left and len(chosen) < count:
            shrunk = {k: widths[k] * math.sqrt(max(1, state.tracks[k].done) / asked[k]) for k in left}
            k = max(left, key=lambda track: (shrunk[track], -track))
            asked[k] += 1
            chosen.append(k)
        return chosen

    def whole(self, state: State, n: int) -> int:  # noqa: ARG002
        """Whatever is needed most."""
        return n


def _widths(state: State) -> list[float]:
    """By track, the widest interval of its measures without a verdict, over the half-width that is asked for."""
    plan, summaries = state.plan, state.summaries
    widths = [0.0] * len(state.tracks)
    for number in state.undecided:
        summary = summaries[number]
        for track in plan.measures[number].tracks:
            relative = (summary.high - summary.low) / (plan.measures[number].half_width or 1.0)
            widths[track] = max(widths[track], relative)
    return widths


ALLOCATIONS: Final[dict[str, TrackPolicy]] = {policy.name: policy for policy in (Equal(), Widest())}


class Batches(TrackPolicy):
    """The pair with the fewest whole batches goes first; among equals, in the order of the pairs.

    Decided pairs leave the round, so that the budget goes to those that are hard to tell apart. Nobody waits for a
    batch to come back before the next is handed out.
    """

    name: ClassVar[str] = "batches"
    title: ClassVar[str] = "all undecided pairs, a batch each"

    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:  # noqa: ARG002
        """By batches handed out, those chosen here counted."""
        batch = state.protocol.pairs.batch
        return _in_turn(wanted, is_open, count, lambda k, more: ((state.tracks[k].opened + more) // batch,))


Integers = NDArray[np.intp]


def system_pairs(plan: CampaignPlan) -> Integers:
    """(K, 2): the numbers of the two systems of each pair, in the order of the plan's systems."""
    number = {name: k for k, name in enumerate(plan.systems)}
    return np.array([(number[pair.system_a], number[pair.system_b]) for pair in plan.tracks], dtype=np.intp)


def strengths(state: State) -> DavidsonFit:
    """Davidson's model of all done items, with the items under way as if they came out as expected.

    (Without the latter, everybody who asks at the same time would be sent to the same pair.)
    """
    pairs = system_pairs(state.plan)
    done = np.array([outcome_counts(pair.marks, 0, 1)[:3] for pair in state.tracks], dtype=np.float64)
    fit = davidson(len(state.plan.systems), pairs, done)
    under_way = np.array([len(pair.open) for pair in state.tracks], dtype=np.float64)
    if not under_way.any():
        return fit
    expected = outcome_probabilities(fit.beta[pairs[:, 0]] - fit.beta[pairs[:, 1]], fit.log_nu)
    return davidson(len(state.plan.systems), pairs, done + under_way[:, None] * expected, start=fit)


def _by_strengths(
    kernel: Callable[[DavidsonFit, Integers, int, np.random.Generator], Integers],
    state: State,
    open_pairs: Sequence[int],
    count: int,
) -> list[int]:
    """What a kernel chooses among the open pairs, by random numbers of this campaign's own: new ones once a task was
    handed out.
    """
    if not open_pairs:
        return []
    rng = np.random.default_rng([state.protocol.order.seed, state.issued])
    chosen = kernel(strengths(state), system_pairs(state.plan)[open_pairs], count, rng)
    return [open_pairs[row] for row in chosen]


class MostInformative(TrackPolicy):
    """Close for what is known of it, and little known: `kernels.strengths.most_informative` over the open pairs."""

    name: ClassVar[str] = "most-informative"
    title: ClassVar[str] = "the pair that tells most about the order"

    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:  # noqa: ARG002
        """From one fit of the strengths; items chosen here count as information for the next."""
        return _by_strengths(most_informative, state, [k for k in wanted if is_open(k)], count)


class WinnerOnly(TrackPolicy):
    """Top-two Thompson sampling among the systems that no verdict has beaten; the order of the others stays open.

    Answered once one system is left that beats, or is equivalent to, all that were not beaten by anybody.
    """

    name: ClassVar[str] = "winner"
    title: ClassVar[str] = "only the best system"

    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:  # noqa: ARG002
        """From one fit of the strengths."""
        return _by_strengths(winner_only, state, [k for k in wanted if is_open(k)], count)

    def wanted(self, state: State) -> list[int]:
        """Undecided pairs of two systems that nobody has been decided to beat."""
        beaten = {
            plan.system_b if measure.verdict == "a" else plan.system_a
            for plan, measure in zip(state.plan.tracks, state.measures, strict=True)
            if measure.verdict in ("a", "b")
        }
        return [
            k
            for k in super().wanted(state)
            if not beaten & {state.plan.tracks[k].system_a, state.plan.tracks[k].system_b}
        ]


PAIR_POLICIES: Final[dict[str, TrackPolicy]] = {
    policy.name: policy for policy in (Batches(), MostInformative(), WinnerOnly())
}
