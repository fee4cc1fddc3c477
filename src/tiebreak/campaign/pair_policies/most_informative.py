"""The pair from which most is to be learnt about the whole order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.pair_policies.strengths import strengths, system_pairs
from tiebreak.campaign.state import State
from tiebreak.campaign.track_policy import IsOpen, TrackPolicy, random_numbers
from tiebreak.kernels.strengths import most_informative


class MostInformative(TrackPolicy):
    """Close for what is known of it, and little known: `kernels.next_pair.most_informative` over the open pairs."""

    name: ClassVar[str] = "most-informative"
    title: ClassVar[str] = "the pair that tells most about the order"

    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:  # noqa: ARG002
        """From one fit of the strengths; items chosen here count as information for the next."""
        open_pairs = [k for k in wanted if is_open(k)]
        if not open_pairs:
            return []
        pairs = system_pairs(state.plan)[open_pairs]
        return [open_pairs[row] for row in most_informative(strengths(state), pairs, count, random_numbers(state))]
