"""What a protocol means for a study: tracks, their sealed orders of items, measures, and what the rule prepared.

A track is what people are asked about in an order of its own: a pair of systems whose outputs are compared, several
whose outputs are ranked, or one system whose outputs are rated. A measure is a number that the campaign is to find out
from one or two tracks: how much more often a pair's first system is preferred, a system's mean rating, or the
difference of two of these.

Each pair has a random order of its own, from the protocol's seed and the names of its systems: the choice of the next
pair may then look at everything known without knowing what an order will bring. Systems that are rated share one order,
so that their ratings can be compared item by item.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.protocol_parts import ProtocolError
from tiebreak.data.study import Study
from tiebreak.evidence.automatic import AutomaticValues
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.ordering import random_order
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import MeasureFacts, PlanError

Indices = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TrackPlan:
    """The `systems` that are asked about together: `order` (n,) item numbers in the sealed order, `starts` (U + 1,)
    where each unit begins in it.

    A unit is an item, or a cluster of items. `known` (n,): the two outputs are identical, a tie that nobody is asked
    about. `needs`: by unit, which of its items somebody must be asked about. `most_units`: units that may get labels
    under the budget per pair; `limited`: that budget ends before the items do. `identical`: items with identical
    outputs in the pool (for a claim about these items they are not in `order`).
    """

    systems: tuple[str, ...]
    order: Indices
    starts: Indices
    known: Bools
    needs: tuple[tuple[bool, ...], ...]
    most_units: int
    limited: bool
    identical: int

    @property
    def system_a(self) -> str:
        """The first system of a pair."""
        return self.systems[0]

    @property
    def system_b(self) -> str:
        """The second system of a pair."""
        return self.systems[1]

    def items(self, unit: int) -> Indices:
        """Item numbers of a unit."""
        return self.order[self.starts[unit] : self.starts[unit + 1]]

    def known_of(self, unit: int) -> Bools:
        """Which items of a unit are known ties."""
        return self.known[self.starts[unit] : self.starts[unit + 1]]

    def is_known(self, unit: int) -> bool:
        """Whether nobody needs to be asked about a unit."""
        return not any(self.needs[unit])


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """What is found out of one system or two (`systems`) from the labels of one track, or of two, by their numbers.

    `part`: which of the numbers that a label gives: that of the criterion that is rated, or of the pair among those of
    the track's systems. `places`: where the items of its units
    stand in the order of each track, one array (n,) per track, and `starts` (U + 1,) where each unit begins in it;
    None: the units are those of its only track. `most_units`: units that may get all of their labels. `half_width`: how
    well it is to be known, on [-1, 1]; None where a verdict is asked for.
    """

    tracks: tuple[int, ...]
    systems: tuple[str, ...]
    part: int
    most_units: int
    places: tuple[Indices, ...] | None = None
    starts: Indices | None = None
    half_width: float | None = None


class LeftOutItems(NamedTuple):
    """A pair of systems, or one system, about which nobody can be asked, and `why`."""

    systems: tuple[str, ...]
    why: str


@dataclass(frozen=True, eq=False)
class CampaignPlan:
    """The protocol with its study: everything that never changes during a campaign.

    `rule_plans`: what the stopping rule prepared, one per measure. `study`: fingerprint of the study's content.
    `left_out`: pairs of these systems that are no part of the campaign; they do not depend on any label.
    """

    protocol: Protocol
    study: str
    systems: tuple[str, ...]
    items: tuple[str, ...]
    tracks: tuple[TrackPlan, ...]
    measures: tuple[Measure, ...]
    rule_plans: tuple[Any, ...]
    left_out: tuple[LeftOutItems, ...] = ()

    @cached_property
    def pairs(self) -> tuple[TrackPlan, ...]:
        """Where outputs are compared: by measure, its pair of systems with the items of its track."""
        return tuple(replace(self.tracks[of.tracks[0]], systems=of.systems) for of in self.measures)

    @cached_property
    def fingerprint(self) -> str:
        """Of the protocol."""
        return self.protocol.fingerprint

    @cached_property
    def least_labels(self) -> int:
        """Labels that an item takes at the least."""
        labels = self.protocol.labels
        return LABELLING_POLICIES[labels.labelling].labels_wanted((), labels.per_item)

    @cached_property
    def asks_once(self) -> bool:
        """Whether a unit is one item with one label, so that it is asked about as a whole."""
        one_label = self.protocol.labels.labelling in ("one", "fixed")
        return one_label and all(track.starts.size - 1 == track.order.size for track in self.tracks)

    @cached_property
    def track_numbers(self) -> Mapping[tuple[str, ...], int]:
        """From the systems of a track, one or two, to its number."""
        return MappingProxyType({track.systems: k for k, track in enumerate(self.tracks)})

    @cached_property
    def measures_of(self) -> tuple[tuple[int, ...], ...]:
        """By track, the measures that its labels tell of."""
        found: list[list[int]] = [[] for _ in self.tracks]
        for number, measure in enumerate(self.measures):
            for track in measure.tracks:
                found[track].append(number)
        return tuple(map(tuple, found))

    @cached_property
    def item_numbers(self) -> Mapping[str, int]:
        """From the name of an item to its number."""
        return MappingProxyType({name: k for k, name in enumerate(self.items)})


Pairs = Sequence[tuple[str, str]]


def rating_plan(
    protocol: Protocol,
    study: Study,
    index: ItemIndex,
    systems: Sequence[str],
    pairs: Pairs,
    automatic: Sequence[AutomaticValues | None],
) -> CampaignPlan:
    """The plan; `pairs`: those whose differences are to be found out, where the protocol asks for differences.
    `automatic`: what the metric says on each criterion.

    Raises:
        ProtocolError: nothing to rate, a rule that cannot work with these items, or outputs without a score.
    """
    if protocol.labels.kind == "correctness" and study.passages is None:
        raise ProtocolError("labels.kind", protocol.labels.kind, "needs passages: add a table passages to the study")
    clusters = np.arange(index.clusters.size) if protocol.decision.target == "items" else index.clusters
    common = sealed_order(protocol, np.arange(len(index.items)), clusters, listed_order(study, index), ())
    if index.texts is None:
        raise ProtocolError("systems", list(systems), "have no outputs to rate")
    texts = {name: index.texts[row] >= 0 for name, row in index.text_row.items()}
    systems, pairs, left_out = _ratable(protocol, texts, systems, pairs)
    if study.passages is not None and protocol.labels.kind == "correctness":
        # There is nothing to judge on the others.
        common = common[np.isin(common, index.numbers(study.passages["item"].unique()))]
    tracks = tuple(_track(protocol, texts[system], clusters, common, system) for system in systems)
    number = {name: k for k, name in enumerate(systems)}
    wanted = [(name,) for name in systems] if protocol.ratings.until == "means" else pairs
    asked = [tuple(number[name] for name in names) for names in wanted]
    measures = tuple(
        _measure(protocol, tracks, clusters, numbers, criterion)
        for criterion in range(len(protocol.rated_criteria))
        for numbers in asked
    )
    rule = RULES[protocol.decision.rule]
    try:
        plans = rule.prepare([_facts(protocol, tracks, of, automatic[of.part]) for of in measures], protocol.decision)
    except PlanError as error:
        raise ProtocolError(error.key, protocol.decision.rule, str(error)) from error
    return CampaignPlan(
        protocol, study.fingerprint, tuple(systems), index.items, tracks, measures, tuple(plans), tuple(left_out)
    )


def _ratable(
    protocol: Protocol, texts: Mapping[str, Bools], systems: Sequence[str], pairs: Pairs
) -> tuple[Sequence[str], Pairs, list[LeftOutItems]]:
    """The systems that have outputs, the pairs with an item in common, and what is left out. `texts`: by system, which
    items it has outputs of.

    Where differences are asked for, systems without such a pair are left out with it.

    Raises:
        ProtocolError: nothing is left.
    """
    rated = [name for name in systems if name in texts]
    left_out = [LeftOutItems((name,), "it has no outputs") for name in systems if name not in texts]
    if not rated:
        raise ProtocolError("systems", list(systems), "have no outputs to rate")
    if protocol.ratings.until == "means":
        return rated, pairs, left_out
    both = [pair for pair in pairs if set(pair) <= texts.keys()]
    common = [pair for pair in both if (texts[pair[0]] & texts[pair[1]]).any()]
    left_out += [LeftOutItems(pair, "no item has an output of both") for pair in both if pair not in common]
    if not common:
        message = "have no item with outputs of both: their difference cannot be known"
        raise ProtocolError("systems", list(systems), message)
    asked = {name for pair in common for name in pair}
    return [name for name in rated if name in asked], common, left_out


def _track(protocol: Protocol, has_text: Bools, clusters: Indices, common: Indices, system: str) -> TrackPlan:
    """A system with its outputs in the order that all systems share."""
    order = common[has_text[common]]
    starts = unit_starts(clusters[order])
    known = np.zeros(order.size, dtype=np.bool_)
    needs = needs_of(known, starts)
    most = most_units(needs, protocol.ratings.items_per_system)
    return TrackPlan((system,), order, starts, known, needs, most, most < starts.size - 1, 0)


def _measure(
    protocol: Protocol, tracks: Sequence[TrackPlan], clusters: Indices, numbers: tuple[int, ...], criterion: int
) -> Measure:
    """A mean, on the units of its system; or a difference, on the items that both have."""
    of = protocol.rated_criteria[criterion]
    wanted, length = protocol.half_width_of(of), of.high - of.low
    systems = tuple(name for k in numbers for name in tracks[k].systems)
    if len(numbers) == 1:
        (track,) = numbers
        half_width = None if wanted is None else 2 * wanted / length
        return Measure(numbers, systems, criterion, tracks[track].most_units, half_width=half_width)
    half_width = None if wanted is None else wanted / length  # values are halves of differences on [-2, 2]
    one, other = (tracks[k] for k in numbers)
    shared = np.isin(one.order, other.order)
    places = (np.flatnonzero(shared), np.flatnonzero(np.isin(other.order, one.order)))
    if not places[0].size:
        raise ProtocolError(
            "systems", list(systems), "have no item with outputs of both: their difference cannot be known"
        )
    starts = unit_starts(clusters[one.order[shared]])
    ends = starts[1:] - 1
    within = (places[0][ends] < one.starts[one.most_units]) & (places[1][ends] < other.starts[other.most_units])
    return Measure(numbers, systems, criterion, int(within.sum()), places, starts, half_width)


def _facts(
    protocol: Protocol, tracks: Sequence[TrackPlan], measure: Measure, automatic: AutomaticValues | None
) -> MeasureFacts:
    starts = tracks[measure.tracks[0]].starts if measure.starts is None else measure.starts
    units, items = starts.size - 1, int(starts[-1])
    return MeasureFacts(
        most_units=measure.most_units,
        outcomes_only=False,
        pool_size=units if protocol.decision.target == "items" else None,
        metric=None if automatic is None else _scores(automatic, tracks, measure),
        sizes=None if units == items else np.diff(starts).astype(np.int64),
        half_width=measure.half_width,
        direction=protocol.ratings.until == "directions",
    )


def _scores(automatic: AutomaticValues, tracks: Sequence[TrackPlan], measure: Measure) -> NDArray[np.float64]:
    """The metric's scores (U,) of the outputs in the order of a measure's items; of two systems, their difference."""
    (name,) = automatic.names
    parts: list[NDArray[np.float64]] = []
    for place, k in enumerate(measure.tracks):
        order, (system,) = tracks[k].order, tracks[k].systems
        order = order if measure.places is None else order[measure.places[place]]
        parts.append(automatic.scores[0, automatic.system_row[system], order])
        missing = int(np.isnan(parts[-1]).sum())
        if missing:
            message = (
                f"has no score for {missing:,} of {order.size:,} outputs of {system}; run it on all, or leave it out"
            )
            raise ProtocolError("decision.metrics", name, message)
    return parts[0] if len(parts) == 1 else parts[0] - parts[1]


# ---- the order in which items are asked about, fixed before the first label, and its units -----------------------


def sealed_order(
    protocol: Protocol, items: Indices, clusters: Indices, listed: Indices, systems: Sequence[str]
) -> Indices:
    """Clusters stay together; a random order of clusters, or the order in which the study lists the items. It is that
    of these systems; of none, that of all.
    """
    if protocol.order.order == "listed":
        by_list = items[np.argsort(listed[items], kind="stable")]
        _, first, member = np.unique(clusters[by_list], return_index=True, return_inverse=True)
        return by_list[np.argsort(first[member], kind="stable")]
    # Names in alphabetical order: the same order of items whichever of the two is the baseline.
    text = repr((protocol.order.seed, protocol.criterion, sorted(systems)))
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")
    return items[random_order(clusters[items], np.random.default_rng(seed))]


def unit_starts(clusters: Indices) -> Indices:
    """Where each run of one cluster begins, and the end."""
    changes = np.flatnonzero(np.diff(clusters)) + 1
    return np.concatenate([[0], changes, [clusters.size]]).astype(np.intp)


def needs_of(known: Bools, starts: Indices) -> tuple[tuple[bool, ...], ...]:
    """By unit, which of its items are not known; single items share one tuple."""
    if starts.size - 1 == known.size:
        ask, know = (True,), (False,)
        return tuple(know if is_known else ask for is_known in known.tolist())
    return tuple(tuple((~known[start:end]).tolist()) for start, end in itertools.pairwise(starts.tolist()))


def most_units(needs: Sequence[Sequence[bool]], items_per_pair: int | None) -> int:
    """Units until the budget of one pair is used, known ties free of charge."""
    if items_per_pair is None:
        return len(needs)
    return int((np.cumsum([sum(unit) for unit in needs]) <= items_per_pair).sum())


def listed_order(study: Study, index: ItemIndex) -> Indices:
    """Place of each item in the study's table of items, or in the order of its name."""
    places = np.arange(len(index.items), dtype=np.intp)
    if study.items is None:
        return places
    numbers = index.numbers(study.items["item"])
    places = np.full(len(index.items), len(index.items), dtype=np.intp) + places
    places[numbers] = np.arange(numbers.size)
    return places
