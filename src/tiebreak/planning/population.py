"""Items and people that answer as assumed: a difference, a share of ties, and how far two people agree.

The model is that of the simulated workers (`simulate/workers.py`): an item has a latent difference d, normal with a
mean and a spread and clipped to [-1, 1]; people of capability 0.8 to 1 prefer the better output with probability
(c d + 1)/2 and call a tie with probability max(0, 1 - |d|/threshold). Mean, spread and threshold are solved for, so
that single labels have the wanted difference P(a) - P(b), share of ties, and agreement: the correlation of two people's
answers on one item (a 1, tie 0, b -1), which is Krippendorff's alpha at the interval level in large samples, and
without ties Fleiss' kappa.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.errors import UsageError
from tiebreak.numbers import in_percent
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.people.workers import tie_probability

Floats = NDArray[np.float64]

USUAL_AGREEMENT: Final = 0.3
_PEOPLE: Final = 5
_SLACK: Final = 0.005  # correlations are given to two digits
_LOWEST, _HIGHEST = 0.8, 1.0  # capabilities, as in dynamic-human-evaluation
_CAPABILITY = (_LOWEST + _HIGHEST) / 2
_QUANTILES: Final = ndtri((np.arange(400) + 0.5) / 400)
_LARGEST_MEAN, _LARGEST_SPREAD, _SMALLEST_SPREAD = 12.0, 4.0, 1e-3


@dataclass(frozen=True, slots=True)
class Rates:
    """What single labels are like: difference P(a) - P(b), share of ties, correlation of two people's labels."""

    difference: float
    ties: float
    agreement: float


@dataclass(frozen=True, slots=True)
class Population:
    """`mean` and `spread` of the items' latent differences, `tie_threshold` of the people."""

    mean: float
    spread: float
    tie_threshold: float

    def latent(self) -> Floats:
        """Latent differences at evenly spaced quantiles, equally likely."""
        return np.asarray(np.clip(self.mean + self.spread * _QUANTILES, -1.0, 1.0))

    def chances(self) -> Floats:
        """P(a), P(tie), P(b) of a label on an item at each of these quantiles, shape (3, quantiles)."""
        d = self.latent()
        tie = tie_probability(self.tie_threshold, d)
        a = (1 - tie) * (1 + _CAPABILITY * d) / 2
        return np.stack([a, tie, 1 - a - tie])

    def overall(self) -> tuple[float, float]:
        """Difference P(a) - P(b) and share of ties of single labels."""
        d = self.latent()
        tie = tie_probability(self.tie_threshold, d)
        return _CAPABILITY * float(((1 - tie) * d).mean()), float(tie.mean())

    def rates(self) -> Rates:
        """What single labels are like in this population."""
        a, tie, b = self.chances()
        signal = a - b
        variance = float((a + b).mean() - signal.mean() ** 2)
        agreement = float(signal.var()) / variance if variance > 1e-12 else 0.0
        return Rates(float(signal.mean()), float(tie.mean()), agreement)

    def largest_correlation(self) -> float:
        """The correlation of a single label with the mean label of its item: what a perfect metric would reach."""
        return math.sqrt(self.rates().agreement)

    def check_correlation(self, correlation: float) -> None:
        """Raise `UsageError` for a correlation with single labels that no metric can have, because people disagree."""
        largest = self.largest_correlation()
        if not 0 < correlation <= largest + _SLACK:
            raise UsageError(
                f"a metric correlates with single labels by more than 0 and here by at most {largest:.2f}, because two "
                f"people's labels correlate by {self.rates().agreement:.2f} only; {correlation:g} is not possible"
            )

    def capability_factors(self) -> Floats:
        """Of what single labels show on average, what each of a few people shows, evenly over their capabilities."""
        capabilities = _LOWEST + (_HIGHEST - _LOWEST) * (np.arange(_PEOPLE) + 0.5) / _PEOPLE
        return np.asarray(capabilities / _CAPABILITY)

    def people_per_item(self, policy: SimulatedLabelling) -> float:
        """Labels that an item takes on average: the third of `max-three` is asked where two disagree."""
        if policy.name != "max-three":
            return float(policy.people)
        return 3.0 - float((self.chances() ** 2).sum(axis=0).mean())

    def value_rates(self, policy: SimulatedLabelling) -> tuple[float, float]:
        """P(value a), P(value b) of an item under a labelling policy, people taken as alike."""
        a, tie, b = self.chances()
        if policy.people == 1:
            return float(a.mean()), float(b.mean())
        if policy.name == "max-three":  # the first two agree, or the third joins the one for this side
            return float((a**2 * (3 - 2 * a)).mean()), float((b**2 * (3 - 2 * b)).mean())
        found = np.zeros((2, a.size))
        for for_a in range(policy.people + 1):
            for for_b in range(policy.people - for_a + 1):
                for_tie = policy.people - for_a - for_b
                chance = _ways(policy.people, for_a, for_b) * a**for_a * b**for_b * tie**for_tie
                if for_a > max(for_b, for_tie):
                    found[0] += chance
                elif for_b > max(for_a, for_tie):
                    found[1] += chance
        return float(found[0].mean()), float(found[1].mean())


