"""After each event: evidence advances over complete units, measures are decided, and perhaps the campaign ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.openings import affordable_labels, allowance, opening
from tiebreak.campaign.plan import TrackPlan
from tiebreak.campaign.state import EndReason, MeasureState, OpenUnit, State, TrackState, with_item, with_track, without
from tiebreak.rules.rule import Finding, Units


def growth(state: State, touched: Iterable[int]) -> Iterator[tuple[int | None, State]]:
    """The evidence from the touched tracks advances, and gives verdicts: the number of a measure and the state after
    each of its units that labels complete, or to the verdict that ends all; None and the state after a unit of a track
    that completes none.

    One label may complete several units, if those after it came early. A verdict is looked for after each of them, so
    that it does not depend on the order in which labels came. Nothing moves once the campaign is over.
    """
    if state.ended is not None:
        return
    for k in touched:
        over = False
        while not over and (track := _advanced(state, k)) is not None:
            state = with_track(state, k, track)
            yield None, state
            for number in state.plan.measures_of[k]:
                while (measure := _measured(state, number)) is not None:
                    grown = state._replace(measures=with_item(state.measures, number, measure))
                    state = _with_verdicts(grown, number)
                    yield number, state
                    over |= state is not grown and not wanted_tracks(state)


def with_end(state: State, at: str) -> State:
    """The state, over if nothing is left to be asked."""
    ended = None if state.ended is not None else _end_reason(state)
    return state if ended is None else state._replace(ended=ended, ended_at=at)


def wanted_tracks(state: State) -> list[int]:
    """The tracks that the campaign still asks about."""
    return kind_of(state.protocol).policy(state.protocol).wanted(state)


def _advanced(state: State, k: int) -> TrackState | None:
    """The track with its next unit done, or None if that is not complete: what came early waits for what is still out.

    (Labels in order of arrival would not be a random sample of the order: losses may take longer to judge than wins.)
    """
    plan, track = state.plan.tracks[k], state.tracks[k]
    if track.done >= plan.most_units:
        return None
    kind = kind_of(state.protocol)
    items = track.open.get(track.done)
    if items is None:
        if not plan.is_known(track.done):
            return None
        return _counted(track, items, kind.known(plan, plan.items(track.done).size), plan)
    if any(item.missing for item in items):
        return None
    return _counted(track, items, kind.complete(items, plan, state.protocol), plan)


def _counted(track: TrackState, items: OpenUnit | None, marks: bytes, plan: TrackPlan) -> TrackState:
    """The track with its next unit done."""
    return track._replace(
        marks=track.marks + marks,
        done=track.done + 1,
        next=max(track.next, track.done + 1),
        open=track.open if items is None else without(track.open, track.done),
        done_labels=track.done_labels + sum(item.counted for item in items or ()),
        items=int(plan.starts[track.done + 1]),
    )


def _measured(state: State, number: int) -> MeasureState | None:
    """The measure with the evidence of its next unit, or None if that is not done in all of its tracks."""
    measure, plan = state.measures[number], state.plan
    if measure.done >= plan.measures[number].most_units or not _is_done(state, number, measure.done):
        return None
    value = kind_of(state.protocol).unit_value(plan, state.tracks, plan.measures[number], measure.done)
    rule = state.rule
    evidence, _ = rule.advance(plan.rule_plans[number], measure.evidence, Units.of([value]))
    return measure._replace(evidence=evidence, done=measure.done + 1)


def _is_done(state: State, number: int, unit: int) -> bool:
    of = state.plan.measures[number]
    if of.places is None or of.starts is None:
        return state.tracks[of.tracks[0]].done > unit
    last = int(of.starts[unit + 1]) - 1
    return all(
        places[last] < state.plan.tracks[k].starts[state.tracks[k].done]
        for k, places in zip(of.tracks, of.places, strict=True)
    )


def _with_verdicts(state: State, changed: int) -> State:
    """New verdicts after the evidence of one measure has grown; a reached verdict stands."""
    rule = state.rule
    evidence = [measure.evidence for measure in state.measures]
    found = rule.decide(state.plan.rule_plans, evidence, state.protocol.decision, changed)
    news = {m: verdict for m, verdict in found.items() if state.measures[m].verdict == "undecided"}
    if not news:
        return state
    measures = tuple(_decided(state, m, news[m]) if m in news else measure for m, measure in enumerate(state.measures))
    return state._replace(measures=measures)


def _decided(state: State, number: int, verdict: Finding) -> MeasureState:
    measure = state.measures[number]
    labels = sum(state.tracks[k].done_labels for k in state.plan.measures[number].tracks)
    return measure._replace(verdict=verdict, decided_at=measure.done, decided_labels=labels)


def _end_reason(state: State) -> EndReason | None:
    wanted = wanted_tracks(state)
    if not wanted:
        return "decided"
    if all(state.tracks[k].done >= state.plan.tracks[k].most_units for k in wanted):
        by_budget = state.protocol.pays_for_fewer(len(state.plan.tracks))
        return "budget" if by_budget and any(state.plan.tracks[k].limited for k in wanted) else "items"
    if state.tasks or affordable_labels(state) == math.inf:
        return None  # (with every task back in, the first incomplete item of a track can be asked about)
    left = allowance(state, wanted)
    return None if any(opening(state, k, None, left) is not None for k in wanted) else "budget"
