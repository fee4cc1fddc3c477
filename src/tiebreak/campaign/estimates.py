"""What a campaign of ratings knows now: means or differences with their intervals, and what is still missing.

How the evidence of a campaign grew: its events once more, with a look after each unit of evidence, and after each
withdrawal, by which it falls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import cast

import numpy as np

from tiebreak.campaign.events import Event, ItemWithdrawn
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.kinds.rating import rated_outputs
from tiebreak.campaign.plan import Measure
from tiebreak.campaign.state import State
from tiebreak.campaign.step import steps
from tiebreak.campaign.verdicts import progress_of, study_of
from tiebreak.kernels.confidence_sequence import values_to_width
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.messages.campaign import left_out_notice
from tiebreak.messages.measured import paper_sentence
from tiebreak.results.measured import Found, Measured, MeasuredCriterion, MeasuredResult, SystemMean
from tiebreak.results.order import EvidenceCurve, looks
from tiebreak.results.progress import CampaignProgress
from tiebreak.results.records import LEAST_UNITS
from tiebreak.rules.family import Family
from tiebreak.rules.rule import Summary


def estimates(state: State) -> MeasuredResult:
    """What the ratings so far amount to. May be asked for at any time; it changes nothing."""
    protocol, rule = state.protocol, state.rule
    found = [_measured(state, m, summary) for m, summary in enumerate(state.summaries)]
    results = tuple(
        MeasuredCriterion(
            criterion=of.name,
            scale=(of.low, of.high),
            measures=tuple(one for one, plan in zip(found, state.plan.measures, strict=True) if plan.part == number),
            systems=() if protocol.ratings.until == "means" else _system_means(state, number),
        )
        for number, of in enumerate(protocol.rated_criteria)
    )
    result = MeasuredResult(
        study=study_of(state, list(state.plan.systems), max((track.items for track in state.tracks), default=0)),
        until=protocol.ratings.until,
        rule=rule.name,
        title=rule.title,
        alpha=protocol.decision.alpha,
        multiplicity=protocol.decision.multiplicity,
        target=protocol.decision.target,
        guarantee=rule.guarantee(state.plan.rule_plans, protocol.decision),
        labels_in_words=protocol.labels_in_words,
        results=results,
        warnings=left_out_notice(state.plan.left_out),
        campaign=_progress(state, found),
        metrics=protocol.decision.metrics,
    )
    return replace(result, sentence=paper_sentence(result))


def _measured(state: State, number: int, summary: Summary) -> Measured:
    plan, of = state.plan.measures[number], state.measures[number]
    tracks = [state.tracks[k] for k in plan.tracks]
    starts = state.plan.tracks[plan.tracks[0]].starts if plan.starts is None else plan.starts
    further = _units_to_go(state, number, summary)
    items = int(starts[of.done])
    each = state.plan.least_labels * len(tracks)
    clustered = starts.size - 1 < int(starts[-1])
    per_unit = items / of.done if of.done else 1.0
    items_to_go = None if further is None else math.ceil(further * per_unit)
    criterion = state.protocol.rated_criteria[plan.part]
    return Measured(
        systems=plan.systems,
        found=cast(Found, of.verdict),
        items=items,
        ratings=_ratings(state, number, items),
        clusters=of.done if clustered else None,
        mean=_points(state, plan, summary, known=of.done >= LEAST_UNITS),
        wanted=state.protocol.half_width_of(criterion),
        items_to_go=items_to_go,
        ratings_to_go=None if items_to_go is None else items_to_go * each,
        stopped_at=None if of.decided_at is None else int(starts[of.decided_at]),
        ratings_at_stop=of.decided_labels,
        abandoned=sum(kind_of(state.protocol).tally(state.plan, track, plan).abandoned for track in tracks),
        waiting=sum(bool(place.counted) for track in tracks for unit in track.open.values() for place in unit),
        exhausted=state.is_exhausted(number),
    )


def _ratings(state: State, number: int, items: int) -> int:
    """Those behind the evidence: of a mean all that are done; of a difference those on the items that both have."""
    plan = state.plan.measures[number]
    if len(plan.tracks) == 1:
        return state.tracks[plan.tracks[0]].done_labels
    return items * len(plan.tracks) * state.plan.least_labels


def _points(state: State, plan: Measure, summary: Summary, *, known: bool) -> IntervalEstimate:
    """From [-1, 1] to points of the ratings."""
    of = state.protocol.rated_criteria[plan.part]
    if len(plan.tracks) == 1:
        ends = [of.from_unit(end) for end in (summary.estimate, summary.low, summary.high)]
    else:
        ends = [end * (of.high - of.low) for end in (summary.estimate, summary.low, summary.high)]
    return IntervalEstimate(ends[0] if known else None, ends[1], ends[2])


def _system_means(state: State, criterion: int) -> tuple[SystemMean, ...]:
    of = state.protocol.rated_criteria[criterion]
    found = []
    for plan, track in zip(state.plan.tracks, state.tracks, strict=True):
        values = rated_outputs(state.protocol, track, criterion)
        known = [value.for_a for value in values if value.for_a == value.for_b]
        mean = of.from_unit(sum(known) / len(known)) if len(known) >= LEAST_UNITS else None
        found.append(SystemMean(plan.systems[0], track.items, track.done_labels, mean))
    return tuple(found)


# ---- what is still missing -------------------------------------------------------------------------------------


def _units_to_go(state: State, number: int, summary: Summary) -> int | None:
    """Further units until the width, if ratings go on as they are; None where nothing is known of it yet, where only a
    direction is asked for, or where there are not that many.
    """
    plan, of = state.plan.measures[number], state.measures[number]
    if of.verdict != "undecided":
        return 0
    if of.done < LEAST_UNITS or state.ended is not None:
        return None
    units = state.rule.units_to_verdict(state.plan.rule_plans[number], of.evidence, summary)
    return None if units is None or of.done + units > plan.most_units else units


def items_if_uniform(state: State) -> list[int | None]:
    """By measure, units until its width if all values of the scale come equally often, and outputs of two systems have
    nothing to do with each other: few ratings vary more. None beyond the items there are.
    """
    decision = state.protocol.decision
    threshold = Family(decision.alpha, decision.multiplicity, len(state.measures), margin=False).simultaneous
    found: list[int | None] = []
    for plan in state.plan.measures:
        if plan.half_width is None:
            continue
        variance = 1 / 3 / state.plan.least_labels / len(plan.tracks)
        pool = plan.most_units if decision.target == "items" else None
        units = values_to_width(0.0, variance, plan.half_width, threshold, pool)
        found.append(None if units is None or units > plan.most_units else units)
    return found


def _progress(state: State, found: list[Measured]) -> CampaignProgress:
    left, to_go = state.labels_left, _labels_to_go(state, found)
    if to_go is not None and left is not None and to_go > left:
        return progress_of(state, None, "budget")
    return progress_of(state, to_go, None)


def _labels_to_go(state: State, found: list[Measured]) -> int | None:
    """Of every system as many as its measure that needs most; None where one of them is not known."""
    further = [0] * len(state.tracks)
    for one, plan in zip(found, state.plan.measures, strict=True):
        if one.items_to_go is None:
            return None
        for k in plan.tracks:
            further[k] = max(further[k], one.items_to_go)
    return sum(further) * state.plan.least_labels


Look = tuple[int, int, int, float, float, float | None]
"""Units, items, labels, and log E for a, for b and of equivalence."""


def evidence_curves(state: State, events: Iterable[Event]) -> dict[int, EvidenceCurve]:
    """The curve of each pair by its number, along the events of a campaign; none where its rule has no such evidence.

    `state`: before any event.
    """
    rule, plans = state.rule, state.plan.rule_plans
    seen: list[list[Look]] = []
    for plan, measure in zip(plans, state.measures, strict=True):
        found = rule.evidence_now(plan, measure.evidence)
        if found is None:
            return {}
        seen.append([(0, 0, 0, *found)])
    for event in events:
        for grown, after in steps(state, event):
            changed = _lowered(state, event, after) if grown is None else (grown,)
            state = after
            for k in changed:
                pair = after.tracks[after.plan.measures[k].tracks[0]]
                found = rule.evidence_now(plans[k], after.measures[k].evidence)
                if found is not None:
                    seen[k].append((pair.done, pair.items, pair.done_labels, *found))
    ends = enumerate(zip(seen, state.summaries, strict=True))
    return {k: _curve(state, k, path, summary) for k, (path, summary) in ends}


def _lowered(before: State, event: Event, after: State) -> tuple[int, ...]:
    """The numbers of the pairs whose evidence an event has lowered."""
    if not isinstance(event, ItemWithdrawn):
        return ()
    track = after.plan.track_numbers[event.systems]
    if before.tracks[track].done != after.tracks[track].done:
        return ()
    touched = after.plan.measures_of[track]
    return tuple(k for k in touched if before.measures[k].evidence is not after.measures[k].evidence)


def _curve(state: State, k: int, path: list[Look], summary: Summary) -> EvidenceCurve:
    (system_a, system_b), decided_at = state.plan.measures[k].systems, state.measures[k].decided_at
    stop = None if decided_at is None else [units for units, *_ in path].index(decided_at)
    kept = [path[at] for at in looks(len(path) - 1, stop).tolist()]
    _, items, labels, for_a, for_b, equivalent = zip(*kept, strict=True)
    return EvidenceCurve(
        criterion=state.protocol.criterion,
        system_a=system_a,
        system_b=system_b,
        items=np.array(items, dtype=np.int64),
        labels=np.array(labels, dtype=np.int64),
        log_e_a=np.array(for_a),
        log_e_b=np.array(for_b),
        log_e_equivalent=None if equivalent[0] is None else np.array(equivalent, dtype=np.float64),
        log_threshold=np.inf if summary.log_threshold is None else summary.log_threshold,
        log_threshold_equivalent=summary.log_threshold_equivalent,
        stopped_at=None if stop is None else path[stop][1],
    )
