"""Stopping rules as boundaries on the lead, wins minus losses: one comparison a label instead of a process.

A rule that sees only the counts of wins, ties and losses, and that more wins never turn away from a, decides for a
exactly where the lead reaches a number that depends on how many items were looked at (`by_untied`: on how many of them
are no ties). The boundaries are found by bisection on the very functions that give the verdicts elsewhere, so that
nothing but speed is gained: the tests compare every rule with its kernel, label by label.

The difference after stopping early, with the outward bias of the raw mean shrunk away.

A campaign that stops when the evidence suffices stops on a lucky streak: at a true difference of 0.10 the raw mean at
the stop averages about 0.14. The posterior mean under a prior symmetric in sign and log-uniform in size shrinks
uncertain estimates much and certain ones little.

Upper tail of the hypergeometric distribution for many cells at once, without `scipy.stats` (its start-up time).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammaln

from tiebreak.kernels import _checks

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Reached = Callable[[Floats, Floats], NDArray[np.bool_]]
"""Counts n and leads of a (n,) to whether the rule decides for a."""

_STRIDE, _MARGIN = 16, 2


@dataclass(frozen=True, slots=True)
class LeadBoundary:
    """Decide for a where the lead is at least `for_a[n]`, for b where it is at most `for_b[n]`; both (horizon + 1,).

    n counts the items, or, `by_untied`, the items that are no ties. A lead beyond n cannot be reached: never there.
    """

    for_a: Integers
    for_b: Integers
    by_untied: bool

    @property
    def horizon(self) -> int:
        """The largest n that the boundary knows."""
        return int(self.for_a.size) - 1


def posterior_boundary(gamma: float, horizon: int) -> LeadBoundary:
    """Where the Dirichlet posterior has theta > 1 - gamma/2 for a, theta < gamma/2 for b (uniform prior)."""
    level = _checks.open_unit("gamma", gamma)

    def for_a(count: Floats, lead: Floats) -> NDArray[np.bool_]:
        wins, losses = (count + lead) / 2, (count - lead) / 2
        return np.asarray(betainc(losses + 1.0, wins + 1.0, 0.5) > 1 - level / 2)

    def for_b(count: Floats, lead: Floats) -> NDArray[np.bool_]:
        wins, losses = (count - lead) / 2, (count + lead) / 2
        return np.asarray(betainc(losses + 1.0, wins + 1.0, 0.5) < level / 2)

    return LeadBoundary(_smallest_leads(for_a, horizon, 2), -_smallest_leads(for_b, horizon, 2), by_untied=True)


def hoeffding_boundary(d: float, horizon: int) -> LeadBoundary:
    """Where the mean of n values in [0, 1] (a 1, tie 1/2, b 0) lies beyond 1/2 by more than sqrt(-ln(d)/(2n))."""
    level = _checks.open_unit("d", d)

    def mean_and_bound(count: Floats, lead: Floats) -> tuple[Floats, Floats]:
        count_or_one = np.maximum(count, 1.0)
        return (count + lead) / 2 / count_or_one, np.sqrt(-math.log(level) / (2.0 * count_or_one))

    def for_a(count: Floats, lead: Floats) -> NDArray[np.bool_]:
        mean, bound = mean_and_bound(count, lead)
        return np.asarray((mean - bound > 0.5) & (count > 0))

    def for_b(count: Floats, lead: Floats) -> NDArray[np.bool_]:
        mean, bound = mean_and_bound(count, -lead)
        return np.asarray((mean + bound < 0.5) & (count > 0))

    return LeadBoundary(_smallest_leads(for_a, horizon, 1), -_smallest_leads(for_b, horizon, 1), by_untied=False)


def _smallest_leads(reached: Reached, horizon: int, step: int) -> Integers:
    """The smallest lead (horizon + 1,) at which the rule decides at each count n; n + 2 where none does.

    `step` 2: leads of the parity of n, the possible ones without ties; 1: every whole number. Bisection, since a larger
    lead never decides less: first at every sixteenth count, then between what the counts around it have shown.
    """
    count = np.arange(horizon + 1, dtype=np.float64)
    # In steps from -n: at `low` the rule has not decided, at `high` it has (or the lead is out of reach).
    lowest, highest = np.full(horizon + 1, -1.0), 2 * count / step + 1
    coarse = np.unique(np.append(np.arange(0, horizon + 1, _STRIDE), horizon))
    at_coarse = _bisect(reached, count[coarse], step, lowest[coarse], highest[coarse])
    low = np.clip(np.interp(count, count[coarse], at_coarse).round() - _MARGIN, lowest, highest)
    high = np.clip(low + 2 * _MARGIN, lowest, highest)
    # Guesses that turn out wrong start again from the whole range.
    guess_low = (low > lowest) & _decided(reached, count, low, step)
    guess_high = (high < highest) & ~_decided(reached, count, high, step)
    low, high = np.where(guess_low | guess_high, lowest, low), np.where(guess_low | guess_high, highest, high)
    leads = step * _bisect(reached, count, step, low, high) - count
    return np.where(leads > count, count + 2, leads).astype(np.int32)


def _bisect(reached: Reached, count: Floats, step: int, low: Floats, high: Floats) -> Floats:
    """The smallest number of steps that decides, in (low, high]."""
    low, high = low.copy(), high.copy()
    still = np.flatnonzero(high - low > 1)
    while still.size:
        middle = np.floor((low[still] + high[still]) / 2)
        decided = _decided(reached, count[still], middle, step)
        high[still] = np.where(decided, middle, high[still])
        low[still] = np.where(decided, low[still], middle)
        still = still[high[still] - low[still] > 1]
    return high


def _decided(reached: Reached, count: Floats, steps: Floats, step: int) -> NDArray[np.bool_]:
    return reached(count, np.clip(step * steps - count, -count, count))


_SMALLEST, _POINTS = 0.01, 400


def estimate_at_stop(mean: float, variance: float, labelled: int, pool_size: int | None = None) -> float:
    """Posterior mean of the difference given `mean` of `labelled` values with variance `variance`.

    Likelihood N(mean, variance (1/n - 1/N)), N infinite for `pool_size=None`; prior density on [-1, 1] proportional to
    1/max(|difference|, 0.01), by the trapezoid rule on a grid that is fine where the likelihood is. No uncertainty left
    (variance 0, or the whole pool labelled): the mean itself.

    Raises:
        ValueError: `labelled` < 1.
    """
    if labelled < 1:
        raise ValueError(f"needs at least one labelled item, not {labelled}")
    spread = variance * (1 / labelled - (0.0 if pool_size is None else 1 / pool_size))
    if spread <= 1e-12:
        return mean
    reach = 8 * np.sqrt(spread)
    near = np.linspace(max(-1.0, mean - reach), min(1.0, mean + reach), _POINTS)
    candidates = np.unique(np.concatenate([np.linspace(-1, 1, _POINTS), near, [-_SMALLEST, 0.0, _SMALLEST]]))
    density = np.exp(-((mean - candidates) ** 2) / (2 * spread)) / np.maximum(np.abs(candidates), _SMALLEST)
    return float(np.trapezoid(candidates * density, candidates) / np.trapezoid(density, candidates))


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
