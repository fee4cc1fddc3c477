"""All undecided pairs in turn, a batch each (metric-error-correction, Algorithm 2)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tiebreak.campaign.pair_policies.policy import PairPolicy

if TYPE_CHECKING:
    from tiebreak.campaign.state import State


class Batches(PairPolicy):
    """The pair with the fewest whole batches goes first; among equals, in the order of the pairs.

    Decided pairs leave the round, so that the budget goes to those that are hard to tell apart. Nobody waits for a
    batch to come back before the next is handed out.
    """

    name: ClassVar[str] = "batches"
    title: ClassVar[str] = "all undecided pairs, a batch each"

    def choose(self, state: State, open_pairs: Sequence[int], count: int, rng: np.random.Generator) -> Sequence[int]:  # noqa: ARG002
        """By batches handed out, those chosen here counted."""
        batch = state.protocol.pairs.batch
        opened = {k: state.pairs[k].opened for k in open_pairs}
        queue = [(opened[k] // batch, k) for k in open_pairs]
        heapq.heapify(queue)
        chosen = []
        for _ in range(count):
            _, k = heapq.heappop(queue)
            chosen.append(k)
            opened[k] += 1
            heapq.heappush(queue, (opened[k] // batch, k))
        return chosen
