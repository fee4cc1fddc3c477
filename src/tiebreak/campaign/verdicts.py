"""What a campaign knows now: a verdict per pair, intervals, what is still missing, and the order of the systems.

What the verdicts of a campaign mean: its protocol, as far as verdicts depend on it. How far a campaign has come,
whatever it collects: labels, money, what is missing, and why it ended.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.plan import CampaignPlan
from tiebreak.campaign.state import EndReason, MeasureState, State, TrackState
from tiebreak.kernels.confidence_sequence import estimate_at_stop
from tiebreak.messages.campaign import BEFORE_THE_LOOK, left_out_notice
from tiebreak.messages.paper import paper_sentence
from tiebreak.messages.watch import LISTED_PROMISE
from tiebreak.numbers import counted
from tiebreak.records import Verdict
from tiebreak.results.comparison_terms import Terms, correction_of
from tiebreak.results.order import EvidenceCurve, order_of
from tiebreak.results.progress import Beyond, CampaignProgress
from tiebreak.results.records import (
    BEYOND_BUDGET,
    BEYOND_ITEMS,
    CAMPAIGN_OVER,
    FEW_UNITS,
    LEAST_UNITS,
    NOT_PROJECTED,
    WITH_THE_OTHERS,
    CompareResult,
    CriterionResult,
    Difference,
    PairResult,
    e_value,
    interval_flags,
)
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import ALL_COUNTED, CERTAIN, Summary


def campaign_terms(plan: CampaignPlan) -> Terms:
    """The terms of a campaign, which were fixed before its first label."""
    protocol = plan.protocol
    decision, rule = protocol.decision, RULES[protocol.decision.rule]
    listed = protocol.order.order == "listed" and rule.looks == "every"
    return Terms(
        rule=decision.rule,
        title=rule.described(plan.rule_plans),
        level=rule.level,
        alpha=decision.alpha,
        guarantee=LISTED_PROMISE if listed else rule.guarantee(plan.rule_plans, decision),
        several=protocol.labels.labelling,
        labels_in_words=protocol.labels_in_words,
        family=len(plan.measures),
        order="sealed" if protocol.order.order == "shuffled" else "listed",
        looks="uncontrolled" if listed else rule.looks,
        margin=decision.margin,
        target=decision.target,
        multiplicity=decision.multiplicity,
        correction=correction_of(decision),
        criteria=(protocol.criterion,),
        systems=protocol.systems or None,
        baseline=protocol.baseline,
        only_pairs=protocol.only_pairs,
        metrics=decision.metrics,
        judges=decision.judges,
        items_per_pair=protocol.budget.items_per_pair,
        seed=protocol.order.seed,
        sources=rule.sources,
    )


_NO_CURVES: Mapping[int, EvidenceCurve] = {}


def verdicts(state: State, curves: Mapping[int, EvidenceCurve] = _NO_CURVES) -> CompareResult:
    """What the labels so far amount to. May be asked for at any time; it changes nothing.

    `curves`: how the evidence of each pair grew, by its number (`estimates.evidence_curves`). Names of people are in
    the result, why somebody stopped the campaign is not: the state does not keep it.
    """
    protocol = state.protocol
    terms = campaign_terms(state.plan)
    pairs = tuple(_pair_result(state, k, summary, curves.get(k)) for k, summary in enumerate(state.summaries))
    if pairs and all(pair.difference.validity == CERTAIN for pair in pairs):
        terms = replace(terms, guarantee=ALL_COUNTED)
    people = tuple(sorted(name for name, person in state.annotators.items() if person.labels))
    labels = sum(track.done_labels for track in state.tracks)
    found = CriterionResult(
        criterion=protocol.criterion,
        pairs=pairs,
        order=order_of(state.plan.systems, [(pair.system_a, pair.system_b, pair.verdict, pair.also) for pair in pairs]),
        annotators=people,
        labels=labels,
        agreement=(),
        advice=(),
        for_paper=paper_sentence(
            pairs, terms, criterion=protocol.criterion, from_ratings=False, people=len(people), labels=labels
        )
        if _has_looked(state)
        else BEFORE_THE_LOOK,
    )
    return CompareResult(
        study=study_of(state, sorted(state.plan.systems), _items_seen(state)),
        terms=terms,
        results=(found,),
        warnings=left_out_notice(state.plan.left_out),
        campaign=_progress(state, pairs),
    )


def study_of(state: State, systems: Sequence[str], items: int) -> dict[str, object]:
    """What a result says of the study: `items` in the evidence."""
    return {
        "name": "campaign",
        "fingerprint": state.plan.study,
        "systems": systems,
        "items": items,
        "price_per_label": state.price,
        "currency": state.protocol.labels.currency,
    }


def _items_seen(state: State) -> int:
    """Different items in the evidence of any pair."""
    seen = [plan.order[: plan.starts[pair.done]] for plan, pair in zip(state.plan.tracks, state.tracks, strict=True)]
    return int(np.unique(np.concatenate(seen)).size)


def _progress(state: State, pairs: tuple[PairResult, ...]) -> CampaignProgress:
    missing = _missing(state, pairs)
    known = [count for count in missing if count is not None]
    within = sum(known) <= _labels_left(state)
    to_decision = sum(known) if len(known) == len(missing) and within else None
    flags = {flag for pair in pairs for flag in pair.flags}
    beyond: Beyond | None = "items" if BEYOND_ITEMS in flags else None
    return progress_of(state, to_decision, "budget" if BEYOND_BUDGET in flags or not within else beyond)


def _missing(state: State, pairs: Sequence[PairResult]) -> list[int | None]:
    """By track, the labels until the last of its pairs is decided: one label tells of all of them. None: not known."""
    found: list[int | None] = [0] * len(state.tracks)
    for pair, measure in zip(pairs, state.plan.measures, strict=True):
        (track,) = measure.tracks
        before, now = found[track], pair.labels_to_decision
        found[track] = None if before is None or now is None else max(before, now)
    return found


def _pair_result(state: State, k: int, summary: Summary, curve: EvidenceCurve | None) -> PairResult:
    plan, pair, price = state.plan.pairs[k], _track(state, k), state.price
    margin, measure = state.protocol.decision.margin, state.measures[k]
    wins, ties, losses, abandoned, _ = kind_of(state.protocol).tally(state.plan, pair, state.plan.measures[k])
    verdict = _verdict(measure)
    clustered = plan.starts.size - 1 < plan.order.size
    further = _further(state, k, summary)
    return PairResult(
        system_a=plan.system_a,
        system_b=plan.system_b,
        verdict=verdict,
        also="equivalent" if measure.verdict in ("a", "b") and summary.equivalent else None,
        items=pair.items,
        labels=pair.done_labels,
        units=pair.done,
        identical=_identical(state, k),
        clusters=pair.done if clustered else None,
        items_to_decision=further.items,
        labels_to_decision=further.labels,
        cost_to_decision=None if price is None or further.labels is None else round(further.labels * price, 2),
        stopped_at=None if measure.decided_at is None else int(plan.starts[measure.decided_at]),
        labels_at_stop=measure.decided_labels,
        wins=wins,
        ties=ties,
        losses=losses,
        difference=Difference(_estimate(state, k, summary), summary.low, summary.high, summary.validity),
        e_a=None if summary.log_e_a is None else e_value(summary.log_e_a),
        e_b=None if summary.log_e_b is None else e_value(summary.log_e_b),
        e_equivalent=None if summary.log_e_equivalent is None else e_value(summary.log_e_equivalent),
        p_value=summary.p_value,
        p_adjusted=summary.p_adjusted,
        equivalence_interval=summary.equivalence_interval,
        effective_clusters=summary.effective_clusters,
        theta=summary.theta,
        mean_p=summary.mean_p,
        k_hat=summary.k_hat,
        flags=(*summary.flags, *further.flags, *interval_flags(verdict, summary.low, summary.high, margin)),
        p_interval=summary.p_interval,
        abandoned=abandoned,
        waiting=_waiting_items(state, pair),
        exhausted=pair.done >= plan.most_units,
        budget_left=_items_left(state, k),
        next_look=_next_look(state, k),
        curve=curve,
    )


def _track(state: State, k: int) -> TrackState:
    """The track whose labels tell of a pair."""
    return state.tracks[state.plan.measures[k].tracks[0]]


def _waiting_items(state: State, pair: TrackState) -> int:
    """Items with answers that are no evidence yet, and while the campaign runs those that somebody has before them."""
    places = [place for unit in pair.open.values() for place in unit]
    return sum(bool(place.counted) or (state.ended is None and bool(place.out)) for place in places)


def _identical(state: State, k: int) -> int:
    """Known ties among the evidence; for a claim about these items, all that there are."""
    plan, pair = state.plan.pairs[k], _track(state, k)
    if state.protocol.decision.target == "items":
        return plan.identical
    return int(plan.known[: plan.starts[pair.done]].sum())


def _items_left(state: State, k: int) -> int | None:
    """Items that somebody may still be asked about under the limit per pair; None where the items end before it."""
    plan = state.plan.pairs[k]
    return sum(map(sum, plan.needs[_track(state, k).done : plan.most_units])) if plan.limited else None


def _next_look(state: State, k: int) -> int | None:
    """Items of an undecided pair at which a rule looks that does not look after every one."""
    plan, pair, measure = state.plan.pairs[k], _track(state, k), state.measures[k]
    units = state.rule.next_look(state.plan.rule_plans[k], measure.evidence)
    if units is None or measure.verdict != "undecided" or state.ended is not None or pair.done >= plan.most_units:
        return None
    return int(plan.starts[units])


def _estimate(state: State, k: int, summary: Summary) -> float | None:
    """Stopping at a verdict is stopping on a lucky streak: the estimate is shrunk, unless the rule has its own."""
    pair = _track(state, k)
    if pair.done < LEAST_UNITS and summary.validity != CERTAIN:
        return None
    if summary.variance is None or state.measures[k].verdict not in ("a", "b"):
        return summary.estimate
    if state.protocol.decision.target != "items":
        return estimate_at_stop(summary.estimate, summary.variance, pair.done, None)
    different, identical = state.plan.pairs[k].order.size, state.plan.pairs[k].identical
    scale = different / (different + identical)
    return scale * estimate_at_stop(summary.estimate / scale, summary.variance, pair.done, int(different))


def _verdict(measure: MeasureState) -> Verdict:
    """Of a pair, whose rules never say that an interval is narrow."""
    if measure.verdict == "narrow":
        raise ValueError("a verdict of widths, about a pair of systems that are compared")
    return measure.verdict


class _Further(NamedTuple):
    """What a pair still needs as projected, and in `flags` why that is not known or not to be had."""

    items: int | None = None
    labels: int | None = None
    flags: tuple[str, ...] = ()


def _further(state: State, k: int, summary: Summary) -> _Further:
    """Until a verdict, if the shares of wins, ties and losses stay; nothing where more than is left would be needed."""
    plan, pair = state.plan.pairs[k], _track(state, k)
    if state.measures[k].verdict != "undecided":
        return _Further(0, 0)
    if state.ended is not None:
        return _Further(flags=(CAMPAIGN_OVER,))
    if pair.done >= plan.most_units and _decides_at_the_end(state):
        return _Further(flags=(WITH_THE_OTHERS,))
    if summary.log_threshold is None:
        return _Further(flags=() if _next_look(state, k) is not None else (NOT_PROJECTED,))
    if not pair.done:
        return _Further()
    rule = state.rule
    units = rule.units_to_verdict(state.plan.rule_plans[k], state.measures[k].evidence, summary)
    if units is None:
        return _Further(flags=(BEYOND_BUDGET if plan.limited else BEYOND_ITEMS,))
    items = max(1, round(units * pair.items / pair.done))
    # Answers that wait are paid, and become evidence without another label.
    per_item = pair.done_labels / pair.items if pair.done_labels else 1.0
    labels = max(0, math.ceil(items * per_item) - pair.waiting)
    too_many = units > plan.most_units - pair.done
    if labels > _labels_left(state) or (too_many and plan.limited):
        return _Further(flags=(BEYOND_BUDGET,))
    if too_many:
        return _Further(flags=(BEYOND_ITEMS,))
    return _Further(flags=(FEW_UNITS,)) if pair.done < LEAST_UNITS else _Further(items, labels)


def _has_looked(state: State) -> bool:
    """Whether the rule has looked at all that it looks at together."""
    pairs = zip(state.plan.tracks, state.tracks, strict=True)
    return not _decides_at_the_end(state) or all(pair.done >= plan.most_units for plan, pair in pairs)


def _decides_at_the_end(state: State) -> bool:
    """Whether all pairs are decided together, when the last one has its items."""
    return state.rule.looks == "one"


def _labels_left(state: State) -> float:
    """Labels that the budget pays for, those under way among them; infinite without a budget."""
    left = state.labels_left
    return math.inf if left is None else left


# ---- how far a campaign has come, whatever it collects ---------------------------------------------------------

_END_REASONS: Final[dict[EndReason, str]] = {
    "decided": "all that was asked is decided",
    "budget": "the budget is spent",
    "items": "no items are left for the undecided pairs",
    "stopped": "somebody stopped it",
}

_RATED_ENDS: Final[dict[EndReason, str]] = {
    "decided": "all that was asked is known",
    "items": "no outputs are left for what is not known yet",
}
"""Of a campaign of ratings."""


def why_ended(state: State) -> str | None:
    """Why the campaign is over, in words; None while it runs."""
    if state.ended == "items" and not state.protocol.rates:
        ended = {k for m in state.undecided if state.is_exhausted(m) for k in state.plan.measures[m].tracks}
        limited = [state.plan.tracks[k].limited for k in ended]
        if any(limited):
            reached = f"the limit of {state.protocol.most_items(len(state.plan.tracks)):,} items per pair is reached"
            return reached if all(limited) else f"{reached}, or no items are left, for the undecided pairs"
    if state.ended == "budget" and (state.most_labels or 0) > state.labels:
        pairs = len(state.plan.tracks)
        if state.protocol.pays_for_fewer(pairs) and all(state.is_exhausted(m) for m in state.undecided):
            return f"each undecided pair has the {counted(state.protocol.most_items(pairs) or 0, 'item')} of its plan"
        return "what is left of the budget cannot complete another item"
    if state.protocol.rates and state.ended in _RATED_ENDS:
        return _RATED_ENDS[state.ended]
    if state.ended == "decided" and state.undecided:
        return "the best system is found, and the other pairs were not needed"
    return None if state.ended is None else _END_REASONS[state.ended]


def progress_of(state: State, to_decision: int | None, beyond: Beyond | None) -> CampaignProgress:
    """`to_decision`: labels until all is decided or known, as projected; `beyond`: what they exceed."""
    protocol = state.protocol
    price = state.price
    return CampaignProgress(
        labels=state.labels,
        labels_in_evidence=sum(track.done_labels for track in state.tracks),
        labels_waiting=sum(track.waiting for track in state.tracks),
        late=state.late,
        labels_withdrawn=state.labels_withdrawn,
        checks=sum(person.gold_asked for person in state.annotators.values()),
        labels_out=len(state.tasks),
        labels_left=state.labels_left,
        cost=None if price is None else round(state.cost, 2),
        labels_to_decision=to_decision,
        cost_to_decision=None if price is None or to_decision is None else round(to_decision * price, 2),
        beyond=beyond,
        currency=protocol.labels.currency,
        ended=state.ended,
        ended_because=why_ended(state),
        ended_at=state.ended_at,
        protocol=protocol.to_dict(),
        labels_set_aside=state.set_aside,
        paused=state.paused,
    )
