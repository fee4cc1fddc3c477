"""Pair policies: which pair is asked next.

A new policy is a class here and a line in `PAIR_POLICIES`.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.outcome_marks import outcome_counts
from tiebreak.campaign.plan import CampaignPlan
from tiebreak.campaign.state import State
from tiebreak.campaign.track_policy import IsOpen, TrackPolicy, random_numbers
from tiebreak.kernels.davidson import DavidsonFit, davidson, outcome_probabilities
from tiebreak.kernels.strengths import most_informative, winner_only


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
        queue = [(state.tracks[k].opened // batch, k) for k in wanted]
        heapq.heapify(queue)
        opened: dict[int, int] = {}  # of the pairs that turned out to be open
        chosen: list[int] = []
        while queue and len(chosen) < count:
            _, k = queue[0]
            if k not in opened and not is_open(k):
                heapq.heappop(queue)
                continue
            chosen.append(k)
            opened[k] = opened.get(k, state.tracks[k].opened) + 1
            heapq.heapreplace(queue, (opened[k] // batch, k))
        return chosen


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


class MostInformative(TrackPolicy):
    """Close for what is known of it, and little known: `kernels.strengths.most_informative` over the open pairs."""

    name: ClassVar[str] = "most-informative"
    title: ClassVar[str] = "the pair that tells most about the order"

    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:  # noqa: ARG002
        """From one fit of the strengths; items chosen here count as information for the next."""
        open_pairs = [k for k in wanted if is_open(k)]
        if not open_pairs:
            return []
        pairs = system_pairs(state.plan)[open_pairs]
        return [open_pairs[row] for row in most_informative(strengths(state), pairs, count, random_numbers(state))]


class WinnerOnly(TrackPolicy):
    """Top-two Thompson sampling among the systems that no verdict has beaten; the order of the others stays open.

    Answered once one system is left that beats, or is equivalent to, all that were not beaten by anybody.
    """

    name: ClassVar[str] = "winner"
    title: ClassVar[str] = "only the best system"

    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:  # noqa: ARG002
        """From one fit of the strengths."""
        open_pairs = [k for k in wanted if is_open(k)]
        if not open_pairs:
            return []
        pairs = system_pairs(state.plan)[open_pairs]
        return [open_pairs[row] for row in winner_only(strengths(state), pairs, count, random_numbers(state))]

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
