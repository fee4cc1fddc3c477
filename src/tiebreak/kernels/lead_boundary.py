"""Stopping rules as boundaries on the lead, wins minus losses: one comparison a label instead of a process.

A rule that sees only the counts of wins, ties and losses, and that more wins never turn away from a, decides for a
exactly where the lead reaches a number that depends on how many items were looked at (`by_untied`: on how many of them
are no ties). The boundaries are found by bisection on the very functions that give the verdicts elsewhere, so that
nothing but speed is gained: the tests compare every rule with its kernel, label by label.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from tiebreak.kernels import _checks
from tiebreak.kernels.bet_mixture import BetPrior, log_e_from_counts

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


def anytime_boundary(prior: BetPrior, log_threshold: float, horizon: int) -> LeadBoundary:
    """Where the mixture of bets against "no difference" reaches `log_threshold`, in either direction."""

    def reached(count: Floats, lead: Floats) -> NDArray[np.bool_]:
        wins, losses = (count + lead) / 2, (count - lead) / 2
        return np.asarray(log_e_from_counts(losses, np.zeros_like(wins), wins, prior) >= log_threshold)

    return _symmetric(_smallest_leads(reached, horizon, step=2), by_untied=True)


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


def _symmetric(leads: Integers, *, by_untied: bool) -> LeadBoundary:
    return LeadBoundary(leads, -leads, by_untied)


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
