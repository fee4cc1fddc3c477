"""All undecided pairs in turn, a batch each (metric-error-correction, Algorithm 2)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.state import State
from tiebreak.campaign.track_policy import IsOpen, TrackPolicy


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
