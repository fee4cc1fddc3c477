"""What a metric says of the outputs of a pool, in the order in which they are drawn: so that bets on a mean rating may
be made on what the metric does not tell.

In the place of a rating h bets see h - slope (x - mean x over the outputs not drawn yet), whose conditional mean given
the past is that of h. The slope is from past ratings alone, by ridge regression:

    slope = sum of h (x - mean x drawn) / (sum of (x - mean x drawn)^2 + 3).

Where ratings are missing, the slope may be any that ratings in [-1, 1] could have made of it: a range.
Source: control variates as in Chaganty et al. (2018), learnt from the past so that they may be bet with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_RIDGE: Final = 3.0
_ROUNDING: Final = 1e-9
_CUT: Final = 2.5  # standard deviations: a value farther from the mean counts as that far


@dataclass(frozen=True, slots=True)
class PoolMetric:
    """Of N outputs in their order: `x` (N,), standardised and cut. Before each of them (N + 1,): the `drawn_mean` of x
    over those drawn (0 before the first), and the `spread` that slopes are divided by. `left_mean` (N,): mean of x over
    those not drawn yet.
    """

    x: Floats
    drawn_mean: Floats
    spread: Floats
    left_mean: Floats

    def slopes(self, drawn: int, total: float, products: float, missing: tuple[int, float]) -> tuple[float, float]:
        """The least and the largest after so many outputs, from the `total` of their ratings and of the `products` with
        x, and of `missing` ratings their number and the sum of |x|.
        """
        mean, spread = float(self.drawn_mean[drawn]), float(self.spread[drawn])
        slope, doubt = (products - mean * total) / spread, (missing[1] + missing[0] * abs(mean)) / spread
        return slope - doubt, slope + doubt

    def ahead(self, drawn: int, slopes: tuple[float, float]) -> Prediction:
        """Of the next output, with any slope between these two."""
        mean = self.left_mean[drawn]
        ends = np.outer(slopes, [self.x.max() - mean, self.x.min() - mean])
        reach = np.stack([ends.max(axis=1), -ends.min(axis=1)])
        nearest = np.zeros(2) if slopes[0] < 0 < slopes[1] else reach.min(axis=1)
        away = float(self.x[drawn] - mean)
        values = (slopes[0] * away, slopes[1] * away)
        return Prediction(min(values), max(values), nearest, reach.max(axis=1))


class Prediction(NamedTuple):
    """Of a rating, less the mean prediction of all outputs not drawn yet: `low` to `high`. `least_reach`, `most_reach`
    (2,): the largest prediction of any output, for either direction, at the least and at the most.
    """

    low: float = 0.0
    high: float = 0.0
    least_reach: Floats | float = 0.0
    most_reach: Floats | float = 0.0

    @property
    def middle(self) -> float:
        """That of the middle slope."""
        return (self.low + self.high) / 2


NO_PREDICTION: Final = Prediction()


def pool_metric(values: Floats) -> PoolMetric:
    """From the metric's values (N,) of all outputs of the pool in their order, in any unit; `x` is 0 where they are all
    the same.
    """
    x = values - values.mean()
    spread = float(x.std())
    is_constant = spread <= _ROUNDING * float(np.abs(values).max())
    x = np.zeros_like(x) if is_constant else np.clip(x / spread, -_CUT, _CUT)
    drawn, sums, squares = (np.concatenate([[0.0], np.cumsum(of)]) for of in (np.ones(x.size), x, x * x))
    some = np.maximum(drawn, 1.0)
    left = (sums[-1] - sums[:-1]) / (x.size - drawn[:-1])
    return PoolMetric(x, sums / some, squares - sums**2 / some + _RIDGE, left)
