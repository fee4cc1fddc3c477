"""What the rule `fixed` errs, finds and shows in one look: prints Markdown; `--write` saves it as docs/one_look.md.

python benchmarks/one_look.py [--runs 4000] [--seed 1] [--jobs 2] [--data FOLDER] [--write]

Power, width and errors of single outcomes are exact, by enumeration of all counts; the rest is simulated.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a process: the processes are as many as asked for

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from scipy.special import gammaln, ndtri, xlogy  # noqa: E402
from scipy.stats import binom, ttest_1samp  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import REAL_STUDIES, show, table  # noqa: E402

from tiebreak.comparison.compare import compare  # noqa: E402
from tiebreak.data.readers import read_study  # noqa: E402
from tiebreak.kernels.paired_outcomes import paired_outcomes  # noqa: E402
from tiebreak.rules.finished import FinishedSet, FinishedSets  # noqa: E402

Floats = NDArray[np.float64]
Rng = np.random.Generator

LEVEL = 0.025  # a side: one pair at alpha 0.05
STUDIES = ("summeval", "llmfao", "pandalm", "naturalness-v1", "naturalness-v2", "wmt21-en-de")

INTRODUCTION = """# One look at a finished set

What `compare` does by default (`--rule fixed`) with labels that are looked at once: how often it errs, what it finds,
and how wide its intervals are. Made by `python benchmarks/one_look.py --write`: {runs} simulated studies per figure,
seed {seed}; ± is the standard error of a share. One pair at alpha 0.05: 0.025 in each direction. The difference is the
share of items on which a is preferred minus the share on which b is.
"""


# ---- single outcomes: exact ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Counts:
    """All possible counts of n items, and what the tests make of them."""

    wins: Floats
    ties: Floats
    losses: Floats

    @classmethod
    def of(cls, n: int) -> Counts:
        """Every (wins, ties, losses) with sum n."""
        wins, losses = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0))
        possible = wins + losses <= n
        return cls(wins[possible], n - wins[possible] - losses[possible], losses[possible])

    def chances(self, difference: float, tie_rate: float) -> Floats:
        """Probability of each under independent items."""
        win, loss = (1 - tie_rate + difference) / 2, (1 - tie_rate - difference) / 2
        n = self.wins + self.ties + self.losses
        ways = gammaln(n + 1) - gammaln(self.wins + 1) - gammaln(self.ties + 1) - gammaln(self.losses + 1)
        return np.asarray(np.exp(ways + xlogy(self.wins, win) + xlogy(self.ties, tie_rate) + xlogy(self.losses, loss)))


def outcome_tables(sizes: Sequence[int] = (20, 50, 100, 300)) -> tuple[str, str]:
    """Power beside the exact sign test and width beside Wald's interval; largest error over all shares of ties."""
    power, errors = [], []
    for n in sizes:
        counts = Counts.of(n)
        tests = paired_outcomes(counts.wins, counts.ties, counts.losses)
        found = tests.p_a <= LEVEL
        sign = binom.sf(counts.wins - 1, counts.wins + counts.losses, 0.5) <= LEVEL
        low, high = tests.interval(LEVEL)
        mean = (counts.wins - counts.losses) / n
        wald = -ndtri(LEVEL) * np.sqrt(((counts.wins + counts.losses) / n - mean**2) / n)
        for ties, difference in ((0.0, 0.2), (0.3, 0.15), (0.3, 0.3), (0.6, 0.2), (0.8, 0.1)):
            chance = counts.chances(difference, ties)
            ratio = float(chance @ (high - low)) / float(chance @ (2 * wald))
            shown = [f"{float(chance @ at):.3f}" for at in (found, sign)]
            power.append([str(n), f"{ties:g}", f"{difference:g}", *shown, f"{ratio:.2f}"])
        shares = np.linspace(0, 0.95, 39)
        worst = [max(float(counts.chances(0.0, share) @ at) for share in shares) for at in (found, sign)]
        errors.append([str(n), *(f"{error:.4f}" for error in worst)])
    header = ["items", "ties", "difference", "power", "power of the exact sign test", "width / Wald's"]
    return table(header, power), table(
        ["items", "errors in one direction, most over 0-95% ties", "of the sign test"], errors
    )


# ---- means of panels, clusters, pools, metrics: simulated ---------------------------------------------------------

Draw = Callable[[Rng], FinishedSet]
Control = Callable[[FinishedSet], float]


def panel(n: int, people: int, strong: float) -> Draw:
    """Items of which a share `strong` is a's for everybody; others are ties, or now and then b's: the difference is 0.

    strong 0: everybody tosses a coin.
    """

    def draw(rng: Rng) -> FinishedSet:
        uniform = rng.random((people, n))
        if strong:
            votes = np.where(rng.random(n) < strong, 1.0, -1.0 * (uniform < strong / (1 - strong)))
        else:
            votes = np.where(uniform < 0.5, 1.0, -1.0)
        return FinishedSet(votes.mean(axis=0), np.full(n, people), votes.var(axis=0, ddof=1))

    return draw


