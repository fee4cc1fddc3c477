"""What every pair policy says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from tiebreak.campaign.state import State


class PairPolicy(ABC):
    """Which pair is asked next. It may look at all answers, because each pair's sealed order is its own."""

    name: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def choose(self, state: State, open_pairs: Sequence[int], count: int, rng: np.random.Generator) -> Sequence[int]:
        """The pairs of the next `count` items, in order; a pair may come several times. `open_pairs`, at least one, are
        those that may be asked now.
        """

    def wanted_pairs(self, state: State) -> list[int]:
        """The undecided pairs whose verdict still matters; none: the campaign's question is answered."""
        return [k for k, pair in enumerate(state.pairs) if pair.verdict == "undecided"]
