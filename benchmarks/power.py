"""How many labels a decision takes: prints Markdown tables; `--write` saves them as docs/power.md.

python benchmarks/power.py [--runs 2000] [--seed 1] [--write]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.alternatives import known_budget  # noqa: E402
from benchmarks.pages import simulated_page, table  # noqa: E402
from benchmarks.worlds import simulation  # noqa: E402

from tiebreak.kernels import bet_mixture, bounded_mean  # noqa: E402

Floats = NDArray[np.float64]

MUS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
ALPHAS = (0.05, 0.01, 0.001)
BETAS = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0)
BUDGET = 1_000

INTRODUCTION = """# Labels to a decision

How many human labels tiebreak's rules need before they may say that one system is better, when one looks after every
label and stops as soon as the evidence suffices. Made by `python benchmarks/power.py --write`: {runs} simulated
campaigns per figure, seed {seed}; ± is the standard error of a mean. The difference is the share of items on which a
is preferred minus the share on which b is. One direction is tested at level alpha (it stops at E ≥ 1/alpha); a
verdict in either direction at level alpha stops at 2/alpha and takes a few more labels. Campaigns that are still
undecided at the end of a simulation count with all its labels.
"""


def cell(labels: Floats, unit: float = 1.0) -> str:
    mean, error = labels.mean() / unit, simulation.standard_error(labels) / unit
    return f"{mean:.2f} ± {error:.2f}" if unit != 1.0 else f"{mean:,.0f} ± {error:.0f}"


def priors_table(alpha: float, runs: int, seed: int) -> str:
    """Mean labels over the bound for each difference among the non-ties and each prior."""
    priors = {
        "default": bet_mixture.default_prior(),
        "Beta, A = 10": bet_mixture.truncated_beta_prior(10.0),
        "log-uniform": bet_mixture.log_uniform_prior(),
    }
    betas = [bet_mixture.truncated_beta_prior(A) for A in BETAS]
    budget = known_budget.budget_rule(BUDGET, alpha).needed_wins
    rows = []
    for mu in MUS:
        bound = simulation.label_bound(alpha, mu)
        needed = [
            simulation.count_boundary(prior, math.log(1 / alpha), round(12 * bound) + 30)
            for prior in (*priors.values(), *betas)
        ]
        labels = simulation.mixture_labels(np.random.default_rng(seed), [*needed, budget], runs, mu)
        of_betas = labels[len(priors) : -1]
        best = int(of_betas.mean(axis=1).argmin())
        rows.append(
            [
                f"{mu}",
                f"{bound:,.1f}",
                *(cell(of_prior, bound) for of_prior in labels[: len(priors)]),
                f"{cell(of_betas[best], bound)} (A = {BETAS[best]:.0f})",
                cell(labels[-1], bound) if bound < BUDGET / 2 else "budget too small",
            ]
        )
    return table(["difference", "bound (labels)", *priors, "best single Beta", f"budget of {BUDGET:,} known"], rows)


def items_table(runs: int, seed: int, pool_size: int = 1_000, alpha: float = 0.05) -> str:
    """The two processes for a pool of items."""
    threshold = math.log(1 / alpha)
    boundaries = [
        simulation.pool_boundary(prior, threshold, pool_size, pool_size)
        for prior in (bet_mixture.default_prior(), bet_mixture.truncated_beta_prior(10.0))
    ]
    rows = []
    for difference in (0.1, 0.2, 0.4):
        for tie_share in (0.0, 0.3, 0.5):
            outcomes = simulation.pool_outcomes(np.random.default_rng(seed), runs, pool_size, difference, tie_share)
            counts = [
                simulation.labels_or_horizon(simulation.first_crossing(outcomes, needed), pool_size)
                for needed in boundaries
            ]
            mean = simulation.pool_direction_labels(outcomes, pool_size, alpha)
            rows.append([f"{difference}", f"{tie_share:.0%}", cell(mean), *(cell(count) for count in counts)])
    return table(["difference", "ties", "bounded mean", "exact counts, default prior", "exact counts, A = 10"], rows)


def inputs_table(runs: int, seed: int, alpha: float = 0.05) -> str:
    """The mixture of bets against the bounded mean for fresh inputs."""
    prior, kappas = bet_mixture.default_prior(), bounded_mean.kappa_prior()
    rows = []
    for difference, horizon in ((0.1, 5_000), (0.2, 2_000), (0.4, 600)):
        needed = simulation.count_boundary(prior, math.log(1 / alpha), horizon)
        for tie_share in (0.0, 0.3, 0.5):
            outcomes = simulation.iid_outcomes(np.random.default_rng(seed), runs, horizon, difference, tie_share)
            counts = simulation.labels_or_horizon(simulation.first_crossing(outcomes, needed), horizon)
            stops = [
                simulation.first_at_least(bounded_mean.log_e_path(run.astype(float), kappas), math.log(1 / alpha))
                for run in outcomes
            ]
            mean = simulation.labels_or_horizon(np.array(stops), horizon)
            bound = simulation.label_bound(alpha, difference / (1 - tie_share)) / (1 - tie_share)
            rows.append([f"{difference}", f"{tie_share:.0%}", f"{bound:,.0f}", cell(counts), cell(mean)])
    return table(["difference", "ties", "bound", "mixture of bets", "bounded mean"], rows)


def workers_table(runs: int, seed: int, alpha: float = 0.001) -> str:
    """The worker setting of dynamic-human-evaluation."""
    priors = {
        "default": bet_mixture.default_prior(),
        "Beta, A = 20": bet_mixture.truncated_beta_prior(20.0),
        "Beta, A = 10": bet_mixture.truncated_beta_prior(10.0),
    }
    rows = []
    for difficulty in (0.25, 0.125, 0.0625):
        bound = simulation.label_bound(alpha, 0.9 * difficulty)
        cells = []
        for prior in priors.values():
            needed = simulation.count_boundary(prior, math.log(1 / alpha), round(12 * bound))
            cells.append(cell(simulation.worker_labels(np.random.default_rng(seed), needed, runs, difficulty)))
        rows.append([f"{difficulty}", f"{bound:,.0f}", *cells])
    return table(["mean difficulty", "bound", *priors], rows)


def equivalence_table(runs: int, seed: int) -> str:
    """Labels until two systems without a difference are called equivalent."""
    rows = []
    for pool_size in (500, 1_000, 5_000):
        outcomes = simulation.pool_outcomes(np.random.default_rng(seed), runs, pool_size, 0.0, 0.3)
        cells = [cell(simulation.equivalence_labels(outcomes, pool_size, 0.1, 0.05, spread)) for spread in (0.15, 0.10)]
        rows.append([f"{pool_size:,}", *cells])
    return table(["items in the pool", "bets for directions (spread 0.15)", "cautious bets (spread 0.10)"], rows)


def report(runs: int, seed: int) -> str:
    sections = [
        (
            f"Which prior for the bets, alpha = {alpha}",
            "Ties bet nothing, so that only the difference among the non-tied items counts, and the labels are "
            "non-tied labels. Each figure is the mean number of labels divided by log(1/alpha)/KL, which no test of "
            "that level can beat on average. The best single Beta is chosen with the difference known. A rule that "
            f"knows that at most {BUDGET:,} labels can be bought may use a lower threshold.",
            priors_table(alpha, runs, seed),
        )
        for alpha in ALPHAS
    ]
    sections += [
        (
            "These items: a pool of 1,000, alpha = 0.05",
            "Mean labels, drawn without replacement. The bounded mean serves directions, intervals and equivalence; "
            "exact counts serve directions only.",
            items_table(runs, seed),
        ),
        (
            "Inputs like these, alpha = 0.05",
            "Mean labels, every item new. The mixture of bets serves single labels; the bounded mean serves averages "
            "of several labels and clusters as well.",
            inputs_table(runs, seed),
        ),
        (
            "Simulated workers, alpha = 0.001",
            "The setting of dynamic-human-evaluation (Thorleiksdóttir et al. 2022): one random worker an item, "
            "capability uniform on (0.8, 1), difficulty normal with variance 0.1.",
            workers_table(runs, seed),
        ),
        (
            "Equivalence: no difference, 30% ties, margin 0.1, alpha = 0.05",
            "Mean labels until both sides of the margin are rejected, each at 1/alpha, on a pool of items.",
            equivalence_table(runs, seed),
        ),
    ]
    parts = [INTRODUCTION.format(runs=f"{runs:,}", seed=seed)]
    parts += [f"## {title}\n\n{text}\n\n{figures}\n" for title, text, figures in sections]
    return "\n".join(parts)


if __name__ == "__main__":
    simulated_page("power.md", __doc__, 2_000, report)
