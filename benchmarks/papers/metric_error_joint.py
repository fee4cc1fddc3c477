"""What the metric-error posterior gains from annotators who err, pooling, strata and equivalence: writes
benchmarks/results/metric_error_joint.csv.

python benchmarks/papers/metric_error_joint.py [--scale 1] [--data FOLDER] [--write]

Each world is played with and without one part of the model: coverage of 95% credible intervals over pairs, their mean
width, and the share of labels that a width as small would need less. The real rows hold labels of SummEval out: of 100
items per pair some have the experts' label, the metric judges all, and the truth is what all labels say.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is no installed package

from benchmarks.results import Value, machine, parser, write_rows

from tiebreak.comparison.joint import posterior_together
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.kernels.metric_error_joint import CLASSES, JointLabels, JointPosterior, joint_posterior

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Row = tuple[Value, ...]

HEADER = ("world", "model", "studies", "coverage", "wrong", "width", "saved", "accuracy error")
PAIRS, LABELLED, ALONE = 10, 40, 300
STUDIES = 100
USUAL = np.array([[0.65, 0.3, 0.15], [0.2, 0.4, 0.2], [0.15, 0.3, 0.65]])
HARD = np.array([[0.4, 0.33, 0.3], [0.3, 0.34, 0.3], [0.3, 0.33, 0.4]])
PEOPLE = (0.92, 0.75, 0.55)


class World:
    """Pairs whose metric errs by matrices that spread around the usual one as Dir(strength); truth by item."""

    def __init__(self, rng: np.random.Generator, strength: float, *, people: bool = False, strata: bool = False):
        rows = PAIRS * (2 if strata else 1)
        self.shares = rng.dirichlet(np.full(CLASSES, 2.0), rows)
        base = [HARD if strata and row % 2 else USUAL for row in range(rows)]
        self.matrices = np.array(
            [np.column_stack([rng.dirichlet(strength * of[:, c]) for c in range(CLASSES)]) for of in base]
        )
        self.pair = np.arange(rows) // (2 if strata else 1)
        self.weight = np.full(rows, 0.5 if strata else 1.0)
        each = LABELLED // (2 if strata else 1)
        row = np.repeat(np.arange(rows), each)
        truth = self._truths(rng, row)
        metric = self._metric(rng, row, truth)
        alone = np.repeat(np.arange(rows), ALONE // (2 if strata else 1))
        said = self._metric(rng, alone, self._truths(rng, alone))
        only = np.bincount(alone * CLASSES + said, minlength=rows * CLASSES).reshape(rows, CLASSES)
        person = np.tile(np.arange(len(PEOPLE)), row.size) if people else np.zeros(row.size, dtype=np.intp)
        item = np.repeat(np.arange(row.size), len(PEOPLE)) if people else np.arange(row.size)
        right = rng.random(item.size) < (np.array(PEOPLE)[person] if people else 1.0)
        answer = np.where(right, truth[item], (truth[item] + rng.integers(1, CLASSES, item.size)) % CLASSES)
        self.labels = JointLabels(row, metric, item, person, answer, only)

    def _truths(self, rng: np.random.Generator, row: Codes) -> Codes:
        return np.asarray((rng.random(row.size)[:, None] > self.shares[row].cumsum(axis=1)[:, :-1]).sum(axis=1))

    def _metric(self, rng: np.random.Generator, row: Codes, truth: Codes) -> Codes:
        steps = self.matrices[row, :, truth].cumsum(axis=1)[:, :-1]
        return np.asarray((rng.random(row.size)[:, None] > steps).sum(axis=1))

    @property
    def differences(self) -> Floats:
        """The truth (G,)."""
        return np.asarray(np.bincount(self.pair, self.weight * (self.shares[:, 0] - self.shares[:, -1])))

    def one_stratum(self) -> tuple[JointLabels, Codes, Floats]:
        """The same as if nobody knew of strata."""
        of = self.labels
        only = np.zeros((PAIRS, CLASSES), dtype=np.int64)
        np.add.at(only, self.pair, of.metric_only)
        labels = JointLabels(self.pair[of.row], of.metric, of.item, of.annotator, of.answer, only)
        return labels, np.arange(PAIRS), np.ones(PAIRS)

    def majorities(self) -> JointLabels:
        """The label of most people of each item, a tie where they do not agree."""
        of = self.labels
        votes = np.zeros((of.row.size, CLASSES))
        np.add.at(votes, (of.item, of.answer), 1.0)
        best = votes.max(axis=1, keepdims=True) == votes
        answer = np.where(best.sum(axis=1) == 1, votes.argmax(axis=1), 1)
        items = np.arange(of.row.size)
        return JointLabels(of.row, of.metric, items, np.zeros_like(items), answer, of.metric_only)


class Found:
    """Coverage and width of the intervals of one model over studies."""

    def __init__(self) -> None:
        self.inside: list[float] = []
        self.wrong: list[float] = []
        self.widths: list[float] = []
        self.errors: list[float] = []

    def add(self, of: JointPosterior, truth: Floats) -> None:
        """One study."""
        low, high = np.quantile(of.differences, [0.025, 0.975], axis=0)
        self.add_intervals(low, high, truth)

    def add_intervals(self, low: Floats, high: Floats, truth: Floats) -> None:
        """The same of intervals."""
        self.inside.append(float(((low <= truth) & (truth <= high)).mean()))
        self.wrong.append(float((((low > 0) & (truth < 0)) | ((high < 0) & (truth > 0))).mean()))
        self.widths.append(float((high - low).mean()))

    def row(self, world: str, model: str, beside: Found) -> Row:
        """`beside`: the model that it is set against."""
        width, other = float(np.mean(self.widths)), float(np.mean(beside.widths))
        error = float(np.mean(self.errors)) if self.errors else None
        saved = None if beside is self else 1 - (width / other) ** 2
        coverage, wrong = float(np.mean(self.inside)), float(np.mean(self.wrong))
        return world, model, len(self.inside), coverage, wrong, width, saved, error


def pooling(studies: int, seed: int) -> Iterator[Row]:
    """Matrices that are alike, and others that are not."""
    for name, strength in (("alike", 100.0), ("rather alike", 20.0), ("unlike", 3.0)):
        found = {"alone": Found(), "pooled": Found()}
        for study in range(studies):
            rng = np.random.default_rng([seed, 1, int(strength), study])
            world = World(rng, strength)
            for model, of in found.items():
                posterior = joint_posterior(
                    world.labels, world.pair, world.weight, annotators_err=False, pooled=model == "pooled", rng=rng,
                    draws=800, settle=200,
                )  # fmt: skip
                of.add(posterior, world.differences)
        yield from (of.row(f"metric errs {name}", model, found["alone"]) for model, of in found.items())


def people(studies: int, seed: int) -> Iterator[Row]:
    """Three annotators of different reliability label every item."""
    found = {"majority": Found(), "annotators err": Found()}
    for study in range(studies):
        rng = np.random.default_rng([seed, 2, study])
        world = World(rng, 20.0, people=True)
        for model, of in found.items():
            err = model != "majority"
            labels = world.labels if err else world.majorities()
            posterior = joint_posterior(
                labels, world.pair, world.weight, annotators_err=err, rng=rng, draws=800, settle=200
            )
            of.add(posterior, world.differences)
            if err:
                of.errors.append(float(np.abs(posterior.accuracy - PEOPLE).mean()))
    yield from (of.row("three annotators", model, found["majority"]) for model, of in found.items())


def strata(studies: int, seed: int) -> Iterator[Row]:
    """Half of the items are hard for the metric, and preferences differ there."""
    found = {"one stratum": Found(), "strata": Found()}
    for study in range(studies):
        rng = np.random.default_rng([seed, 3, study])
        world = World(rng, 50.0, strata=True)
        for model, of in found.items():
            rows = (world.labels, world.pair, world.weight) if model == "strata" else world.one_stratum()
            of.add(joint_posterior(*rows, annotators_err=False, rng=rng, draws=800, settle=200), world.differences)
    yield from (of.row("easy and hard items", model, found["one stratum"]) for model, of in found.items())


def summeval(data: Path, studies: int, seed: int) -> Iterator[Row]:
    """Labels held out: all experts' ratings say what the difference is on the 100 items."""
    study = read_study(data / "summeval")
    ratings = study.ratings
    if ratings is None:
        return
    experts = ratings.filter(pl.col("annotator").str.starts_with("expert") & (pl.col("criterion") == "relevance"))
    whole = posterior_together(with_ratings(study, experts), metrics=["gpt-4o"], annotators_err=False, pooled=False)
    truth = whole.pairs["difference"].to_numpy()
    items = experts["item"].unique().sort().to_list()
    for labelled in (20, 40):
        found = {"alone": Found(), "pooled": Found()}
        for number in range(max(studies // 5, 2)):
            kept = np.random.default_rng([seed, 4, labelled, number]).choice(items, labelled, replace=False).tolist()
            part = with_ratings(study, experts.filter(pl.col("item").is_in(kept)))
            for model, of in found.items():
                pairs = posterior_together(
                    part, metrics=["gpt-4o"], annotators_err=False, pooled=model == "pooled", seed=number, draws=800
                ).pairs
                of.add_intervals(pairs["low"].to_numpy(), pairs["high"].to_numpy(), truth)
        name = f"SummEval, {labelled} of 100 items"
        yield from (of.row(name, model, found["alone"]) for model, of in found.items())


def with_ratings(study: Study, ratings: pl.DataFrame) -> Study:
    """The study with these labels alone."""
    return study.relabelled({"ratings": ratings}, study.settings)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options = parser(__doc__, "benchmarks/results/metric_error_joint.csv").parse_args(arguments)
    studies = max(round(STUDIES * options.scale), 2)
    rows = [of for make in (pooling, people, strata) for of in make(studies, options.seed)]
    if (options.data / "summeval").is_dir():
        rows += summeval(options.data, studies, options.seed)
    else:
        print(f"SummEval is skipped: {options.data} lacks summeval", file=sys.stderr)
    folder = options.results if options.write else options.cache / "results"
    command = "python benchmarks/papers/metric_error_joint.py --write"
    print(write_rows("metric_error_joint", HEADER, rows, command, machine(), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
