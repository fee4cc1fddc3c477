"""What metrics save of single ratings: per system, over all systems, and three correlations that are often confused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.evidence.automatic import AutomaticValues
from tiebreak.evidence.rated_systems import RatedSystem, RatedSystems
from tiebreak.kernels.data_efficiency import DataEfficiency, data_efficiency
from tiebreak.kernels.interval_estimate import IntervalEstimate
from tiebreak.kernels.rated_outputs import RatedOutputs
from tiebreak.kernels.rating_correlations import RatingCorrelations, rating_correlations
from tiebreak.results.estimates.records import MetricEfficiency

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


def together(rated: RatedSystems) -> tuple[RatedOutputs, Places]:
    """The rated outputs of all systems as those of one, as the paper's table of variances is made; items (n,)."""
    return _stacked([(one.outputs, one.output_items) for one in rated.systems], [0.0] * len(rated.systems))


def efficiencies(one: RatedSystem, automatic: AutomaticValues | None) -> tuple[MetricEfficiency, ...]:
    """One system's, an entry per metric. Outputs without a value of the metric are left out."""
    if automatic is None:
        return ()
    found = []
    for metric, name in enumerate(automatic.names):
        outputs, values, items = _with_values(one, automatic, metric)
        clusters = None if np.unique(items).size == items.size else items
        found.append(MetricEfficiency(name, data_efficiency(outputs, values, clusters)))
    return tuple(found)


def overall_efficiencies(rated: RatedSystems, automatic: AutomaticValues | None) -> tuple[MetricEfficiency, ...]:
    """Within systems, over all of them: the means of each are taken away on both sides.

    What is estimated is the mean of one system, so that outputs of one item are no cluster; they are one for how well
    the efficiency is known.
    """
    if automatic is None:
        return ()
    found = []
    for metric, name in enumerate(automatic.names):
        parts = [_with_values(one, automatic, metric) for one in rated.systems]
        parts = [part for part in parts if part[1].size > 1]
        if not parts:
            continue
        outputs, items = _stacked([(of, items) for of, _, items in parts], [of.means.mean() for of, *_ in parts])
        values = np.concatenate([scores - scores.mean() for _, scores, _ in parts])
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


def correlations(rated: RatedSystems, automatic: AutomaticValues | None) -> tuple[tuple[str, RatingCorrelations], ...]:
    """Per metric: over outputs, within systems, and between the means of systems."""
    if automatic is None:
        return ()
    found = []
    for metric, name in enumerate(automatic.names):
        parts = [_with_values(one, automatic, metric) for one in rated.systems]
        systems = np.repeat(np.arange(len(parts)), [values.size for _, values, _ in parts])
        means, values, items = (np.concatenate([part[k] for part in _columns(parts)]) for k in range(3))
        found.append((name, rating_correlations(means, values, systems, items.astype(np.intp))))
    return tuple(found)


def _columns(parts: list[tuple[RatedOutputs, Floats, Places]]) -> list[tuple[Floats, Floats, Places]]:
    return [(outputs.means, values, items) for outputs, values, items in parts]


def _with_values(one: RatedSystem, automatic: AutomaticValues, metric: int) -> tuple[RatedOutputs, Floats, Places]:
    """The outputs that have a value of the metric, the values, and their items."""
    row = automatic.scores[metric, automatic.system_row[one.name]]
    values = row[one.output_items]
    known = ~np.isnan(values)
    if known.all():
        return one.outputs, values, one.output_items
    outputs = one.outputs
    codes, kept = np.repeat(np.arange(known.size), outputs.counts), np.repeat(known, outputs.counts)
    return RatedOutputs.of(codes[kept], outputs.ratings[kept]), values[known], one.output_items[known]


def _stacked(parts: list[tuple[RatedOutputs, Places]], centres: list[float]) -> tuple[RatedOutputs, Places]:
    """Outputs of several systems behind one another, each less its centre, and the item of each."""
    sizes = [outputs.counts.size for outputs, _ in parts]
    firsts = np.cumsum([0, *sizes[:-1]])
    codes = np.concatenate(
        [first + np.repeat(np.arange(size), outputs.counts)
         for first, size, (outputs, _) in zip(firsts, sizes, parts, strict=True)]
    )  # fmt: skip
    ratings = np.concatenate([outputs.ratings - centre for (outputs, _), centre in zip(parts, centres, strict=True)])
    return RatedOutputs.of(codes, ratings), np.concatenate([items for _, items in parts])
