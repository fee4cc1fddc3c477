"""How many labels a metric saves: prints Markdown tables; `--write` saves them as docs/metric_power.md.

python benchmarks/metric_power.py [--runs 500] [--seed 1] [--write]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import xlogy

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import simulated_page, table  # noqa: E402
from benchmarks.worlds import metric_simulation as metrics  # noqa: E402
from benchmarks.worlds.simulation import chunks, standard_error  # noqa: E402

from tiebreak.kernels import bounded_mean  # noqa: E402

Floats = NDArray[np.float64]

RHOS = (0.0, 0.3, 0.5, 0.7, 0.9)
TIE_SHARE = 0.3
ALPHA = 0.05
POOLS = 10
BOUND_BINS = 100

INTRODUCTION = """# Labels that a metric saves

How many human labels a decision takes when an automatic metric or judge is known on every item. Made by
`python benchmarks/metric_power.py --write`: {runs} simulated campaigns per figure over {pools} pools, seed {seed}; ± is
the standard error of a mean. One direction is tested at level 0.05 (it stops at E ≥ 20), 30% of the outcomes are ties,
and rho is the correlation of the metric with the outcome (metric = rho · outcome + noise). Campaigns that are still
undecided at the end of a simulation count with all its labels.

- **bound**: log(1/alpha) over the largest growth rate of any bet that knows how outcomes depend on the metric.
- **no metric** (first row): bets on the labels alone.
- **linear**: straight-line prediction; serves mean labels and several metrics as well.
- **regression**: quantile bins and two logistic regressions; outcomes only.
- **hedge**: the regression form betting towards a budget of four times the bound; **hedge, reserve**: with a fifth of
  the wealth left in the mixture, for going on after the budget.

