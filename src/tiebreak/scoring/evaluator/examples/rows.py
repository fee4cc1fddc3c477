"""Rows to learn from, and most of them: pairs of texts of one context, and how good the first is beside the second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]
Floats = NDArray[np.float64]
Chosen = NDArray[np.bool_] | Places

Source = Literal["strong", "weak", "human"]
"""Where a label comes from: references, the order of checkpoints, or people."""
SOURCES: Final[Mapping[Source, str]] = {"strong": "references", "weak": "checkpoints", "human": "people"}
"""In words, in the order in which they are learned: what people say comes last."""


class OfTexts(Protocol):
    """Rows about texts of one corpus."""

    @property
    def texts(self) -> Places:
        """The numbers of the texts of each row (n, k)."""

    def only(self, chosen: Chosen) -> Self:
        """Those that a mask or numbers name."""


Some = TypeVar("Some", bound=OfTexts)


class Rows(OfTexts, Protocol):
    """What labels of one source say of texts, one text or several in a row."""

    @property
    def context(self) -> Places:
        """Of the first text of each row (n,); nearly always of all."""

    @property
    def margin(self) -> Floats:
        """What separates the texts of a row, from 0 to 1 (n,); NaN where nothing is said about it."""

    @property
    def columns(self) -> tuple[Places | Floats, ...]:
        """All that is said, each n long."""

    def __len__(self) -> int: ...


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
        cls, a: Sequence[int], b: Sequence[int], shares: Sequence[Sequence[float]] | Floats, context: Places,
        margin: Sequence[float] | Floats | None = None,
    ) -> Pairs:  # fmt: skip
        """`context`: of each text of the corpus (T,)."""
        first = np.array(a, dtype=np.intp)
        told = np.array(shares, dtype=np.float64).reshape(-1, 3)
        apart = np.full(first.size, np.nan) if margin is None else np.array(margin, dtype=np.float64)
        return cls(first, np.array(b, dtype=np.intp), told, context[first], apart)

    @classmethod
    def joined(cls, parts: Sequence[Pairs]) -> Pairs:
        """One behind the other; none of no parts."""
        if not parts:
            nothing = np.empty(0, dtype=np.intp)
            return cls(nothing, nothing, np.empty((0, 3)), nothing, np.empty(0))
        columns = ("a", "b", "shares", "context", "margin")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))

    def __len__(self) -> int:
        return int(self.a.size)

    def only(self, chosen: Chosen) -> Pairs:
        """Those that a mask or numbers name."""
        return Pairs(self.a[chosen], self.b[chosen], self.shares[chosen], self.context[chosen], self.margin[chosen])

    @property
    def texts(self) -> Places:
        """The numbers of both texts (n, 2)."""
        return np.stack([self.a, self.b], axis=1)

    @property
    def columns(self) -> tuple[Places | Floats, ...]:
        """All but the context, which follows from the texts."""
        return self.a, self.b, self.shares, self.margin

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


BETTER = (1.0, 0.0, 0.0)
TIE = (0.0, 1.0, 0.0)


def as_pairs(rows: object) -> Pairs:
    """The rows, where they must be pairs.

    Raises:
        TypeError: they are of another kind.
    """
    if not isinstance(rows, Pairs):
        raise TypeError(f"pairs of texts are wanted, and {type(rows).__name__} is none: {rows!r:.200}")
    return rows


ROUNDING = 1e-9
