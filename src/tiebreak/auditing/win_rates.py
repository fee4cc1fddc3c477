"""How often a system wins by people, by the source, and by the source corrected by people, pair by pair.

The corrected win rate is about all items that the source judged: its own values there, corrected by what it got wrong
on the items with human labels (prediction-powered, with a slope that is learnt without the item: held-out regression,
as `compare --judge` has it). Items on which both systems wrote the same are ties that nobody needs to label. Labels
needed are a projection from the variances of these labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.auditing.comparisons import PairOfSystems
from tiebreak.auditing.estimates import (
    FEWEST_FOR_PROJECTIONS,
    Units,
    as_share,
    estimate_of,
    share_estimate,
    standard_error,
)
from tiebreak.auditing.pair_items import DrawnItems, ItemMeans, JudgedItems, LabelledItems, OnPair
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.kernels.held_out_regression import held_out_regression
from tiebreak.kernels.metric_means import MetricMeans, metric_cluster_means, metric_means
from tiebreak.kernels.unit_means import ClusterPool, Pool, cluster_means
from tiebreak.results.audits import JUDGED_PER_LABELLED, Estimate, LabelsNeeded, WinRates
from tiebreak.results.settings import AuditSettings

Floats = NDArray[np.float64]


def win_rates(
    parts: Sequence[PairEvidence],
    places: Sequence[PairOfSystems],
    on_pair: OnPair,
    outcomes: OnPair,
    index: ItemIndex,
    asked: AuditSettings,
) -> WinRates | None:
    """Those of a pair of systems, from the evidence on its `parts` and what the source says on all of its `places`;
    `outcomes`: as what it counts. None where people labelled nothing that it judged.
    """
    judged = JudgedItems.of(on_pair, places, index)
    labelled = LabelledItems.of(parts, outcomes, judged)
    if not labelled.items.size:
        return None
    drawn = DrawnItems.of(labelled.items, judged.items, index, asked.target)
    people = labelled.means(labelled.human, labelled.label_noise)
    source = labelled.means(labelled.said, np.zeros(labelled.said.size))
    difference = labelled.means((labelled.said - labelled.human) / 2, labelled.label_noise / 4)
    by_people = as_share(_mean(people, drawn, asked.alpha))
    corrected, uses_source, needed = _corrected(labelled, judged, index, asked)
    return WinRates(
        items=int(labelled.items.size),
        labels=int(labelled.labels.sum()),
        judged=int(judged.items.size),
        by_people=by_people,
        by_source=as_share(_mean(source, drawn, asked.alpha)),
        difference=_mean(difference, drawn, asked.alpha),
        corrected=corrected if uses_source or judged.tied.any() else by_people,
        uses_source=uses_source,
        needed=needed,
    )


def _mean(of: ItemMeans, drawn: DrawnItems, alpha: float) -> Estimate:
    """Of values in [-1, 1]."""
    sums, sizes, noise = _by_unit(drawn, of.values, np.ones(of.values.size), of.noise)
    pool = None if drawn.pool_units is None else ClusterPool(drawn.pool_units, noise)
    return estimate_of(cluster_means(sums, sizes, None, pool), alpha, of.values.size, sizes.size)


def _corrected(
    labelled: LabelledItems, judged: JudgedItems, index: ItemIndex, asked: AuditSettings
) -> tuple[Estimate, bool, LabelsNeeded]:
    """The corrected win rate, whether the source entered it, and the labels that it needs."""
    pool = judged.items[~judged.tied[judged.items]]
    of = labelled.among(~judged.tied[labelled.items])
    if not of.items.size:
        return Estimate(), False, LabelsNeeded()
    drawn = DrawnItems.of(of.items, pool, index, asked.target)
    human = of.means(of.human, of.label_noise)
    values, everything = judged.values[of.items, None], judged.values[pool, None]
    found = _with_source(of, human, drawn, values, everything)
    share = pool.size / judged.items.size  # the others are known to be ties
    possible = replace(found.test, estimate=min(max(found.test.estimate, -1.0), 1.0))  # a correction may go beyond
    look = estimate_of(possible, asked.alpha, of.items.size, np.unique(drawn.units).size)
    needed = _needed(of, human, drawn, values[:, 0], share, asked)
    different = share_estimate(
        ~judged.tied[judged.items],
        Units(index.clusters[judged.items], 0.0 if asked.target == "inputs" else 1.0),
        asked.alpha,
    )
    return as_share(_shrunk(look, different)), bool(found.help.used.any()), needed


def _with_source(
    of: LabelledItems, human: ItemMeans, drawn: DrawnItems, values: Floats, everything: Floats
) -> MetricMeans:
    """As `compare` does with a metric: by items, or by units where they have several comparisons or items."""
    if drawn.alone and not of.several:
        pool = None if drawn.pool_items is None else Pool(drawn.pool_items, human.noise * of.panel)
        return metric_means(human.values, of.panel, values, everything, pool)
    pool_of = None if drawn.pool_units is None else ClusterPool(drawn.pool_units, _by_unit(drawn, human.noise)[0])
    return metric_cluster_means(human.values, drawn.units, None, values, everything, pool_of)


def _by_unit(drawn: DrawnItems, *rows: Floats) -> list[Floats]:
    """Sums (G,) of rows (n,) by unit."""
    numbers = np.unique(drawn.units, return_inverse=True)[1]
    return [np.bincount(numbers, weights=row).astype(np.float64) for row in rows]


def _shrunk(of: Estimate, different: Estimate) -> Estimate:
    """A mean over the items that are no known ties, of which there is the share `different`, as one over all.

    For inputs like these that share is an estimate too: the interval goes as far as both together would (Zou & Donner
    2008, of a product).
    """
    if of.value is None or different.value is None or different.value == 1:
        return of
    share, value = different.value, different.value * of.value
    if of.low is None or of.high is None or different.low is None or different.high is None:
        return Estimate(value, None, None, of.comparisons, of.units)
    fewer, more = share - different.low, different.high - share
    below, above = (fewer, more) if of.value > 0 else (more, fewer)
    low = value - math.hypot(share * (of.value - of.low), of.value * below)
    high = value + math.hypot(share * (of.high - of.value), of.value * above)
    return Estimate(value, max(low, -1.0), min(high, 1.0), of.comparisons, of.units)


def _needed(
    of: LabelledItems, human: ItemMeans, drawn: DrawnItems, values: Floats, share: float, asked: AuditSettings
) -> LabelsNeeded:
    """With variances v of values and e of what the source leaves, n labelled of N judged items: e/n + (v - e)/N for
    inputs like these. For these items e/n - (e - w)/N, where w of e is the noise of an item's labels.
    """
    units = Units(drawn.units)
    plain = _item_variance(human.values, units)
    if of.items.size < FEWEST_FOR_PROJECTIONS or not plain > 0:
        return LabelsNeeded()
    allowed = (2 * asked.half_width / share / float(ndtri(1 - asked.alpha / 2))) ** 2
    pool = np.concatenate([values, values])  # of the same mean, and not all labelled: then a slope is learnt
    target = "inputs" if drawn.pool_items is None else "items"
    held_out = held_out_regression(human.values, values[:, None], pool[:, None], "items", drawn.units)
    left = min(_item_variance(held_out.adjusted, units), plain) if held_out.used.any() else plain
    per_item = float(of.labels.mean())
    if target == "inputs":
        variances = (left + (plain - left) / JUDGED_PER_LABELLED, plain)
        with_source, without = (math.ceil(variance / allowed * per_item) for variance in variances)
        return LabelsNeeded(with_source, without)
    noise = float(human.noise.mean())
    drawn_of = (_drawn_of(variance, noise, allowed, drawn.pool_items or 0) for variance in (left, plain))
    return LabelsNeeded(*(None if items is None else math.ceil(items * per_item) for items in drawn_of))


def _drawn_of(variance: float, noise: float, allowed: float, pool: int) -> float | None:
    """Items of a pool until the variance of their mean is what is allowed, if it ever is."""
    items = variance / (allowed + max(variance - noise, 0.0) / pool)
    return items if items <= pool else None


def _item_variance(values: Floats, units: Units) -> float:
    """The variance of the mean times the number of items: more than an item's where units hang together."""
    return standard_error(values, units) ** 2 * values.size
