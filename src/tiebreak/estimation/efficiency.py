"""What metrics save of single ratings: per system, over all systems, and three correlations that are often confused.

How wide intervals of a mean rating would be with fewer or more ratings: the published bootstrap, per system.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.evidence.automatic import automatic_values, known_metrics
from tiebreak.evidence.derived import with_derived
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.rated_systems import OutputScores, RatedSystem, RatedSystems
from tiebreak.kernels.confidence_sequence import WidthCurves, width_curves
from tiebreak.kernels.data_efficiency import DataEfficiency, RatingCorrelations, data_efficiency, rating_correlations
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.rated_outputs import RatedOutputs
from tiebreak.results.estimates import MetricEfficiency
from tiebreak.results.settings import EstimateSettings

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


def together(rated: RatedSystems, *, within: bool) -> tuple[RatedOutputs, Places]:
    """The rated outputs of all systems as those of one, and their items (n,).

    `within`: each less the mean of its system, which is what decides about the mean of one system; else as they are, so
    that systems differ too, as in the paper's table of variances.
    """
    parts = [(one.outputs, one.output_items) for one in rated.systems]
    if within:
        return _within(parts)[:2]
    return _stacked([(of, items, np.zeros(of.counts.size)) for of, items in parts])


def efficiencies(one: RatedSystem, scores: OutputScores) -> tuple[MetricEfficiency, ...]:
    """One system's, an entry per metric. Outputs without a value of the metric are left out."""
    found = []
    for metric, name in enumerate(scores.names):
        outputs, values, items = _with_values(one, scores, metric)
        clusters = None if np.unique(items).size == items.size else items
        found.append(MetricEfficiency(name, data_efficiency(outputs, values, clusters)))
    return tuple(found)


def overall_efficiencies(rated: RatedSystems, scores: OutputScores) -> tuple[MetricEfficiency, ...]:
    """Within systems, over all of them: the means of each are taken away on both sides.

    What is estimated is the mean of one system, so that outputs of one item are no cluster; they are one for how well
    the efficiency is known.
    """
    found = []
    for metric, name in enumerate(scores.names):
        parts = [_with_values(one, scores, metric) for one in rated.systems]
        parts = [part for part in parts if part[1].size > 1]
        if not parts:
            continue
        outputs, items, stretch = _within([(of, items) for of, _, items in parts])
        values = stretch * np.concatenate([of - of.mean() for _, of, _ in parts])
        own, known = data_efficiency(outputs, values), data_efficiency(outputs, values, items)
        found.append(MetricEfficiency(name, replace(known, realised=_realised(own, known.population))))
    return tuple(found)


def _realised(own: DataEfficiency, population: IntervalEstimate) -> IntervalEstimate:
    """What is realised at this number of outputs, with the interval of the population's, less what the slope costs."""
    estimate, ideal = own.realised.estimate, own.population.estimate
    if estimate is None or ideal is None or population.low is None or population.high is None:
        return own.realised
    kept = estimate / ideal
    return IntervalEstimate(
        estimate, min(population.low * kept, estimate), max(population.high * min(kept, 1.0), estimate)
    )


def correlations(rated: RatedSystems, scores: OutputScores) -> tuple[tuple[str, RatingCorrelations], ...]:
    """Per metric: over outputs, within systems, and between the means of systems."""
    found = []
    for metric, name in enumerate(scores.names):
        parts = [_with_values(one, scores, metric) for one in rated.systems]
        systems = np.repeat(np.arange(len(parts)), [values.size for _, values, _ in parts])
        outputs, scored, items = zip(*parts, strict=True)
        means = np.concatenate([of.means for of in outputs])
        found.append((name, rating_correlations(means, np.concatenate(scored), systems, np.concatenate(items))))
    return tuple(found)


def unvalidated(rated: RatedSystems, scores: OutputScores) -> tuple[str, ...]:
    """Metrics without a value of any rated output: nobody knows what they are worth."""
    return tuple(
        name
        for metric, name in enumerate(scores.names)
        if not any(_with_values(one, scores, metric)[1].size for one in rated.systems)
    )


def _with_values(one: RatedSystem, scores: OutputScores, metric: int) -> tuple[RatedOutputs, Floats, Places]:
    """The outputs that have a value of the metric, the values, and their items."""
    values = scores.by_system[one.name][metric]
    known = ~np.isnan(values)
    if known.all():
        return one.outputs, values, one.output_items
    outputs = one.outputs
    codes, kept = np.repeat(np.arange(known.size), outputs.counts), np.repeat(known, outputs.counts)
    return RatedOutputs.of(codes[kept], outputs.ratings[kept]), values[known], one.output_items[known]


