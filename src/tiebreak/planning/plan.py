"""`tiebreak plan`: from assumptions or a pilot to what a comparison will cost.

Everything is computed from the power of plans (`rules.power`, or `planning.simulated_power` for other rules).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, TypedDict

import numpy as np

from tiebreak.errors import UsageError
from tiebreak.planning.assumptions import PLANNED, Assumptions, PlanSettings
from tiebreak.planning.budget import budget_answer
from tiebreak.planning.pilot import Pilot
from tiebreak.planning.population import calibrated
from tiebreak.planning.question import Asked, Question, people_plan
from tiebreak.planning.records import PairPlan, PlanResult, PlanRow, PowerCurve, Range, Reach
from tiebreak.rules.power import CHANCE, Endings, outcomes_enough
from tiebreak.simulate.engines.policies import SimulatedLabelling

WITH_METRIC, FIXED = "anytime, metric", "fixed"
"""Rules of rows: a plan with a metric's help, and one look at a fixed number of items."""

_SHOWN_FACTORS: Final = (0.5, 1.0, 2.0)  # of the assumed difference
_LOWEST_CHANCE, _HIGHEST_CHANCE = 0.2, 0.9  # of the numbers of labels that are shown
_FEW, _MANY = 20, 5_000  # numbers of labels that are shown where no difference says which
_ROUND: Final = (1, 2, 5)
_STEPS: Final = 4  # of a curve, between two numbers that are shown
_QUANTILES_OF_ALL, _FEWEST_QUANTILES, _MOST_QUANTILES = 4_000, 9, 101  # of the differences of a pilot's pairs


def plan(assumed: Assumptions, settings: PlanSettings) -> PlanResult:
    """What it costs to decide pairs that are as assumed.

    Raises:
        UsageError: assumptions that no people fulfil, or that no rule can ever decide.
    """
    if assumed.difference == 0 and settings.margin is None:
        raise UsageError("equal systems are never decided; give a --difference, or a --margin to plan for equivalence")
    _check_metric(assumed, settings)
    population = calibrated(assumed.difference, assumed.tie_rate, assumed.agreement)
    if assumed.metric_correlation is not None:
        population.check_correlation(assumed.metric_correlation)
    question = Question(assumed, settings, population, np.array([[population.rates().difference]]))
    rows = _rows(question)
    return PlanResult(
        source=None,
        settings=settings,
        number_of_systems=assumed.number_of_systems,
        number_of_pairs=assumed.number_of_pairs,
        rates=population.rates(),
        agreement_known=assumed.agreement is not None,
        metric_correlation=assumed.metric_correlation,
        rows=rows,
        pair_plans=(),
        **_power(question),
        budget=budget_answer(question),
        people=people_plan(question, assumed.tastes),
    )


