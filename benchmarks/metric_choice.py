"""What `--metric all` costs and gains: prints Markdown; `--write` saves it as docs/metric_choice.md.

python benchmarks/metric_choice.py [--runs 4000] [--seed 1] [--cache FOLDER] [--minutes M] [--write]

Every 500 runs of a design are a file in the cache folder, by their settings and the code that decides: an interrupted
run goes on where it was. With `--minutes` it stops in time, and the page has what is there. All of it takes about
twenty minutes of one processor.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import os
import sys
import time
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import show, table  # noqa: E402

from tiebreak.comparison.assistance import assisted_process  # noqa: E402
from tiebreak.evidence.automatic import PairAutomatic  # noqa: E402
from tiebreak.evidence.study_evidence import PairEvidence  # noqa: E402
from tiebreak.kernels.companions import plan_companions, reserve_size  # noqa: E402
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items  # noqa: E402
from tiebreak.rules.anytime import AnytimeProcess, EvidenceProcess, Priors, assisted_paths  # noqa: E402
from tiebreak.rules.finished import FinishedSet, FinishedSets  # noqa: E402
from tiebreak.rules.sequence import ValueSequence  # noqa: E402

Floats = NDArray[np.float64]
Rng = np.random.Generator

LEVEL = 0.025  # a side: one pair at alpha 0.05
LOG_THRESHOLD = math.log(1 / LEVEL)
PIECE = 500
DECIDING = [
    "held_out_regression",
    "metric_means",
    "panel_means",
    "cluster_means",
    "null_score",
    "paired_outcomes",
    "paired_pool",
    "fair_scores",
    "worst_share",
    "score_interval",
    "sign_flips",
    "order_free_mixture",
    "help_gate",
    "metric_help",
    "control_variate",
    "outcome_regression",
    "bounded_mean",
    "bet_mixture",
    "companions",
]

INTRODUCTION = """# What `--metric all` costs and gains

Metrics are chosen by tiebreak: none, one or all of them, without looking at the label that is predicted. Does that cost
verdicts where they say nothing? Made by `python benchmarks/metric_choice.py --write`: simulated studies, each judged
once without and once with the metrics, seed {seed}. Power is the share decided, one pair at alpha 0.05, at a difference
that suits the design; **kept** is what `all` decides over what none decides, with its 95% interval (paired), and
**width** the mean width of the interval over that without. A design holds if the lower limit is at least 0.97, and
with useless metrics the width at most 1.03.

