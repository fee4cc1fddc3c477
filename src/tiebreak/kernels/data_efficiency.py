"""How many labels an automatic metric saves when a mean rating is estimated: data efficiency, as two quantities.

*Of the population.* With infinitely many labels to learn the slope from, the control variate needs DE times fewer
ratings than the mean of ratings (Chaganty, Mussmann & Liang 2018, equation 7):

    DE = (1 + gamma)/(1 - rho^2 + gamma) = 1/(1 - rho_obs^2) >= 1,

rho the metric's correlation with f, the mean rating of all people who might be asked, rho_obs that with one rating of
one person. Both forms are the same number, also as estimated here, by moments: Cov(output means, g) over the standard
deviations of g and of one rating (`rating_variance`). *Realised at n*: the slope is learned from the n outputs that are
rated. The variance of their ratings over that of what is left out of fold (`held_out_regression`, the metric forced
in); below 1 where the metric costs more than it gives. Both are about one rating per output: what a study with k of
each saves by its own metric is `HeldOut.width_ratio`.

*What ifs.* People without noise: 1/(1 - rho^2), of which the mean of this study's k ratings, with noise sigma_a^2/k
left, shows a part. A perfect metric: the ceiling (1 + gamma)/gamma. The mean of the *other* k - 1 people as a metric
(leave-one-out) falls short of it, since it has noise of its own. The paper's perfect metric is the mean of *all*
people, the rating itself among them, and inflates the ceiling by exactly k/(k - 1): at gamma 1, where 2.00 is the
limit, 3.00 with three people and 4.00 with two. It is `as_in_paper`, and enters no sentence.

Intervals, 95 %: of rho_obs by jackknife over outputs (or clusters) on Fisher's scale; the population's DE follows from
that, from 1 where it holds 0. The realised one is that interval less what the slope costs, a factor of 1 + 1.5/(n - 3)
at its lower end, and holds its estimate. Metrics count as in `held_out_regression`: values beyond 4 robust standard
deviations as that far. Measured (one and three ratings per output, normal, 1-5 symmetric or with most at 5; metrics
normal or lognormal, of correlation 0, .3, .6 and .95 with quality; n = 10, 20, 50, 100, 400; 300 samples each):
realised .92-1.00, population and rho_obs .92-.99 (.88 at 10 outputs with most ratings at 5), rho .89-.99. Intervals of
the realised ratio itself do worse: the jackknife of `width_ratio` .81-1.00, and .82-.90 where rho_obs is about .2, as
the ratio hardly depends on it there; the percentile bootstrap over outputs .76-.99.

Three correlations of a metric with human ratings, which say different things and must not be mixed up.

- *Over instances*: of all outputs of all systems. What papers usually call instance-level; part of it is that some
  systems are better.
- *Within systems*: of both less their system's mean, pooled. The one that data efficiency needs.
- *Between systems*: of the systems' means. High with few systems, also where the metric knows nothing of an output.

Pearson's, of the mean rating of each output: noise of people is in it, and lowers the first two. Intervals, 95 %, by
jackknife on Fisher's scale (`jackknife`): over items (all outputs of one item are left out together) for the first
two, over systems for the third. So the first is about these systems on more inputs like these, the third about more
systems like these. Measured (5 to 40 systems, 30 and 100 items that are harder or easier for all, 400 studies each):
.94-.97 each; the first would hold .65-.90 of the correlations over systems like these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.held_out_regression import FEWEST_UNITS, held_out_regression, within_reach
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.jackknife import correlation_interval, jackknife_reach
from tiebreak.kernels.rank_correlation import PaperCorrelations, paper_correlations
from tiebreak.kernels.rated_outputs import RatedOutputs
from tiebreak.kernels.rating_mean import Moments, moment_terms, moments, unit_sums

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

Reason = Literal["few-outputs", "constant-ratings", "constant-metric", "no-residual"]
"""Why there is no efficiency.