def clustered(clusters: int, sizes: str, tied: bool) -> Draw:
    """Outcomes that clusters share; `tied`: large clusters favour one side, by items nobody is ahead."""

    def draw(rng: Rng) -> FinishedSet:
        if sizes == "equal":
            of = np.full(clusters, 8)
        elif sizes == "2-20":
            of = rng.integers(2, 21, size=clusters)
        else:
            of = np.maximum(np.rint(rng.lognormal(1.5, 1.0, size=clusters)), 1).astype(np.int64)
        lean = rng.normal(0, 0.6, size=clusters)
        if tied:
            large = of > np.median(of)
            # E(sum of values) = 0: what the large ones lose, the small ones win.
            lean = lean + np.where(large, -0.2, 0.2 * of[large].sum() / max(of[~large].sum(), 1))
        member = np.repeat(np.arange(clusters), of)
        values = np.where(rng.random(member.size) < np.clip((1 + lean[member]) / 2, 0, 1), 1.0, -1.0)
        return FinishedSet(values, np.ones(values.size, dtype=np.int64), clusters=member)

    return draw


def of_pool(size: int, drawn: int, ties: float) -> Draw:
    """A part of a pool in which wins and losses balance."""

    def draw(rng: Rng) -> FinishedSet:
        half = round(size * (1 - ties) / 2)
        pool = np.repeat([1.0, 0.0, -1.0], [half, size - 2 * half, half])
        values = rng.choice(pool, size=drawn, replace=False)
        return FinishedSet(values, np.ones(drawn, dtype=np.int64), pool_size=size)

    return draw


def with_metrics(n: int, size: int, good: float, useless: int, difference: float = 0.0) -> Draw:
    """Outcomes of items with one metric of correlation `good` with their quality (0: none) and useless ones."""

    def draw(rng: Rng) -> FinishedSet:
        quality = rng.normal(difference, 1, size=size)
        values = np.where(np.abs(quality) < 0.4, 0.0, np.sign(quality))
        columns = [rng.normal(size=size) for _ in range(useless)]
        if good:
            columns.append(good * (quality - difference) + np.sqrt(1 - good**2) * rng.normal(size=size))
        metrics = np.column_stack(columns)
        drawn = rng.permutation(size)
        ordered = metrics[drawn]
        return FinishedSet(values[drawn[:n]], np.ones(n, dtype=np.int64), metrics=ordered[:n], pool_metrics=ordered)

    return draw


def by_t(of: FinishedSet) -> float:
    """The t test of the items' values, two-sided."""
    return float(ttest_1samp(of.values, 0.0).pvalue) if of.values.std() else 1.0


def by_sign(of: FinishedSet) -> float:
    """The sign test of the items, as if they were independent."""
    wins, _, losses = of.counts
    return min(1.0, 2 * float(binom.sf(max(wins, losses) - 1, wins + losses, 0.5)))


def naive_metric(of: FinishedSet) -> float:
    """Least squares on all metrics, or none: whichever makes the final variance smaller."""
    if of.metrics is None or of.pool_metrics is None:
        return by_t(of)
    n = of.values.size
    centred = of.metrics - of.pool_metrics.mean(axis=0)
    slope = np.linalg.lstsq(centred - centred.mean(axis=0), of.values - of.values.mean(), rcond=None)[0]
    adjusted = of.values - centred @ slope
    chosen = adjusted if adjusted.var(ddof=1) < of.values.var(ddof=1) else of.values
    return float(ttest_1samp(chosen, 0.0).pvalue) if n > 2 else 1.0


WORLDS: tuple[tuple[str, Draw, str, Control], ...] = (
    ("30 items, 3 people, 5% strong", panel(30, 3, 0.05), "t test alone", by_t),
    ("50 items, 3 people, 5% strong", panel(50, 3, 0.05), "t test alone", by_t),
    ("100 items, 3 people, 5% strong", panel(100, 3, 0.05), "t test alone", by_t),
    ("100 items, 3 people, even", panel(100, 3, 0.0), "t test alone", by_t),
    ("12 clusters of 8", clustered(12, "equal", False), "sign test of items", by_sign),
    ("20 clusters of 2-20", clustered(20, "2-20", False), "sign test of items", by_sign),
    ("100 clusters, lognormal sizes", clustered(100, "lognormal", False), "sign test of items", by_sign),
    ("pool of 300, 150 labelled, 30% ties", of_pool(300, 150, 0.3), "sign test of items", by_sign),
    (
        "100 of 1,000 items, 16 useless metrics",
        with_metrics(100, 1000, 0.0, 16),
        "smaller final variance",
        naive_metric,
    ),
    ("30 of 300 items, 16 useless metrics", with_metrics(30, 300, 0.0, 16), "smaller final variance", naive_metric),
    ("100 of 1,000 items, a good metric", with_metrics(100, 1000, 0.7, 0), "smaller final variance", naive_metric),
)


METRICS = (("1 useless", 0.0, 1), ("16 useless", 0.0, 16), ("1 good", 0.7, 0), ("1 good, 15 useless", 0.7, 15))


