"""The page docs/price_of_debiasing.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from benchmarks.debiasing.experts import ARTICLES, CRITERIA, EXPERTS, METRICS, SYSTEMS, Outputs, rated_rows
from benchmarks.debiasing.inflation import Inflation
from benchmarks.pages import table

from tiebreak.kernels.agreement import fleiss_kappa
from tiebreak.kernels.data_efficiency import perfect_metric
from tiebreak.kernels.rating_correlations import rating_correlations
from tiebreak.kernels.rating_mean import RatingVariance, rating_variance
from tiebreak.kernels.width_curves import WidthCurves, width_curves

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

EFFICIENCIES: Final = (1.08, 1.15)
"""The smallest and the largest data efficiency that the paper reports for metrics of its day."""


@dataclass(frozen=True)
class Measured:
    """What the page shows; `experts` None where the real studies are absent."""

    inflations: Sequence[Inflation]
    experts: Mapping[str, Outputs] | None


def report(of: Measured) -> str:
    """The page in Markdown."""
    parts = [_HEAD, _paper(), _inflation(of.inflations)]
    if of.experts is None:
        parts.append("## SummEval\n\nLeft out: the real studies are not there.")
    else:
        parts += [_variances(of.experts), _widths(of.experts), _levels(of.experts), _comparisons(of.experts)]
    return "\n\n".join(parts) + "\n"


_HEAD: Final = """# The price of debiasing, again