def _within(parts: list[tuple[RatedOutputs, Places]]) -> tuple[RatedOutputs, Places, float]:
    """Outputs of several systems, less the mean of each, their items, and by how much their means were stretched.

    Means that were taken away are fitted: of n outputs of S systems, n - S are left to vary. Stretched by
    sqrt((n - 1)/(n - S)) the variance of the means has no bias; what people differ by on one output stays as it is.
    """
    count = sum(outputs.counts.size for outputs, _ in parts)
    stretch = math.sqrt((count - 1) / (count - len(parts))) if count > len(parts) else 1.0
    moved = [
        (outputs, items, stretch * (outputs.means - outputs.means.mean()) - outputs.means) for outputs, items in parts
    ]
    return *_stacked(moved), stretch


def _stacked(parts: list[tuple[RatedOutputs, Places, Floats]]) -> tuple[RatedOutputs, Places]:
    """Outputs of several systems behind one another, moved by so much (n,) each, and the item of each."""
    sizes = [outputs.counts.size for outputs, *_ in parts]
    codes = np.repeat(np.arange(sum(sizes)), np.concatenate([outputs.counts for outputs, *_ in parts]))
    ratings = np.concatenate([outputs.ratings + np.repeat(moved, outputs.counts) for outputs, _, moved in parts])
    return RatedOutputs.of(codes, ratings), np.concatenate([items for _, items, _ in parts])


_SIZES = (10, 14, 20, 28, 40, 56, 80, 113, 160, 226, 320, 453, 640)


@dataclass(frozen=True, slots=True)
class SystemWidths:
    """The curves of one system on a criterion; `metric`: the one that helps, None without."""

    system: str
    metric: str | None
    curves: WidthCurves


def system_widths(
    study: Study, criterion: str, settings: EstimateSettings, *, seed: int = 0, resamples: int = 2_000
) -> tuple[SystemWidths, ...]:
    """Of every system with at least two rated outputs, at numbers of ratings up to twice its outputs.

    A metric needs values of all outputs that were rated; the settings name one at most.

    Raises:
        UsageError: several metrics, one that the study does not have or that is unvalidated, or no ratings on the
            criterion.
    """
    chosen = study.select(systems=settings.systems, annotators=settings.annotators, exclude=settings.exclude)
    chosen = with_derived(chosen, (criterion,))
    index = ItemIndex.of(chosen)
    rated = RatedSystems.of(chosen, criterion, index, settings.target)
    if rated is None:
        raise UsageError(f"nobody rated anything on {criterion}")
    metric = _one(known_metrics(chosen, criterion) if settings.metrics == ("all",) else settings.metrics)
    automatic = automatic_values(chosen, criterion, index, (metric,), ()) if metric else None
    scores = None if automatic is None else OutputScores.of(chosen, criterion, rated, automatic)
    if scores is not None and unvalidated(rated, scores):
        raise UsageError(f"{metric} is unvalidated: no output that people rated on {criterion} has a score of it")
    found = []
    for one in rated.systems:
        if one.outputs.counts.size < 2:
            continue
        own = None if scores is None else scores.by_system[one.name][0]
        alike = automatic is not None and len(rated.samples) == 1  # means over samples vary less than outputs
        pool = automatic.scores[0, automatic.system_row[one.name]] if automatic is not None and alike else own
        sizes = tuple(size for size in _SIZES if size <= 2 * one.outputs.counts.size) or _SIZES[:1]
        found.append(SystemWidths(one.name, metric, _curves(one, sizes, own, pool, seed, resamples)))
    return tuple(found)


def _one(metrics: Sequence[str]) -> str | None:
    if len(metrics) > 1:
        raise UsageError(f"a picture of widths has one metric, not {len(metrics)}: name it with --metric")
    return metrics[0] if metrics else None


def _curves(
    one: RatedSystem, sizes: tuple[int, ...], own: Floats | None, pool: Floats | None, seed: int, resamples: int
) -> WidthCurves:  # fmt: skip
    rng = np.random.default_rng([seed, 6])
    if own is None or pool is None:
        return width_curves(one.outputs, sizes, rng, resamples=resamples)
    pool = pool[~np.isnan(pool)]
    if np.isnan(own).any():
        own = np.where(np.isnan(own), pool.mean() if pool.size else 0.0, own)
    return width_curves(one.outputs, sizes, rng, own, pool if pool.size else own, resamples=resamples)
