"""How often tiebreak's rules err, one design at a time: prints a Markdown table; `--write` saves docs/validity.md.

python benchmarks/validity.py [--runs 5000] [--seed 1] [--write]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.alternatives import finite_pool, known_budget  # noqa: E402
from benchmarks.pages import simulated_page, table  # noqa: E402
from benchmarks.worlds import simulation  # noqa: E402

from tiebreak.kernels import bet_mixture, bounded_mean  # noqa: E402

Floats = NDArray[np.float64]
Rng = np.random.Generator

KAPPAS = bounded_mean.kappa_prior()
DEFAULT = bet_mixture.default_prior()
TIE_SHARES = (0.0, 0.3, 0.6)
BUDGET = 300

INTRODUCTION = """# Error rates

How often tiebreak's rules give a wrong answer when one looks after every label and stops as soon as there is a
verdict: the share of simulated campaigns, with the number of campaigns and a 95% interval. Made by
`python benchmarks/validity.py --write`, seed {seed}. A rule keeps its promise where the share is not above alpha
(up to the luck of the simulation, which the interval shows). The last table shows what goes wrong when the rules'
conditions are ignored. Every rule of `compare`, with metrics too, over a grid of ties, sizes and ways of looking, is in
the [certification](certification.md); here are single designs, alternatives that `compare` does not use, clusters and
intervals.
"""


def mean_path(values: NDArray[np.generic], null: float = 0.0, pool_size: int | None = None) -> Floats:
    return bounded_mean.log_e_path(values.astype(float), KAPPAS, null, pool_size)


def both(path: Callable[[NDArray[np.generic]], Floats], runs: NDArray[np.generic]) -> Floats:
    return simulation.sup_both_directions(path, runs)


def rate(wrong: NDArray[np.bool_]) -> str:
    hits, runs = int(wrong.sum()), wrong.size
    low, high = simulation.wilson_interval(hits, runs)
    return f"{hits / runs:.1%} ({low:.1%} to {high:.1%})"


def two_sided(design: str, size: str, sup: Floats) -> list[str]:
    """Either direction at 2/alpha."""
    wrong = [(sup >= math.log(2 / alpha)).any(axis=1) for alpha in (0.05, 0.01)]
    return [design, size, f"{len(sup):,}", *(rate(share) for share in wrong)]


HEADER = ("design", "labels", "campaigns", "alpha = 5%", "alpha = 1%")


def items_rows(rng: Rng, runs: int) -> list[list[str]]:
    rows = []
    for size, count in ((300, runs), (3_000, runs // 2)):
        for ties in TIE_SHARES:
            outcomes = simulation.pool_outcomes(rng, count, size, 0.0, ties)
            sup = both(lambda run, size=size: mean_path(run, pool_size=size), outcomes)
            rows.append(two_sided(f"bounded mean, {ties:.0%} ties", f"{size:,}", sup))
    for ties in TIE_SHARES:
        outcomes = simulation.pool_outcomes(rng, runs, 300, 0.0, ties)
        sup = both(lambda run: finite_pool.log_e_path(run, DEFAULT, 300), outcomes)
        rows.append(two_sided(f"exact counts, {ties:.0%} ties", "300", sup))
    return rows


def inputs_rows(rng: Rng, runs: int) -> list[list[str]]:
    rows = []
    for ties in TIE_SHARES:
        for name, prior in (("default prior", DEFAULT), ("log-uniform", bet_mixture.log_uniform_prior())):
            outcomes = simulation.iid_outcomes(rng, runs, 300, 0.0, ties)
            sup = both(
                lambda run, prior=prior: bet_mixture.log_e_path(run, prior),
                outcomes,
            )
            rows.append(two_sided(f"mixture of bets, {name}, {ties:.0%} ties", "300", sup))
    outcomes = simulation.iid_outcomes(rng, runs // 2, 3_000, 0.0, 0.3)
    sup = both(lambda run: bet_mixture.log_e_path(run, DEFAULT), outcomes)
    rows.append(two_sided("mixture of bets, default prior, 30% ties", "3,000", sup))
    labels = simulation.mean_labels(rng, runs, 300)
    rows.append(two_sided("bounded mean, three annotators an item", "300", both(mean_path, labels)))
    clusters = simulation.clustered_outcomes(rng, runs, 30, 10, 0.3, 0.3).mean(axis=2)
    rows.append(two_sided("one bet per cluster, 30 clusters of 10 items", "300", both(mean_path, clusters)))
    return rows


def budget_rows(rng: Rng, runs: int) -> list[list[str]]:
    """Each direction is calibrated at alpha/2."""
    outcomes = simulation.iid_outcomes(rng, 10 * runs, BUDGET, 0.0, 0.0)
    wrong = []
    for alpha in (0.05, 0.01):
        needed = known_budget.budget_rule(BUDGET, alpha / 2).needed_wins
        stops = [simulation.first_crossing(side, needed) for side in (outcomes, -outcomes)]
        wrong.append((stops[0] > 0) | (stops[1] > 0))
    rates = [rate(share) for share in wrong]
    return [[f"budget of {BUDGET} non-ties known", f"{BUDGET}", f"{10 * runs:,}", *rates]]


def interval_rows(rng: Rng, runs: int, size: int = 300) -> list[list[str]]:
    """The interval misses the true difference at some look where a process at the truth crosses."""
    rows = []
    for difference in (0.0, 0.1, 0.3):
        pool = simulation.pool_outcomes(rng, runs, size, difference, 0.3)
        fresh = simulation.iid_outcomes(rng, runs, size, difference, 0.3)
        for design, outcomes, pool_size in (("items", pool, size), ("inputs", fresh, None)):
            sup = np.array(
                [[mean_path(sign * run, sign * difference, pool_size).max() for sign in (1, -1)] for run in outcomes]
            )
            rows.append(two_sided(f"interval, {design}, true difference {difference}", f"{size}", sup))
    return rows


def equivalence_rows(rng: Rng, runs: int, size: int = 300, margin: float = 0.2) -> list[list[str]]:
    """Each side of the margin at 1/alpha; the true difference is the margin itself."""
    rows = []
    for design, make, pool_size in (
        ("items", simulation.pool_outcomes, size),
        ("inputs", simulation.iid_outcomes, None),
    ):
        sup = np.array(
            [
                min(mean_path(sign * run, -margin, pool_size).max() for sign in (1, -1))
                for run in make(rng, runs, size, margin, 0.3)
            ]
        )
        rates = [rate(sup >= math.log(1 / alpha)) for alpha in (0.05, 0.01)]
        rows.append([f"equivalence, {design}, difference = margin = {margin}", f"{size}", f"{runs:,}", *rates])
    return rows


def broken_rows(rng: Rng, runs: int) -> list[list[str]]:
    """The same processes where their conditions do not hold."""
    fresh = simulation.iid_outcomes(rng, runs, 300, 0.0, 0.3)
    rows = [
        two_sided(
            "claim about inputs from the rule for these items",
            "300",
            both(lambda run: mean_path(run, pool_size=300), fresh),
        )
    ]
    clustered = simulation.clustered_outcomes(rng, runs, 100, 10, 0.3).reshape(runs, -1)
    shuffled = rng.permuted(clustered, axis=1)
    sup = both(lambda run: bet_mixture.log_e_path(run, DEFAULT), shuffled)
    rows.append(two_sided("clusters ignored: 100 documents of 10 items, icc 0.3", "1,000", sup))
    arrival, sealed = np.empty((runs, 2)), np.empty((runs, 2))
    for k, run in enumerate(simulation.iid_outcomes(rng, runs, 300, 0.0, 0.0)):
        order, prefixes = simulation.arrival_order(rng, run, 30, 2.0)
        for side, sign in enumerate((1, -1)):
            arrival[k, side] = bet_mixture.log_e_path(sign * run[order], DEFAULT).max()
            path = np.concatenate([[0.0], bet_mixture.log_e_path(sign * run, DEFAULT)])
            sealed[k, side] = path[prefixes].max()
    rows.append(two_sided("order of arrival, 30 in flight, losses take twice as long", "300", arrival))
    rows.append(two_sided("the same labels in the sealed order (the rule for campaigns)", "300", sealed))
    outcomes = simulation.pool_outcomes(rng, runs, 300, 0.0, 0.3)
    gone = (outcomes < 0) & (rng.random(outcomes.shape) < 0.2)
    omitted = np.empty((runs, 2))
    counted = np.empty((runs, 2))
    for k, (run, missing) in enumerate(zip(outcomes, gone, strict=True)):
        rest = run[~missing]
        omitted[k] = [mean_path(sign * rest, pool_size=rest.size).max() for sign in (1, -1)]
        counted[k] = [mean_path(np.where(missing, -1, sign * run), pool_size=300).max() for sign in (1, -1)]
    rows.append(two_sided("a fifth of the losses never labelled, left out", "300", omitted))
    rows.append(two_sided("the same, counted against both sides (the rule for campaigns)", "300", counted))
    return rows


def report(runs: int, seed: int) -> str:
    rng = np.random.default_rng(seed)
    sections = [
        (
            "These items",
            "Pools whose difference is exactly zero, drawn without replacement until all are labelled. Wrong: "
            "any verdict that one system is better.",
            items_rows(rng, runs),
        ),
        (
            "Inputs like these",
            "Fresh items in every campaign, from a population without a difference. Wrong: any verdict that one "
            "system is better.",
            inputs_rows(rng, runs) + budget_rows(rng, runs),
        ),
        (
            "Intervals and equivalence",
            "Wrong: the interval misses the true difference at any look; or two systems that differ by exactly "
            "the margin are called equivalent.",
            interval_rows(rng, runs) + equivalence_rows(rng, runs),
        ),
        (
            "What the conditions are for",
            "No difference anywhere. Wrong: any verdict that one system is better.",
            broken_rows(rng, runs),
        ),
    ]
    parts = [INTRODUCTION.format(seed=seed)]
    parts += [f"## {title}\n\n{text}\n\n{table(HEADER, rows)}\n" for title, text, rows in sections]
    return "\n".join(parts)


if __name__ == "__main__":
    simulated_page("validity.md", __doc__, 5_000, report)
