"""Allocations: which system's outputs are rated next.

A new allocation is a class here and a line in `ALLOCATIONS`.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import ClassVar, Final

from tiebreak.campaign.state import AnnotatorState, State
from tiebreak.campaign.track_policy import IsOpen, TrackPolicy
from tiebreak.rules.registry import RULES


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
            k = max(left, key=lambda track: (widths[track] * _shrunk(state, track, asked[track]), -track))
            asked[k] += 1
            chosen.append(k)
        return chosen

    def whole(self, state: State, n: int) -> int:  # noqa: ARG002
        """Whatever is needed most."""
        return n


def _shrunk(state: State, track: int, asked: int) -> float:
    return math.sqrt(max(1, state.tracks[track].done) / asked)


def _widths(state: State) -> list[float]:
    """By track, the widest interval of its measures without a verdict, over the half-width that is asked for."""
    rule, plan = RULES[state.protocol.decision.rule], state.plan
    evidence = [measure.evidence for measure in state.measures]
    summaries = rule.summary(plan.rule_plans, evidence, state.protocol.decision)
    widths = [0.0] * len(state.tracks)
    for number in state.undecided:
        summary = summaries[number]
        for track in plan.measures[number].tracks:
            relative = (summary.high - summary.low) / (plan.measures[number].half_width or 1.0)
            widths[track] = max(widths[track], relative)
    return widths


ALLOCATIONS: Final[dict[str, TrackPolicy]] = {policy.name: policy for policy in (Equal(), Widest())}
