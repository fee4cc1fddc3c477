"""All systems in turn: everybody rates one output of each system equally often."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.state import AnnotatorState, State
from tiebreak.campaign.track_policy import IsOpen, TrackPolicy


class Equal(TrackPolicy):
    """The system of which a person has had the fewest outputs goes first; among equals, the one with the fewest asked.

    So a person's severity falls on all systems alike. Where differences are to be found out people get whole items,
    all systems' outputs of each: the two ratings of a difference are one person's.
    """

    name: ClassVar[str] = "equal"
    title: ClassVar[str] = "all systems in turn"

    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:
        """By outputs handed to this person and by outputs asked, those chosen here counted."""
        handed = state.annotators.get(annotator, AnnotatorState()).handed or (0,) * len(state.tracks)
        queue = [(handed[k], state.tracks[k].opened, k) for k in wanted]
        heapq.heapify(queue)
        chosen: list[int] = []
        known: set[int] = set()
        while queue and len(chosen) < count:
            had, opened, k = queue[0]
            if k not in known and not is_open(k):
                heapq.heappop(queue)
                continue
            known.add(k)
            chosen.append(k)
            heapq.heapreplace(queue, (had + 1, opened + 1, k))
        return chosen

    def whole(self, state: State, n: int) -> int:
        """Whole items, where there are that many tasks."""
        together = 1 if state.protocol.ratings.until == "means" else max(1, len(self.wanted(state)))
        return n if n < together else n - n % together
