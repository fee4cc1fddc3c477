"""Whether a campaign of ratings can find out what it is asked: enough items, and a budget that reaches the width."""

from __future__ import annotations

from typing import Final, NamedTuple

from tiebreak.campaign.plan import Measure, Plan
from tiebreak.campaign.protocol import ProtocolError
from tiebreak.campaign.rating_checks import rated_criteria
from tiebreak.campaign.stopping import STOPPING_RULES
from tiebreak.records import UnitValue
from tiebreak.results.numbers import counted, number

_BEST: Final = UnitValue.labelled(1.0)
"""Ratings that all are the best leave the least open: they do not vary, and nothing lies above them."""


class _Reached(NamedTuple):
    """Units until the width is reached, None where they do not suffice; `half_width` on [-1, 1] with all of them."""

    units: int | None
    half_width: float


def check_can_reach(plan: Plan) -> None:
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
    most = plan.protocol.most_labels
    if most is not None and most < labels:
        raise ProtocolError(
            plan.protocol.tightest_budget,
            most,
            f"pays for {counted(most, 'rating')}; even if all were alike, {labels:,} are needed: raise it, ask for a "
            "larger half-width, or for fewer systems",
        )


def _tried(plan: Plan, number_of: int) -> _Reached:
    measure, rule = plan.measures[number_of], STOPPING_RULES[plan.protocol.decision.rule]
    evidence = [rule.start(one) for one in plan.rule_plans]
    for unit in range(measure.most_units):
        evidence[number_of] = rule.advance(plan.rule_plans[number_of], evidence[number_of], _BEST)
        if number_of in rule.decide(plan.rule_plans, evidence, plan.protocol.decision, number_of):
            return _Reached(unit + 1, 0.0)
    summary = rule.summary(plan.rule_plans, evidence, plan.protocol.decision)[number_of]
    return _Reached(None, (summary.high - summary.low) / 2)


def _too_few(plan: Plan, measure: Measure, reached: float) -> ProtocolError:
    """Which items are too few, and what they could reach."""
    of = rated_criteria(plan.protocol)[measure.criterion]
    names = " and ".join(name for k in measure.tracks for name in plan.tracks[k].systems)
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