`few-outputs`: fewer than 8 rated outputs or clusters. `constant-ratings`: all output means are equal.
`constant-metric`: it says nothing. `no-residual`: the metric is the ratings, on a straight line; no number of labels is
left to save.
"""

_SLOPE_COST = 1.5
_NOTHING = IntervalEstimate()


@dataclass(frozen=True, slots=True)
class DataEfficiency:
    """`outputs`: how many are rated. `reason`: why the two efficiencies are None.

    `rho_observed` and `rho` in [-1, 1]; `rho`, `noiseless` and `noiseless_here` are None where gamma is not identified
    or outputs differ no more than noise. `population` >= 1, `realised` > 0. `noiseless`: what the metric would save if
    people had no noise, None where rho is estimated at 1 or more; `noiseless_here`: with the mean of this study's
    ratings for people without noise, as in the paper.
    """

    outputs: int
    rho_observed: IntervalEstimate
    rho: IntervalEstimate
    population: IntervalEstimate
    realised: IntervalEstimate
    noiseless: float | None
    noiseless_here: float | None
    reason: Reason | None

    @property
    def pays_from(self) -> IntervalEstimate:
        """About how many outputs of a system must be rated, once each, for the metric to save more than it costs to
        learn its slope; no end where it may save nothing at all, and nothing where it is not known to save anything.

        The cost is a factor of 1 + c/(n - 3), c between .7 and 1.7 in simulations (normal, correlations .15 to .5,
        n = 10 to 50, a pool 40 to 200 times as large); 1.5 is counted, so that it may pay somewhat earlier.
        """
        soonest, about, latest = (_pays_from(end) for end in (
            self.population.high, self.population.estimate, self.population.low
        ))  # fmt: skip
        return IntervalEstimate(about, soonest, latest)


@dataclass(frozen=True, slots=True)
class PerfectMetric:
    """What metrics would save that know what people mean; None where gamma is not identified or nothing limits it.

    `ceiling`: of any metric, >= 1. `leave_one_out`: the mean of the other people who rated an output, on the outputs
    with two ratings or more. `as_in_paper`: the mean of all, the rating itself among them, beyond the ceiling.
    """

    ceiling: float | None
    leave_one_out: float | None
    as_in_paper: float | None


@dataclass(frozen=True, slots=True)
class _Sums:
    """Moments of ratings and metric, of all outputs or without each unit (U,)."""

    ratings: Moments
    metric: Floats
    both: Floats

    @classmethod
    def of(cls, sums: Floats) -> _Sums:
        """From sums (..., 9): those of `moment_terms`, then of g, g^2 and mean times g."""
        count, means, metric, squares, both = (sums[..., column] for column in (0, 1, 6, 7, 8))
        rest = np.maximum(count - 1, 1)
        spread = np.maximum(squares - metric**2 / np.maximum(count, 1), 0.0) / rest
        return cls(moments(sums), spread, (both - means * metric / np.maximum(count, 1)) / rest)

    def correlation(self, variance: Floats) -> Floats:
        """Of the metric with what has the `variance`; nan where that is not above 0."""
        scale = self.metric * variance
        known = scale > 0
        return np.asarray(np.where(known, self.both / np.sqrt(np.where(known, scale, 1.0)), np.nan))


def data_efficiency(rated: RatedOutputs, metric: ArrayLike, clusters: Integers | None = None) -> DataEfficiency:
    """What `metric` (n,), one value per rated output in the order of `rated`, saves of single ratings.

    `clusters` (n,): outputs with the same number depend on one another. About 1 ms for 100 outputs.

    Raises:
        UsageError: another number of values or clusters than of outputs, or values that are not finite.
    """
    values = np.asarray(metric, dtype=np.float64)
    outputs = rated.counts.size
    _check(values, outputs)
    values = within_reach(values[:, None], values[:, None])[1][:, 0]
    reason = _reason(rated, values, outputs if clusters is None else np.unique(clusters).size)
    if reason:
        return DataEfficiency(outputs, *(_NOTHING,) * 4, None, None, reason)
    units = unit_sums(_terms(rated, values), clusters)
    whole, left = _Sums.of(units.sum(axis=0)), _Sums.of(units.sum(axis=0) - units)
    observed = float(whole.correlation(whole.ratings.single))
    interval = correlation_interval(observed, left.correlation(left.ratings.single))
    latent, left_latent = whole.correlation(whole.ratings.outputs), left.correlation(left.ratings.outputs)
    ratio = _left_over(rated, values, clusters)
    if observed**2 >= 1 - 1e-12 or not ratio:
        return DataEfficiency(outputs, IntervalEstimate(observed), *(_NOTHING,) * 3, None, None, "no-residual")
    population = _efficiency_interval(observed, interval)
    return DataEfficiency(
        outputs,
        IntervalEstimate(observed, *(interval or (None, None))),
        _latent(float(latent), left_latent),
        population,
        _realised(1 / ratio, population, units.shape[0]),
        _saved(float(latent)),
        _saved(float(whole.correlation(whole.ratings.total))) if not math.isnan(whole.ratings.noise) else None,
        None,
    )


def perfect_metric(rated: RatedOutputs) -> PerfectMetric:
    """What the people who rated these outputs would save as metrics of one another's ratings."""
    repeated = rated.counts > 1
    if not repeated.any() or rated.counts.size < 2:
        return PerfectMetric(None, None, None)
    found = moments(moment_terms(rated).sum(axis=0))
    single, noise = float(found.single), float(found.noise)
    signal = max(float(found.outputs), 0.0)
    own = noise - float(found.noise_of_means)  # what the mean of all does not explain of one rating
    others = signal + noise * float((1 / (rated.counts[repeated] - 1)).mean())
    if not others:
        return PerfectMetric(None, None, None)
    return PerfectMetric(
        1 + signal / noise if noise else None,
        (signal + noise) / (signal + noise - signal**2 / others) if noise else None,
        single / own if own else None,
    )


