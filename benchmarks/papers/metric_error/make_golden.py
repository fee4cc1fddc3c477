"""Makes tests/kernels/golden/metric_error.json: reference posteriors of the metric-error model.

python benchmarks/papers/metric_error/make_golden.py [--write] [--only NAME ...] [--most-draws 60000000]

Forced choice (two classes) is summed exactly. Three classes: independent draws in the paper's own parametrisation,
importance-weighted, until the standard error of theta is below 0.00025; nothing is shared with the kernel, which uses
another parametrisation, another proposal and quasi-random points. Seeded; about 8 minutes of one core.

The proposal: p and the columns of mu from the posteriors that the human-labelled items alone give, except that one
column c is solved from a draw of r = mu p ~ Dir(m + 1), so that the metric's counts are met however many they are:
mu_c = (r - sum of the other mu_c' p_c') / p_c. Given the rest, r -> mu_c stretches by 1/p_c in each of its K - 1 free
entries, so the density of the solved column is Dir(r; m + 1) p_c^(K - 1). The proposal mixes the solved columns and, as
a defence, no solved column. Rows that the metric never uses get their entries in mu from narrower Betas.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.worlds import exact_metric_error  # noqa: E402

Floats = NDArray[np.float64]
Rng = np.random.Generator

TARGET_ERROR = 0.00025
BATCH = 200_000
UNSOLVED_SHARE = 0.05
HISTOGRAM_BINS = 4_000
OUTPUT = REPOSITORY / "tests" / "kernels" / "golden" / "metric_error.json"


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    paired: NDArray[np.int64]
    metric_only: NDArray[np.int64]
    human_only: NDArray[np.int64]


def table(name: str, paired: object, metric_only: object, human_only: object = None) -> Table:
    n = np.array(paired)
    h = np.zeros(n.shape[1], dtype=np.int64) if human_only is None else np.array(human_only)
    return Table(name, n, np.array(metric_only), h)


GOOD = [[0.8, 0.25, 0.1], [0.1, 0.5, 0.1], [0.1, 0.25, 0.8]]  # the paper's ideal metric
FAIR = [[0.6, 0.35, 0.25], [0.15, 0.3, 0.15], [0.25, 0.35, 0.6]]
WEAK = [[0.45, 0.38, 0.36], [0.15, 0.2, 0.15], [0.4, 0.42, 0.49]]
BINARY = [[0.65, 0.5, 0.3], [0.0, 0.0, 0.0], [0.35, 0.5, 0.7]]  # never ties
LEANING = [[0.85, 0.7, 0.55], [0.05, 0.1, 0.05], [0.1, 0.2, 0.4]]  # favours a whoever is better

# name, metric, p, paired items, metric-only items
DRAWN = [
    ("good-50-1000", GOOD, (0.4, 0.3, 0.3), 50, 1_000),
    ("good-100-11000", GOOD, (0.35, 0.35, 0.3), 100, 11_000),
    ("good-20-3000", GOOD, (0.5, 0.2, 0.3), 20, 3_000),
    ("good-500-1000", GOOD, (0.36, 0.3, 0.34), 500, 1_000),
    ("good-10-11000", GOOD, (0.4, 0.25, 0.35), 10, 11_000),
    ("fair-10-1000", FAIR, (0.45, 0.25, 0.3), 10, 1_000),
    ("fair-30-1000", FAIR, (0.45, 0.2, 0.35), 30, 1_000),
    ("fair-50-11000", FAIR, (0.4, 0.2, 0.4), 50, 11_000),
    ("fair-100-1000", FAIR, (0.35, 0.4, 0.25), 100, 1_000),
    ("fair-200-5000", FAIR, (0.36, 0.32, 0.32), 200, 5_000),
    ("fair-500-11000", FAIR, (0.37, 0.28, 0.35), 500, 11_000),
    ("weak-20-1000", WEAK, (0.3, 0.3, 0.4), 20, 1_000),
    ("weak-50-1000", WEAK, (0.34, 0.3, 0.36), 50, 1_000),
    ("weak-100-11000", WEAK, (0.4, 0.3, 0.3), 100, 11_000),
    ("weak-500-500", WEAK, (0.36, 0.32, 0.32), 500, 500),
    ("never-ties-20-1000", BINARY, (0.4, 0.3, 0.3), 20, 1_000),
    ("never-ties-50-1000", BINARY, (0.35, 0.3, 0.35), 50, 1_000),
    ("never-ties-100-11000", BINARY, (0.38, 0.3, 0.32), 100, 11_000),
    ("never-ties-300-2000", BINARY, (0.33, 0.3, 0.37), 300, 2_000),
    ("leaning-50-1000", LEANING, (0.3, 0.25, 0.45), 50, 1_000),
    ("leaning-200-5000", LEANING, (0.38, 0.22, 0.4), 200, 5_000),
    ("many-ties-60-1000", FAIR, (0.1, 0.85, 0.05), 60, 1_000),
    ("few-ties-60-1000", FAIR, (0.52, 0.03, 0.45), 60, 1_000),
]

WRITTEN = [
    table("no-metric-only-30", [[8, 2, 3], [2, 3, 1], [3, 1, 7]], [0, 0, 0]),
    table("ten-metric-only", [[5, 1, 2], [1, 2, 0], [2, 1, 6]], [5, 1, 4]),
    table("zero-cells-15", [[6, 1, 0], [0, 1, 0], [0, 2, 5]], [400, 100, 500]),
    table("diagonal-40", [[18, 0, 0], [0, 6, 0], [0, 0, 16]], [450, 120, 430]),
    table("no-human-tie-18", [[7, 0, 2], [1, 0, 1], [2, 0, 5]], [480, 90, 430]),
    table("one-human-loss-25", [[14, 3, 0], [2, 2, 0], [2, 1, 1]], [600, 150, 250]),
    table("one-sided-30", [[26, 1, 1], [1, 0, 0], [1, 0, 0]], [1_700, 100, 200]),
    table("conflicting-40", [[18, 3, 2], [3, 3, 1], [3, 2, 5]], [420, 160, 420]),
    table("conflicting-100-3000", [[38, 8, 8], [6, 6, 3], [9, 5, 17]], [1_300, 450, 1_250]),
    table("reversed-metric-50", [[3, 4, 14], [2, 3, 2], [17, 4, 1]], [390, 130, 480]),
    table("human-only-20-more", [[10, 3, 3], [2, 3, 1], [3, 3, 8]], [450, 130, 420], [10, 6, 4]),
    table("human-only-100-more", [[6, 1, 1], [1, 2, 1], [1, 1, 6]], [240, 70, 190], [38, 30, 32]),
    table("human-only-500-more", [[12, 3, 2], [2, 4, 2], [4, 3, 13]], [4_700, 1_300, 5_000], [180, 150, 170]),
    table("human-only-2-more", [[4, 1, 1], [1, 1, 0], [0, 1, 3]], [520, 110, 370], [1, 0, 1]),
    table("five-1000", [[2, 0, 0], [0, 1, 0], [1, 0, 1]], [420, 160, 420]),
    table("two-300", [[1, 0, 0], [0, 0, 0], [0, 0, 1]], [130, 30, 140]),
    table("forced-5-1000", [[2, 0], [1, 2]], [520, 480]),
    table("forced-10-1000", [[4, 1], [2, 3]], [520, 480]),
    table("forced-12-11000", [[5, 2], [1, 4]], [6_100, 4_900]),
    table("forced-30-0", [[12, 4], [5, 9]], [0, 0]),
    table("forced-50-1000", [[17, 9], [8, 16]], [530, 470]),
    table("forced-100-5000", [[40, 15], [14, 31]], [2_600, 2_400]),
    table("forced-500-11000", [[170, 95], [90, 145]], [5_600, 5_400]),
    table("forced-no-error-20", [[11, 0], [0, 9]], [560, 440]),
    table("forced-useless-60", [[17, 15], [15, 13]], [500, 500]),
    table("forced-one-sided-15", [[12, 0], [3, 0]], [800, 200]),
    table("forced-reversed-40", [[4, 15], [17, 4]], [450, 550]),
    table("forced-conflicting-40", [[22, 3], [5, 10]], [900, 1_100]),
    table("forced-human-only-80-more", [[7, 3], [2, 8]], [540, 460], [45, 35]),
]


def drawn_tables(seed: int) -> list[Table]:
    tables = []
    for index, (name, metric, p, paired, metric_only) in enumerate(DRAWN):
        rng = np.random.default_rng([seed, index])
        joint = np.array(metric) * np.array(p)
        n = rng.multinomial(paired, joint.ravel() / joint.sum()).reshape(3, 3)
        m = rng.multinomial(metric_only, joint.sum(axis=1) / joint.sum())
        tables.append(table(name, n, m))
    return tables


class SolvedColumns:
    """The proposal of the module's docstring and its weights, for one table of three classes."""

    def __init__(self, counts: Table) -> None:
        self.n = counts.paired.astype(np.float64)
        self.m = counts.metric_only.astype(np.float64)
        self.classes = len(self.m)
        self.human = self.n.sum(axis=0) + counts.human_only + 1
        share = self.human / self.human.sum()
        # A column solved for a frequent class has a large p_c and meets its Dirichlet most often.
        self.mixture = np.concatenate([[UNSOLVED_SHARE], (1 - UNSOLVED_SHARE) * share**2 / (share**2).sum()])
        unused = np.flatnonzero((self.n.sum(axis=1) == 0) & (self.m < 0.01 * self.m.sum()))
        self.unused = int(unused[0]) if unused.size else None
        self.narrowing = self.m.sum() * share  # added to the second parameter of an unused row's Betas

    def draw(self, rng: Rng) -> tuple[Floats, Floats]:
        """p (draws, 3) and weights (draws,) of the draws that are inside the simplices; the others weigh nothing."""
        component = rng.choice(self.classes + 1, size=BATCH, p=self.mixture)
        p = rng.dirichlet(self.human, size=BATCH)
        mu = np.stack([self._column(c, rng) for c in range(self.classes)], axis=2)
        for c in range(self.classes):
            chosen = np.flatnonzero(component == c + 1)
            others = [other for other in range(self.classes) if other != c]
            rest = sum(mu[chosen, :, other] * p[chosen, other, None] for other in others)
            mu[chosen, :, c] = (rng.dirichlet(self.m + 1, size=chosen.size) - rest) / p[chosen, c, None]
        inside = (mu > 0).all(axis=(1, 2))
        return p[inside], np.exp(self._log_weights(p[inside], mu[inside]))

    def _column(self, c: int, rng: Rng) -> Floats:
        column = rng.dirichlet(self.n[:, c] + 1, size=BATCH)
        if self.unused is not None:
            rest = self.n[:, c].sum() + self.classes - 1
            narrow = rng.beta(1, rest + self.narrowing[c], size=BATCH)
            column *= ((1 - narrow) / (1 - column[:, self.unused]))[:, None]
            column[:, self.unused] = narrow
        return column

    def _log_weights(self, p: Floats, mu: Floats) -> Floats:
        log_mu = np.log(mu)
        log_likelihood = _log_dirichlet_constant(self.m + 1) + np.log(np.einsum("ikc,ic->ik", mu, p)) @ self.m
        log_target = log_likelihood.copy()
        terms = [np.full(len(p), np.log(self.mixture[0]))]
        for c in range(self.classes):
            column = _log_dirichlet_constant(self.n[:, c] + 1) + log_mu[:, :, c] @ self.n[:, c]
            if self.unused is not None:
                # Beta(1, rest + narrowing) over Beta(1, rest) at the entry of the unused row
                rest = self.n[:, c].sum() + self.classes - 1
                log_ratio = np.log1p(self.narrowing[c] / rest) + self.narrowing[c] * np.log1p(-mu[:, self.unused, c])
                column += log_ratio
                log_target -= log_ratio
            solved = log_likelihood + (self.classes - 1) * np.log(p[:, c]) - column
            terms.append(np.log(self.mixture[c + 1]) + solved)
        return np.asarray(log_target - np.logaddexp.reduce(terms, axis=0))


