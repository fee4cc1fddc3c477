"""What a campaign knows now: a verdict per pair, intervals, what is still missing, and the order of the systems."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from tiebreak.campaign.state import END_REASONS, PairState, State
from tiebreak.campaign.stopping import STOPPING_RULES, Summary
from tiebreak.campaign.terms import campaign_terms
from tiebreak.kernels.stopping_estimate import estimate_at_stop
from tiebreak.records import Verdict
from tiebreak.results.curves import EvidenceCurve
from tiebreak.results.order import order_of
from tiebreak.results.progress import CampaignProgress
from tiebreak.results.records import LEAST_UNITS, CompareResult, CriterionResult, Difference, PairResult, e_value
from tiebreak.results.words import paper_sentence
from tiebreak.rules import projection
from tiebreak.rules.anytime import Priors
from tiebreak.rules.sequence import ValueSequence

_NO_CURVES: Mapping[int, EvidenceCurve] = {}


def verdicts(state: State, curves: Mapping[int, EvidenceCurve] = _NO_CURVES) -> CompareResult:
    """What the labels so far amount to. May be asked for at any time; it changes nothing.

    `curves`: how the evidence of each pair grew, by its number (`campaign.curves`). Names of people are in the result,
    why somebody stopped the campaign is not: the state does not keep it.
    """
    protocol = state.protocol
    rule = STOPPING_RULES[protocol.decision.rule]
    evidence = [pair.evidence for pair in state.pairs]
    summaries = rule.summary(state.plan.rule_plans, evidence, protocol.decision)
    priors, terms = Priors.default(), campaign_terms(state.plan)
    pairs = tuple(_pair_result(state, k, summary, priors, curves.get(k)) for k, summary in enumerate(summaries))
    people = tuple(sorted(name for name, person in state.annotators.items() if person.labels))
    labels = sum(pair.labels for pair in pairs)
    found = CriterionResult(
        criterion=protocol.criterion,
        pairs=pairs,
        order=order_of(state.plan.systems, [(pair.system_a, pair.system_b, pair.verdict, pair.also) for pair in pairs]),
        annotators=people,
        labels=labels,
        agreement=(),
        advice=(),
        sentence=paper_sentence(
            pairs, terms, criterion=protocol.criterion, from_ratings=False, people=len(people), labels=labels
        ),
    )
    return CompareResult(
        study={
            "name": "campaign",
            "fingerprint": state.plan.study,
            "systems": sorted(state.plan.systems),
            "items": _items_seen(state),
            "price_per_label": protocol.labels.price,
            "currency": protocol.labels.currency,
        },
        terms=terms,
        results=(found,),
        campaign=_progress(state, pairs),
    )


def _items_seen(state: State) -> int:
    """Different items in the evidence of any pair."""
    seen = [plan.order[: plan.starts[pair.done]] for plan, pair in zip(state.plan.pairs, state.pairs, strict=True)]
    return int(np.unique(np.concatenate(seen)).size)


def _progress(state: State, pairs: tuple[PairResult, ...]) -> CampaignProgress:
    protocol = state.protocol
    price, most = protocol.labels.price, protocol.most_labels
    missing = [pair.labels_to_decision for pair in pairs]
    known = [count for count in missing if count is not None]
    to_decision = sum(known) if len(known) == len(missing) else None
    return CampaignProgress(
        labels=state.labels,
        labels_waiting=sum(len(item.answers) for pair in state.pairs for items in pair.open.values() for item in items),
        late=state.late,
        labels_out=len(state.tasks),
        labels_left=None if most is None else max(0, most - state.labels),
        cost=None if price is None else round(state.labels * price, 2),
        labels_to_decision=to_decision,
        cost_to_decision=None if price is None or to_decision is None else round(to_decision * price, 2),
        currency=protocol.labels.currency,
        ended=state.ended,
        ended_because=None if state.ended is None else END_REASONS[state.ended],
        ended_at=state.ended_at,
        protocol=protocol.to_dict(),
    )


def _pair_result(state: State, k: int, summary: Summary, priors: Priors, curve: EvidenceCurve | None) -> PairResult:
    plan, pair, price = state.plan.pairs[k], state.pairs[k], state.protocol.labels.price
    clustered = plan.starts.size - 1 < plan.order.size
    further = _further_items(state, k, summary, priors)
    labels_per_item = pair.done_labels / pair.items if pair.done_labels else 1.0
    further_labels = None if further is None else math.ceil(further * labels_per_item)
    return PairResult(
        system_a=plan.system_a,
        system_b=plan.system_b,
        verdict=pair.verdict,
        also=_also(pair, summary),
        items=pair.items,
        labels=pair.done_labels,
        units=pair.done,
        identical=plan.identical,
        clusters=pair.done if clustered else None,
        items_to_decision=further,
        labels_to_decision=further_labels,
        cost_to_decision=None if price is None or further_labels is None else round(further_labels * price, 2),
        stopped_at=None if pair.decided_at is None else int(plan.starts[pair.decided_at]),
        labels_at_stop=pair.decided_labels,
        wins=pair.wins,
        ties=pair.ties,
        losses=pair.losses,
        difference=Difference(_estimate(state, k, summary), summary.low, summary.high, summary.validity),
        e_a=None if summary.log_e_a is None else e_value(summary.log_e_a),
        e_b=None if summary.log_e_b is None else e_value(summary.log_e_b),
        e_equivalent=None if summary.log_e_equivalent is None else e_value(summary.log_e_equivalent),
        p_value=summary.p_value,
        theta=summary.theta,
        mean_p=summary.mean_p,
        k_hat=summary.k_hat,
        flags=(*summary.flags, *_over(state, pair)),
        p_interval=summary.p_interval,
        abandoned=pair.abandoned,
        waiting=sum(len(unit) for unit in pair.open.values()),
        exhausted=pair.done >= plan.most_units,
        budget_left=_items_left(state, k),
        curve=curve,
    )


def _over(state: State, pair: PairState) -> tuple[str, ...]:
    """The flag of a pair that will stay undecided."""
    return ("campaign-over",) if state.ended is not None and pair.verdict == "undecided" else ()


def _items_left(state: State, k: int) -> int | None:
    """Items that somebody may still be asked about under the limit per pair; None without one."""
    if state.protocol.budget.items_per_pair is None:
        return None
    plan = state.plan.pairs[k]
    return sum(map(sum, plan.needs[state.pairs[k].done : plan.most_units]))


def _estimate(state: State, k: int, summary: Summary) -> float | None:
    """Stopping at a verdict is stopping on a lucky streak: the estimate is shrunk, unless the rule has its own."""
    pair = state.pairs[k]
    if pair.done < LEAST_UNITS:
        return None
    if summary.variance is None or pair.verdict not in ("a", "b"):
        return summary.estimate
    pool, scale = _pool(state, k)
    return scale * estimate_at_stop(summary.estimate / scale, summary.variance, pair.done, pool)


def _pool(state: State, k: int) -> tuple[int | None, float]:
    """For a claim about these items: how many have different outputs, and their share of all; else None and 1."""
    if state.protocol.decision.target != "items":
        return None, 1.0
    plan = state.plan.pairs[k]
    return int(plan.order.size), plan.order.size / (plan.order.size + plan.identical)


def _also(pair: PairState, summary: Summary) -> Verdict | None:
    reached = summary.log_e_equivalent, summary.log_threshold_equivalent
    if pair.verdict in ("a", "b") and reached[0] is not None and reached[1] is not None and reached[0] >= reached[1]:
        return "equivalent"
    return None


def _further_items(state: State, k: int, summary: Summary, priors: Priors) -> int | None:
    """Items until a verdict if the shares of wins, ties and losses stay; None for rules without evidence, and
    after the end.
    """
    pair = state.pairs[k]
    if pair.verdict != "undecided":
        return 0
    if summary.log_threshold is None or not pair.done or state.ended is not None:
        return None
    thresholds, margin = (summary.log_threshold, summary.log_threshold_equivalent), state.protocol.decision.margin
    units = projection.units_to_verdict(_like_so_far(state, k, summary), *thresholds, margin, priors)
    return None if units is None else max(1, round(units * pair.items / pair.done))


def _like_so_far(state: State, k: int, summary: Summary) -> ValueSequence:
    """Units like those that are done: their values, or for clusters two values with the same mean and variance."""
    pair = state.pairs[k]
    pool, scale = _pool(state, k)
    if pair.items == pair.done or summary.variance is None:
        values = np.repeat([1.0, 0.0, -1.0], [pair.wins, pair.ties, pair.losses + pair.abandoned])
    else:
        spread = math.sqrt(summary.variance)
        values = np.clip(summary.estimate + spread * np.resize([1.0, -1.0], pair.done), -1.0, 1.0)
    return ValueSequence.complete(values, pool, scale)
