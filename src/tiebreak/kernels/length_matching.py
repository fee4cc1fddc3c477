"""Pairs texts of two systems by length: as many pairs as a tolerance allows, then the smallest total difference.

Two texts may be paired if the longer one is within reach of the shorter one, and reach grows with length. Then pairs
need not cross: where a1 <= a2 and b1 <= b2 are paired as (a1, b2) and (a2, b1), the pairs (a1, b1) and (a2, b2) are
allowed too (each new pair's longer text is within reach of a shorter text that is no longer than its own), and the sum
of their differences is no larger. So the best matching is one in the order of length, and a dynamic program over the
first i texts of one system and the first j of the other finds it exactly:

    best(i, j) = max(best(i - 1, j), best(i, j - 1), best(i - 1, j - 1) + 1 pair - |a_i - b_j|)

"max" puts the number of pairs first and the sum of differences second. Matching nearest lengths greedily can lose pairs
(5 and 7 with 5 and 3, tolerance 2: pairing the two 5s leaves 7 and 3), matching in order without the program cannot
choose whom to leave out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError

Integers = NDArray[np.int64]

CELLS_AT_ONCE: Final = 36_000_000
"""6,000 by 6,000 texts: 72 MB and a second. Larger groups are cut at random into parts of this size."""

_LARGEST: Final = 2**62
_TIE_BREAKS: Final = 1024


@dataclass(frozen=True, slots=True)
class LengthTolerance:
    """How far apart the lengths of two paired texts may be: `amount` units of length, or, if `relative`, that share of
    the longer one.

    Raises UsageError for an amount that is not finite and >= 0, or a share of 1 or more.
    """

    amount: float
    relative: bool

    def __post_init__(self) -> None:
        if not (math.isfinite(self.amount) and self.amount >= 0):
            raise UsageError(f"the length tolerance must be a number >= 0, but it is {self.amount}")
        if self.relative and self.amount >= 1:
            raise UsageError(f"a relative length tolerance must be below 100%, but it is {100 * self.amount:g}%")

    def reach(self, lengths: Integers) -> Integers:
        """The greatest length that may be paired with each of `lengths` as the shorter; not decreasing in it."""
        if not self.relative:
            return np.asarray(lengths + math.floor(self.amount))
        # longer - shorter <= share * longer; the small addition is for products such as 0.9 * 10 that round down.
        return np.floor(lengths / (1 - self.amount) + 1e-9).astype(np.int64)


def match_lengths(
    first: ArrayLike, second: ArrayLike, tolerance: LengthTolerance, rng: np.random.Generator
) -> NDArray[np.intp]:
    """The pairs as positions (P, 2) in `first` and `second`, from the shortest on; each position at most once.

    first, second: lengths, whole numbers from 0 to 2^31. Where several matchings are equally good (texts of the same
    length, a partner as much shorter as another is longer) chance decides, so that no side is favoured.

    Raises:
        UsageError: lengths that are not such numbers.
    """
    a, b = _checked("first", first), _checked("second", second)
    if not (len(a) and len(b)):
        return np.empty((0, 2), dtype=np.intp)
    if len(a) > len(b):  # the program loops over the first
        pairs = match_lengths(b, a, tolerance, rng)[:, ::-1]
        return np.asarray(pairs[np.argsort(a[pairs[:, 0]], kind="stable")])
    widest = _widest(a, b, tolerance)
    cells = len(a) * len(b)
    # Sums of costs must fit 64 bits: see _positions.
    most_texts = int((_LARGEST / (16 * (widest + 1))) ** (1 / 3))
    parts = max(math.ceil(math.sqrt(cells / CELLS_AT_ONCE)), math.ceil(min(len(a), len(b)) / most_texts), 1)
    found = [
        np.stack([of_a[rows], of_b[columns]], axis=1)
        for of_a, of_b in zip(
            np.array_split(rng.permutation(len(a)), parts), np.array_split(rng.permutation(len(b)), parts), strict=True
        )
        for rows, columns in [_match(a[of_a], b[of_b], tolerance, widest, rng)]
    ]
    pairs = np.concatenate(found).astype(np.intp)
    return np.asarray(pairs[np.argsort(a[pairs[:, 0]], kind="stable")])


def has_partner(lengths: ArrayLike, others: ArrayLike, tolerance: LengthTolerance) -> NDArray[np.bool_]:
    """Whether any of `others` is within the tolerance of each of `lengths`, whoever else may want it."""
    own, sorted_others = _checked("lengths", lengths), np.sort(_checked("others", others))
    if not len(sorted_others):
        return np.zeros(len(own), dtype=np.bool_)
    # The nearest longer one and the nearest shorter one decide, since reach grows with length.
    above = np.searchsorted(sorted_others, own)
    longer = sorted_others[np.minimum(above, len(sorted_others) - 1)]
    shorter = sorted_others[np.maximum(above - 1, 0)]
    return np.asarray(
        ((above < len(sorted_others)) & (longer <= tolerance.reach(own)))
        | ((above > 0) & (own <= tolerance.reach(shorter)))
    )


def _match(
    a: Integers, b: Integers, tolerance: LengthTolerance, widest: int, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Positions in a and in b of the best matching."""
    at_a, at_b, one_pair = _positions(a, b, widest, rng)
    order_a, order_b = np.argsort(at_a), np.argsort(at_b)
    a, b, at_a, at_b = a[order_a], b[order_b], at_a[order_a], at_b[order_b]
    reach_a, reach_b = tolerance.reach(a), tolerance.reach(b)
    # Whether the best of (i, j) is also that without a_i, or without b_j.
    without_a, without_b = (np.zeros((len(a), len(b) + 1), dtype=np.bool_) for _ in range(2))
    best = np.zeros(len(b) + 1, dtype=np.int64)
    for i in range(len(a)):
        allowed = (b <= reach_a[i]) & (a[i] <= reach_b)
        paired = np.where(allowed, best[:-1] + one_pair - np.abs(at_a[i] - at_b), -1)
        following = best.copy()
        np.maximum(best[1:], paired, out=following[1:])
        np.maximum.accumulate(following, out=following)
        without_a[i] = following == best
        without_b[i, 1:] = following[1:] == following[:-1]
        best = following
    rows, columns = [], []
    i, j = len(a), len(b)
    while i and j:
        if without_b[i - 1, j]:
            j -= 1
        elif without_a[i - 1, j]:
            i -= 1
        else:
            i, j = i - 1, j - 1
            rows.append(order_a[i])
            columns.append(order_b[j])
    return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)