def errors_of(draw: Draw, control: Control, runs: int, seed: int) -> tuple[int, int]:
    """Wrong directions in so many studies: of the rule, and of the control."""
    rng = np.random.default_rng(seed)
    sets = [draw(rng) for _ in range(runs)]
    tests = FinishedSets(sets)
    wrong = (np.minimum(tests.p_a, tests.p_b) <= LEVEL).sum()
    return int(wrong), sum(control(of) <= 2 * LEVEL for of in sets)


def share(count: int, runs: int) -> str:
    found = count / runs
    return f"{found:.3f} ± {np.sqrt(found * (1 - found) / runs):.3f}"


def errors_table(runs: int, seed: int, jobs: int) -> str:
    """Wrong directions of equal systems, beside a control."""
    pieces = 4 * jobs
    size = max(runs // pieces, 1)
    tasks = [(world, seed * 1000 + place * 100 + k) for place, world in enumerate(WORLDS) for k in range(pieces)]
    counts = Parallel(n_jobs=jobs)(delayed(errors_of)(world[1], world[3], size, own) for world, own in tasks)
    rows = []
    for place, (name, _, control, _) in enumerate(WORLDS):
        mine = np.array(counts[place * pieces : (place + 1) * pieces]).sum(axis=0)
        rows.append([name, share(int(mine[0]), size * pieces), control, share(int(mine[1]), size * pieces)])
    return table(["equal systems", "wrong directions", "control", "of the control"], rows)


def saving_table(runs: int, seed: int) -> str:
    """Mean width with metrics over that without."""
    rows = []
    for name, good, useless in (
        ("1 useless", 0.0, 1),
        ("16 useless", 0.0, 16),
        ("1 good", 0.7, 0),
        ("1 good, 15 useless", 0.7, 15),
    ):
        rng = np.random.default_rng(seed)
        draw = with_metrics(100, 1000, good, useless, 0.1)
        sets = [draw(rng) for _ in range(runs)]
        with_them = FinishedSets(sets).intervals(LEVEL)
        without = FinishedSets(FinishedSet(of.values, of.labels) for of in sets).intervals(LEVEL)
        rows.append([name, f"{(with_them[1] - with_them[0]).mean() / (without[1] - without[0]).mean():.3f}"])
    return table(["metrics, 100 of 1,000 items labelled", "mean width / without"], rows)


# ---- real studies -----------------------------------------------------------------------------------------------


def real_table(data: Path) -> str:
    """Pairs decided by the rule for every look and by this one, with ratings of one person or of anybody compared, and
    verdicts that oppose a Bonferroni sign test."""
    rows = []
    for name in STUDIES:
        if not (data / name).is_dir():
            print(f"{name} skipped: not in {data}", file=sys.stderr)
            continue
        study = read_study(data / name)
        every, one = (
            [pair for found in compare(study, rule=rule).results for pair in found.pairs]
            for rule in ("anytime", "fixed")
        )
        across = [pair for found in compare(study, raters="any").results for pair in found.pairs]
        opposed = 0
        for pair in one:
            ahead = max(pair.wins, pair.losses)
            significant = binom.sf(ahead - 1, pair.wins + pair.losses, 0.5) <= LEVEL / len(one)
            opposed += significant and pair.verdict == ("b" if pair.wins > pair.losses else "a")
        decided = [sum(pair.verdict != "undecided" for pair in pairs) for pairs in (every, one, across)]
        rows.append([name, f"{len(one):,}", *(f"{count:,}" for count in decided), str(opposed)])
    if not rows:
        return "The real studies were not at hand."
    heads = ["study", "pairs", "decided at every look", "decided in one look", "with `--raters any`"]
    return table([*heads, "against a sign test"], rows)


def report(runs: int, seed: int, jobs: int, data: Path) -> str:
    """The page."""
    power, errors = outcome_tables()
    return "\n".join(
        [
            INTRODUCTION.format(runs=f"{runs:,}", seed=seed),
            "## One outcome per item (exact)\n",
            errors,
            "\n## Power and width (exact)\n",
            "Never less power than the exact sign test. Wald's interval is too short where ties are many.\n",
            power,
            "\n## Means, clusters, pools and metrics\n",
            "Both directions together: 0.05 is promised, about. Beside each stands a control that ignores what the\n"
            "rule takes care of.\n",
            errors_table(runs, seed, jobs),
            "\n## What metrics do to the width\n",
            saving_table(max(runs // 10, 50), seed),
            "\n## Real studies\n",
            "All pairs of a study and its criteria are one family (Holm). The last column counts verdicts that oppose\n"
            "an exact sign test which is significant after Bonferroni. SummEval's crowd workers rated 12 of its 16\n"
            "systems beside its experts: with `--raters any` their severity counts as a difference between systems.\n",
            real_table(data),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=4000, help="simulated studies per figure (4000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    parser.add_argument("--write", action="store_true", help="save as docs/one_look.md as well")
    options = parser.parse_args()
    if min(options.runs, options.jobs) < 1:
        parser.error("--runs and --jobs must be at least 1")
    show(report(options.runs, options.seed, options.jobs, options.data), "one_look.md", options.write)


if __name__ == "__main__":
    main()
