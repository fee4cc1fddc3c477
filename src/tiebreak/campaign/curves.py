"""How the evidence of a campaign grew: its events once more, with a look after each unit of evidence, and after each
withdrawal, by which it falls.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tiebreak.campaign.events import Event, ItemWithdrawn
from tiebreak.campaign.state import State
from tiebreak.campaign.step import steps
from tiebreak.campaign.stopping import STOPPING_RULES, Summary
from tiebreak.results.order import EvidenceCurve, looks

Look = tuple[int, int, int, float, float, float | None]
"""Units, items, labels, and log E for a, for b and of equivalence."""


def evidence_curves(state: State, events: Iterable[Event]) -> dict[int, EvidenceCurve]:
    """The curve of each pair by its number, along the events of a campaign; none where its rule has no such evidence.

    `state`: before any event.
    """
    rule, decision, plans = STOPPING_RULES[state.protocol.decision.rule], state.protocol.decision, state.plan.rule_plans
    seen: list[list[Look]] = []
    for plan, measure in zip(plans, state.measures, strict=True):
        found = rule.evidence_now(plan, measure.evidence)
        if found is None:
            return {}
        seen.append([(0, 0, 0, *found)])
    for event in events:
        for grown, after in steps(state, event):
            k = _lowered(state, event, after) if grown is None else grown
            state = after
            if k is not None:
                pair = after.tracks[k]
                found = rule.evidence_now(plans[k], after.measures[k].evidence)
                if found is not None:
                    seen[k].append((pair.done, pair.items, pair.done_labels, *found))
    summaries = rule.summary(plans, [measure.evidence for measure in state.measures], decision)
    return {k: _curve(state, k, path, summary) for k, (path, summary) in enumerate(zip(seen, summaries, strict=True))}


def _lowered(before: State, event: Event, after: State) -> int | None:
    """The number of the pair whose evidence an event has lowered, if any."""
    if not isinstance(event, ItemWithdrawn):
        return None
    k = after.plan.track_numbers[event.system_a, event.system_b]
    same_units = before.tracks[k].done == after.tracks[k].done
    return k if same_units and before.measures[k].evidence is not after.measures[k].evidence else None


def _curve(state: State, k: int, path: list[Look], summary: Summary) -> EvidenceCurve:
    plan, decided_at = state.plan.tracks[k], state.measures[k].decided_at
    stop = None if decided_at is None else [units for units, *_ in path].index(decided_at)
    kept = [path[at] for at in looks(len(path) - 1, stop).tolist()]
    _, items, labels, for_a, for_b, equivalent = zip(*kept, strict=True)
    return EvidenceCurve(
        criterion=state.protocol.criterion,
        system_a=plan.system_a,
        system_b=plan.system_b,
        items=np.array(items, dtype=np.int64),
        labels=np.array(labels, dtype=np.int64),
        log_e_a=np.array(for_a),
        log_e_b=np.array(for_b),
        log_e_equivalent=None if equivalent[0] is None else np.array(equivalent, dtype=np.float64),
        log_threshold=np.inf if summary.log_threshold is None else summary.log_threshold,
        log_threshold_equivalent=summary.log_threshold_equivalent,
        stopped_at=None if stop is None else path[stop][1],
    )
