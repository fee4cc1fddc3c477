"""Every rated output with what people and a metric say of it, and the outputs that show best where these differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import rankdata

from tiebreak.data.study import Study
from tiebreak.evidence.automatic import automatic_values, known_metrics
from tiebreak.evidence.derived import with_derived
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.rated_systems import RatedSystems
from tiebreak.results.estimates.quadrants import Example, MetricPoints, Quadrant
from tiebreak.results.estimates.settings import EstimateSettings

Floats = NDArray[np.float64]

EXAMPLES: Final = 3
"""Of each quadrant: those farthest from both medians, by rank, at most one of an item."""


def metric_points(study: Study, criterion: str, settings: EstimateSettings) -> tuple[MetricPoints, ...]:
    """One for each metric that the settings name, or that the study has; none where nothing is rated or scored."""
    chosen = study.select(systems=settings.systems, annotators=settings.annotators, exclude=settings.exclude)
    chosen = with_derived(chosen, (criterion,))
    index = ItemIndex.of(chosen)
    rated = RatedSystems.of(chosen, criterion, index, settings.target)
    known = known_metrics(chosen, criterion)
    named = known if settings.metrics in ((), ("all",)) else tuple(dict.fromkeys(settings.metrics))
    if rated is None or not named:
        return ()
    automatic = automatic_values(chosen, criterion, index, named, ())
    system = np.repeat(np.arange(len(rated.systems)), [one.outputs.means.size for one in rated.systems])
    items = np.concatenate([one.output_items for one in rated.systems])
    human = np.concatenate([one.outputs.means for one in rated.systems])
    names = tuple(one.name for one in rated.systems)
    found = []
    for metric, name in enumerate(named):
        scores = np.concatenate(
            [automatic.scores[metric, automatic.system_row[one.name]][one.output_items] for one in rated.systems]
        )
        at = np.flatnonzero(~np.isnan(scores))
        if at.size:
            found.append(_points(chosen, index, criterion, name, names, system[at], items[at], human[at], scores[at]))
    return tuple(found)


def _points(
    study: Study,
    index: ItemIndex,
    criterion: str,
    metric: str,
    names: tuple[str, ...],
    system: NDArray[np.intp],
    items: NDArray[np.intp],
    human: Floats,
    value: Floats,
) -> MetricPoints:
    middles = float(np.median(human)), float(np.median(value))
    high = human > middles[0], value > middles[1]
    far = np.minimum(*(np.abs(rankdata(of) / of.size - 0.5) for of in (human, value)))
    quadrants = []
    for human_high in (True, False):
        for metric_high in (True, False):
            at = np.flatnonzero((high[0] == human_high) & (high[1] == metric_high))
            shown = _first_of_each_item(at[np.argsort(-far[at], kind="stable")], items)
            rows = [
                (index.items[int(items[k])], names[int(system[k])], float(human[k]), float(value[k])) for k in shown
            ]
            quadrants.append(Quadrant(human_high, metric_high, int(at.size), _with_texts(study, rows)))
    return MetricPoints(criterion, metric, names, system, human, value, *middles, tuple(quadrants))


def _first_of_each_item(ranked: NDArray[np.intp], items: NDArray[np.intp]) -> list[int]:
    chosen: dict[int, int] = {}
    for k in ranked.tolist():
        chosen.setdefault(int(items[k]), k)
        if len(chosen) == EXAMPLES:
            break
    return list(chosen.values())


def _with_texts(study: Study, rows: Sequence[tuple[str, str, float, float]]) -> tuple[Example, ...]:
    """With the text of each output; the first sample where a system has several."""
    texts: dict[tuple[str, str], str] = {}
    if study.outputs is not None and rows:
        wanted = study.outputs.filter(pl.col("item").is_in([item for item, *_ in rows]))
        for item, system, text in wanted.select("item", "system", "text").iter_rows():
            texts.setdefault((item, system), text or "")
    return tuple(
        Example(item, system, human, value, texts.get((item, system), "")) for item, system, human, value in rows
    )