def population_efficiency(rho: ArrayLike, gamma: ArrayLike) -> Floats:
    """(1 + gamma)/(1 - rho^2 + gamma) for `rho` in [-1, 1] and `gamma` >= 0 that broadcast; infinite at rho 1, gamma 0.

    Raises:
        UsageError: numbers outside these ranges.
    """
    correlation, noise = np.broadcast_arrays(np.asarray(rho, np.float64), np.asarray(gamma, np.float64))
    if not ((np.abs(correlation) <= 1).all() and (noise >= 0).all()):
        raise UsageError("an efficiency needs correlations in [-1, 1] and gamma of at least 0")
    with np.errstate(divide="ignore"):
        return np.asarray((1 + noise) / (1 - correlation**2 + noise))


def _pays_from(efficiency: float | None) -> float | None:
    """From how many outputs on a metric of this efficiency of the population saves something."""
    if efficiency is None or efficiency <= 1.0 + 1e-9:
        return None
    return float(max(math.floor(3 + _SLOPE_COST / (efficiency - 1)) + 1, FEWEST_UNITS))


def _terms(rated: RatedOutputs, metric: Floats) -> Floats:
    terms = moment_terms(rated)
    centred = metric - metric.mean()
    return np.column_stack([terms, centred, centred**2, centred * terms[:, 1]])


def _reason(rated: RatedOutputs, metric: Floats, units: int) -> Reason | None:
    if units < FEWEST_UNITS:
        return "few-outputs"
    if not np.ptp(rated.means):
        return "constant-ratings"
    return None if np.ptp(metric) else "constant-metric"


def _left_over(rated: RatedOutputs, metric: Floats, clusters: Integers | None) -> float:
    """The variance of the mean of single ratings with the metric, over that without; noise of people stays in both."""
    found = held_out_regression(rated.means, metric[:, None], metric[:, None], "items", clusters, always=True)
    noise = float((rated.variances * (1 - 1 / rated.counts)).sum())
    with_, without = (
        float((unit_sums(of - of.mean(), clusters) ** 2).sum()) + noise for of in (found.adjusted, rated.means)
    )
    return with_ / without


def _efficiency_interval(rho: float, interval: tuple[float, float] | None) -> IntervalEstimate:
    estimate = 1 / (1 - rho**2)
    if interval is None:
        return IntervalEstimate(estimate)
    low, high = sorted(abs(end) for end in interval)
    return IntervalEstimate(estimate, 1.0 if interval[0] <= 0 <= interval[1] else 1 / (1 - low**2), 1 / (1 - high**2))


def _realised(estimate: float, population: IntervalEstimate, units: int) -> IntervalEstimate:
    if population.estimate is None or population.low is None or population.high is None:
        return IntervalEstimate(estimate)
    kept = estimate / population.estimate
    low = population.low * min(kept, 1 / (1 + _SLOPE_COST / (units - 3)))
    return IntervalEstimate(estimate, min(low, estimate), max(population.high * min(kept, 1.0), estimate))