*The price of debiasing automatic metrics in natural language evaluation* (Chaganty, Mussmann and Liang 2018) asks how
many human ratings a free metric saves, and what caps it. This page has its figures beside ours, on three experts'
ratings of SummEval. How often the intervals of [`tiebreak estimate`](estimate.md) hold is counted on [a page of its
own](certification_scores.md#estimates). Made by `python benchmarks/price_of_debiasing.py --write`."""


def _paper() -> str:
    rows = [
        [name, f"{people:.2f}", f"{outputs:.2f}", f"{gamma:.2f}", f"{(1 + gamma) / gamma:.2f}", f"{1 + gamma:.2f}"]
        for name, (people, outputs, gamma) in PAPER.items()
    ]
    saved = [f"a data efficiency of {value:.2f} saves {1 - 1 / value:.0%} of the ratings" for value in EFFICIENCIES]
    return f"""## What caps a metric

Ratings vary by sigma_f^2 between outputs and by sigma_a^2 between people; gamma is the second over the first. No metric
saves more than a factor of (1 + gamma)/gamma, however good it is, because people would still disagree. The paper's
prompts:

{table(["prompt", "sigma_a^2", "sigma_f^2", "gamma", "cap", "price factor 1 + gamma"], rows)}

sigma_f^2 + sigma_a^2 is more than a scale from 0 to 1 allows for AnyCorrect (0.29 > 0.25), so the scale of the paper's
ratings is lost, and only gammas can be compared. What the metrics of its day achieved: {", ".join(saved)}."""


def _inflation(found: Sequence[Inflation]) -> str:
    rows = [
        [
            f"{of.gamma:g}",
            f"{of.people}",
            f"{of.limit:.2f}",
            f"{of.ceiling:.2f}",
            f"{of.as_in_paper:.2f}",
            f"{of.leave_one_out:.2f}",
        ]
        for of in found
    ]
    return f"""## The perfect metric contains the rating itself

The paper's "perfect metric" is the mean of all people's ratings of an output, that of the person who is predicted among
them. With k people it seems to save k/(k - 1) times what is possible, more than its own cap. Leave-one-out, the mean of
the *other* people, is what people can do for one another; the ceiling is what no metric exceeds. Simulated, medians of
studies with 2,000 outputs:

{table(["gamma", "people", "(1 + gamma)/gamma", "ceiling", "as in the paper", "leave-one-out"], rows)}"""


def _variances(experts: Mapping[str, Outputs]) -> str:
    rows = []
    for name in CRITERIA:
        of = experts[name]
        pooled = rating_variance(of.rated(), of.items)
        centred = of.ratings - _system_means(of)
        within = rating_variance(rated_rows(centred), of.items)
        alike = sum(rating_variance(of.rated(system)).reason == "no-spread" for system in range(SYSTEMS))
        rows.append(
            [
                name,
                *(_two(part) for part in (pooled.sigma_a2.estimate, pooled.sigma_f2.estimate)),
                _with_interval(pooled),
                _with_interval(within),
                _two(within.ceiling.estimate),
                f"{alike} of {SYSTEMS}",
            ]
        )
    return f"""## SummEval: variances

{SYSTEMS} systems, {ARTICLES} articles, {
        EXPERTS
    } experts who rated every output from 1 to 5. *Pooled* takes all outputs as
if they were one system's, as the paper does; *within systems* is what a metric has to tell apart when each system gets
its mean, and what `estimate` says in words. In brackets 95% intervals by the jackknife over articles.

{
        table(
            [
                "criterion",
                "sigma_a^2",
                "sigma_f^2",
                "gamma, pooled",
                "gamma, within systems",
                "cap",
                "systems without spread",
            ],
            rows,
        )
    }

In a system without spread outputs differ no more than experts do: gamma is beyond all bounds, and no metric saves
anything."""


def _system_means(of: Outputs) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    means = np.array([of.ratings[of.systems == system].mean() for system in range(SYSTEMS)])
    return np.asarray(means[of.systems][:, None])


def _with_interval(of: RatingVariance) -> str:
    return f"{_two(of.gamma.estimate)} [{_two(of.gamma.low)}, {_two(of.gamma.high)}]"


def _two(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _widths(experts: Mapping[str, Outputs]) -> str:
    of, rows = experts["relevance"], []
    for metric in METRICS:
        found = _curves(of, metric)
        ratios = np.mean([(one.mean / one.metric) ** 2 for one in found if one.metric is not None], axis=0)
        rows.append([metric, *(f"{ratio:.2f}" for ratio in ratios)])
    found = _curves(of, METRICS[-1])
    limits = [perfect_metric(of.rated(system)) for system in range(SYSTEMS)]
    middle = {
        name: float(np.median([one.efficiency(getattr(one, name)) for one in found]))
        for name in ("metric", "noiseless", "perfect", "perfect_in_paper")
    }
    ceiling = float(np.median([one.ceiling for one in limits]))
    return f"""## SummEval: how wide intervals are

The paper's bootstrap: of each system n outputs with replacement and one rating of each; the width of the middle 80% of
the estimates with its algorithm 1, against that of the mean. Relevance, mean over systems of the squared ratio: above 1
the metric saves ratings, and with few of them it costs some, since its slope has to be learnt.

{table(["metric", *(f"n = {size}" for size in SIZES)], rows)}

What if, with {METRICS[-1]} (medians over systems, n = {SIZES[0]} to {SIZES[-1]}): as it is {middle["metric"]:.2f};
noiseless people (the mean of all three) {middle["noiseless"]:.2f}; a perfect metric, leave-one-out,
{middle["perfect"]:.2f}; the perfect metric as in the paper {middle["perfect_in_paper"]:.2f}, beyond the ceiling of
{ceiling:.2f}."""


def _curves(of: Outputs, metric: str) -> list[WidthCurves]:
    rng = np.random.default_rng(1)
    return [
        width_curves(of.rated(system), SIZES, rng, of.metrics[metric][of.systems == system], resamples=4_000)
        for system in range(SYSTEMS)
    ]


def _levels(experts: Mapping[str, Outputs]) -> str:
    of, rows, quadrants = experts["relevance"], [], []
    mean = of.ratings.mean(axis=1)
    for metric in METRICS:
        values = of.metrics[metric]
        found = rating_correlations(mean, values, of.systems, of.items)
        rows.append([metric, *(f"{getattr(found, kind).estimate:.2f}" for kind in ("systems", "instances", "within"))])
        good, liked = mean > np.median(mean), values > np.median(values)
        counts = [int((a & b).sum()) for a in (good, ~good) for b in (liked, ~liked)]
        quadrants.append([metric, *(f"{count:,}" for count in counts)])
    return f"""## SummEval: a metric that ranks systems may say little of outputs

Relevance. Between systems' means a correlation is easily high; what a metric saves depends on the one within systems.

{table(["metric", "between systems", "over all outputs", "within systems"], rows)}

Outputs by whether the experts and the metric put them above the median:

{table(["metric", "both high", "experts high, metric low", "experts low, metric high", "both low"], quadrants)}"""


def _comparisons(experts: Mapping[str, Outputs]) -> str:
    rows = []
    for name in CRITERIA:
        of = experts[name]
        compared = of.comparisons()
        rows.append(
            [
                name,
                f"{_kappa(of.ratings):.2f}",
                f"{_kappa(compared):.2f}",
                _two(rating_variance(of.rated()).gamma.estimate),
                _two(rating_variance(rated_rows(compared)).gamma.estimate),
            ]
        )
    return f"""## Are comparisons better than ratings?

Comparisons derived from the experts' ratings of two systems on one article (better, equal, worse), against the ratings
themselves. Agreement by Fleiss' kappa rises, which has been taken for better data. gamma, on which the number of labels
depends, does not fall: comparisons lose the noise of how a scale is used, and the spread with it.

{table(["criterion", "kappa of ratings", "kappa of comparisons", "gamma of ratings", "gamma of comparisons"], rows)}"""


def _kappa(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    outputs, people = values.shape
    item, person = np.repeat(np.arange(outputs), people), np.tile(np.arange(people), outputs)
    return fleiss_kappa(item, person, values.ravel(), rng=np.random.default_rng(0), resamples=2).estimate
