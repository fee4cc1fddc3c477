"""What every policy says about which track is asked next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from tiebreak.campaign.state import State

IsOpen = Callable[[int], bool]


class TrackPolicy(ABC):
    """Which pair, or which system, is asked about next. It may look at all answers, because the sealed order says by
    itself which item of it comes next.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int, annotator: str) -> Sequence[int]:
        """The tracks of the next `count` items of a person, in order; a track may come several times. Empty where none
        is open.

        `wanted`: those that matter. `is_open(k)`: whether track k has an item for who asks; to be asked only of tracks
        that may be chosen, since there can be many.
        """

    def wanted(self, state: State) -> list[int]:
        """The tracks with a measure whose verdict still matters; none: the campaign's question is answered."""
        measures = state.plan.measures
        return sorted({track for number in state.undecided for track in measures[number].tracks})

    def whole(self, state: State, n: int) -> int:  # noqa: ARG002
        """Of `n` tasks that are asked for, how many to hand out at once."""
        return n


def random_numbers(state: State) -> np.random.Generator:
    """For one choice: of this campaign's own, and new ones once a task was handed out."""
    return np.random.default_rng([state.protocol.order.seed, state.issued])