These are the bets that a metric helps from the first label on. With them alone a useless metric costs a few per cent of
the labels; tiebreak uses them only from where the labels show that the metric predicts them
([what that costs](metric_choice.md)). None of them can make a verdict wrong more often:
tests/kernels/test_metric_validity.py.
"""


def cell(labels: Floats) -> str:
    return f"{labels.mean():,.0f} ± {standard_error(labels):.0f}"


# ---- the bound -------------------------------------------------------------------------------------------------


def label_bound(outcomes: Floats, metric: Floats, alpha: float = ALPHA) -> float:
    """log(1/alpha) over the best growth rate, for a pool (N,) that is much larger than the number of labels.

    The metric is cut into bins with shares pi_k and outcome probabilities p_k. Any valid bet multiplies the wealth by
    a_k + theta h with sum pi a = 1. The growth sum pi_k E_k log(a_k + theta h) is concave; at its maximum
    E_k[1/(a_k + theta h)] is the same for all k, and equals one where theta is best too. So a_k(theta) solves
    E_k[1/(a_k + theta h)] = 1, and theta solves sum pi a(theta) = 1.
    """
    edges = np.quantile(metric, np.linspace(0, 1, BOUND_BINS + 1)[1:-1])
    number = np.searchsorted(edges, metric)
    counts = np.stack([np.bincount(number[outcomes == h], minlength=BOUND_BINS) for h in (-1, 0, 1)], axis=1)
    sizes = counts.sum(axis=1)
    shares, p = sizes[sizes > 0] / outcomes.size, counts[sizes > 0] / sizes[sizes > 0, None]
    theta = brentq(lambda bet: float(shares @ _best_a(p, bet)) - 1, 1e-5, 1 - 1e-9)
    a = _best_a(p, theta)
    growth = shares @ sum(xlogy(p[:, c], np.maximum(a + (c - 1) * theta, 1e-300)) for c in range(3))
    return math.log(1 / alpha) / float(growth)


def _best_a(p: Floats, theta: float) -> Floats:
    """a_k with E_k[1/(a_k + theta h)] = 1, by bisection: the mean falls in a."""
    low, high = np.full(len(p), theta), np.full(len(p), 2 + theta)
    for _ in range(44):
        a = (low + high) / 2
        mean = p[:, 0] / (a - theta) + p[:, 1] / a + p[:, 2] / (a + theta)
        low, high = np.where(mean > 1, a, low), np.where(mean > 1, high, a)
    return (low + high) / 2


@cache
def bound_without_end(difference: float, rho: float) -> float:
    outcomes = metrics.pool_of(500_000, difference, TIE_SHARE)
    return label_bound(outcomes, metrics.correlated(rho)(np.random.default_rng(0), outcomes))


def bound_of(difference: float, rho: float, pool_size: int | None) -> float:
    """The bound at a correlation; a pool of N items stretches its information: 1/n = 1/bound + 1/N."""
    labels = bound_without_end(difference, rho)
    return labels if pool_size is None else 1 / (1 / labels + 1 / pool_size)


# ---- the forms -------------------------------------------------------------------------------------------------


FORMS = ("linear", "regression", "hedge", "hedge, reserve")


def no_metric_labels(campaigns: metrics.Campaigns) -> Floats:
    pool = None if campaigns.plan is not None else campaigns.outcomes.shape[1] + campaigns.others.shape[1]
    paths = [bounded_mean.log_e_path(run, metrics.NARROW, 0.0, pool) for run in campaigns.outcomes]
    return metrics.labels_until(np.array(paths), math.log(1 / ALPHA))


def all_forms(campaigns: metrics.Campaigns, most_labels: int) -> list[Floats]:
    """Labels (runs,) of each of `FORMS` on the same campaigns."""
    linear, regression = metrics.linear(campaigns), metrics.regression(campaigns)
    paths = [
        metrics.mixture_paths(campaigns, linear, 1),
        metrics.mixture_paths(campaigns, regression, 1),
        metrics.hedged_paths(campaigns, regression, 1, most_labels, ALPHA),
        metrics.hedged_paths(campaigns, regression, 1, most_labels, ALPHA, 0.2),
    ]
    return [metrics.labels_until(of_form, math.log(1 / ALPHA)) for of_form in paths]


def figures(
    draw: Callable[[float, int], Iterator[metrics.Campaigns]], difference: float, pool_size: int | None, most: int
) -> str:
    """One row per correlation; `draw` gives campaigns of a correlation with a number of labels, at most `most`."""
    bounds = [bound_of(difference, rho, pool_size) for rho in RHOS]
    alone = np.concatenate([no_metric_labels(part) for part in draw(0.0, min(most, round(8 * bounds[0])))])
    rows = [["no metric", f"{bounds[0]:,.0f}", cell(alone), *[""] * (len(FORMS) - 1)]]
    for rho, bound in zip(RHOS, bounds, strict=True):
        budget = round(4 * bound)
        parts = [all_forms(part, budget) for part in draw(rho, min(most, budget))]
        labels = [np.concatenate(form) for form in zip(*parts, strict=True)]
        rows.append([f"{rho}", f"{bound:,.0f}", *(cell(of_form) for of_form in labels)])
    return table(["rho", "bound", *FORMS], rows)


def items_table(pool_size: int, difference: float, runs: int, seed: int) -> str:
    outcomes = metrics.pool_of(pool_size, difference, TIE_SHARE)

    def draw(rho: float, labels: int) -> Iterator[metrics.Campaigns]:
        rng = np.random.default_rng(seed)
        for of_pool in chunks(runs, max(1, runs // POOLS)):
            metric = metrics.correlated(rho)(rng, outcomes)
            for chunk in chunks(of_pool, max(1, 2_000_000 // (pool_size + 20 * labels))):
                yield metrics.items_campaigns(rng, chunk, outcomes, metric, labels)

    return figures(draw, difference, pool_size, pool_size)


def inputs_table(pool_size: int, difference: float, runs: int, seed: int) -> str:
    def draw(rho: float, labels: int) -> Iterator[metrics.Campaigns]:
        rng = np.random.default_rng(seed)
        for chunk in chunks(runs, max(1, 2_000_000 // (pool_size + 20 * labels))):
            make = metrics.correlated(rho)
            yield metrics.inputs_campaigns(rng, chunk, pool_size, labels, difference, TIE_SHARE, make)

    return figures(draw, difference, None, pool_size)


def report(runs: int, seed: int) -> str:
    items = "The metric is known on every item of the pool, and the claim is about these items."
    sections = [
        ("These items: N = 1,000, difference 0.1", items, items_table(1_000, 0.1, runs, seed)),
        ("These items: N = 1,000, difference 0.3", items, items_table(1_000, 0.3, runs, seed)),
        ("These items: N = 20,000, difference 0.1", items, items_table(20_000, 0.1, runs, seed)),
        (
            "Inputs like these: 5,000 items, difference 0.1",
            "The claim is about the population. The budget is planned at four times the bound, and the unlabelled "
            "items serve as companions of the labelled ones, up to thirty each; the plan lasts for the budget. The "
            "bound is that of a metric whose population mean is known.",
            inputs_table(5_000, 0.1, runs, seed),
        ),
    ]
    parts = [INTRODUCTION.format(runs=f"{runs:,}", pools=POOLS, seed=seed)]
    parts += [f"## {title}\n\n{text}\n\n{rows}\n" for title, text, rows in sections]
    return "\n".join(parts)


if __name__ == "__main__":
    simulated_page("metric_power.md", __doc__, 500, report)
