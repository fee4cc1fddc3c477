"""Rows to learn from: pairs of texts, and how good the first is beside the second; or single texts and ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final, Literal, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Chosen = Mask | Places

Source = Literal["strong", "weak", "human"]
"""Where a label comes from: references, the order of checkpoints, or people."""
SOURCES: Final[Mapping[Source, str]] = {"strong": "references", "weak": "checkpoints", "human": "people"}
"""In words, in the order in which they are learned: what people say comes last."""
ACROSS: Final = "human, across inputs"
"""What is said of rated texts that are compared across inputs: how many they are, and how good it is there."""
BETTER: Final = (1.0, 0.0, 0.0)
TIE: Final = (0.0, 1.0, 0.0)
ROUNDING: Final = 1e-9
"""Ratings this near are equal."""


class OfTexts(Protocol):
    """Rows about texts of one corpus."""

    @property
    def texts(self) -> Places:
        """The numbers of the texts of each row (n, k)."""

    def only(self, chosen: Chosen) -> Self:
        """Those that a mask or numbers name."""


Some = TypeVar("Some", bound=OfTexts)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs (n,) of the numbers of texts of one corpus. An order is no information: (a, b) stands for (b, a) too.

    `shares` (n, 3): how much speaks for "a is better", a tie, "b is better"; each row sums to 1. `context` (n,): of
    both, or of a where people rated texts of different contexts. `margin` (n,): what separates them, from 0 to 1; NaN
    where nothing is said about it.
    """

    a: Places
    b: Places
    shares: Floats
    context: Places
    margin: Floats

    @classmethod
    def of(
        cls, a: Sequence[int] | Places, b: Sequence[int] | Places, shares: Sequence[Sequence[float]] | Floats,
        context: Places, margin: Sequence[float] | Floats | None = None,
    ) -> Pairs:  # fmt: skip
        """`context`: of each text of the corpus (T,)."""
        first = np.array(a, dtype=np.intp)
        told = np.array(shares, dtype=np.float64).reshape(-1, 3)
        apart = np.full(first.size, np.nan) if margin is None else np.array(margin, dtype=np.float64)
        return cls(first, np.array(b, dtype=np.intp), told, context[first], apart)

    @classmethod
    def joined(cls, parts: Sequence[Pairs]) -> Pairs:
        """One behind the other; none of no parts."""
        every = [cls.of([], [], [], np.empty(0, dtype=np.intp)), *parts]
        return cls(*(np.concatenate([getattr(part, column.name) for part in every]) for column in fields(cls)))

    def __len__(self) -> int:
        return int(self.a.size)

    def only(self, chosen: Chosen) -> Pairs:
        """Those that a mask or numbers name."""
        return Pairs(self.a[chosen], self.b[chosen], self.shares[chosen], self.context[chosen], self.margin[chosen])

    @property
    def texts(self) -> Places:
        """The numbers of both texts (n, 2)."""
        return np.stack([self.a, self.b], axis=1)

    def decided(self) -> Pairs:
        """Without ties: shares of the two sides, and no pair that nobody decided."""
        shares = self.shares * np.array([1.0, 0.0, 1.0])
        told = shares.sum(1) > 0
        kept = self.only(told)
        return Pairs(kept.a, kept.b, shares[told] / shares[told].sum(1, keepdims=True), kept.context, kept.margin)

    @property
    def better(self) -> NDArray[np.int8]:
        """1 where more speaks for a than for b, -1 where less does, 0 where as much (n,)."""
        return np.sign(np.round(self.shares[:, 0] - self.shares[:, 2], 9)).astype(np.int8)

    @property
    def outcome(self) -> NDArray[np.int8]:
        """The same (n,), and 0 where more speaks for a tie than for either side."""
        tied = np.round(self.shares[:, 1] - np.maximum(self.shares[:, 0], self.shares[:, 2]), 9) > 0
        return np.where(tied, 0, self.better).astype(np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """Texts (n,) that people rated, each once, by their numbers in the corpus.

    `values` (n, K): means over people on each of the `criteria` (K,), NaN where nobody rated the text on it. `context`
    (n,).
    """

    text: Places
    values: Floats
    context: Places
    criteria: tuple[str, ...]

    def __len__(self) -> int:
        return int(self.text.size)

    @property
    def margin(self) -> Floats:
        """Nothing is said about it."""
        return np.full(self.text.size, np.nan)

    @property
    def texts(self) -> Places:
        """One in a row (n, 1)."""
        return self.text[:, None]

    def only(self, chosen: Chosen) -> Rated:
        """Those that a mask or numbers name."""
        return Rated(self.text[chosen], self.values[chosen], self.context[chosen], self.criteria)


Rows = Pairs | Rated


def as_pairs(rows: object) -> Pairs:
    """The rows, where they must be pairs.

    Raises:
        TypeError: they are of another kind.
    """
    if not isinstance(rows, Pairs):
        raise TypeError(f"pairs of texts are wanted, and {type(rows).__name__} is none: {rows!r:.200}")
    return rows