def _latent(rho: float, left_out: Floats) -> IntervalEstimate:
    """The correlation with f, within [-1, 1], where noise that was taken out may lead beyond."""
    if math.isnan(rho):
        return _NOTHING
    if not np.isfinite(left_out).all():
        return IntervalEstimate(min(max(rho, -1.0), 1.0))
    reach = jackknife_reach(left_out)
    low, middle, high = (min(max(end, -1.0), 1.0) for end in (rho - reach, rho, rho + reach))
    return IntervalEstimate(middle, low, high)


def _saved(rho: float) -> float | None:
    return 1 / (1 - rho**2) if abs(rho) < 1 else None  # nan is None too


def _check(metric: Floats, outputs: int) -> None:
    if metric.shape != (outputs,):
        raise UsageError(f"{outputs} rated outputs, but metric values of shape {metric.shape}")
    if not np.isfinite(metric).all():
        raise UsageError(f"metric values must be finite, but one is {metric[~np.isfinite(metric)][0]}")


_FEWEST = 3  # points of a correlation
_FEWEST_LEFT_OUT = 4  # units, for an interval
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class RatingCorrelations:
    """Each in [-1, 1]; no estimate with fewer than three points or where one side is constant.

    `of_outputs`, `of_systems`: over instances and between systems, as tables of papers have them.
    """

    instances: IntervalEstimate
    within: IntervalEstimate
    systems: IntervalEstimate
    of_outputs: PaperCorrelations
    of_systems: PaperCorrelations


def rating_correlations(ratings: Floats, metric: Floats, systems: Integers, items: Integers) -> RatingCorrelations:
    """`ratings` (n,) and `metric` (n,) of outputs, whole numbers `systems` (n,) and `items` (n,) of what each is.

    Raises:
        UsageError: shapes that differ, or values that are not finite.
    """
    _check_rating_correlations(ratings, metric, systems, items)
    if not ratings.size:
        nothing = PaperCorrelations(0)
        return RatingCorrelations(IntervalEstimate(), IntervalEstimate(), IntervalEstimate(), nothing, nothing)
    codes = np.unique(systems, return_inverse=True)[1]
    sizes = np.bincount(codes)
    means = [np.bincount(codes, weights=of) / sizes for of in (ratings, metric)]
    return RatingCorrelations(
        _correlation(ratings, metric, items),
        _correlation(ratings - means[0][codes], metric - means[1][codes], items),
        _correlation(means[0], means[1], np.arange(sizes.size)),
        paper_correlations(ratings, metric),
        paper_correlations(means[0], means[1]),
    )


def _correlation(first: Floats, second: Floats, units: Integers) -> IntervalEstimate:
    first, second = (of - of.mean() for of in (first, second))
    terms = np.column_stack([np.ones(first.size), first, second, first**2, second**2, first * second])
    sums = unit_sums(terms, units)
    whole = float(_pearson(sums.sum(axis=0)))
    if first.size < _FEWEST or np.isnan(whole):
        return IntervalEstimate()
    if sums.shape[0] < _FEWEST_LEFT_OUT:
        return IntervalEstimate(whole)
    return IntervalEstimate(whole, *(correlation_interval(whole, _pearson(sums.sum(axis=0) - sums)) or (None, None)))


def _pearson(sums: Floats) -> Floats:
    """From sums (..., 6); nan where one side is constant."""
    count, first, second, squares, squares_of_second, both = np.moveaxis(sums, -1, 0)
    count = np.maximum(count, 1.0)
    spread = (squares - first**2 / count) * (squares_of_second - second**2 / count)
    known = spread > (_ROUNDING * squares) * squares_of_second
    found = (both - first * second / count) / np.sqrt(np.where(known, spread, 1.0))
    return np.where(known, np.clip(found, -1.0, 1.0), np.nan)


def _check_rating_correlations(ratings: Floats, metric: Floats, systems: Integers, items: Integers) -> None:
    shapes = {of.shape for of in (ratings, metric, systems, items)}
    if len(shapes) > 1 or ratings.ndim != 1:
        raise UsageError(f"ratings, metric, systems and items must be rows of one length, not {sorted(shapes)}")
    if not (np.isfinite(ratings).all() and np.isfinite(metric).all()):
        raise UsageError("ratings and metric must be finite; leave out outputs without one of them")
