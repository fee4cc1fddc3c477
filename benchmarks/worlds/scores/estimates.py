"""The intervals of `estimate`: mean ratings, differences, both with a metric, variances and what a metric saves.

Two systems that are alike. Outputs are worth N(mean, 1); people see that with noise of their own and write what the
scale allows; a metric knows the worth a little.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from functools import cache
from typing import Final

import numpy as np
import polars as pl
from benchmarks.cells import Cell, Counts, Measure, Promise, Rng
from benchmarks.worlds.scores.intervals import Missed, missed
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from tiebreak.data.settings import StudySettings
from tiebreak.data.study import Study
from tiebreak.estimation.estimate import estimate_with
from tiebreak.kernels.data_efficiency import population_efficiency
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.records import Target
from tiebreak.results.settings import EstimateSettings

Floats = NDArray[np.float64]

RUNS: Final = 1_000
FIGURES: Final = (
    "mean", "mean with", "difference", "difference with", "sigma_f2", "sigma_a2", "gamma", "efficiency", "control",
)  # fmt: skip
"""Intervals of a study; the last is the control's."""

VARIANCES: Final = ("sigma_f2", "sigma_a2", "gamma", "efficiency")
"""Jackknife intervals, which are about right only where there are many outputs."""

_SYSTEMS: Final = ("ant", "bee")
_TRUTH_DRAWS: Final = 400_000
_SCALE: Final = (1.0, 5.0)


@dataclass(frozen=True, slots=True)
class World:
    """`outputs` of each system, of which `rated` are rated by `people` each.

    `whole`: ratings are whole numbers from 1 to 5, else any number; `scale`: whether study.toml says so. `sigma_a` is
    the noise of people, `rho` the correlation of the metric with the worth, beside which stand so many `useless` ones.
    `cluster`: items that share three quarters of their worth, and are drawn together.
    """

    name: str
    outputs: int
    rated: int
    people: int
    whole: bool = True
    sigma_a: float = 1.0
    mean: float = 3.0
    cluster: int = 1
    rho: float = 0.7
    scale: bool = False
    target: Target = "inputs"
    useless: int = 0
    because: str = ""

    @property
    def promise(self) -> Promise:
        """Of the means."""
        return "corner" if self.because else "ordinary"

    def written(self, seen: Floats) -> Floats:
        """What people write who see this."""
        return np.clip(np.round(seen), *_SCALE) if self.whole else seen

    def expected(self, worth: Floats) -> Floats:
        """The mean rating of outputs of this worth."""
        if not self.whole:
            return self.mean + worth
        return 1 + sum((ndtr((self.mean + worth - k - 0.5) / self.sigma_a) for k in range(1, 5)), np.zeros(worth.shape))


_FIVES: Final = "most are fives"
_FEW: Final = "15 outputs"
_CLUSTERS: Final = "30 clusters"

