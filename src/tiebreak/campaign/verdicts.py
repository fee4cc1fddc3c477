"""What a campaign knows now: a verdict per pair, intervals, what is still missing, and the order of the systems."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tiebreak.campaign.state import END_REASONS, EndReason, PairState, State
from tiebreak.campaign.stopping import STOPPING_RULES, Summary
from tiebreak.kernels.partial_order import partial_order
from tiebreak.kernels.stopping_estimate import estimate_at_stop
from tiebreak.records import Verdict
from tiebreak.rules import projection
from tiebreak.rules.anytime import Priors
from tiebreak.rules.sequence import ValueSequence

_LARGEST_LOG_E = math.log(1e300)


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """One pair. `verdict` stands once reached; `also`: "equivalent", where a pair that is decided for one side is shown
    to be closer than the margin too.

    `items`: done in the sealed order (`wins`, `ties`, `losses` of a; `abandoned`), `waiting`: complete or under way
    beyond a gap, not evidence yet. `labels`: answers on the pair; `decided_at`, `decided_labels`: units (items, or
    clusters of them) and labels at the verdict. `estimate` of P(a preferred) - P(b preferred), after a verdict with the
    bias of stopping at it shrunk away, None without labels; `low`, `high`: its interval; `validity`: when that holds.
    `e_a`, `e_b`, `e_equivalent`: largest evidence, capped at 1e300. `items_to_decision`, `labels_to_decision`: a
    projection, 0 once decided, None without an end in sight. `exhausted`: no items are left.
    """

    system_a: str
    system_b: str
    verdict: Verdict
    also: Verdict | None
    items: int
    waiting: int
    identical: int
    wins: int
    ties: int
    losses: int
    abandoned: int
    labels: int
    decided_at: int | None
    decided_labels: int | None
    estimate: float | None
    low: float
    high: float
    validity: str
    e_a: float | None
    e_b: float | None
    e_equivalent: float | None
    theta: float | None
    p_value: float | None
    items_to_decision: int | None
    labels_to_decision: int | None
    exhausted: bool


@dataclass(frozen=True, slots=True)
class CampaignVerdicts:
    """All pairs, the order of the systems, and what was spent.

    `tiers`: best first; being in one tier means "no decided order". `edges`: (winner, loser); `cycles`: contradictions.
    `labels`: answers received and paid, `late` ones among them; `labels_left` and `cost` are None without a budget or
    a price. `guarantee`: what the verdicts promise, to complete "Verdicts ...", by the rule and the correction for many
    pairs. `ended`: why it is over, in a word (None while it runs) and in a sentence.
    """

    pairs: tuple[PairVerdict, ...]
    tiers: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[str, str], ...]
    equivalences: tuple[tuple[str, str], ...]
    cycles: tuple[tuple[str, ...], ...]
    labels: int
    late: int
    labels_out: int
    labels_left: int | None
    cost: float | None
    cost_to_decision: float | None
    currency: str
    guarantee: str
    ended: EndReason | None
    ended_because: str | None

    @property
    def undecided(self) -> int:
        """Number of pairs without a verdict."""
        return sum(pair.verdict == "undecided" for pair in self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON-serialisable values."""
        return asdict(self)


def verdicts(state: State) -> CampaignVerdicts:
    """What the labels so far amount to. May be asked for at any time; it changes nothing."""
    protocol = state.protocol
    rule = STOPPING_RULES[protocol.decision.rule]
    evidence = [pair.evidence for pair in state.pairs]
    summaries = rule.summary(state.plan.rule_plans, evidence, protocol.decision)
    priors = Priors.default()
    pairs = tuple(_pair_verdict(state, k, summary, priors) for k, summary in enumerate(summaries))
    order = _order(state, pairs)
    price, most = protocol.labels.price, protocol.most_labels
    missing = [pair.labels_to_decision for pair in pairs]
    known = [count for count in missing if count is not None]
    return CampaignVerdicts(
        pairs=pairs,
        **order,
        labels=state.labels,
        late=state.late,
        labels_out=len(state.tasks),
        labels_left=None if most is None else max(0, most - state.labels),
        cost=None if price is None else round(state.labels * price, 2),
        cost_to_decision=None if price is None or len(known) < len(missing) else round(sum(known) * price, 2),
        currency=protocol.labels.currency,
        guarantee=rule.guarantee(protocol.decision),
        ended=state.ended,
        ended_because=None if state.ended is None else END_REASONS[state.ended],
    )