def _positions(a: Integers, b: Integers, widest: int, rng: np.random.Generator) -> tuple[Integers, Integers, int]:
    """Places on a line whose distances order matchings by their sum of differences and then by chance, and the worth of
    one more pair, which is more than all distances together.

    A length is stretched by more than all random shifts together (q pairs, shifts below R: 2qR), so that these decide
    only between matchings of the same sum. The line keeps the argument for pairs that do not cross. The largest sum is
    q pairs of worth q (widest + 1) (2qR + 1), about 2 R q^3 (widest + 1).
    """
    most_pairs = min(len(a), len(b))
    shifts = int(min(max(_LARGEST / (8 * most_pairs**3 * (widest + 1)), 1), _TIE_BREAKS))
    stretch = 2 * most_pairs * shifts + 1
    at_a, at_b = (of * stretch + rng.integers(shifts, size=len(of)) for of in (a, b))
    return at_a, at_b, most_pairs * (widest + 1) * stretch + 1


def _widest(a: Integers, b: Integers, tolerance: LengthTolerance) -> int:
    """No two paired lengths are further apart than this."""
    longest, shortest = max(a.max(), b.max()), min(a.min(), b.min())
    apart = max((tolerance.reach(of) - of).max() for of in (a, b))
    return int(min(longest - shortest, apart))


def _checked(name: str, lengths: ArrayLike) -> Integers:
    given = np.asarray(lengths)
    if given.size == 0:
        return np.empty(0, dtype=np.int64)
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer) or given.min() < 0 or given.max() > 2**31:
        raise UsageError(f"{name} must be lengths: whole numbers from 0 to 2^31")
    return given.astype(np.int64)