def _log_dirichlet_constant(concentration: Floats) -> float:
    return float(gammaln(concentration.sum()) - gammaln(concentration).sum())


def sampled_reference(counts: Table, seed: int, most_draws: int) -> dict[str, object]:
    """theta, means and interval with batch standard errors; stops at the target error or at `most_draws`."""
    proposal, rng = SolvedColumns(counts), np.random.default_rng(seed)
    edges = np.linspace(-1, 1, HISTOGRAM_BINS + 1)
    histogram = np.zeros(HISTOGRAM_BINS)
    batches: list[Floats] = []
    largest = squares = 0.0
    while True:
        p, weights = proposal.draw(rng)
        difference = p[:, 0] - p[:, 2]
        batches.append(np.array([weights.sum(), weights @ (difference > 0), *(weights @ p)]))
        histogram += np.histogram(difference, edges, weights=weights)[0]
        largest, squares = max(largest, float(weights.max(initial=0.0))), squares + float(weights @ weights)
        if len(batches) < 20 or len(batches) % 5:
            continue
        sums = np.array(batches)
        total = sums[:, 0].sum()
        estimate = sums[:, 1:].sum(axis=0) / total
        residual = (sums[:, 1:] - estimate * sums[:, :1]) / sums[:, 0].mean()
        error = residual.std(axis=0, ddof=1) / np.sqrt(len(sums))
        if error[0] < TARGET_ERROR or len(batches) * BATCH >= most_draws:
            break
    low, high = np.interp([0.025, 0.975], np.concatenate([[0], np.cumsum(histogram) / total]), edges)
    return {
        "theta": float(estimate[0]),
        "theta_se": float(error[0]),
        "mean_p": estimate[1:].tolist(),
        "mean_p_se": error[1:].tolist(),
        "difference_low": float(low),
        "difference_high": float(high),
        "source": f"{len(batches) * BATCH:,} weighted draws",
        "effective_draws": round(total**2 / squares),
        "largest_weight_share": largest / total,
    }


