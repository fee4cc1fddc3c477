"""The ratings of one system on one criterion, by output: means, counts, and what people differ by.

Ratings come in long form, a code of the output and a value each. What is made of them is the same in every order, to
the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class RatedOutputs:
    """n outputs, ascending by code. `ratings` (K,) of all, in the order of outputs and ascending within each.

    `codes` (n,); `counts` (n,) >= 1 of ratings; `means` (n,); `variances` (n,) of an output's ratings, divisor count
    - 1: exactly 0 where they are equal, and where there is one.
    """

    codes: NDArray[np.int64]
    counts: Integers
    means: Floats
    variances: Floats
    ratings: Floats

    @classmethod
    def of(cls, output: ArrayLike, value: ArrayLike) -> RatedOutputs:
        """From long form: `output` (K,) whole numbers, `value` (K,) ratings on any scale; K may be 0.

        Raises:
            UsageError: shapes that differ, codes that are not whole numbers, ratings that are not finite.
        """
        codes, ratings = np.asarray(output), np.asarray(value, dtype=np.float64)
        _check(codes, ratings)
        order = np.lexsort((ratings, codes))
        codes, ratings = codes[order].astype(np.int64), ratings[order]
        starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: codes.size])
        counts = np.diff(np.append(starts, codes.size))
        if not counts.size:
            return cls(codes, counts, ratings, ratings.copy(), ratings.copy())
        lowest, highest = ratings[starts], ratings[starts + counts - 1]
        centred = ratings - np.repeat(lowest, counts)  # rounding would make equal ratings differ
        above = np.add.reduceat(centred, starts) / counts
        squares = np.add.reduceat((centred - np.repeat(above, counts)) ** 2, starts)
        variances = np.where(highest > lowest, squares / np.maximum(counts - 1, 1), 0.0)
        return cls(codes[starts], counts, lowest + np.where(highest > lowest, above, 0.0), variances, ratings)

    @property
    def starts(self) -> Integers:
        """Where the ratings of each output begin (n,)."""
        return np.cumsum(self.counts) - self.counts


def _check(codes: NDArray[np.generic], ratings: Floats) -> None:
    if codes.ndim != 1 or codes.shape != ratings.shape:
        raise UsageError(f"outputs and ratings must be two rows of equal length, not {codes.shape} and {ratings.shape}")
    if codes.size and not np.issubdtype(codes.dtype, np.integer):
        raise UsageError(f"outputs must be whole numbers, but they are {codes.dtype}")
    bad = ~np.isfinite(ratings)
    if bad.any():
        raise UsageError(f"ratings must be finite, but one of them is {ratings[bad][0]}; leave missing ones out")
