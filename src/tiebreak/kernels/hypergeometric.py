"""Upper tail of the hypergeometric distribution for many cells at once, without `scipy.stats` (its start-up time)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]

NEGLIGIBLE: Final = 1e-17
"""Terms of a sum this small, relative to the sum, are left out."""

TERMS_AT_ONCE: Final = 8
"""Terms added between two looks at which cells are finished."""


class Hypergeometric:
    """Tails for populations of at most `size` items."""

    def __init__(self, size: int) -> None:
        self._log_factorial = _log_factorials(size)

    def upper_tail(self, least: Floats, draws: Floats, marked: Floats, unmarked: Floats) -> Floats:
        """P(at least `least` marked among `draws` items drawn without replacement), arrays of one shape.

        Relative error at most about 1e-9 where it is below 1/2, else absolute.

        least: whole numbers; draws, marked, unmarked: whole numbers >= 0, no more draws than marked and unmarked items.
        """
        fewest = np.maximum(draws - unmarked, 0.0)
        tail = np.where(least <= fewest, 1.0, 0.0)
        inside = (least > fewest) & (least <= np.minimum(draws, marked))
        x, n, k, r = least[inside], draws[inside], marked[inside], unmarked[inside]
        above = x > n * k / np.maximum(k + r, 1.0)
        # P(X >= x) from its largest term, or 1 - P(unmarked >= n - x + 1) where that is the shorter sum.
        sums = self._sum(np.where(above, x, n - x + 1.0), n, np.where(above, k, r), np.where(above, r, k))
        tail[inside] = np.where(above, sums, 1.0 - sums)
        return tail

    def _sum(self, x: Floats, n: Floats, k: Floats, r: Floats) -> Floats:
        """P(X >= x) for x within the support and not below the mean; 0 beyond the support."""
        log_p = self._log_choose(k, x) + self._log_choose(r, n - x) - self._log_choose(k + r, n)
        term = np.exp(log_p)
        total = term.copy()
        active = np.flatnonzero(term > 0.0)
        x, n, k, r, term = (values[active] for values in (x, n, k, r, term))
        added = total[active]
        while active.size:
            for _ in range(TERMS_AT_ONCE):
                term = term * ((k - x) * (n - x)) / ((x + 1.0) * (r - n + x + 1.0))
                x = x + 1.0
                added = added + term
            total[active] = added
            going = term > NEGLIGIBLE * added
            active = active[going]
            x, n, k, r, term, added = (values[going] for values in (x, n, k, r, term, added))
        return np.minimum(total, 1.0)

    def _log_choose(self, n: Floats, k: Floats) -> Floats:
        """log of n over k; -inf where k is beyond n."""
        possible = k <= n
        total, part = n.astype(np.intp), np.where(possible, k, 0.0).astype(np.intp)
        table = self._log_factorial
        return np.where(possible, table[total] - table[part] - table[total - part], -np.inf)


@lru_cache(maxsize=1)
def _log_factorials(size: int) -> Floats:
    """Of 0 to `size` + 1; kept for the next call, which is about the same pool as a rule."""
    return np.asarray(gammaln(np.arange(size + 2) + 1.0))
