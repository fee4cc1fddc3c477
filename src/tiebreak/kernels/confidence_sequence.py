"""Confidence sequences: all null values that the e-process of the verdict has not rejected at any look.

Valid at all times at once: the interval misses the true difference at some look with probability at most the sum
of the two one-sided levels, because it can only miss where the process at the true value crosses its threshold.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

SupLogE = Callable[[float], float]
"""From a null value m to the running maximum of log E against "mean <= m"; nonincreasing in m."""

_TOLERANCE: Final = 1e-4
_CAP: Final = 1e3  # an infinite E (an impossible null) is rejected; the search needs a number


def lower_limit(sup_log_e: SupLogE, log_threshold: float, start: float, tolerance: float = _TOLERANCE) -> float:
    """The largest rejected null value, from below and within `tolerance` of it; -1 if none is rejected.

    `start` is a guess (the observed mean) from which the search begins: values at or above the observed mean are
    rarely rejected. The returned value is itself rejected, so that every value in [-1, result] is.
    """
    return _largest_rejected(sup_log_e, log_threshold, start, tolerance)


def upper_limit(sup_log_e_negated: SupLogE, log_threshold: float, start: float, tolerance: float = _TOLERANCE) -> float:
    """The mirror image: `sup_log_e_negated` is the process of the negated values, `start` the observed mean."""
    return -_largest_rejected(sup_log_e_negated, log_threshold, -start, tolerance)


def _largest_rejected(sup_log_e: SupLogE, log_threshold: float, start: float, tolerance: float) -> float:
    """False position (Illinois) between a rejected null value `low` and an accepted one `high`.

    log E falls about quadratically towards the mean, so the search runs on its square root, which is nearly linear.
    """

    def excess(null: float) -> float:
        return min(math.sqrt(max(sup_log_e(null), 0.0)), _CAP) - math.sqrt(log_threshold)

    low, high = -1.0 + tolerance, min(max(start, -1.0 + 2 * tolerance), 1.0 - tolerance)
    at_high = excess(high)
    if at_high >= 0:  # a running maximum can reject the mean of all values, after a change in mid-sequence
        low, at_low, high, at_high = high, at_high, 1.0, -math.sqrt(log_threshold)  # no mean exceeds one
    else:
        at_low = excess(low)
        if at_low < 0:
            return -1.0
    last_moved = ""
    while high - low > tolerance:
        guess = low + (high - low) * at_low / (at_low - at_high)
        middle = min(max(guess, low + tolerance / 2), high - tolerance / 2)
        at_middle = excess(middle)
        if at_middle >= 0:
            low, at_low = middle, at_middle
            at_high = at_high / 2 if last_moved == "low" else at_high
            last_moved = "low"
        else:
            high, at_high = middle, at_middle
            at_low = at_low / 2 if last_moved == "high" else at_low
            last_moved = "high"
    return low
