"""Pairs of texts of one context, and how good the first is beside the second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]
Floats = NDArray[np.float64]
Chosen = NDArray[np.bool_] | Places

Source = Literal["strong", "weak", "human"]
"""Where a label comes from: references, the order of checkpoints, or people."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs (n,) of the numbers of texts of one corpus. An order is no information: (a, b) stands for (b, a) too.

    `shares` (n, 3): how much speaks for "a is better", a tie, "b is better"; each row sums to 1. `context` (n,): of
    both. `margin` (n,): what separates them, from 0 to 1; NaN where nothing is said about it.
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
    def better(self) -> NDArray[np.int8]:
        """1 where more speaks for a than for b, -1 where less does, 0 where as much (n,)."""
        return np.sign(np.round(self.shares[:, 0] - self.shares[:, 2], 9)).astype(np.int8)


BETTER = (1.0, 0.0, 0.0)
TIE = (0.0, 1.0, 0.0)
