"""Every rated output with what people and a metric say of it, and the outputs that show best where these differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import rankdata

from tiebreak.data.study import Study
from tiebreak.evidence.automatic import automatic_values
from tiebreak.evidence.automatic_names import known_metrics
from tiebreak.evidence.derived import with_derived
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.rated_systems import OutputScores, RatedSystems
from tiebreak.results.estimates.records import Example, MetricPoints, Quadrant
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
    samples = np.concatenate([one.outputs.codes % len(rated.samples) for one in rated.systems])
    of_outputs = OutputScores.of(chosen, criterion, rated, automatic).by_system
    found = []
    for metric, name in enumerate(named):
        scores = np.concatenate([of_outputs[one.name][metric] for one in rated.systems])
        at = np.flatnonzero(~np.isnan(scores))
        if at.size:
            outputs = _Outputs(names, rated.samples, system[at], items[at], samples[at], human[at])
            found.append(_points(chosen, index, criterion, name, outputs, scores[at]))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Outputs:
    """Rated outputs (n,): the numbers of their systems, items and samples, and their mean ratings."""

    systems: tuple[str, ...]
    samples: tuple[str | None, ...]
    system: NDArray[np.intp]
    items: NDArray[np.intp]
    sample: NDArray[np.int64]
    human: Floats


def _points(
    study: Study,
    index: ItemIndex,
    criterion: str,
    metric: str,
    of: _Outputs,
    scores: Floats,
) -> MetricPoints:
    """`scores`: higher is better. What is shown of them are the metric's own values."""
    lower_is_better = not study.settings.higher_is_better.get(metric, True)
    human, value = of.human, -scores if lower_is_better else scores
    middles = float(np.median(human)), float(np.median(value))
    high = human > middles[0], value > middles[1]
    far = np.minimum(*(np.abs(rankdata(row) / row.size - 0.5) for row in (human, value)))
    quadrants = []
    for human_high in (True, False):
        for metric_high in (True, False):
            at = np.flatnonzero((high[0] == human_high) & (high[1] == metric_high))
            shown = _first_of_each_item(at[np.argsort(-far[at], kind="stable")], of.items)
            rows = [
                Example(
                    item=index.items[int(of.items[k])],
                    system=of.systems[int(of.system[k])],
                    sample=of.samples[int(of.sample[k])],
                    human=float(human[k]),
                    metric=float(value[k]),
                    text="",
                )
                for k in shown
            ]
            quadrants.append(Quadrant(human_high, metric_high, int(at.size), _with_texts(study, rows)))
    return MetricPoints(
        criterion, metric, lower_is_better, of.systems, of.system, human, value, *middles, tuple(quadrants)
    )


def _first_of_each_item(ranked: NDArray[np.intp], items: NDArray[np.intp]) -> list[int]:
    chosen: dict[int, int] = {}
    for k in ranked.tolist():
        chosen.setdefault(int(items[k]), k)
        if len(chosen) == EXAMPLES:
            break
    return list(chosen.values())


def _with_texts(study: Study, shown: Sequence[Example]) -> tuple[Example, ...]:
    """With the text of each output, of the sample that was rated."""
    texts: dict[tuple[str, str, str | None], str] = {}
    if study.outputs is not None and shown:
        wanted = study.outputs.filter(pl.col("item").is_in([one.item for one in shown]))
        for item, system, sample, text in wanted.select("item", "system", "sample", "text").iter_rows():
            texts[item, system, sample] = text or ""
    return tuple(replace(one, text=texts.get((one.item, one.system, one.sample), "")) for one in shown)
