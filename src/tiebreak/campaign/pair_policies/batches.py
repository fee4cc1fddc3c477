"""All undecided pairs in turn, a batch each (metric-error-correction, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tiebreak.campaign.pair_policies.policy import PairPolicy

if TYPE_CHECKING:
    from tiebreak.campaign.state import State


class Batches(PairPolicy):
    """The pair with the fewest batches so far goes first; among equals, in the order of the pairs.

    Decided pairs leave the round, so that the budget goes to those that are hard to tell apart. Nobody waits for a
    batch to come back before the next is handed out.
    """

    name: ClassVar[str] = "batches"
    title: ClassVar[str] = "all undecided pairs, a batch each"

    def ranking(self, state: State, open_pairs: Sequence[int], rng: np.random.Generator) -> Sequence[int]:  # noqa: ARG002
        """By batches handed out."""
        batch = state.plan.protocol.pairs.batch
        return sorted(open_pairs, key=lambda k: (state.pairs[k].opened // batch, k))

    def run_length(self, state: State, pair: int) -> int:
        """The rest of the pair's batch."""
        batch = state.plan.protocol.pairs.batch
        return batch - state.pairs[pair].opened % batch
