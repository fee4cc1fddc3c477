"""What every pair policy says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from tiebreak.campaign.state import State

IsOpen = Callable[[int], bool]


class PairPolicy(ABC):
    """Which pair is asked next. It may look at all answers, because each pair's sealed order is its own."""

    name: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def choose(self, state: State, wanted: Sequence[int], is_open: IsOpen, count: int) -> Sequence[int]:
        """The pairs of the next `count` items, in order; a pair may come several times. Empty where none is open.

        `wanted`: the undecided pairs that matter. `is_open(k)`: whether pair k has an item for who asks; to be asked
        only of pairs that may be chosen, since there can be many.
        """

    def wanted_pairs(self, state: State) -> list[int]:
        """The undecided pairs whose verdict still matters; none: the campaign's question is answered."""
        return [k for k, pair in enumerate(state.pairs) if pair.verdict == "undecided"]


def random_numbers(state: State) -> np.random.Generator:
    """For one choice: of this campaign's own, and new ones once a task was handed out."""
    return np.random.default_rng([state.protocol.order.seed, state.issued])
