"""What was tried to come closer to the bound at large differences; prints Markdown, `--write` saves it in docs.

python benchmarks/metric_variants.py [--runs 400] [--seed 3] [--write]

Each variant changes one constant of the kernels for the duration of its simulations. All of them are valid, whatever
the constant is: they only choose other bets.
"""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.metric_power import ALPHA, TIE_SHARE, bound_of, cell  # noqa: E402
from benchmarks.pages import simulated_page, table  # noqa: E402
from benchmarks.worlds import metric_simulation as metrics  # noqa: E402
from benchmarks.worlds.simulation import chunks  # noqa: E402

from tiebreak.kernels import bounded_mean, hedge, metric_help, outcome_regression  # noqa: E402

Floats = NDArray[np.float64]

POOL, POOLS = 1_000, 10
CASES = ((0.5, 0.9), (0.3, 0.9), (0.1, 0.9), (0.3, 0.0), (0.1, 0.0))


@dataclass(frozen=True, slots=True)
class Variant:
    """One constant (`name` of `module`) set to `value`; without a module nothing is changed."""

    words: str
    module: ModuleType | None = None
    name: str = ""
    value: float | Floats | bounded_mean.KappaPrior = 0.0


def prior_of(wide_share: float, spread: float) -> bounded_mean.KappaPrior:
    """The mixture's prior with another share and spread of its wide part."""
    kappas = np.geomspace(0.015, 0.9, 24)
    narrow, wide = (kappas / width * np.exp(-(kappas**2) / (2 * width**2)) for width in (0.15, spread))
    mass = (1 - wide_share) * narrow + wide_share * wide
    return bounded_mean.KappaPrior(kappas, np.log(mass / mass.sum()))


VARIANTS = (
    Variant("as it is"),
    Variant("largest bet of the hedge 0.75 of the room, not 0.55", hedge, "LARGEST_FRACTION", 0.75),
    Variant("largest bet of the hedge 0.4", hedge, "LARGEST_FRACTION", 0.4),
    Variant("largest bet of the mixture 0.7, not 0.9", metric_help, "LARGEST_FRACTION", 0.7),
    Variant("half of the mixture's prior wide, not a quarter", metrics, "WIDE", prior_of(0.5, 0.5)),
    Variant(
        "regression starts from a slope of 1.2, not 0.6", outcome_regression, "START_SLOPES", np.array([1.2, -1.2])
    ),
    Variant("regression starts from no slope", outcome_regression, "START_SLOPES", np.zeros(2)),
    Variant("slope penalised by 0.1, not 0.3", outcome_regression, "_PENALTY_SLOPE", 0.1),
    Variant("first guess of the variance 0.4, not 0.6", outcome_regression, "_PRIOR_VARIANCE_SUM", 1.2),
    Variant("first guess of the variance worth 6 labels, not 3", outcome_regression, "_PRIOR_COUNT", 6.0),
)


@contextlib.contextmanager
def applied(variant: Variant) -> Iterator[None]:
    if variant.module is None:
        yield
        return
    before = getattr(variant.module, variant.name)
    setattr(variant.module, variant.name, variant.value)
    try:
        yield
    finally:
        setattr(variant.module, variant.name, before)


def labels(difference: float, rho: float, runs: int, seed: int) -> tuple[Floats, Floats]:
    """Labels to a decision (runs,) of the regression form with the mixture, and with the hedge."""
    outcomes = metrics.pool_of(POOL, difference, TIE_SHARE)
    budget = round(4 * bound_of(difference, rho, POOL))
    rng = np.random.default_rng(seed)
    of_mixture, of_hedge = [], []
    for of_pool in chunks(runs, max(1, runs // POOLS)):
        metric = metrics.correlated(rho)(rng, outcomes)
        campaigns = metrics.items_campaigns(rng, of_pool, outcomes, metric, min(budget, POOL))
        found = metrics.regression(campaigns)
        goal = math.log(1 / ALPHA)
        of_mixture.append(metrics.labels_until(metrics.mixture_paths(campaigns, found, 1, 0.0, metrics.WIDE), goal))
        of_hedge.append(metrics.labels_until(metrics.hedged_paths(campaigns, found, 1, budget, ALPHA), goal))
    return np.concatenate(of_mixture), np.concatenate(of_hedge)


INTRODUCTION = """# What was tried to save more labels

Labels to a decision on a pool of {pool:,} items with {ties:.0f}% ties, as on
[labels that a metric saves](metric_power.md);
made by `python benchmarks/metric_variants.py --write`: {runs} campaigns per figure, seed {seed}, the same campaigns for
every variant. First the regression form with its mixture over bet sizes, then with the hedge towards a budget of four
times the bound. Each variant changes one constant; all are valid, and differ only in labels.

None was adopted: what saves labels at large differences costs them elsewhere. Larger bets of the hedge pay with a good
metric and lose about as much without one. A prior with more large bets, or a smaller first guess of the variance, saves
the mixture a label or two of thirty at a difference of 0.3 and costs 2-3% at 0.1 with a useless one. Trusting the
metric from the start saves a label of thirty with a good one. Where a budget is known, the hedge is the larger gain.
"""


def report(runs: int, seed: int) -> str:
    header = ["variant", *(f"difference {difference:g}, rho {rho:g}" for difference, rho in CASES)]
    rows = [["bound", *(f"{bound_of(difference, rho, POOL):,.0f}" for difference, rho in CASES)]]
    for variant in VARIANTS:
        with applied(variant):
            found = [labels(difference, rho, runs, seed) for difference, rho in CASES]
        rows.append([variant.words, *(f"{cell(mixture)}; {cell(hedged)}" for mixture, hedged in found)])
        print(rows[-1], file=sys.stderr, flush=True)
    return "\n".join(
        [INTRODUCTION.format(pool=POOL, ties=100 * TIE_SHARE, runs=runs, seed=seed), table(header, rows), ""]
    )


if __name__ == "__main__":
    simulated_page("metric_variants.md", __doc__, 400, report, seed=3)
