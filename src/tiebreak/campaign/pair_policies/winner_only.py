"""Only the winner matters: labels go to the systems that may still be the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.pair_policies.strengths import strengths, system_pairs
from tiebreak.campaign.state import State
from tiebreak.campaign.track_policy import IsOpen, TrackPolicy, random_numbers
from tiebreak.kernels.strengths import winner_only


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
