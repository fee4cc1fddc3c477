"""Whether a campaign can decide anything: enough items for every pair, and a budget that reaches a verdict.

Whether a campaign of ratings can find out what it is asked: enough items, and a budget that reaches the width.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final, NamedTuple

from tiebreak.campaign.plan import CampaignPlan, Measure, TrackPlan
from tiebreak.campaign.protocol_parts import ProtocolError
from tiebreak.numbers import counted, number
from tiebreak.records import UnitValue
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import MeasureFacts, Units

_PAIRS_SHOWN: Final = 10
_PAIRS_TRIED: Final = 30  # in a row that would be decided
_MOST_TRIED: Final = 4_096  # items; wins throughout decide far below, at any alpha that means something


def check_can_decide(plan: CampaignPlan) -> None:
    """Refuse a campaign in which not even wins throughout would decide every pair, within items or budget.

    Raises:
        ProtocolError: pairs with too few items, all of them named, or a budget that ends before a verdict.
    """
    protocol, pairs = plan.protocol, plan.pairs
    if RULES[protocol.decision.rule].needs_items_per_pair:
        _check_pays_for_all(plan)
    if RULES[protocol.decision.rule].needs_metric:  # what a posterior needs depends on the metric
        return
    labels, short = [], []
    for k, needed in _units_to_decide(plan).items():
        if needed is None:
            short.append(pairs[k])
        else:
            labels.append((sum(map(sum, pairs[k].needs[:needed])) * plan.least_labels, k))
    if short:
        raise _too_few_items(plan, sorted(short, key=_asked))
    least, first = min(labels)
    if protocol.most_labels is not None and protocol.most_labels < least:
        raise protocol.pays_too_little(
            f"; {pairs[first].system_a} and {pairs[first].system_b} need {least:,} at alpha "
            f"{protocol.decision.alpha:g} with {counted(len(pairs), 'pair')} even if one system wins every time: raise "
            "it, or compare fewer pairs"
        )


def _units_to_decide(plan: CampaignPlan) -> dict[int, int | None]:
    """By number of the pair, its units until a verdict if all answers are the same; None if they are too few.

    Items with identical outputs are the ties that they are. Pairs come by what can be asked about, the least first;
    where many in a row would be decided, so would those with more, which are left out.
    """
    protocol, pairs, rule_plans = plan.protocol, plan.pairs, plan.rule_plans
    decision, rule = protocol.decision, RULES[protocol.decision.rule]
    with_metric = bool(decision.metrics or decision.judges)
    answers = [1.0, *[-1.0] * with_metric, *[0.0] * (decision.margin is not None)]  # a metric may favour a side
    if rule.needs_items_per_pair:
        found = set().union(*[_decided_together(plan, answer) for answer in answers])
        return {k: pair.most_units if k in found else None for k, pair in enumerate(pairs)}
    started = [rule.start(one) for one in rule_plans]
    needed: dict[int, int | None] = {}
    alike: dict[object, int | None] = {}  # without a metric pairs differ by what is asked only
    in_a_row = 0
    for k in sorted(range(len(pairs)), key=lambda k: _asked(pairs[k])):
        what = k if with_metric else (pairs[k].needs, pairs[k].most_units, pairs[k].identical)
        if what not in alike:
            units = None
            for answer in answers:
                values = _values(pairs[k], answer)[:units]
                sooner = rule.units_to_decide(rule_plans, started, values, decision, k)
                units = units if sooner is None else sooner
                if units is not None and protocol.most_labels is None:
                    break  # how many does not matter
            alike[what] = units
        needed[k] = alike[what]
        in_a_row = 0 if needed[k] is None else in_a_row + 1
        if in_a_row == _PAIRS_TRIED:
            break
    return needed


def _decided_together(plan: CampaignPlan, answer: float) -> set[int]:
    """The pairs on which a rule that looks once, at the end of all, then has a verdict."""
    rule = RULES[plan.protocol.decision.rule]
    states = [
        rule.advance(one, rule.start(one), Units.of(_values(pair, answer)))[0]
        for one, pair in zip(plan.rule_plans, plan.pairs, strict=True)
    ]
    return set(rule.decide(plan.rule_plans, states, plan.protocol.decision, len(states) - 1))


def _values(pair: TrackPlan, answer: float) -> list[UnitValue]:
    """Of the units that may get labels, if all of these say the same: the mean with the ties that are known."""
    return [UnitValue.labelled(answer * sum(unit) / len(unit)) for unit in pair.needs[: pair.most_units]]


def _asked(pair: TrackPlan) -> int:
    """Units of a pair about which somebody may be asked."""
    return sum(map(any, pair.needs[: pair.most_units]))


def _check_pays_for_all(plan: CampaignPlan) -> None:
    """A rule that looks once, at the end, must be able to get there."""
    protocol = plan.protocol
    items = sum(sum(map(sum, track.needs[: track.most_units])) for track in plan.tracks)
    needed = items * protocol.most_labels_per_item
    if protocol.most_labels is not None and protocol.most_labels < needed:
        raise protocol.pays_too_little(
            f", but the rule {protocol.decision.rule} decides nothing before all {items:,} items of "
            f"{counted(len(plan.pairs), 'pair')} are labelled, which may take {needed:,}"
        )


# ---- too few items ---------------------------------------------------------------------------------------------


def _too_few_items(plan: CampaignPlan, short: Sequence[TrackPlan]) -> ProtocolError:
    """Every short pair with what it has, the shortest first, what it would need, and what to do about it."""
    protocol = plan.protocol
    limited = [pair for pair in short if pair.limited]
    listed = [f"{pair.system_a} and {pair.system_b} {_asked(pair):,}" for pair in short[:_PAIRS_SHOWN]]
    if len(short) > len(listed):
        listed.append(f"{len(short) - len(listed):,} more")
    what = "clusters of items" if any(pair.starts.size - 1 < pair.order.size for pair in short) else "items"
    least = _least_units(plan, short[-1])
    need = "" if least is None else f"; a pair needs {least:,} or more"
    key = "systems"
    if limited:
        key = protocol.tightest_budget if protocol.pays_for_fewer(len(plan.tracks)) else "budget.items_per_pair"
    fewer = ", or compare fewer pairs" if len(plan.pairs) > 1 else ""
    return ProtocolError(
        key,
        protocol.setting(key) if limited else None,
        f"{counted(len(short), 'pair')} of {len(plan.pairs):,} cannot be decided at alpha "
        f"{protocol.decision.alpha:g}, not even if one system won every time: too few {what} with different outputs "
        f"({', '.join(listed)}){need}. "
        f"{'Raise this' if limited else 'Add outputs of both systems on more items'}{fewer}",
    )


def _least_units(plan: CampaignPlan, longest: TrackPlan) -> int | None:
    """Units from which wins throughout decide one of that many pairs, more than the longest of the short ones has.

    None with a metric, which may change it, where known ties do, or beyond all that is tried.
    """
    low, pool = _asked(longest), len(longest.needs)
    decision, ties = plan.protocol.decision, low < longest.most_units
    rule = RULES[decision.rule]
    if decision.metrics or decision.judges or (ties and not rule.plans_items) or _wins_decide(plan, low, pool):
        return None
    high = low + 1
    while not _wins_decide(plan, high, pool):
        low, high = high, 2 * high
        if high > _MOST_TRIED:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _wins_decide(plan, middle, pool) else (middle, high)
    return high


def _wins_decide(plan: CampaignPlan, units: int, pool: int) -> bool:
    """Whether wins throughout would decide a pair of so many units of a pool, all of them asked about, beside pairs
    without evidence (or, where all are decided together, with the same).
    """
    decision, count = plan.protocol.decision, len(plan.pairs)
    rule = RULES[decision.rule]
    of_items = decision.target == "items"
    pool_size = max(units, pool) if of_items else None
    facts = MeasureFacts(units, pool_size=pool_size, batch=plan.protocol.pairs.batch, intervals=False)
    plans = rule.prepare([facts] * count, decision)
    started = [rule.start(one) for one in plans]
    wins = itertools.repeat(UnitValue.labelled(1.0), units)
    if rule.needs_items_per_pair:
        labelled, _ = rule.advance(plans[0], started[0], Units.of(wins))
        return 0 in rule.decide(plans, [labelled] * count, decision, 0)
    return rule.units_to_decide(plans, started, wins, decision, 0) is not None


_BEST: Final = UnitValue.labelled(1.0)
"""Ratings that all are the best leave the least open: they do not vary, and nothing lies above them."""


class _Reached(NamedTuple):
    """Units until the width is reached, None where they do not suffice; `half_width` on [-1, 1] with all of them."""

    units: int | None
    half_width: float


def check_can_reach(plan: CampaignPlan) -> None:
    """Refuse a campaign that could not reach its widths even if all ratings were alike, within items or budget.

    Raises:
        ProtocolError: a half-width that the items or the budget cannot reach; it says which they can.
    """
    tried: dict[tuple[int, float | None], _Reached] = {}
    least = [0] * len(plan.tracks)  # units of each track that somebody has to rate
    for number_of, measure in enumerate(plan.measures):
        key = (measure.most_units, measure.half_width)
        if key not in tried:
            tried[key] = _tried(plan, number_of)
        if tried[key].units is None:
            raise _too_few(plan, measure, tried[key].half_width)
        for k in measure.tracks:
            least[k] = max(least[k], tried[key].units or 0)
    labels = sum(least) * plan.least_labels
    if plan.protocol.most_labels is not None and plan.protocol.most_labels < labels:
        raise plan.protocol.pays_too_little(
            f"; even if all ratings were alike, {labels:,} are needed: raise it, ask for a larger half-width, or for "
            "fewer systems"
        )


def _tried(plan: CampaignPlan, number_of: int) -> _Reached:
    measure, rule = plan.measures[number_of], RULES[plan.protocol.decision.rule]
    states, decision = [rule.start(one) for one in plan.rule_plans], plan.protocol.decision
    best = [_BEST] * measure.most_units
    units = rule.units_to_decide(plan.rule_plans, states, best, decision, number_of)
    if units is not None:
        return _Reached(units, 0.0)
    states[number_of], _ = rule.advance(plan.rule_plans[number_of], states[number_of], Units.of(best))
    summary = rule.summary(plan.rule_plans, states, decision)[number_of]
    return _Reached(None, (summary.high - summary.low) / 2)


def _too_few(plan: CampaignPlan, measure: Measure, reached: float) -> ProtocolError:
    """Which items are too few, and what they could reach."""
    of = plan.protocol.rated_criteria[measure.part]
    names = " and ".join(measure.systems)
    points = reached * (of.high - of.low) / (2 if len(measure.tracks) == 1 else 1)
    what = "the mean of" if len(measure.tracks) == 1 else "the difference of"
    limited = any(plan.tracks[k].limited for k in measure.tracks)
    cure = "raise items_per_system" if limited else "add items"
    if measure.half_width is None:
        return ProtocolError(
            "ratings.items_per_system" if limited else "systems",
            None,
            f"{what} {names} on {of.name} has {counted(measure.most_units, 'item')}, which decide nothing even if one "
            f"system gets the best rating and the other the worst on all of them: {cure}",
        )
    asked = measure.half_width * (of.high - of.low) / (2 if len(measure.tracks) == 1 else 1)
    return ProtocolError(
        "ratings.half_width",
        asked,
        f"cannot be reached: even if all ratings were alike, {what} {names} on {of.name} would be known to "
        f"{number(points)} after {counted(measure.most_units, 'item')}; {cure}, or ask for a larger half-width",
    )