def calibrated(difference: float, ties: float, agreement: float | None = None) -> Population:
    """The population whose single labels have this difference >= 0, share of ties and agreement (within 0.002).

    `agreement` None: 0.3, or as near to it as the ties and the difference allow.

    Raises:
        UsageError: no such population exists, with what is possible.
    """
    if not 0 <= difference < 1 or not 0 <= ties < 1:
        raise UsageError(f"a difference and a share of ties lie from 0 to below 1, not {difference:g} and {ties:g}")
    if agreement is not None and not 0 <= agreement < 1:
        raise UsageError(f"an agreement lies from 0 to below 1, not {agreement:g}")
    largest = 0.99 * _CAPABILITY * (1 - ties)
    if difference > largest:
        raise UsageError(
            f"with {in_percent(ties)} ties a difference is at most {largest:.2f} (people err now and then), not "
            f"{difference:g}: give less --difference or less --tie-rate"
        )
    wanted = USUAL_AGREEMENT if agreement is None else agreement

    def excess(log_spread: float) -> float:
        return _with_spread(float(np.exp(log_spread)), difference, ties).rates().agreement - wanted

    low, high = (float(np.log(spread)) for spread in _spreads(difference, ties))
    if excess(low) < 0 < excess(high):
        return _with_spread(float(np.exp(_root(excess, low, high, 1e-4))), difference, ties)
    ends = [_with_spread(float(np.exp(log_spread)), difference, ties) for log_spread in (low, high)]
    nearest = min(ends, key=lambda population: abs(population.rates().agreement - wanted))
    if agreement is None or abs(nearest.rates().agreement - wanted) < 0.002:
        return nearest
    least, most = sorted(population.rates().agreement for population in ends)
    raise UsageError(
        f"with a difference of {difference:g} and {in_percent(ties)} ties two people's labels correlate by "
        f"{max(least, 0):.2f} to {math.floor(100 * most) / 100:.2f}, not by {agreement:g}"
    )


def _spreads(difference: float, ties: float) -> tuple[float, float]:
    """Spreads of items for which the difference and the ties can both be had: the smallest, and that with the largest
    agreement (with many ties agreement falls again where the spread is very large).
    """
    fitting: list[tuple[float, float]] = []
    for spread in np.geomspace(_SMALLEST_SPREAD, _LARGEST_SPREAD, 16):
        found = _with_spread(float(spread), difference, ties).rates()
        if abs(found.difference - difference) < 1e-3 and abs(found.ties - ties) < 1e-3:
            fitting.append((found.agreement, float(spread)))
    if not fitting:
        raise UsageError(f"no people give a difference of {difference:g} and {in_percent(ties)} ties at once")
    return fitting[0][1], max(fitting)[1]


def _with_spread(spread: float, difference: float, ties: float) -> Population:
    """Mean and threshold for a given spread, as near as they come to the wanted difference and ties."""

    def of_threshold(threshold: float) -> Population:
        def missing(mean: float) -> float:
            return Population(mean, spread, threshold).overall()[0] - difference

        if difference == 0 or missing(0.0) >= 0:
            return Population(0.0, spread, threshold)
        if missing(_LARGEST_MEAN) <= 0:
            return Population(_LARGEST_MEAN, spread, threshold)
        return Population(_root(missing, 0.0, _LARGEST_MEAN, 1e-7), spread, threshold)

    def excess(threshold: float) -> float:
        return of_threshold(threshold).overall()[1] - ties

    # At |d| = 1, where ties are rarest, a threshold of 1/(1 - ties) gives the wanted share.
    most = 1 / (1 - ties)
    if ties == 0 or excess(most) <= 0:
        return of_threshold(0.0 if ties == 0 else most)
    return of_threshold(_root(excess, 0.0, most, 1e-7))


def _root(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=tolerance))


def _ways(people: int, for_a: int, for_b: int) -> float:
    """In how many orders the answers can come."""
    return float(comb(people, for_a) * comb(people - for_a, for_b))