def _pair_verdict(state: State, k: int, summary: Summary, priors: Priors) -> PairVerdict:
    plan, pair = state.plan.pairs[k], state.pairs[k]
    exhausted = pair.done >= plan.most_units
    further = _further_items(state, k, summary, priors)
    labels_per_item = pair.done_labels / pair.items if pair.done_labels else 1.0
    return PairVerdict(
        system_a=plan.system_a,
        system_b=plan.system_b,
        verdict=pair.verdict,
        also=_also(pair, summary),
        items=pair.items,
        waiting=sum(len(unit) for unit in pair.open.values()),
        identical=plan.identical,
        wins=pair.wins,
        ties=pair.ties,
        losses=pair.losses,
        abandoned=pair.abandoned,
        labels=pair.labels,
        decided_at=pair.decided_at,
        decided_labels=pair.decided_labels,
        estimate=_estimate(state, k, summary),
        low=summary.low,
        high=summary.high,
        validity=summary.validity,
        e_a=_capped(summary.log_e_a),
        e_b=_capped(summary.log_e_b),
        e_equivalent=_capped(summary.log_e_equivalent),
        theta=summary.theta,
        p_value=summary.p_value,
        items_to_decision=further,
        labels_to_decision=None if further is None else math.ceil(further * labels_per_item),
        exhausted=exhausted,
    )


def _estimate(state: State, k: int, summary: Summary) -> float | None:
    """Stopping at a verdict is stopping on a lucky streak: the estimate is shrunk, unless the rule has its own."""
    pair = state.pairs[k]
    if math.isnan(summary.estimate):
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
    """Items until a verdict if the shares of wins, ties and losses stay; None for rules without evidence."""
    pair = state.pairs[k]
    if pair.verdict != "undecided":
        return 0
    if summary.log_threshold is None or not pair.done:
        return None
    sequence = _like_so_far(state, k, summary)
    side = 1 if sequence.mean >= 0 else -1
    needs = [projection.further_units(sequence, summary.log_threshold, 0.0, side, priors)]
    margin, threshold = state.protocol.decision.margin, summary.log_threshold_equivalent
    if margin is not None and threshold is not None:
        sides = [projection.further_units(sequence, threshold, -margin, direction, priors) for direction in (1, -1)]
        both = [need for need in sides if need is not None]
        needs.append(max(both) if len(both) == len(sides) else None)
    found = [need for need in needs if need is not None]
    return max(1, round(min(found) * pair.items / pair.done)) if found else None


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


def _order(state: State, pairs: tuple[PairVerdict, ...]) -> dict[str, Any]:
    names = sorted(state.plan.systems)
    number = {name: k for k, name in enumerate(names)}
    better = [
        (number[pair.system_a], number[pair.system_b])
        if pair.verdict == "a"
        else (number[pair.system_b], number[pair.system_a])
        for pair in pairs
        if pair.verdict in ("a", "b")
    ]
    equal = [
        (number[pair.system_a], number[pair.system_b]) for pair in pairs if "equivalent" in (pair.verdict, pair.also)
    ]
    found = partial_order(len(names), better, equal)
    return {
        "tiers": tuple(tuple(names[k] for k in tier) for tier in found.tiers),
        "edges": tuple((names[i], names[j]) for i, j in found.edges),
        "equivalences": tuple((names[i], names[j]) for i, j in found.equivalences),
        "cycles": tuple(tuple(names[k] for k in cycle) for cycle in found.cycles),
    }


def _capped(log_e: float | None) -> float | None:
    return None if log_e is None else math.exp(min(log_e, _LARGEST_LOG_E))