def exact_reference(counts: Table) -> dict[str, object]:
    posterior = exact_metric_error.two_classes(counts.paired, counts.metric_only, counts.human_only)
    return {
        "theta": posterior.theta,
        "theta_se": 0.0,
        "mean_p": posterior.mean_p.tolist(),
        "mean_p_se": [0.0, 0.0],
        "difference_low": posterior.difference_low,
        "difference_high": posterior.difference_high,
        "source": "exact sum",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="save the golden file; otherwise only print")
    parser.add_argument("--only", nargs="+", default=None, help="names of tables")
    parser.add_argument("--most-draws", type=int, default=60_000_000)
    parser.add_argument("--seed", type=int, default=20)
    arguments = parser.parse_args()
    cases = []
    for index, counts in enumerate([*drawn_tables(arguments.seed), *WRITTEN]):
        if arguments.only and counts.name not in arguments.only:
            continue
        start = time.perf_counter()
        if len(counts.metric_only) == 2:
            reference = exact_reference(counts)
        else:
            reference = sampled_reference(counts, arguments.seed + index, arguments.most_draws)
        seconds = time.perf_counter() - start
        print(
            f"{counts.name:28s} theta {reference['theta']:.4f} ± {reference['theta_se']:.5f}  "
            f"largest weight {reference.get('largest_weight_share', 0):.5f}  {reference['source']}, {seconds:.0f} s",
            flush=True,
        )
        counts_json = {key: getattr(counts, key).tolist() for key in ("paired", "metric_only", "human_only")}
        cases.append({"name": counts.name, **counts_json, **reference})
    if arguments.write:
        lines = ",\n".join("  " + json.dumps(case) for case in cases)
        OUTPUT.parent.mkdir(exist_ok=True)
        OUTPUT.write_text(f'{{"seed": {arguments.seed}, "cases": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
