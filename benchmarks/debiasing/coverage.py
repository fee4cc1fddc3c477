"""Whether the intervals of `estimate` hold: studies with a known truth, through the command's own function."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from numpy.typing import NDArray

from tiebreak.data.settings import StudySettings
from tiebreak.data.study import Study
from tiebreak.estimation.estimate import estimate_with
from tiebreak.kernels.data_efficiency import population_efficiency
from tiebreak.kernels.interval_estimate import IntervalEstimate
from tiebreak.results.estimates.settings import EstimateSettings

Floats = NDArray[np.float64]
Write = Callable[[Floats], Floats]

_TRUTH_DRAWS: Final = 400_000
_SYSTEMS: Final = ("ant", "bee")


@dataclass(frozen=True, slots=True)
class World:
    """`outputs` of each system, of which `rated` are rated by `people` each; `write`: a rating of what a person sees.

    Outputs are worth N(mean, 1), `sigma_a` is the noise of people, `rho` the correlation of the metric with the worth.
    `cluster`: items that share three quarters of their worth. `scale`: whether study.toml declares it.
    """

    name: str
    outputs: int
    rated: int
    people: int
    write: Write
    sigma_a: float = 1.0
    mean: float = 3.0
    cluster: int = 1
    rho: float = 0.7
    scale: bool = False


def as_it_is(seen: Floats) -> Floats:
    """Any number."""
    return seen


def one_to_five(seen: Floats) -> Floats:
    """Whole numbers of a scale of five."""
    return np.clip(np.round(seen), 1, 5)


WORLDS: Final = (
    World("normal, 40 of 100 outputs, 1 rating", 100, 40, 1, as_it_is),
    World("normal, 40 of 100 outputs, 3 ratings", 100, 40, 3, as_it_is),
    World("1 to 5, 40 of 100, 2 ratings", 100, 40, 2, one_to_five),
    World("1 to 5, 40 of 100, 2 ratings, scale declared", 100, 40, 2, one_to_five, scale=True),
    World("1 to 5, 15 of 60, 2 ratings", 60, 15, 2, one_to_five),
    World("mostly fives, 60 of 150, 2 ratings", 150, 60, 2, one_to_five, mean=5.4),
    World("mostly fives, 60 of 150, 2 ratings, scale declared", 150, 60, 2, one_to_five, mean=5.4, scale=True),
    World("1 to 5, 90 of 200, 2 ratings, clusters of 3", 200, 90, 2, one_to_five, cluster=3),
    World("1 to 5, 200 of 200, 3 ratings", 200, 200, 3, one_to_five),
)


def drawn(world: World, rng: np.random.Generator, outputs: int) -> tuple[Floats, Floats, Floats]:
    """Worth (systems, outputs), ratings (systems, outputs, people) and metric (systems, outputs)."""
    shape = (len(_SYSTEMS), outputs)
    worth = rng.normal(size=shape)
    if world.cluster > 1:
        groups = np.arange(outputs) // world.cluster
        shared = rng.normal(size=(len(_SYSTEMS), groups[-1] + 1))[:, groups]
        worth = math.sqrt(0.75) * shared + math.sqrt(0.25) * worth
    metric = world.rho * worth + math.sqrt(1 - world.rho**2) * rng.normal(size=shape)
    seen = world.mean + worth[..., None] + world.sigma_a * rng.normal(size=(*shape, world.people))
    return worth, world.write(seen), metric


@cache
def truth(world: World) -> Mapping[str, float]:
    """What the intervals are about, from a draw so large that its own error is of no matter."""
    rng = np.random.default_rng(99)
    size = _TRUTH_DRAWS // len(_SYSTEMS)
    worth, first, metric = drawn(world, rng, size)
    mean = first.mean()
    # f: the mean rating of an output, by the same outputs rated by many people
    seen = world.mean + worth[..., None] + world.sigma_a * np.random.default_rng(7).normal(size=(*worth.shape, 64))
    written = world.write(seen)
    within = float(written.var(axis=-1, ddof=1).mean())
    between = float(written.mean(axis=-1).var(axis=1).mean()) - within / 64
    rho = float(np.mean([np.corrcoef(metric[k], written[k].mean(axis=-1))[0, 1] for k in range(len(_SYSTEMS))]))
    rho /= math.sqrt(between / (between + within / 64))
    return {
        "mean": float(mean),
        "mean with the metric": float(mean),
        "difference": 0.0,
        "difference with the metric": 0.0,
        "sigma_f2": between,
        "sigma_a2": within,
        "gamma": within / between,
        "efficiency": float(population_efficiency(rho, within / between)),
    }


def study_of(world: World, rng: np.random.Generator) -> Study:
    """One study: two systems that are alike."""
    _, ratings, metric = drawn(world, rng, world.outputs)
    items = [f"i{k:04d}" for k in range(world.outputs)]
    rated = np.sort(rng.permutation(world.outputs)[: world.rated])
    if world.cluster > 1:  # whole clusters are rated
        rated = np.arange(world.rated)
    rows = {"item": [], "system": [], "annotator": [], "criterion": [], "value": []}  # type: dict[str, list[object]]
    for k, system in enumerate(_SYSTEMS):
        for item in rated:
            for person in range(world.people):
                rows["item"].append(items[item])
                rows["system"].append(system)
                rows["annotator"].append(f"p{person}")
                rows["criterion"].append("good")
                rows["value"].append(float(ratings[k, item, person]))
    scores = pl.DataFrame(
        {
            "item": items * len(_SYSTEMS),
            "system": np.repeat(_SYSTEMS, world.outputs),
            "metric": "bleu",
            "value": metric.ravel(),
        }
    )
    outputs = scores.select("item", "system", text=pl.concat_str("item", "system"))
    listed = [{"item": item, "cluster": f"c{k // world.cluster}"} for k, item in enumerate(items)]
    settings = StudySettings(scale={"good": (1.0, 5.0)} if world.scale else {})
    return Study.from_tables(items=listed, outputs=outputs, ratings=rows, scores=scores, settings=settings, name="made")


def misses(world: World, seed: int) -> Counter[tuple[str, bool]]:
    """Of one study, which intervals there are, and which of them leave the truth out."""
    study = study_of(world, np.random.default_rng([seed, 17]))
    (found,) = estimate_with(study, EstimateSettings(metrics=("bleu",))).results
    of = truth(world)
    intervals: list[tuple[str, IntervalEstimate | None]] = []
    for one in found.systems:
        intervals += [
            ("mean", one.mean),
            ("mean with the metric", None if one.help is None else one.help.mean),
            ("sigma_f2", one.variance.sigma_f2),
            ("sigma_a2", one.variance.sigma_a2),
            ("gamma", one.variance.gamma),
        ]
        intervals += [("efficiency", each.efficiency.population) for each in one.efficiencies]
    for pair in found.differences:
        intervals += [
            ("difference", pair.mean),
            ("difference with the metric", None if pair.help is None else pair.help.mean),
        ]
    counted: Counter[tuple[str, bool]] = Counter()
    for name, interval in intervals:
        if interval is None or interval.estimate is None or (interval.low is None and interval.high is None):
            continue
        low = -math.inf if interval.low is None else interval.low
        high = math.inf if interval.high is None else interval.high
        counted[name, not low - 1e-9 <= of[name] <= high + 1e-9] += 1
    return counted


@dataclass(frozen=True, slots=True)
class Held:
    """Of one world, by what an interval is about: how many there were, and which share held the truth."""

    world: World
    shares: Mapping[str, tuple[int, float]]


def coverage(world: World, studies: int, *, jobs: int = 1, seed: int = 1) -> Held:
    """So many studies."""
    parts = Parallel(n_jobs=jobs)(delayed(misses)(world, seed * 1_000_000 + number) for number in range(studies))
    total: Counter[tuple[str, bool]] = sum(parts, Counter())
    names = dict.fromkeys(name for name, _ in total)
    shares = {}
    for name in truth(world):
        if name in names:
            held, missed = total[name, False], total[name, True]
            shares[name] = (held + missed, held / (held + missed))
    return Held(world, shares)
