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
    def ranking(self, state: State, open_pairs: Sequence[int], rng: np.random.Generator) -> Sequence[int]:
        """The open pairs (undecided, items left) in the order in which the next items should go to them; pairs may be
        left out.
        """

    @abstractmethod
    def run_length(self, state: State, pair: int) -> int:
        """How many items the pair gets before the ranking is made anew, at least 1."""

    def is_answered(self, state: State) -> bool:
        """Whether the campaign's question is answered although pairs are undecided."""
        del state
        return False
