"""How wide intervals of a mean rating would be with fewer or more ratings: the published bootstrap, per system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.estimation.efficiency import unvalidated
from tiebreak.evidence.automatic import automatic_values
from tiebreak.evidence.automatic_names import known_metrics
from tiebreak.evidence.derived import with_derived
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.rated_systems import OutputScores, RatedSystem, RatedSystems
from tiebreak.kernels.width_curves import WidthCurves, width_curves
from tiebreak.results.estimates.settings import EstimateSettings

Floats = NDArray[np.float64]

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