Metrics: *1 useless*; *16 useless*; *16 alike*, all useless and correlated by 0.9 with each other; *1 of 16*, one that
correlates with the label by 0.5 beside 15 useless ones; *good*, one that correlates by 0.9. Where every item is
labelled metrics are never used, so that nothing can be lost. {runs}
"""


@dataclass(frozen=True)
class Design:
    """`labelled` of `pool` items; `people` labels an item; `cluster` items a cluster, 0 for independent ones."""

    rule: str
    labelled: int
    pool: int
    ties: float
    target: str = "inputs"
    people: int = 1
    cluster: int = 0

    @property
    def words(self) -> str:
        """For the page."""
        more = f", {self.people} labels an item" if self.people > 1 else ""
        more += f", clusters of {self.cluster}" if self.cluster else ""
        return f"{self.labelled:,} of {self.pool:,}, {self.ties:.0%} ties, {self.target}{more}"

    @property
    def difference(self) -> float:
        """At which about .7 are decided without metrics; one label in ten at least must not agree."""
        spread = math.sqrt(1 - self.ties)
        if self.target == "items":
            spread *= math.sqrt(1 - self.labelled / self.pool)
        if self.cluster:
            spread *= 1.4
        reach = 2.48 if self.rule == "fixed" else 3.1
        return min(reach * spread / math.sqrt(self.labelled), 0.9 * (1 - self.ties))


DESIGNS = (
    Design("fixed", 30, 300, 0.0),
    Design("anytime", 50, 500, 0.0),
    Design("fixed", 30, 100, 0.0, "items"),
    Design("anytime", 100, 330, 0.3, "items"),
    Design("fixed", 50, 500, 0.3),
    Design("anytime", 100, 1000, 0.3),
    Design("fixed", 100, 330, 0.7),
    Design("fixed", 30, 300, 0.3, "items", people=3),
    Design("anytime", 100, 1000, 0.3, "items", people=3),
    Design("fixed", 60, 300, 0.3, cluster=3),
    Design("fixed", 100, 1000, 0.3),
    Design("anytime", 100, 330, 0.7),
    Design("fixed", 100, 330, 0.0, people=3),
    Design("fixed", 50, 165, 0.7, "items"),
    Design("fixed", 300, 1000, 0.3),
    Design("anytime", 300, 3000, 0.3, "items"),
    Design("fixed", 1000, 3300, 0.3, "items"),
)
METRICS = ("1 useless", "16 useless", "16 alike", "1 of 16", "good")


@dataclass(frozen=True)
class Tally:
    """Studies, those decided `without` and `with_` metrics and by `both`; sums of widths over `measured` studies."""

    runs: int = 0
    without: int = 0
    with_: int = 0
    both: int = 0
    measured: int = 0
    width_without: float = 0.0
    width_with: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        mine, theirs = asdict(self), asdict(other)
        return Tally(**{name: mine[name] + theirs[name] for name in mine})

    @property
    def kept(self) -> tuple[float, float, float]:
        """What is decided with metrics over without, and its 95 % interval by the delta method."""
        share = self.without / self.runs
        ratio = self.with_ / self.without
        variance = (self.with_ - 2 * ratio * self.both + ratio**2 * self.without) / self.runs
        reach = 1.96 * math.sqrt(variance / self.runs) / share
        return ratio, ratio - reach, ratio + reach


# ---- studies ---------------------------------------------------------------------------------------------------


def study(design: Design, metrics: str, rng: Rng) -> FinishedSet:
    """Values of the labelled items, and metrics of all."""
    size, ties, difference = design.pool, design.ties, design.difference
    if design.target == "items":
        tied = round(size * ties)
        wins = round((size - tied + size * difference) / 2)
        truth = rng.permutation(np.repeat([1.0, 0.0, -1.0], [wins, tied, size - tied - wins]))
    else:
        wins_at: float | Floats = (1 - ties + difference) / 2
        if design.cluster:
            lean = np.repeat(rng.normal(0, 0.5, size // design.cluster), design.cluster)
            wins_at = np.clip((1 - ties) * (1 + lean) / 2 + difference / 2, 0, 1 - ties)
        uniform = rng.random(size)
        truth = (uniform < wins_at) * 1.0 - (uniform >= wins_at + ties)
    n = design.labelled
    values, labels, variances = truth, np.ones(n, dtype=np.int64), None
    if design.people > 1:
        shape = (design.people, size)
        other = rng.choice([1.0, 0.0, -1.0], p=[(1 - ties) / 2, ties, (1 - ties) / 2], size=shape)
        votes = np.where(rng.random(shape) < 0.7, truth, other)
        values, labels, variances = votes.mean(axis=0), np.full(n, design.people), votes.var(axis=0, ddof=1)[:n]
    table_ = columns(metrics, truth, rng)
    return FinishedSet(
        values[:n],
        labels,
        variances,
        clusters=np.arange(n) // design.cluster if design.cluster else None,
        pool_size=size if design.target == "items" else None,
        metrics=table_[:n],
        pool_metrics=table_,
    )


def columns(metrics: str, truth: Floats, rng: Rng) -> Floats:
    """Values (N, M) of the metrics."""
    size = truth.size
    standard = (truth - truth.mean()) / truth.std()
    if metrics == "1 useless":
        return rng.normal(size=(size, 1))
    if metrics == "16 useless":
        return rng.normal(size=(size, 16))
    if metrics == "16 alike":
        return math.sqrt(0.9) * rng.normal(size=(size, 1)) + math.sqrt(0.1) * rng.normal(size=(size, 16))
    rho = 0.9 if metrics == "good" else 0.5
    good = rho * standard + math.sqrt(1 - rho**2) * rng.normal(size=size)
    return np.column_stack([good, *rng.normal(size=(0 if metrics == "good" else 15, size))])


def bare(of: FinishedSet) -> FinishedSet:
    return replace(of, metrics=None, pool_metrics=None)


# ---- verdicts --------------------------------------------------------------------------------------------------


def fixed(studies: list[FinishedSet]) -> Tally:
    """One look."""
    with_, without = FinishedSets(studies), FinishedSets(map(bare, studies))
    decided = [np.minimum(of.p_a, of.p_b) <= LEVEL for of in (with_, without)]
    few = studies[: PIECE // 10]
    widths = []
    for sets in (few, list(map(bare, few))):
        low, high = FinishedSets(sets).intervals(LEVEL)
        widths.append(float((high - low).sum()))
    return tally(decided[0], decided[1], len(few), widths[0], widths[1])


def anytime(studies: list[FinishedSet]) -> Tally:
    """A look at every label, in an order drawn at random."""
    priors = Priors.default()
    alone: list[EvidenceProcess] = [
        AnytimeProcess(ValueSequence.complete(of.values, of.pool_size), priors) for of in studies
    ]
    without = np.array([reached(process) for process in alone])
    few = range(PIECE // 50)
    used: dict[int, EvidenceProcess] = {k: assisted(studies[k]) or alone[k] for k in few}
    if studies[0].variances is None and studies[0].metrics is not None and studies[0].metrics.shape[1] == 1:
        with_ = side_by_side(studies)
    else:
        with_ = np.array([reached(used.get(k) or assisted(of) or alone[k]) for k, of in enumerate(studies)])
    widths = [
        float(sum(np.subtract(*process.interval(LOG_THRESHOLD)[::-1]) for process in processes))
        for processes in (used.values(), alone[: len(few)])
    ]
    return tally(with_, without, len(few), widths[0], widths[1])


def reached(process: EvidenceProcess) -> bool:
    return any(bool(process.log_e_path(side).max() >= LOG_THRESHOLD) for side in (1, -1))


def assisted(of: FinishedSet) -> EvidenceProcess | None:
    """As `compare --rule anytime` makes it of the labels; the order of the items is random here."""
    if of.metrics is None or of.pool_metrics is None:
        return None
    n = of.values.size
    pair = PairEvidence(
        criterion=None,
        system_a="a",
        system_b="b",
        items=np.arange(n),
        values=of.values,
        labels=of.labels,
        in_sequence=np.ones(n, dtype=np.bool_),
        sequence=ValueSequence.complete(of.values, of.pool_size),
        pool_size=of.pool_metrics.shape[0],
        identical=0,
        clusters=None,
    )
    names = tuple(f"m{k}" for k in range(of.metrics.shape[1]))
    return assisted_process(pair, PairAutomatic(names, of.metrics, of.pool_metrics[n:]), Priors.default())


def side_by_side(studies: list[FinishedSet]) -> NDArray[np.bool_]:
    """The same for outcomes and one metric, all studies at once."""
    found = []
    for start in range(0, len(studies), 100):
        part = studies[start : start + 100]
        outcomes = np.array([of.values for of in part])
        n = outcomes.shape[1]
        of_all = np.array([of.pool_metrics[:, 0] for of in part if of.pool_metrics is not None])
        drawn, rest = of_all[:, :n], of_all[:, n:]
        if part[0].pool_size is not None:
            help_ = regress_items(outcomes, drawn, rest)
        else:
            reserve = reserve_size(rest.shape[1])
            plan = np.tile(plan_companions(n - np.arange(n), rest.shape[1] - reserve), (len(part), 1))
            help_ = regress_inputs(outcomes, drawn, rest[:, reserve:], plan, rest[:, :reserve])
        sup = np.maximum(*(assisted_paths(outcomes, help_, side).max(axis=1) for side in (1, -1)))
        found.append(sup >= LOG_THRESHOLD)
    return np.concatenate(found)


def tally(
    with_: NDArray[np.bool_], without: NDArray[np.bool_], measured: int, width_with: float, width_without: float
) -> Tally:
    counts = (int(found.sum()) for found in (without, with_, with_ & without))
    return Tally(with_.size, *counts, measured, width_without, width_with)


# ---- the cache and the page ------------------------------------------------------------------------------------


@cache
def fingerprint() -> str:
    """Of the code that decides, whatever its comments and docstrings say."""
    digest = hashlib.sha256()
    for name in DECIDING:
        tree = ast.parse((REPOSITORY / "src/tiebreak/kernels" / f"{name}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
                body.pop(0)
        digest.update(ast.dump(tree).encode())
    return digest.hexdigest()[:16]


def piece(design: Design, metrics: str, seed: int, number: int, folder: Path) -> Tally | None:
    """Results of so many runs if they are there."""
    file = cache_file(design, metrics, seed, number, folder)
    return Tally(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


def cache_file(design: Design, metrics: str, seed: int, number: int, folder: Path) -> Path:
    key = json.dumps([fingerprint(), asdict(design), metrics, seed, number])
    return folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"


def simulate(design: Design, metrics: str, seed: int, number: int, folder: Path) -> None:
    """The runs of one piece, into its file."""
    place = [DESIGNS.index(design), METRICS.index(metrics)]
    rng = np.random.default_rng([seed, number, *place])
    studies = [study(design, metrics, rng) for _ in range(PIECE)]
    found = fixed(studies) if design.rule == "fixed" else anytime(studies)
    folder.mkdir(parents=True, exist_ok=True)
    file = cache_file(design, metrics, seed, number, folder)
    unfinished = file.with_suffix(".part")
    unfinished.write_text(json.dumps(asdict(found)), encoding="utf-8")
    unfinished.replace(file)


def report(runs: int, seed: int, folder: Path) -> str:
    """The page of all results that are there."""
    sections, counts = [], []
    for rule, title in (("fixed", "One look (`--rule fixed`)"), ("anytime", "Every look (`--rule anytime`)")):
        rows = []
        for design in DESIGNS:
            for metrics in METRICS:
                parts = [piece(design, metrics, seed, k, folder) for k in range(runs // PIECE)]
                known = [part for part in parts if part is not None]
                if design.rule == rule and known:
                    total = sum(known, Tally())
                    rows.append(row(design, metrics, total))
                    counts.append(total.runs)
        if rows:
            header = ["labelled items", "metrics", "power without", "with", "kept", "width"]
            sections.append(f"## {title}\n\n{table(header, rows)}\n")
    words = f"{min(counts):,} studies a row." if min(counts) == max(counts) else (
        f"{min(counts):,} to {max(counts):,} studies a row."
    )  # fmt: skip
    return "\n".join([INTRODUCTION.format(seed=seed, runs=words), *sections])


def row(design: Design, metrics: str, total: Tally) -> list[str]:
    ratio, low, high = total.kept
    width = total.width_with / total.width_without
    failed = low < 0.97 or (metrics in METRICS[:3] and width > 1.03)
    kept = f"{ratio:.3f} [{low:.3f}, {high:.3f}]"
    return [
        design.words,
        metrics,
        f"{total.without / total.runs:.3f}",
        f"{total.with_ / total.runs:.3f}",
        f"**{kept}**" if failed else kept,
        f"{width:.3f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=4000, help="simulated studies per row (4000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".metric_choice", help="where results are kept")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so many minutes")
    parser.add_argument("--write", action="store_true", help="save as docs/metric_choice.md as well")
    options = parser.parse_args()
    if options.runs < PIECE:
        parser.error(f"--runs must be at least {PIECE}, not {options.runs}")
    end = time.monotonic() + 60 * options.minutes
    for number in range(options.runs // PIECE):  # a little of everything, then more
        for design in DESIGNS:
            for metrics in METRICS:
                if piece(design, metrics, options.seed, number, options.cache) is None and time.monotonic() < end:
                    simulate(design, metrics, options.seed, number, options.cache)
                    print(f"{number + 1}: {design.rule}, {design.words}, {metrics}", file=sys.stderr)
    show(report(options.runs, options.seed, options.cache), "metric_choice.md", options.write)


if __name__ == "__main__":
    main()
