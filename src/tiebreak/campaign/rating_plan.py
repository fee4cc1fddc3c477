"""From a protocol of ratings and a study to the plan of a campaign, checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.plan import Measure, Plan, TrackPlan
from tiebreak.campaign.protocol import Protocol, ProtocolError
from tiebreak.campaign.rating_checks import half_width_of, rated_criteria
from tiebreak.campaign.sealed_order import listed_order, most_units, needs_of, sealed_order, unit_starts
from tiebreak.campaign.stopping import STOPPING_RULES, MeasureFacts, PlanError
from tiebreak.data.study import Study
from tiebreak.evidence.items import ItemIndex

Indices = NDArray[np.intp]
Pairs = Sequence[tuple[str, str]]


def rating_plan(protocol: Protocol, study: Study, systems: Sequence[str], pairs: Pairs) -> Plan:
    """The plan; `pairs`: those whose differences are to be found out, where the protocol asks for differences.

    Raises:
        ProtocolError: nothing to rate, or a rule that cannot work with these items.
    """
    if protocol.labels.kind == "correctness" and study.passages is None:
        raise ProtocolError("labels.kind", protocol.labels.kind, "needs passages: add a table passages to the study")
    index = ItemIndex.of(study)
    clusters = np.arange(index.clusters.size) if protocol.decision.target == "items" else index.clusters
    common = sealed_order(protocol, np.arange(len(index.items)), clusters, listed_order(study, index), ())
    tracks = tuple(_track(protocol, index, clusters, common, system) for system in systems)
    asked = [(k,) for k in range(len(tracks))] if protocol.ratings.until == "means" else _numbered(systems, pairs)
    measures = tuple(
        _measure(protocol, tracks, clusters, numbers, criterion)
        for criterion in range(len(rated_criteria(protocol)))
        for numbers in asked
    )
    rule = STOPPING_RULES[protocol.decision.rule]
    try:
        plans = rule.prepare([_facts(protocol, tracks, of) for of in measures], protocol.decision, protocol.pairs.batch)
    except PlanError as error:
        raise ProtocolError(error.key, protocol.decision.rule, str(error)) from error
    return Plan(protocol, study.fingerprint, tuple(systems), index.items, tracks, measures, tuple(plans))


def _numbered(systems: Sequence[str], pairs: Pairs) -> list[tuple[int, ...]]:
    number = {name: k for k, name in enumerate(systems)}
    return [(number[one], number[other]) for one, other in pairs]


def _track(protocol: Protocol, index: ItemIndex, clusters: Indices, common: Indices, system: str) -> TrackPlan:
    """A system with its outputs in the order that all systems share."""
    row = index.text_row.get(system)
    if index.texts is None or row is None:
        raise ProtocolError("systems", system, "has no outputs to rate")
    order = common[index.texts[row][common] >= 0]
    starts = unit_starts(clusters[order])
    known = np.zeros(order.size, dtype=np.bool_)
    needs = needs_of(known, starts)
    most = most_units(needs, protocol.ratings.items_per_system)
    return TrackPlan((system,), order, starts, known, needs, most, most < starts.size - 1, 0)


def _measure(
    protocol: Protocol, tracks: Sequence[TrackPlan], clusters: Indices, numbers: tuple[int, ...], criterion: int
) -> Measure:
    """A mean, on the units of its system; or a difference, on the items that both have."""
    of = rated_criteria(protocol)[criterion]
    wanted, length = half_width_of(protocol, of), of.high - of.low
    if len(numbers) == 1:
        (track,) = numbers
        half_width = None if wanted is None else 2 * wanted / length
        return Measure(numbers, criterion, tracks[track].most_units, half_width=half_width)
    half_width = None if wanted is None else wanted / length  # values are halves of differences on [-2, 2]
    one, other = (tracks[k] for k in numbers)
    shared = np.isin(one.order, other.order)
    places = (np.flatnonzero(shared), np.flatnonzero(np.isin(other.order, one.order)))
    if not places[0].size:
        names = [*one.systems, *other.systems]
        raise ProtocolError("systems", names, "have no item with outputs of both: their difference cannot be known")
    starts = unit_starts(clusters[one.order[shared]])
    ends = starts[1:] - 1
    within = (places[0][ends] < one.starts[one.most_units]) & (places[1][ends] < other.starts[other.most_units])
    return Measure(numbers, criterion, int(within.sum()), places, starts, half_width)


def _facts(protocol: Protocol, tracks: Sequence[TrackPlan], measure: Measure) -> MeasureFacts:
    starts = tracks[measure.tracks[0]].starts if measure.starts is None else measure.starts
    units, items = starts.size - 1, int(starts[-1])
    return MeasureFacts(
        most_units=measure.most_units,
        outcomes_only=False,
        pool_size=units if protocol.decision.target == "items" else None,
        scale=1.0,
        metric=None,
        metric_outcomes=None,
        sizes=None if units == items else np.diff(starts).astype(np.int64),
        half_width=measure.half_width,
        direction=protocol.ratings.until == "directions",
    )
