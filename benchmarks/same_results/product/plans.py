"""`tiebreak.planning`."""

from __future__ import annotations

from typing import Any

from benchmarks.same_results.product.plain import named, own_rule, pair_name, taken
from benchmarks.same_results.records import Forecast, Record

from tiebreak.data.study import Study
from tiebreak.planning.assumptions import Assumptions, PlanSettings
from tiebreak.planning.pilot import read_pilot
from tiebreak.planning.plan import plan, plan_from_pilot
from tiebreak.planning.records import PlanResult


def planned(asked: Forecast) -> Record:
    """What a comparison will cost, from assumptions."""
    assumed = Assumptions(asked.difference, asked.ties, asked.agreement, asked.systems, asked.pairs, asked.correlation)
    return _plan(plan(assumed, _plan_settings(asked)))


def planned_from(study: Study, criterion: str | None, baseline: str | None, asked: Forecast) -> Record:
    """What a new comparison will cost, from a pilot."""
    pilot = read_pilot(study, criterion, baseline)
    return {
        "pilot": taken(pilot, systems="systems", agreement="agreement", seconds="seconds", price="price", ties="ties"),
        **_plan(plan_from_pilot(pilot, _plan_settings(asked))),
    }


def _plan_settings(asked: Forecast) -> PlanSettings:
    return PlanSettings(
        alpha=asked.alpha,
        margin=asked.margin,
        target=asked.target,
        number_of_items=asked.pool,
        price=asked.price,
        seconds=asked.seconds,
        max_money=asked.money_budget,
        max_labels=asked.label_budget,
        labelling=asked.labelling,
    )


def _plan(result: PlanResult) -> Record:
    budget = result.budget
    return {
        **taken(result, systems="number_of_systems", number_of_pairs="number_of_pairs"),
        **taken(result, agreement_known="agreement_known"),
        "rates": taken(result.rates, difference="difference", ties="ties", agreement="agreement"),
        "rows": named((f"{row.policy} {_rule_name(row.rule)}", _plan_row(row)) for row in result.rows),
        "pairs": named((pair_name(pair), _plan_pair(pair)) for pair in result.pair_plans),
        "power": named(
            (f"{k} {curve.difference:g}", taken(curve, answers="labels", chances="chances"))
            for k, curve in enumerate(result.curves)
        ),
        "reach": [[reach.labels, reach.difference] for reach in result.reach],
        "budget": None if budget is None else taken(budget, labels="labels", share="share"),
    }


def _rule_name(name: str) -> str:
    """This check's name of a rule, with what the product adds to the name after a comma."""
    theirs, comma, more = name.partition(",")
    return own_rule(theirs) + comma + more


def _plan_row(row: Any) -> Record:
    return {
        **_ranges(row, items="items", answers="labels", total="total", money="money", hours="hours", days="days"),
        **taken(row, planned="planned", right="right", wrong="wrong"),
    }


def _plan_pair(pair: Any) -> Record:
    return {
        **taken(pair, items="pilot_items", difference="difference", low="low", high="high"),
        **_ranges(pair, answers="labels"),
        **taken(pair, right="right"),
    }


def _ranges(source: Any, /, **fields: str) -> Record:
    return {own: _range(getattr(source, theirs)) for own, theirs in fields.items()}


def _range(found: Any) -> Record | None:
    return None if found is None else taken(found, mean="mean", low="low", high="high", open="open")
