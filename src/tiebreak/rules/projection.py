"""How many more units until a verdict, and what difference the labels at hand could have found.

Both are projections, not guarantees: they let units repeat in given proportions and ask when the evidence crosses its
threshold. At the true proportions (`units_to_detect`) that is up to 15% above the mean of simulated campaigns, and
more than half of them need less. From the labels of an undecided pair (`further_units`) it is cautious, because pairs
that are still undecided have been unlucky so far: half of the simulated campaigns took at most about half of the
further units projected, and about three in four no more than all of them (tests/rules/test_projection.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.kernels.bounded_mean import log_sum_exp
from tiebreak.rules.anytime import Priors
from tiebreak.rules.sequence import ValueSequence

Floats = NDArray[np.float64]

_FARTHEST = 100  # times the units at hand: beyond this "no end in sight" is the honest answer
_HANDFUL = 10

ASSUMED_TIES: Final = 0.3
"""Share of ties where no label says otherwise; between what public preference data show (0 to 0.6)."""
_TIE_WEIGHT: Final = 10  # items with a usual share of ties that are added to those at hand


def further_units(sequence: ValueSequence, log_threshold: float, null: float, side: int, priors: Priors) -> int | None:
    """Further units until E against "side * difference <= null" reaches the threshold, if all goes on as before.

    0 if the projected evidence is there already; None if the evidence does not grow, or if more than 100 times the
    units at hand (and more than 1,000) would be needed. With a pool at most its rest is returned, because a pool that
    is labelled completely always decides.
    """
    count = len(sequence)
    if count == 0:
        return None
    null = sequence.unit_null(null)
    values = sequence.values(side, null)
    if count < _HANDFUL:
        # One win, tie and loss more than seen: a handful of units must not promise an early end.
        values = np.concatenate([values, [1.0, 0.0, -1.0]])
    log_weights, growth = _growth(values, sequence.are_bare_outcomes, null, priors)
    units = _units_needed(lambda n: float(log_sum_exp(log_weights + n * growth)), log_threshold, count)
    pool = sequence.pool_size
    if pool is not None:
        left = pool - count
        if values.mean() <= null:
            return None
        # Without replacement n of N units inform as n/(1 - n/N) independent ones do.
        return left if units is None else min(left, max(0, round(units / (1 + units / pool)) - count))
    return None if units is None else max(0, units - count)


def units_short(sequence: ValueSequence, log_e: float, log_threshold: float, side: int, priors: Priors) -> int | None:
    """Further units until evidence that stands at `log_e` reaches the threshold against a difference of 0, if each adds
    as much as the best of the bets gains on those at hand; None where none gains.

    Where evidence is read at the ends of looks it is less than `further_units` takes it for: the first look bets
    without knowing how the values spread.
    """
    if not len(sequence):
        return None
    _, growth = _growth(sequence.values(side, 0.0), sequence.are_bare_outcomes, 0.0, priors)
    best = float(growth.max())
    return math.ceil((log_threshold - log_e) / best) if best > 0 else None


def units_to_verdict(
    sequence: ValueSequence,
    log_threshold: float,
    log_threshold_equivalent: float | None,
    margin: float | None,
    priors: Priors,
) -> int | None:
    """Further units until the nearest verdict, at least 1: the direction that the mean points to, or equivalence."""
    side = 1 if sequence.mean >= 0 else -1
    needs = [further_units(sequence, log_threshold, 0.0, side, priors)]
    if margin is not None and log_threshold_equivalent is not None and len(sequence):
        sides = [further_units(sequence, log_threshold_equivalent, -margin, direction, priors) for direction in (1, -1)]
        known = [need for need in sides if need is not None]
        needs.append(max(known) if len(known) == len(sides) else None)
    found = [need for need in needs if need is not None]
    return max(1, min(found)) if found else None


def detectable_difference(
    units: int, tie_rate: float, log_threshold: float, priors: Priors, pool_size: int | None = None
) -> float | None:
    """The smallest difference that `units` outcomes with this share of ties would just about have shown.

    "Just about": in the run whose counts are exactly as expected, so in rather more than half of all runs (chance
    fluctuations only ever stop a run earlier). None: not even a difference of 1 - tie_rate.
    """
    if units == 0:
        return None
    informative = float(units)
    if pool_size is not None:
        informative = units / max(1 - units / pool_size, 1e-9)

    def decides(difference: float) -> bool:
        gain = _growth_of_outcomes(difference, tie_rate, priors)
        return bool(log_sum_exp(priors.outcomes.log_weights + informative * gain) >= log_threshold)

    low, high = 0.0, 1.0 - tie_rate
    if not decides(high):
        return None
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high


def drawn_tie_rate(ties: float, items: int, towards: float = ASSUMED_TIES) -> float:
    """The share of ties among items, drawn `towards` a usual one by the weight of ten items.

    All ties would leave no difference to look for; this keeps every answer finite.
    """
    return (ties + _TIE_WEIGHT * towards) / (items + _TIE_WEIGHT)


def units_wanted(difference: float, tie_rate: float, log_threshold: float, priors: Priors) -> int:
    """The fewest units that would just about have shown `difference`, for advice.

    The share of ties is cut to 1 - 2 `difference`: with more of them the difference could hardly be so large.
    """
    return units_to_detect(difference, min(tie_rate, 1 - 2 * difference), log_threshold, priors)


def units_to_detect(difference: float, tie_rate: float, log_threshold: float, priors: Priors) -> int:
    """The units after which outcomes exactly as expected at this difference and share of ties decide.

    The inverse of `detectable_difference` for inputs like these.

    Raises:
        ValueError: the difference is not in (0, 1 - tie_rate], or too small for every bet (below about 0.001).
    """
    if not 0 < difference <= 1 - tie_rate + 1e-12:
        raise ValueError(f"a difference of {difference} does not fit {tie_rate} ties")
    gain = _growth_of_outcomes(difference, tie_rate, priors)
    if gain.max() <= 0:
        raise ValueError(f"a difference of {difference} is too small for every bet")
    log_weights = priors.outcomes.log_weights
    high = 1
    while log_sum_exp(log_weights + high * gain) < log_threshold:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if log_sum_exp(log_weights + middle * gain) < log_threshold else (low, middle)
    return high


def _growth_of_outcomes(difference: float, tie_rate: float, priors: Priors) -> Floats:
    """Expected log growth (J,) per outcome of each bet at this difference and share of ties."""
    wins, losses = (1 - tie_rate + difference) / 2, max((1 - tie_rate - difference) / 2, 0.0)
    return np.asarray(wins * np.log1p(priors.outcomes.bets) + losses * np.log1p(-priors.outcomes.bets))


def _growth(values: Floats, mixture: bool, null: float, priors: Priors) -> tuple[Floats, Floats]:
    """Log weights of the bets and the mean log growth per unit of each, at the values seen so far."""
    if mixture:
        largest = 0.98 / (1 + null) if null > -1 else np.inf  # no value is below -1
        bets, log_weights = np.minimum(priors.outcomes.bets, largest), priors.outcomes.log_weights
    else:
        variance = (values.var() * values.size + 2.1) / (values.size + 3)
        bets = np.minimum(priors.bounded.kappas / variance, 0.9 / (1 + null) if null > -1 else np.inf)
        log_weights = priors.bounded.log_weights
    distinct, counts = np.unique(values, return_counts=True)
    gains = np.log1p(np.multiply.outer(distinct - null, bets))
    return log_weights, counts @ gains / values.size


def _units_needed(log_e_at: Callable[[float], float], log_threshold: float, count: int) -> int | None:
    """The smallest n with log E(n) >= threshold, by doubling and bisection; None beyond `_FARTHEST` * count."""
    if log_e_at(count) >= log_threshold:
        return count
    low, high = count, 2 * count
    while log_e_at(high) < log_threshold:
        low, high = high, 2 * high
        if high > _FARTHEST * max(count, _HANDFUL):
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if log_e_at(middle) < log_threshold else (low, middle)
    return high


def further_units_counts(rule: str, values: Floats, alpha: float) -> int | None:
    """The same question for the rules `hoeffding` and `dirichlet`: at what size would a sample like this one decide?

    Dirichlet posterior: z grows with the square root of the sample, and decides at the normal quantile of 1 - alpha/2.
    Hoeffding: n > ln(1/d) / (2 (mean - 1/2)^2). None where the labels show no difference.
    """
    balance = abs(float(np.sign(values).sum()))
    informative = int((values != 0).sum())
    if rule == "hoeffding":
        offset = abs(float(values.mean())) / 2 if values.size else 0.0
        needed = np.log(1 / alpha) / (2 * offset**2) if offset > 0 else np.inf
    else:
        z = balance / np.sqrt(informative) if informative else 0.0
        needed = values.size * (float(ndtri(1 - alpha / 2)) / z) ** 2 if z > 0 else np.inf
    if not needed <= _FARTHEST * max(values.size, 1):
        return None
    return max(1, int(np.ceil(needed)) - values.size)
