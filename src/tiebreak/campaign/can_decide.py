"""Whether a campaign can decide anything: enough items for every pair, and a budget that reaches a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from tiebreak.campaign.plan import Plan, TrackPlan
from tiebreak.campaign.protocol import Protocol, ProtocolError
from tiebreak.campaign.stopping import STOPPING_RULES, MeasureFacts
from tiebreak.records import UnitValue

_PAIRS_SHOWN: Final = 10
_MOST_TRIED: Final = 4_096  # items; wins throughout decide far below, at any alpha that means something


def check_can_decide(plan: Plan) -> None:
    """Refuse a campaign in which not even wins throughout would decide every pair, within items or budget.

    Raises:
        ProtocolError: pairs with too few items, all of them named, or a budget that ends before a verdict.
    """
    protocol, pairs, least_labels = plan.protocol, plan.tracks, plan.least_labels
    if STOPPING_RULES[protocol.decision.rule].needs_items_per_pair:
        _check_pays_for_all(protocol, pairs)
    if protocol.decision.rule == "posterior" and (protocol.decision.metrics or protocol.decision.judges):
        return  # what it needs depends on the metric; ten labels are its least
    shortest = min(range(len(pairs)), key=lambda k: pairs[k].most_units)
    needed = _units_to_decide(plan, shortest)
    if needed is None:
        raise _too_few_items(plan)
    names = f"{pairs[shortest].system_a} and {pairs[shortest].system_b}"
    labels = sum(map(sum, pairs[shortest].needs[:needed])) * least_labels
    if protocol.most_labels is not None and protocol.most_labels < labels:
        raise ProtocolError(
            protocol.tightest_budget,
            setting_of(protocol, protocol.tightest_budget),
            f"pays for {protocol.most_labels:,} labels; {names} need {labels:,} at alpha {protocol.decision.alpha:g} "
            f"with {_pairs(len(pairs))} even if one system wins every time: raise it, or compare fewer pairs",
        )


def setting_of(protocol: Protocol, key: str) -> object:
    """The value of a setting by its key, such as `decision.metrics`."""
    value: object = protocol
    for part in key.split("."):
        value = getattr(value, part)
    return value


def _units_to_decide(plan: Plan, number: int) -> int | None:
    """Units of a pair until a verdict, if one system wins throughout; None if they are too few."""
    protocol, pairs, rule_plans = plan.protocol, plan.tracks, plan.rule_plans
    rule = STOPPING_RULES[protocol.decision.rule]
    together = range(len(pairs)) if rule.needs_items_per_pair else (number,)
    evidence = [rule.start(plan) for plan in rule_plans]
    for unit in range(max(pairs[k].most_units for k in together)):
        for k in together:
            if unit < pairs[k].most_units:
                evidence[k] = rule.advance(rule_plans[k], evidence[k], UnitValue.labelled(1.0))
        if number in rule.decide(rule_plans, evidence, protocol.decision, number):
            return min(unit + 1, pairs[number].most_units)
    return None


def _check_pays_for_all(protocol: Protocol, pairs: Sequence[TrackPlan]) -> None:
    """A rule that looks once, at the end, must be able to get there."""
    items = sum(sum(map(sum, pair.needs[: pair.most_units])) for pair in pairs)
    needed = items * protocol.most_labels_per_item
    if protocol.most_labels is not None and protocol.most_labels < needed:
        raise ProtocolError(
            protocol.tightest_budget,
            setting_of(protocol, protocol.tightest_budget),
            f"pays for {protocol.most_labels:,} labels, but the rule {protocol.decision.rule} decides nothing before "
            f"all {items:,} items of {len(pairs)} pairs are labelled, which may take {needed:,}",
        )


# ---- too few items ---------------------------------------------------------------------------------------------


def _too_few_items(plan: Plan) -> ProtocolError:
    """Every short pair with what it has, what it would need, and what to do about it."""
    protocol, short = plan.protocol, _short_pairs(plan)
    limit = protocol.budget.items_per_pair
    limited = [pair for pair in short if pair.limited]
    listed = [f"{pair.system_a} and {pair.system_b} {pair.most_units:,}" for pair in short[:_PAIRS_SHOWN]]
    if len(short) > len(listed):
        listed.append(f"{len(short) - len(listed):,} more")
    what = "clusters of items" if any(pair.starts.size - 1 < pair.order.size for pair in short) else "items"
    least = _least_units(plan, short[-1])
    need = "" if least is None else f"; a pair needs {least:,} or more"
    return ProtocolError(
        "budget.items_per_pair" if limited else "only_pairs" if protocol.only_pairs else "systems",
        limit if limited else None,
        f"{_pairs(len(short))} of {len(plan.tracks):,} cannot be decided at alpha {protocol.decision.alpha:g}, not "
        f"even if one system won every time: too few {what} ({', '.join(listed)}){need}. "
        f"{_advice(plan, short, limited)}",
    )


def _short_pairs(plan: Plan) -> list[TrackPlan]:
    """All that cannot be decided, the shortest first; pairs of one size are alike, and longer ones decide no later."""
    sizes = sorted({pair.most_units for pair in plan.tracks})
    longest_short = sizes[0]
    for size in sizes[1:]:
        number = next(k for k, pair in enumerate(plan.tracks) if pair.most_units == size)
        if _units_to_decide(plan, number) is not None:
            break
        longest_short = size
    return sorted((pair for pair in plan.tracks if pair.most_units <= longest_short), key=lambda pair: pair.most_units)


def _least_units(plan: Plan, longest: TrackPlan) -> int | None:
    """Units from which wins throughout decide one of that many pairs, more than the longest of the short ones has.

    None with a metric, which may change it, or beyond all that is tried.
    """
    if plan.protocol.decision.metrics or plan.protocol.decision.judges:
        return None
    low, high, pool = longest.most_units, longest.most_units + 1, len(longest.needs)  # `low` is too few
    while not _wins_decide(plan, high, pool):
        low, high = high, 2 * high
        if high > _MOST_TRIED:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _wins_decide(plan, middle, pool) else (middle, high)
    return high


def _wins_decide(plan: Plan, units: int, pool: int) -> bool:
    """Whether wins throughout would decide a pair of so many units of a pool, all of them asked about, beside pairs
    without evidence (or, where all are decided together, with the same).
    """
    decision, count = plan.protocol.decision, len(plan.tracks)
    rule = STOPPING_RULES[decision.rule]
    of_items = decision.target == "items"
    facts = MeasureFacts(units, outcomes_only=True, pool_size=max(units, pool) if of_items else None, scale=1.0,
                      metric=None, metric_outcomes=None)  # fmt: skip
    (one,) = rule.prepare([facts], decision, plan.protocol.pairs.batch)
    grown, others = rule.start(one), [rule.start(one)] * (count - 1)
    for _ in range(units):
        grown = rule.advance(one, grown, UnitValue.labelled(1.0))
        if rule.needs_items_per_pair:
            others = [grown] * (count - 1)
        if 0 in rule.decide([one] * count, [grown, *others], decision, 0):
            return True
    return False


def _advice(plan: Plan, short: Sequence[TrackPlan], limited: Sequence[TrackPlan]) -> str:
    """What would help: only what was set can be set higher, and only several pairs can become fewer."""
    ways = ["raise items_per_pair"] if limited else []
    if len(limited) < len(short):
        ways.append("add outputs of both systems on more items")
    if plan.protocol.only_pairs and len(short) < len(plan.tracks):
        ways.append(f"leave {'this pair' if len(short) == 1 else 'these pairs'} out of only_pairs")
    elif len(plan.tracks) > 1 and not plan.protocol.only_pairs:
        out = _systems_to_leave_out(short, plan.protocol.baseline)
        if len(plan.systems) - len(out) > 1:
            ways.append(f"name the systems to compare without {' and '.join(out)}")
        touched = {name for pair in short for name in (pair.system_a, pair.system_b)}
        never = [name for name in plan.systems if name not in touched]
        if plan.protocol.baseline is None and never:
            ways.append(f"compare all systems with the baseline {never[0]} only")
    return f"Either {', or '.join(ways)}" if len(ways) > 1 else f"{ways[0][0].upper()}{ways[0][1:]}"


def _systems_to_leave_out(short: Sequence[TrackPlan], baseline: str | None) -> list[str]:
    """Systems without which no pair is short: again and again the one that is in most of those left."""
    left, out = [(pair.system_a, pair.system_b) for pair in short], []
    while left:
        often = Counter(name for pair in left for name in pair if name != baseline)
        worst = max(sorted(often), key=lambda name: often[name])
        out.append(worst)
        left = [pair for pair in left if worst not in pair]
    return out


def _pairs(count: int) -> str:
    return f"{count:,} pair" if count == 1 else f"{count:,} pairs"
