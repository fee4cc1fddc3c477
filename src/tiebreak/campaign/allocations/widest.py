"""The system whose interval is the widest, for what was asked, goes first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.allocations.equal import Equal
from tiebreak.campaign.state import State
from tiebreak.campaign.stopping import STOPPING_RULES
from tiebreak.campaign.track_policy import IsOpen


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
    rule, plan = STOPPING_RULES[state.protocol.decision.rule], state.plan
    evidence = [measure.evidence for measure in state.measures]
    summaries = rule.summary(plan.rule_plans, evidence, state.protocol.decision)
    widths = [0.0] * len(state.tracks)
    for number in state.undecided:
        summary = summaries[number]
        for track in plan.measures[number].tracks:
            relative = (summary.high - summary.low) / (plan.measures[number].half_width or 1.0)
            widths[track] = max(widths[track], relative)
    return widths