WORLDS: Final = (
    World("normal, 40 of 100 outputs, 1 rating", 100, 40, 1, whole=False),
    World("normal, 40 of 100, 3 ratings", 100, 40, 3, whole=False),
    World("1 to 5, 40 of 100, 2 ratings", 100, 40, 2),
    World("1 to 5, 40 of 100, 2 ratings, scale declared", 100, 40, 2, scale=True),
    World("1 to 5, 40 of 400, 1 rating, 5 useless metrics beside", 400, 40, 1, useless=5),
    World("1 to 5, 15 of 60, 2 ratings", 60, 15, 2, because=_FEW),
    World("mostly fives, 60 of 150, 2 ratings", 150, 60, 2, mean=5.4, because=_FIVES),
    World("mostly fives, 60 of 150, 2 ratings, scale declared", 150, 60, 2, mean=5.4, scale=True),
    World("1 to 5, 90 of 200, 2 ratings, clusters of 3", 200, 90, 2, cluster=3, because=_CLUSTERS),
    World("1 to 5, 200 of 200, 3 ratings", 200, 200, 3),
    World("these items: 1 to 5, 50 of 100, 1 rating, scale declared", 100, 50, 1, scale=True, target="items"),
    World("these items: 1 to 5, 50 of 100, 3 ratings", 100, 50, 3, target="items"),
    World(
        "these items: 1 to 5, 90 of 180, 2 ratings, clusters of 3",
        180,
        90,
        2,
        cluster=3,
        target="items",
        because=_CLUSTERS,
    ),
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """`worth` (systems, outputs), `ratings` (systems, outputs, people) and `metrics` (M, systems, outputs)."""

    worth: Floats
    ratings: Floats
    metrics: Floats


def drawn(world: World, rng: Rng, outputs: int) -> Drawn:
    """So many outputs of each system."""
    shape = (len(_SYSTEMS), outputs)
    worth = rng.normal(size=shape)
    if world.cluster > 1:
        groups = np.arange(outputs) // world.cluster
        shared = rng.normal(size=(len(_SYSTEMS), groups[-1] + 1))[:, groups]
        worth = math.sqrt(0.75) * shared + math.sqrt(0.25) * worth
    metric = world.rho * worth + math.sqrt(1 - world.rho**2) * rng.normal(size=shape)
    metrics = np.stack([metric, *rng.normal(size=(world.useless, *shape))])
    seen = world.mean + worth[..., None] + world.sigma_a * rng.normal(size=(*shape, world.people))
    return Drawn(worth, world.written(seen), metrics)


@cache
def truth(world: World) -> Mapping[str, float]:
    """What the intervals are about, from a draw so large that its own error is of no matter."""
    of = drawn(world, np.random.default_rng(99), _TRUTH_DRAWS // len(_SYSTEMS))
    expected = world.expected(of.worth)
    between = float(expected.var(axis=1).mean())
    within = float(of.ratings.var()) - between
    rho = float(np.mean([np.corrcoef(of.metrics[0, k], expected[k])[0, 1] for k in range(len(_SYSTEMS))]))
    mean = float(expected.mean())
    return {
        "mean": mean,
        "mean with": mean,
        "difference": 0.0,
        "difference with": 0.0,
        "sigma_f2": between,
        "sigma_a2": within,
        "gamma": within / between,
        "efficiency": float(population_efficiency(rho, within / between)),
        "control": mean,
    }


def truth_of(world: World, of: Drawn) -> Mapping[str, float]:
    """That of one study: of a claim about its items their own means, which are those of the ratings that there would
    be where nobody rates twice."""
    if world.target == "inputs":
        return truth(world)
    means = (of.ratings[..., 0] if world.people == 1 else world.expected(of.worth)).mean(axis=1)
    mean, difference = float(means[0]), float(means[0] - means[1])
    return {"mean": mean, "mean with": mean, "difference": difference, "difference with": difference, "control": mean}


def study_of(world: World, of: Drawn, rng: Rng) -> tuple[Study, NDArray[np.intp]]:
    """The study, and the places of the items (rated,) that were rated."""
    items = np.array([f"i{k:04d}" for k in range(world.outputs)])
    groups = np.arange(world.outputs) // world.cluster
    order = rng.permutation(groups[-1] + 1)
    rated = np.flatnonzero(np.isin(groups, order[: math.ceil(world.rated / world.cluster)]))
    shape = (len(_SYSTEMS), rated.size, world.people)
    system, item, person = (index.ravel() for index in np.indices(shape))
    ratings = {
        "item": items[rated[item]],
        "system": np.array(_SYSTEMS)[system],
        "annotator": np.array([f"p{k}" for k in range(world.people)])[person],
        "criterion": "good",
        "value": of.ratings[:, rated].ravel(),
    }
    names = ["bleu", *(f"useless{k}" for k in range(world.useless))]
    scores = {
        "item": np.tile(items, len(_SYSTEMS) * len(names)),
        "system": np.tile(np.repeat(_SYSTEMS, world.outputs), len(names)),
        "metric": np.repeat(names, len(_SYSTEMS) * world.outputs),
        "value": of.metrics.ravel(),
    }
    outputs = {"item": np.tile(items, len(_SYSTEMS)), "system": np.repeat(_SYSTEMS, world.outputs)}
    listed = {"item": items, "cluster": np.array([f"c{group}" for group in groups])}
    study = Study.from_tables(
        items=pl.DataFrame(listed if world.cluster > 1 else {"item": items}),
        outputs=pl.DataFrame(outputs).with_columns(text=pl.concat_str("item", "system")),
        ratings=pl.DataFrame(ratings),
        scores=pl.DataFrame(scores),
        settings=StudySettings(scale={"good": _SCALE} if world.scale else {}),
        name="made",
    )
    return study, rated


def counted(world: World) -> Measure:
    """Intervals that miss, of the first system and of the difference."""

    def measure(rng: Rng, runs: int) -> Counts:
        found = Missed()
        for _ in range(runs):
            of = drawn(world, rng, world.outputs)
            study, rated = study_of(world, of, rng)
            _add(found, world, study, truth_of(world, of))
            found.add("control", as_single_ratings(of.ratings[0, rated].ravel()), truth_of(world, of)["control"])
        return found.total(dict.fromkeys(FIGURES))

    return measure


def _add(found: Missed, world: World, study: Study, true: Mapping[str, float]) -> None:
    settings = EstimateSettings(metrics=("all",), target=world.target)
    (of,) = estimate_with(study, settings).results
    first, pair = of.systems[0], of.differences[0]
    intervals: dict[str, IntervalEstimate | None] = {
        "mean": first.mean,
        "mean with": None if first.help is None else first.help.mean,
        "difference": pair.mean,
        "difference with": None if pair.help is None else pair.help.mean,
        "sigma_f2": first.variance.sigma_f2,
        "sigma_a2": first.variance.sigma_a2,
        "gamma": first.variance.gamma,
        "efficiency": first.efficiencies[0].efficiency.population if first.efficiencies else None,
    }
    for name, interval in intervals.items():
        if name in true:
            found.add(name, interval, true[name])


def as_single_ratings(values: Floats) -> IntervalEstimate:
    """The control: t, as if every rating were of an output of its own, drawn from all there are."""
    mean = float(values.mean())
    reach = float(stdtrit(values.size - 1, 0.975)) * float(values.std(ddof=1)) / math.sqrt(values.size)
    return IntervalEstimate(mean, mean - reach, mean + reach)


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    for world in WORLDS:
        yield Cell(
            "estimate",
            world.name,
            world.promise,
            counted(world),
            RUNS,
            astuple(world),
            tuple(missed(name) for name in FIGURES if name != "control"),
            corners=tuple(missed(name) for name in VARIANCES),
        )
