"""Only the winner matters: labels go to the systems that may still be the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.pair_policies.policy import IsOpen, PairPolicy, random_numbers
from tiebreak.campaign.pair_policies.strengths import strengths, system_pairs
from tiebreak.campaign.state import State
from tiebreak.kernels.next_pair import winner_only


class WinnerOnly(PairPolicy):
    """Top-two Thompson sampling among the systems that no verdict has beaten; the order of the others stays open.

    Answered once one system is left that beats, or is equivalent to, all that were not beaten by anybody.
    """

    name: ClassVar[str] = "winner"
    title: ClassVar[str] = "only the best system"

    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int) -> Sequence[int]:
        """From one fit of the strengths."""
        open_pairs = [k for k in wanted if is_open(k)]
        if not open_pairs:
            return []
        pairs = system_pairs(state.plan)[open_pairs]
        return [open_pairs[row] for row in winner_only(strengths(state), pairs, count, random_numbers(state))]

    def wanted_pairs(self, state: State) -> list[int]:
        """Undecided pairs of two systems that nobody has been decided to beat."""
        beaten = {
            plan.system_b if pair.verdict == "a" else plan.system_a
            for plan, pair in zip(state.plan.pairs, state.pairs, strict=True)
            if pair.verdict in ("a", "b")
        }
        return [
            k
            for k in super().wanted_pairs(state)
            if not beaten & {state.plan.pairs[k].system_a, state.plan.pairs[k].system_b}
        ]
