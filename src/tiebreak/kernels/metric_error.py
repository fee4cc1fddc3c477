"""Who is preferred more often, from few human labels and many labels of an error-prone metric.

The model of metric-error-correction, section 3: the human classes (win, tie, loss of a) have shares p, the metric
answers class k where a human would answer c with probability mu_kc, and the priors are uniform. The paper samples
(p, mu) by NUTS; here the same posterior is reached by importance sampling (metric_error_sampling), much faster.

theta = P(p_a > p_b | data) is a posterior probability under this model and prior for one fixed sample. It is not an
error rate, and looking at it repeatedly while labels come in errs far more often than gamma.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks
from tiebreak.kernels.metric_error_sampling import Counts, pareto_k_hat, sample_posterior
from tiebreak.kernels.reproduced import dirichlet_posterior, dirichlet_theta

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

FEW_LABELS = 10
BINS = 4_096
LARGEST_K_HAT = 0.7


@dataclass(frozen=True, slots=True)
class MetricErrorPosterior:
    """Posterior of the human classes' shares p, (a, tie, b) or (a, b), given human and metric labels.

    `theta`: P(p_a > p_b | data); `theta_se`: its numerical standard error, 0 where it is exact.
    `mean_p`, `p_low`, `p_high`: shape (C,), mean and equal-tailed credible interval of each share.
    `difference_*`: the same of p_a - p_b. `mean_confusion`: shape (K, C), posterior mean of mu; columns sum to one.
    `k_hat`: Pareto shape of the importance weights' tail (inf: beyond measure), None where nothing was sampled.
    `points`: points used, 0 where the posterior is in closed form.
    `flags`: why not to rely on it:
      "no-labels"         no human labels: theta is 1/2 whatever the metric says;
      "few-labels"        fewer than 10 human labels: report the pair as undecided;
      "unseen-category"   some human class never occurred: nothing shows what the metric does there;
      "heavy-tail"        k_hat > 0.7: the standard errors cannot be believed;
      "not-converged"     the accuracy asked for was not reached with the most points allowed.
    """

    theta: float
    theta_se: float
    mean_p: Floats
    p_low: Floats
    p_high: Floats
    difference_mean: float
    difference_low: float
    difference_high: float
    mean_confusion: Floats
    k_hat: float | None
    points: int
    flags: tuple[str, ...]


def metric_error_posterior(
    paired: ArrayLike,
    metric_only: ArrayLike,
    human_only: ArrayLike,
    *,
    rng_seed: int = 0,
    credibility: float = 0.95,
    accuracy: float = 0.0012,
) -> MetricErrorPosterior:
    """Posterior of the human classes' shares from all labels.

    paired: shape (K, C), items that the metric put in class k and the human in class c, classes in the order a, tie, b
    (K = C = 3) or a, b (K = C = 2, forced choice). metric_only: shape (K,), items without a human label.
    human_only: shape (C,), items without a metric value. A paired item is in neither of the latter.

    accuracy: standard error of theta to reach, with 2^14 to 2^18 points (fewer labels need more). Interval ends have a
    few times the relative error of theta. The same input gives the same result; another `rng_seed` tells how much is
    numerical error. Swapping a and b gives exactly 1 - theta, and the metric's classes may come in any order.

    Without metric-only items the posterior is the Dirichlet posterior of the human labels, in closed form: a metric
    value next to a human label says nothing about p. Without human labels the columns of mu are exchangeable, so
    theta = 1/2 and every mean share is 1/C exactly; the intervals depend on the metric's counts, but stay wide and are
    reported as [0, 1] and [-1, 1], which hold whatever the counts are, and mean_confusion as NaN: not determined.
    Either way nothing is sampled.

    With 1 to 9 human labels the result is computed but flagged "few-labels", for flags see `MetricErrorPosterior`.
    Raises `UsageError` for other shapes, counts that are not whole numbers >= 0, credibility outside (0, 1) or an
    accuracy that is not positive.
    """
    counts = _checked_counts(paired, metric_only, human_only)
    tail = (1.0 - _checks.open_unit("credibility", credibility)) / 2.0
    if not (math.isfinite(accuracy) and accuracy > 0.0):
        raise UsageError(f"accuracy must be a positive number, but it is {accuracy}")
    if not counts.metric_only.any():
        posterior = _without_metric_only(counts, tail)
    elif not counts.human.any():
        posterior = _without_human(counts)
    else:
        posterior = _canonical_posterior(counts, rng_seed, tail, accuracy)
    return replace(posterior, flags=_label_flags(counts.human) + posterior.flags)


def metric_error_theta(
    paired: ArrayLike, metric_only: ArrayLike, human_only: ArrayLike, *, rng_seed: int = 0, accuracy: float = 0.0012
) -> tuple[float, tuple[str, ...]]:
    """`theta` and `flags` of `metric_error_posterior`, for a rule that asks for nothing else.

    Without metric-only items no interval is searched, which takes nearly all of the time. Arguments and errors are
    those of `metric_error_posterior`.
    """
    counts = _checked_counts(paired, metric_only, human_only)
    if counts.metric_only.any():
        found = metric_error_posterior(paired, metric_only, human_only, rng_seed=rng_seed, accuracy=accuracy)
        return found.theta, found.flags
    return float(dirichlet_theta(counts.human[0], counts.human[-1])), _label_flags(counts.human)


def _checked_counts(paired: ArrayLike, metric_only: ArrayLike, human_only: ArrayLike) -> Counts:
    counts = Counts(
        _checks.counts("paired counts", paired),
        _checks.counts("metric-only counts", metric_only),
        _checks.counts("human-only counts", human_only),
    )
    shape = counts.paired.shape
    if shape not in ((3, 3), (2, 2)):
        raise UsageError(
            f"paired counts must have shape (3, 3) (a, tie, b) or (2, 2) (a, b: forced choice), but have {shape}"
        )
    for name, given in (("metric-only", counts.metric_only), ("human-only", counts.human_only)):
        if given.shape != shape[:1]:
            raise UsageError(f"{name} counts must have shape {shape[:1]} like the paired ones, but have {given.shape}")
    return counts


def _label_flags(human: Floats) -> tuple[str, ...]:
    total = human.sum()
    if total == 0:
        return ("no-labels",)
    flags = ("few-labels",) if total < FEW_LABELS else ()
    return (*flags, "unseen-category") if (human == 0).any() else flags


# ---- closed forms ----------------------------------------------------------------------------------------------


def _without_metric_only(counts: Counts, tail: float) -> MetricErrorPosterior:
    """p ~ Dir(human + 1): integrating the columns of mu out of the likelihood of paired items leaves a constant."""
    first = counts.human + 1.0
    rest = first.sum() - first
    ties = counts.human[1] if first.size == 3 else 0.0
    low, high = betaincinv(first, rest, tail), betaincinv(first, rest, 1.0 - tail)
    human = dirichlet_posterior(counts.human[0], ties, counts.human[-1], 1.0 - 2.0 * tail)
    difference = (human.difference_low, human.difference_high)
    if first.size == 2:  # p_a - p_b = 2 p_a - 1
        difference = (2.0 * float(low[0]) - 1.0, 2.0 * float(high[0]) - 1.0)
    mean_p = first / first.sum()
    columns = counts.paired + 1.0
    return MetricErrorPosterior(
        theta=human.theta,
        theta_se=0.0,
        mean_p=mean_p,
        p_low=low,
        p_high=high,
        difference_mean=float(mean_p[0] - mean_p[-1]),
        difference_low=difference[0],
        difference_high=difference[1],
        mean_confusion=columns / columns.sum(axis=0),
        k_hat=None,
        points=0,
        flags=(),
    )


def _without_human(counts: Counts) -> MetricErrorPosterior:
    classes = counts.human.size
    return MetricErrorPosterior(
        theta=0.5,
        theta_se=0.0,
        mean_p=np.full(classes, 1.0 / classes),
        p_low=np.zeros(classes),
        p_high=np.ones(classes),
        difference_mean=0.0,
        difference_low=-1.0,
        difference_high=1.0,
        mean_confusion=np.full(counts.paired.shape, np.nan),
        k_hat=None,
        points=0,
        flags=(),
    )


# ---- symmetry --------------------------------------------------------------------------------------------------


def _canonical_posterior(counts: Counts, rng_seed: int, tail: float, accuracy: float) -> MetricErrorPosterior:
    """Samples one of the equivalent tables (a and b swapped, rows permuted), so that all of them agree exactly."""
    order, table = _canonical_rows(counts)
    swapped_order, swapped_table = _canonical_rows(_swapped(counts))
    if table == swapped_table:
        posterior = _symmetrised(_sampled_posterior(_reordered(counts, order), rng_seed, tail, accuracy))
    elif table > swapped_table:
        posterior = _sampled_posterior(_reordered(counts, order), rng_seed, tail, accuracy)
    else:
        swapped = _reordered(_swapped(counts), swapped_order)
        posterior = _mirrored(_sampled_posterior(swapped, rng_seed, tail, accuracy))
        order = swapped_order
    return replace(posterior, mean_confusion=posterior.mean_confusion[np.argsort(order)])


def _canonical_rows(counts: Counts) -> tuple[NDArray[np.intp], tuple[float, ...]]:
    """The order of rows that puts the most used metric class first, and the table in that order as one tuple."""
    totals = counts.paired.sum(axis=1) + counts.metric_only
    keys = np.column_stack([totals, counts.metric_only, counts.paired])
    order = np.lexsort(-keys.T[::-1])
    return order, (*counts.human_only, *keys[order].ravel())


def _reordered(counts: Counts, order: NDArray[np.intp]) -> Counts:
    return Counts(counts.paired[order], counts.metric_only[order], counts.human_only)


def _swapped(counts: Counts) -> Counts:
    """The human's a and b exchanged; the metric's rows need not be, the model does not know what they are called."""
    return Counts(counts.paired[:, ::-1], counts.metric_only, counts.human_only[::-1])


def _mirrored(posterior: MetricErrorPosterior) -> MetricErrorPosterior:
    return replace(
        posterior,
        theta=1.0 - posterior.theta,
        mean_p=posterior.mean_p[::-1],
        p_low=posterior.p_low[::-1],
        p_high=posterior.p_high[::-1],
        difference_mean=-posterior.difference_mean,
        difference_low=-posterior.difference_high,
        difference_high=-posterior.difference_low,
        mean_confusion=posterior.mean_confusion[:, ::-1],
    )


def _symmetrised(posterior: MetricErrorPosterior) -> MetricErrorPosterior:
    """For a table that the swap leaves as it is: theta is 1/2, and the rest is averaged with its mirror image."""
    mirror = _mirrored(posterior)
    half_width = (posterior.difference_high - posterior.difference_low) / 2.0
    return replace(
        posterior,
        theta=0.5,
        theta_se=0.0,
        mean_p=(posterior.mean_p + mirror.mean_p) / 2.0,
        p_low=(posterior.p_low + mirror.p_low) / 2.0,
        p_high=(posterior.p_high + mirror.p_high) / 2.0,
        difference_mean=0.0,
        difference_low=-half_width,
        difference_high=half_width,
    )


# ---- sampling --------------------------------------------------------------------------------------------------


def _sampled_posterior(counts: Counts, rng_seed: int, tail: float, accuracy: float) -> MetricErrorPosterior:
    sample = sample_posterior(counts, rng_seed, accuracy)
    weights = sample.weights
    p = sample.q.sum(axis=0)
    levels = np.array([tail, 1.0 - tail])
    mean_p = (p @ weights).astype(np.float64)
    mean_p /= mean_p.sum()
    confusion = np.einsum("kcs,cs->kc", sample.q, weights / p).astype(np.float64)
    low, high = np.transpose([_weighted_quantiles(share, weights, levels) for share in p])
    difference_low, difference_high = _weighted_quantiles(p[0] - p[-1], weights, levels)
    k_hat = pareto_k_hat(weights.astype(np.float64))
    heavy = ("heavy-tail",) if k_hat > LARGEST_K_HAT else ()
    unconverged = ("not-converged",) if sample.theta_se >= accuracy else ()
    return MetricErrorPosterior(
        theta=sample.theta,
        theta_se=sample.theta_se,
        mean_p=mean_p,
        p_low=low,
        p_high=high,
        difference_mean=float(mean_p[0] - mean_p[-1]),
        difference_low=float(difference_low),
        difference_high=float(difference_high),
        mean_confusion=confusion / confusion.sum(axis=0),
        k_hat=k_hat,
        points=weights.size,
        flags=heavy + unconverged,
    )


def _weighted_quantiles(values: Singles, weights: Singles, levels: Floats) -> Floats:
    """Quantiles of weighted values by their histogram with 4,096 bins from the smallest to the largest.

    Off by at most one bin, a thousandth of the width of an interval: less than the numerical error of theta allows for.
    Sorting the values would take half of the time of everything.
    """
    smallest, largest = float(values.min()), float(values.max())
    if smallest == largest:
        return np.full(levels.size, smallest)
    number = ((values - np.float32(smallest)) * np.float32((BINS - 1) / (largest - smallest))).astype(np.intp)
    below = np.concatenate([[0.0], np.cumsum(np.bincount(number, weights, minlength=BINS))])
    edges = smallest + np.arange(below.size) * ((largest - smallest) / (BINS - 1))
    return np.asarray(np.interp(levels * below[-1], below, edges))
