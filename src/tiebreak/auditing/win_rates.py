"""How often a system wins by people, by the source, and by the source corrected by people, pair by pair.

The corrected win rate is about all items that the source judged: its own values there, corrected by what it got wrong
on the items with human labels (prediction-powered, with a slope that is learnt without the item: held-out regression,
as `compare --judge` has it). Labels needed are a projection from the variances of these labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.auditing.comparisons import Source
from tiebreak.auditing.estimates import Estimate, as_share, estimate_of, mean_estimate, standard_error
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.kernels.held_out_regression import held_out_regression
from tiebreak.kernels.metric_means import MetricMeans, metric_cluster_means, metric_means
from tiebreak.kernels.one_look import OneLook

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Counts = NDArray[np.int64]

JUDGED_PER_LABELLED: Final = 10
"""Items that a source judges for each that people label, in projections: it costs next to nothing."""
_FEWEST_ITEMS: Final = 10
"""Below so many labelled items nothing is projected from their variance."""


@dataclass(frozen=True, slots=True)
class LabelsNeeded:
    """Human labels on a pair until the interval of its win rate has the half-width asked for; None: not identified.

    `with_source`: where it judges `JUDGED_PER_LABELLED` items for each that people label; `without`: human labels
    alone. Each item would have as many labels as now.
    """

    with_source: int | None = None
    without: int | None = None


@dataclass(frozen=True, slots=True)
class PairWinRates:
    """Win rates of `system_a`, in [0, 1], ties counted half.

    `items` have human labels and a value of the source, `labels` of people are on them; `judged` items have a value of
    the source. `by_people` and `by_source` are about the `items`; `difference`: source minus people. `corrected`: about
    inputs like those judged; `uses_source`: whether the source entered it, which it does where it predicts labels.
    """

    system_a: str
    system_b: str
    items: int
    labels: int
    judged: int
    by_people: Estimate
    by_source: Estimate
    difference: Estimate
    corrected: Estimate
    uses_source: bool
    needed: LabelsNeeded


def pair_win_rates(
    source: Source, pair: PairEvidence, asked: NDArray[np.bool_], index: ItemIndex, alpha: float, half_width: float
) -> PairWinRates | None:
    """Those of a pair, of whose items people labelled those `asked` (n,); None where the source judged none of them."""
    values = source.on_pair(pair.system_a, pair.system_b)
    there = asked & ~np.isnan(values[pair.items])
    if not there.any():
        return None
    items, human, labels = pair.items[there], pair.values[there], pair.labels[there]
    clusters, pool = index.clusters[items], values[~np.isnan(values)]
    said = source.outcomes(values[items])
    panel = labels if pair.variances is not None else np.ones_like(labels)
    found = _corrected(human, panel, clusters, values[items, None], pool[:, None])
    by_people = as_share(mean_estimate(human, clusters, alpha))
    corrected, uses_source = by_people, bool(found.help.used.any())
    if uses_source:
        corrected = as_share(estimate_of(_possible(found.test), alpha, items.size, by_people.units))
    return PairWinRates(
        pair.system_a,
        pair.system_b,
        int(items.size),
        int(labels.sum()),
        int(pool.size),
        by_people,
        as_share(mean_estimate(said, clusters, alpha)),
        mean_estimate((said - human) / 2, clusters, alpha),
        corrected,
        uses_source,
        _needed(human, values[items], clusters, float(labels.mean()), alpha, half_width),
    )


def _corrected(human: Floats, labels: Counts, clusters: Places, values: Floats, pool: Floats) -> MetricMeans:
    """As `compare` does with a metric: by items, or by clusters where any two items share one."""
    if np.unique(clusters).size == clusters.size:
        return metric_means(human, labels, values, pool)
    return metric_cluster_means(human, clusters, None, values, pool)


def _possible(look: OneLook) -> OneLook:
    """With an estimate in [-1, 1], beyond which a correction may go."""
    return replace(look, estimate=min(max(look.estimate, -1.0), 1.0))


def _needed(
    human: Floats, values: Floats, clusters: Places, per_item: float, alpha: float, half_width: float
) -> LabelsNeeded:
    """With variances v of values and e of what the source leaves, n labelled of N judged items: e/n + (v - e)/N."""
    plain = _item_variance(human, clusters)
    if human.size < _FEWEST_ITEMS or not plain > 0:
        return LabelsNeeded()
    allowed = (2 * half_width / float(ndtri(1 - alpha / 2))) ** 2
    pool = np.concatenate([values, values])  # of the same mean, and not all labelled: then a slope is learnt
    held_out = held_out_regression(human, values[:, None], pool[:, None], "items", clusters)
    left = min(_item_variance(held_out.adjusted, clusters), plain) if held_out.used.any() else plain
    variances = (left + (plain - left) / JUDGED_PER_LABELLED, plain)
    with_source, without = (math.ceil(variance / allowed * per_item) for variance in variances)
    return LabelsNeeded(with_source, without)


def _item_variance(values: Floats, clusters: Places) -> float:
    """The variance of the mean times the number of items: more than an item's where clusters hang together."""
    return standard_error(values, clusters) ** 2 * values.size
