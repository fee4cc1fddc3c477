"""The rows of the tables of price-of-debiasing, by the name of their file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from benchmarks.papers.debiasing.experts import CRITERIA, METRICS, SYSTEMS, Outputs, inflation, rated_rows
from benchmarks.results import Value

from tiebreak.kernels.agreement import fleiss_kappa
from tiebreak.kernels.confidence_sequence import WidthCurves, width_curves
from tiebreak.kernels.data_efficiency import perfect_metric, rating_correlations
from tiebreak.kernels.rating_mean import rating_variance

Row = tuple[Value, ...]
Experts = Mapping[str, Outputs]

SIZES: Final = (10, 20, 50, 100)
PAPER: Final = {
    "Fluency": (0.32, 0.26, 1.23),
    "Redundancy": (0.26, 0.43, 0.61),
    "Overall": (0.28, 0.28, 1.00),
    "Edit": (0.07, 0.18, 0.36),
    "AnyCorrect": (0.14, 0.15, 0.95),
    "AvgCorrect": (0.12, 0.13, 0.91),
}
"""sigma_a^2, sigma_f^2 and gamma of the paper's prompts (its table of variances)."""

HEADERS: Final = {
    "price_caps": ("prompt", "sigma_a^2", "sigma_f^2", "gamma", "cap"),
    "price_perfect": ("gamma", "people", "limit", "ceiling", "as in the paper", "leave-one-out"),
    "price_variances": (
        *("criterion", "sigma_a^2", "sigma_f^2", "gamma pooled", "pooled low", "pooled high"),
        *("gamma within", "within low", "within high", "cap", "systems without spread"),
    ),
    "price_widths": ("metric", *(f"n = {size}" for size in SIZES)),
    "price_what_if": ("what if", "efficiency"),
    "price_levels": ("metric", "between systems", "over all outputs", "within systems"),
    "price_comparisons": (
        *("criterion", "kappa of ratings", "kappa of comparisons", "gamma of ratings", "gamma of comparisons"),
    ),
    "price_stopping": (
        *("metric", "assumed", "correlation", "outputs", "stop", "ratings", "with metric", "saved", "missed"),
    ),
}


def caps() -> Iterator[Row]:
    """The paper's prompts: no metric saves more than a factor of (1 + gamma)/gamma."""
    for name, (people, outputs, gamma) in PAPER.items():
        yield name, people, outputs, gamma, (1 + gamma) / gamma


def perfect(studies: int) -> Iterator[Row]:
    """What a perfect metric seems to save, as in the paper, and without the rating that it predicts."""
    for gamma in (0.36, 1.0, 1.23):
        for people in (2, 3, 5):
            of = inflation(gamma, people, studies=studies)
            yield gamma, people, of.limit, of.ceiling, of.as_in_paper, of.leave_one_out


def variances(experts: Experts) -> Iterator[Row]:
    """Pooled: all outputs as those of one system; within: each system gets its mean. 95% by the jackknife."""
    for name in CRITERIA:
        of = experts[name]
        pooled = rating_variance(of.rated(), of.items)
        means = np.array([of.ratings[of.systems == system].mean() for system in range(SYSTEMS)])
        within = rating_variance(rated_rows(of.ratings - means[of.systems][:, None]), of.items)
        alike = sum(rating_variance(of.rated(system)).reason == "no-spread" for system in range(SYSTEMS))
        parts = (pooled.sigma_a2.estimate, pooled.sigma_f2.estimate)
        gammas = (end for part in (pooled.gamma, within.gamma) for end in (part.estimate, part.low, part.high))
        yield name, *parts, *gammas, within.ceiling.estimate, alike


def widths(experts: Experts) -> Iterator[Row]:
    """The squared ratio of widths by the paper's bootstrap, mean over systems."""
    for metric in METRICS:
        found = [of for of in _curves(experts["relevance"], metric) if of.metric is not None]
        yield metric, *(float(ratio) for ratio in np.mean([(of.mean / of.metric) ** 2 for of in found], axis=0))


def what_if(experts: Experts) -> Iterator[Row]:
    """Data efficiencies, medians over systems, of the last metric."""
    of = experts["relevance"]
    found = _curves(of, METRICS[-1])
    words = {
        "as it is": "metric",
        "noiseless people": "noiseless",
        "perfect metric, leave-one-out": "perfect",
        "perfect metric as in the paper": "perfect_in_paper",
    }
    for name, field in words.items():
        yield name, float(np.median([one.efficiency(getattr(one, field)) for one in found]))
    yield "ceiling", float(np.median([perfect_metric(of.rated(system)).ceiling for system in range(SYSTEMS)]))


def _curves(of: Outputs, metric: str) -> list[WidthCurves]:
    rng = np.random.default_rng(1)
    return [
        width_curves(of.rated(system), SIZES, rng, of.metrics[metric][of.systems == system], resamples=4_000)
        for system in range(SYSTEMS)
    ]


def levels(experts: Experts) -> Iterator[Row]:
    """Correlations with the experts' mean, on relevance."""
    of = experts["relevance"]
    for metric in METRICS:
        found = rating_correlations(of.ratings.mean(axis=1), of.metrics[metric], of.systems, of.items)
        yield metric, *(getattr(found, kind).estimate for kind in ("systems", "instances", "within"))


def comparisons(experts: Experts) -> Iterator[Row]:
    """Agreement and gamma of ratings, and of the comparisons that they imply."""
    for name in CRITERIA:
        of = experts[name]
        compared = of.comparisons()
        gammas = (rating_variance(of.rated()).gamma, rating_variance(rated_rows(compared)).gamma)
        yield name, _kappa(of.ratings), _kappa(compared), *(gamma.estimate for gamma in gammas)


def _kappa(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    outputs, people = values.shape
    item, person = np.repeat(np.arange(outputs), people), np.tile(np.arange(people), outputs)
    return fleiss_kappa(item, person, values.ravel(), rng=np.random.default_rng(0), resamples=2).estimate


ON_SUMMEVAL: Final = {
    "price_variances": variances,
    "price_widths": widths,
    "price_what_if": what_if,
    "price_levels": levels,
    "price_comparisons": comparisons,
}