def plan_from_pilot(pilot: Pilot, settings: PlanSettings, correlation: float | None = None) -> PlanResult:
    """What a new comparison of the pilot's systems costs, the true differences being as uncertain as the pilot leaves
    them. Share of ties and agreement are those of all its pairs together.

    Raises:
        UsageError: `correlation` was given: a metric's help is planned for one difference.
    """
    if correlation is not None:
        raise UsageError(
            "--metric-correlation needs one --difference, and a pilot leaves its differences uncertain: plan from "
            f"assumptions, such as tiebreak plan --difference 0.1 --tie-rate {pilot.ties:.2f} "
            f"--number-of-pairs {len(pilot.pairs)} --metric-correlation {correlation:g} "
            f"--number-of-items {settings.number_of_items or 'ITEMS'}"
        )
    ties = min(pilot.ties, 0.95)
    quantiles = min(max(_QUANTILES_OF_ALL // len(pilot.pairs), _FEWEST_QUANTILES), _MOST_QUANTILES)
    differences = np.array([pair.likely_differences(quantiles) for pair in pilot.pairs])
    typical = min(float(np.median(np.abs(differences))), 0.8 * (1 - ties))
    try:
        population = calibrated(typical, ties, pilot.agreement)
    except UsageError:  # an agreement that the model does not have with so many ties: the nearest
        population = calibrated(typical, ties)
    assumed = Assumptions(typical, ties, pilot.agreement, len(pilot.systems), len(pilot.pairs))
    question = Question(assumed, settings, population, differences)
    rows = _rows(question)
    return PlanResult(
        source=pilot.name,
        items_a_cluster=pilot.items_a_cluster,
        settings=settings,
        number_of_systems=len(pilot.systems),
        number_of_pairs=len(pilot.pairs),
        rates=population.rates(),
        agreement_known=pilot.agreement is not None,
        metric_correlation=None,
        rows=rows,
        pair_plans=_pair_plans(pilot, question, rows[0]),
        **_power(question),
        budget=budget_answer(question),
        people=people_plan(question, pilot.tastes),
    )


def _check_metric(assumed: Assumptions, settings: PlanSettings) -> None:
    if assumed.metric_correlation is None:
        return
    if settings.rule != PLANNED:
        raise UsageError(f"--metric-correlation needs --rule {PLANNED}: no other plan counts on a metric")
    if settings.number_of_items is None:
        raise UsageError(
            "a metric helps by the items that nobody labels: add --number-of-items, the number of items it has scored"
        )
    if assumed.difference == 0 or settings.margin is not None:
        raise UsageError("a plan with --metric-correlation is for a --difference without --margin")


def _rows(question: Question) -> tuple[PlanRow, ...]:
    """One row per policy, the first with a metric's help before it and one look behind the policies."""
    policies = question.settings.policies
    rows = [_row(question, policy, question.settings.rule) for policy in policies]
    if question.assumed.metric_correlation is not None:
        rows.insert(0, _row(question, SimulatedLabelling("one"), WITH_METRIC))
    one_look = _one_look(question, policies[0])
    return tuple(rows if one_look is None else [*rows, one_look])


def _row(question: Question, policy: SimulatedLabelling, rule: str) -> PlanRow:
    """The smallest plan that decides 80% of the pairs, or the largest there is."""
    asked = question.asked(policy, question.assumed.metric_correlation if rule == WITH_METRIC else None)
    planned = asked.enough() or asked.most
    endings = asked.endings(planned)
    right, decided = float(endings.right.mean()), float(endings.ended[:, -1].mean())
    items = Range.of(endings)
    total = Range.of_all(_by_pair(asked, endings), asked.alike)
    return PlanRow(
        policy=policy.name,
        rule=rule,
        planned=planned,
        items=items,
        **_costs(items, total, asked.people, question.settings),
        right=right,
        wrong=max(decided - right, 0.0),
    )


def _by_pair(asked: Asked, endings: Endings) -> list[Endings]:
    each = asked.differences.shape[1]
    return [endings.of(slice(start, start + each)) for start in range(0, asked.differences.size, each)]


class _Costs(TypedDict):
    labels: Range
    total: Range
    money: Range | None
    hours: Range | None
    days: Range | None


def _costs(items: Range, all_items: Range, people: float, settings: PlanSettings) -> _Costs:
    """What a row says of labels, from items; `people` label each."""
    total = all_items.scaled(people)
    hours = None if settings.seconds is None else total.scaled(settings.seconds / 3600)
    return {
        "labels": items.scaled(people),
        "total": total,
        "money": None if settings.price is None else total.scaled(settings.price),
        "hours": hours,
        "days": None if hours is None else hours.scaled(1 / (settings.crowd * settings.hours_per_day)),
    }


def _one_look(question: Question, policy: SimulatedLabelling) -> PlanRow | None:
    """One look at a number of items fixed beforehand, the smallest that finds the difference with 80% chance."""
    settings = question.settings
    if len(question.differences) > 1 or question.assumed.difference == 0 or settings.margin is not None:
        return None
    asked = question.asked(policy)
    units = outcomes_enough(abs(float(asked.differences.mean())), asked.power.square, question.family.first_level)
    pool = asked.power.pool
    count = units if pool is None else math.ceil(units / (1 + units / pool))
    if count > settings.most_items:
        return None
    items = Range.fixed(float(count), 1 - CHANCE)
    return PlanRow(
        policy=policy.name,
        rule=FIXED,
        planned=None,
        items=items,
        **_costs(items, items.scaled(question.assumed.number_of_pairs), asked.people, settings),
        right=CHANCE,
        wrong=0.0,
    )


def _pair_plans(pilot: Pilot, question: Question, row: PlanRow) -> tuple[PairPlan, ...]:
    asked = question.asked(question.settings.policies[0])
    plans = []
    by_pair = _by_pair(asked, asked.endings(row.planned or asked.most))
    for pair, likely, endings in zip(pilot.pairs, question.differences, by_pair, strict=True):
        low, high = np.quantile(likely, [0.1, 0.9])
        seen = (pair.wins - pair.losses) / max(pair.wins + pair.ties + pair.losses, 1e-9)
        labels = Range.of(endings).scaled(asked.people)
        right = float(endings.right.mean())
        plans.append(
            PairPlan(pair.system_a, pair.system_b, pair.items, seen, float(low), float(high), labels, right)
        )  # fmt: skip
    return tuple(plans)


class _Power(TypedDict):
    curves: tuple[PowerCurve, ...]
    reach: tuple[Reach, ...]


def _power(question: Question) -> _Power:
    """One label per item: the chances of three differences, and what round numbers of labels find."""
    directions = replace(question, settings=replace(question.settings, margin=None))
    power = directions.asked(SimulatedLabelling("one")).power
    ties, centre = question.assumed.tie_rate, question.population.rates().difference
    shown = [factor * centre for factor in _SHOWN_FACTORS if 0.005 <= factor * centre < 0.88 * (1 - ties)]
    differences = np.array([float(f"{value:.2g}") for value in shown])
    most = question.settings.most_items
    few = _FEW if not shown else power.smallest_plan(differences[-1:], most, _LOWEST_CHANCE) or most
    many = _MANY if not shown else power.smallest_plan(differences[:1], most, _HIGHEST_CHANCE) or most
    labels = [count for count in round_numbers(min(few, most), min(many, most)) if count <= most] or [most]
    steps = with_steps_between(labels)
    chances = np.array([power.endings(count, differences).right for count in steps]) if shown else np.zeros((0, 0))
    curves = tuple(
        PowerCurve(float(difference), tuple(steps), tuple(chances[:, place].tolist()))
        for place, difference in enumerate(differences)
    )
    return {"curves": curves, "reach": tuple(Reach(count, power.found(count)) for count in labels)}


def round_numbers(low: float, high: float) -> list[int]:
    """1, 2, 5, 10, 20, ... from the one at or below `low` to the one at or above `high`."""
    first = int(np.floor(np.log10(max(low, 1.0))))
    last = int(np.ceil(np.log10(max(high, low, 1.0)))) + 1
    series = [step * 10**power for power in range(first, last + 1) for step in _ROUND]
    below = [number for number in series if number <= max(low, 1.0)]
    above = [number for number in series if number >= high]
    start = below[-1] if below else series[0]
    return [number for number in series if start <= number <= (above[0] if above else series[-1])]


def with_steps_between(labels: Sequence[int]) -> list[int]:
    """These numbers (rising) and some between each two, evenly on a logarithmic scale: for a smooth curve."""
    between = [round(float(value)) for low, high in pairwise(labels) for value in np.geomspace(low, high, _STEPS + 1)]
    return sorted({*labels, *between})
