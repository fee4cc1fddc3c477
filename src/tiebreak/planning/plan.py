"""`tiebreak plan`: from assumptions or a pilot to what a comparison will cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.planning.assumptions import Assumptions, PlanSettings
from tiebreak.planning.budget import assisted_campaigns, budget_answer
from tiebreak.planning.campaigns import Answers, Range, family_costs, fixed_size, grow_campaigns
from tiebreak.planning.pilot import Pilot
from tiebreak.planning.population import Population, calibrated, means_for
from tiebreak.planning.power import (
    CHANCE,
    SMALLEST,
    Detection,
    PairPlan,
    PlanResult,
    PlanRow,
    detections,
    grid_of_differences,
    power_curves,
    reaches,
    round_numbers,
    with_steps_between,
)
from tiebreak.rules.anytime import Priors
from tiebreak.rules.projection import units_to_detect
from tiebreak.simulate.engines.engine import CampaignRuns
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.engines.stopping import EQUIVALENT, SimulatedRule, Stops, stops

Floats = NDArray[np.float64]

WITH_METRIC = "anytime, metric"
_HOLDS = {"planned": True, "anytime": True, WITH_METRIC: True, "posterior": False, "hoeffding": False, "fixed": True}
_METRIC_RUNS = 100
_POWER_RUNS, _POWER_RUNS_IN_POOL = 300, 100
_ITEMS_AT_MOST = 1_000_000  # that are simulated for a policy
_FEWEST_RUNS = 100
_PLANNED_RUNS, _MOST_BESIDE_ONE_LOOK, _PLANS_TRIED = 300, 1.4, 40
_ROWS_OF_A_PILOT = 2_400  # simulated campaigns over all its pairs
_FEWEST_PER_PAIR = 20


def plan(assumed: Assumptions, settings: PlanSettings) -> PlanResult:
    """What it costs to decide pairs that are as assumed.

    Raises:
        UsageError: assumptions that no people fulfil, or that no rule can ever decide.
    """
    if assumed.difference == 0 and settings.margin is None:
        raise UsageError("equal systems are never decided; give a --difference, or a --margin to plan for equivalence")
    _check_metric(assumed, settings)
    streams = [np.random.default_rng(stream) for stream in np.random.SeedSequence(settings.seed).spawn(4)]
    population = calibrated(assumed.difference, assumed.tie_rate, assumed.agreement)
    runs = _affordable_runs(assumed, settings)
    truth = np.full(runs, assumed.difference)
    rows, planned = _rows(population, runs, [truth], assumed.number_of_pairs, settings, streams[0])
    if assumed.metric_correlation is not None:
        row, planned = _row_with_metric(assumed, settings, population, streams[1])
        rows.insert(0, row)
    grid, curves = _power(assumed, settings, population, streams[2])
    labels = _round_labels(curves)
    return PlanResult(
        source=None,
        settings=settings,
        number_of_systems=assumed.number_of_systems,
        number_of_pairs=assumed.number_of_pairs,
        rates=population.rates(),
        agreement_known=assumed.agreement is not None,
        metric_correlation=assumed.metric_correlation,
        repetitions=runs,
        rows=tuple(rows),
        pair_plans=(),
        curves=power_curves(curves, with_steps_between(labels)),
        reach=reaches(grid, labels),
        budget=budget_answer(assumed, settings, population, planned, grid, settings.policies[0], streams[3]),
    )


def plan_from_pilot(pilot: Pilot, settings: PlanSettings, correlation: float | None = None) -> PlanResult:
    """What a new comparison of the pilot's systems costs, the true differences being as uncertain as the pilot leaves
    them. Share of ties and agreement are those of all its pairs together.

    Raises:
        UsageError: `correlation` was given: a metric's campaigns are simulated for one difference.
    """
    if correlation is not None:
        raise UsageError(
            "--metric-correlation needs one --difference, and a pilot leaves its differences uncertain: plan from "
            f"assumptions, such as tiebreak plan --difference 0.1 --tie-rate {pilot.ties:.2f} "
            f"--number-of-pairs {len(pilot.pairs)} --metric-correlation {correlation:g} "
            f"--number-of-items {settings.number_of_items or 'ITEMS'}"
        )
    streams = [np.random.default_rng(stream) for stream in np.random.SeedSequence(settings.seed).spawn(4)]
    pairs = len(pilot.pairs)
    runs = max(_FEWEST_PER_PAIR, min(settings.repetitions, _ROWS_OF_A_PILOT // pairs))
    ties = min(pilot.ties, 0.95)
    differences = [pair.draw_differences(runs, streams[3]) for pair in pilot.pairs]
    typical = min(float(np.median(np.abs(np.concatenate(differences)))), 0.8 * (1 - ties))
    try:
        population = calibrated(typical, ties, pilot.agreement)
    except UsageError:  # an agreement that the model does not have with so many ties: the nearest
        population = calibrated(typical, ties)
    means = means_for(population, np.concatenate(differences))
    rows, planned = _rows(population, means, differences, pairs, settings, streams[0])
    assumed = Assumptions(typical, ties, pilot.agreement, len(pilot.systems), pairs)
    grid, curves = _power(assumed, settings, population, streams[2])
    labels = _round_labels(curves)
    return PlanResult(
        source=pilot.name,
        items_a_cluster=pilot.items_a_cluster,
        settings=settings,
        number_of_systems=len(pilot.systems),
        number_of_pairs=pairs,
        rates=population.rates(),
        agreement_known=pilot.agreement is not None,
        metric_correlation=None,
        repetitions=runs * pairs,
        rows=tuple(rows),
        pair_plans=_pair_plans(pilot, differences, planned),
        curves=power_curves(curves, with_steps_between(labels)),
        reach=reaches(grid, labels),
        budget=budget_answer(assumed, settings, population, planned, grid, settings.policies[0], streams[3]),
    )


def _affordable_runs(assumed: Assumptions, settings: PlanSettings) -> int:
    """Fewer runs than asked for where campaigns are long, so that a plan takes seconds."""
    try:
        threshold = math.log(2 * assumed.number_of_pairs / settings.alpha)
        expected = units_to_detect(assumed.difference, assumed.tie_rate, threshold, Priors.default())
    except ValueError:  # too small for every bet, or equal systems
        expected = settings.most_items
    at_most = _ITEMS_AT_MOST // min(expected, settings.most_items)
    return min(settings.repetitions, max(at_most, _FEWEST_RUNS))


def _check_metric(assumed: Assumptions, settings: PlanSettings) -> None:
    if assumed.metric_correlation is None:
        return
    if settings.number_of_items is None:
        raise UsageError(
            "a metric helps by the items that nobody labels: add --number-of-items, the number of items it has scored"
        )
    if assumed.difference == 0 or settings.margin is not None:
        raise UsageError("a plan with --metric-correlation is for a --difference without --margin")


def _rule(name: str, settings: PlanSettings, pairs: int) -> SimulatedRule:
    pool = settings.number_of_items if settings.target == "items" else None
    if name == "anytime":
        return SimulatedRule("anytime", settings.alpha, margin=settings.margin, family=pairs, pool=pool)
    if name == "planned":
        return SimulatedRule("planned", settings.alpha, margin=settings.margin, family=pairs, items=1, pool=pool)
    if name == "fixed":
        return SimulatedRule("fixed", settings.alpha, family=pairs, items=settings.most_items, pool=pool)
    return SimulatedRule(name, settings.alpha)  # type: ignore[arg-type]  # posterior, hoeffding


def _rows(
    population: Population,
    means: Floats | int,
    truths: Sequence[Floats],
    pairs: int,
    settings: PlanSettings,
    rng: np.random.Generator,
) -> tuple[list[PlanRow], list[CampaignRuns]]:
    """One row per policy and rule, the default rule of all policies first; and the runs of the first row, per pair.

    `truths`: per block of runs (one block per pair, or one that stands for all) the true differences.
    """
    rules = [_rule(name, settings, pairs) for name in ("anytime", "posterior", "hoeffding")]
    first: list[PlanRow] = []
    others: list[PlanRow] = []
    planned: list[CampaignRuns] = []
    for policy in settings.policies:
        found = grow_campaigns(Answers.of(population, policy, means, rng), rules, settings.most_items, rng)
        for rule in rules:
            blocks = _blocks(found[rule], len(truths))
            row = _row(policy.name, rule.name, blocks, truths, pairs, settings, rng)
            (first if rule.name == "anytime" else others).append(row)
            if rule.name == "anytime" and not planned:
                planned = blocks
        if isinstance(means, int) and population.mean > 0:
            fixed = _fixed_row(population, policy, pairs, settings)
            if fixed is not None:
                source = Answers.of(population, policy, min(means, _PLANNED_RUNS), rng.spawn(1)[0])
                beside = _planned_row(source, round(fixed.items.mean), pairs, settings)
                others += [fixed] if beside is None else [fixed, beside]
    return first + others, planned


def _blocks(runs: CampaignRuns, blocks: int) -> list[CampaignRuns]:
    size = runs.labels.size // blocks
    parts = (slice(start, start + size) for start in range(0, size * blocks, size))
    return [CampaignRuns(runs.verdict[part], runs.items[part], runs.labels[part]) for part in parts]


def _row(
    policy: str,
    rule: str,
    blocks: Sequence[CampaignRuns],
    truths: Sequence[Floats],
    pairs: int,
    settings: PlanSettings,
    rng: np.random.Generator,
) -> PlanRow:
    runs = CampaignRuns.joined(blocks)
    right = _is_right(runs.verdict, np.concatenate(truths), settings.margin)
    if pairs == 1:
        total = Range.of(runs.labels, runs.decided)
    else:
        labels, decided = family_costs(blocks, pairs, rng)
        total = Range.of(labels.sum(axis=1), np.asarray(decided.all(axis=1)))
    return PlanRow(
        policy=policy,
        rule=rule,
        items=Range.of(runs.items, runs.decided),
        labels=Range.of(runs.labels, runs.decided),
        total=total,
        **_costs(total, settings),
        right=float(right.mean()),
        wrong=float((runs.decided & ~right).mean()),
        holds=_HOLDS[rule],
        planned=None,
    )


def _is_right(verdict: NDArray[np.int8], difference: Floats, margin: float | None) -> NDArray[np.bool_]:
    """Whether each verdict (runs,) is true of its difference; with a margin two of them may be."""
    direction = (verdict == np.sign(difference)) & (difference != 0)
    return np.asarray(direction | ((verdict == EQUIVALENT) & (np.abs(difference) < (margin or 0.0))))


def _costs(total: Range, settings: PlanSettings) -> dict[str, Range | None]:
    hours = None if settings.seconds is None else total.scaled(settings.seconds / 3600)
    return {
        "money": None if settings.price is None else total.scaled(settings.price),
        "hours": hours,
        "days": None if hours is None else hours.scaled(1 / (settings.crowd * settings.hours_per_day)),
    }


def _fixed_row(
    population: Population, policy: SimulatedLabelling, pairs: int, settings: PlanSettings
) -> PlanRow | None:
    """One look at a number of items fixed beforehand, the smallest that finds the difference with 80% chance."""
    count = fixed_size(population, policy, _rule("fixed", settings, pairs), CHANCE)
    if count is None or policy.name == "fixed":
        return None
    people = float(policy.people)
    if policy.name == "max-three":
        chances = population.chances()
        people = 3.0 - float((chances**2).sum(axis=0).mean())
    items, labels = (Range(value, value, value, 1 - CHANCE) for value in (float(count), count * people))
    total = labels.scaled(pairs)
    return PlanRow(
        policy=policy.name,
        rule="fixed",
        items=items,
        labels=labels,
        total=total,
        **_costs(total, settings),
        right=CHANCE,
        wrong=0.0,
        holds=True,
        planned=None,
    )


def _planned_row(source: Answers, one_look: int, pairs: int, settings: PlanSettings) -> PlanRow | None:
    """The smallest planned number of items that finds the difference with 80% chance; None where there are too few.

    By simulation, from what one look needs: looking after every label costs up to two fifths more. Every campaign ends
    at the plan, so that ranges are of all of them.
    """
    rng = np.random.default_rng([settings.seed, one_look])
    most = min(settings.most_items, math.ceil(_MOST_BESIDE_ONE_LOOK * one_look))
    values, costs = source.draw(np.arange(source.runs), most, rng)

    def stopped(items: int) -> Stops:
        return stops(values[:, :items], replace(_rule("planned", settings, pairs), items=items))

    def finds(items: int) -> bool:
        return bool((stopped(items).verdict == 1).mean() >= CHANCE)

    low, high = one_look - 1, most
    if not finds(high):
        return None
    while high - low > max(1, one_look // _PLANS_TRIED):
        middle = (low + high) // 2
        low, high = (low, middle) if finds(middle) else (middle, high)
    found = stopped(high)
    paid = np.cumsum(costs[:, :high], axis=1, dtype=np.int64)[np.arange(source.runs), found.items - 1]
    ended = np.ones(source.runs, dtype=np.bool_)
    labels, _ = family_costs([CampaignRuns(found.verdict, found.items, paid)], pairs, rng)
    total = Range.of(labels.sum(axis=1), np.ones(len(labels), dtype=np.bool_))
    return PlanRow(
        policy=source.policy.name,
        rule="planned",
        items=Range.of(found.items, ended),
        labels=Range.of(paid, ended),
        total=total,
        **_costs(total, settings),
        right=float((found.verdict == 1).mean()),
        wrong=float((found.verdict == -1).mean()),
        holds=True,
        planned=high,
    )


def _row_with_metric(
    assumed: Assumptions, settings: PlanSettings, population: Population, rng: np.random.Generator
) -> tuple[PlanRow, list[CampaignRuns]]:
    runs = assisted_campaigns(
        population,
        assumed.metric_correlation or 0.0,
        settings.target,
        settings.number_of_items or 0,
        math.log(2 * assumed.number_of_pairs / settings.alpha),
        settings.most_items,
        min(_METRIC_RUNS, settings.repetitions),
        rng,
    )
    truth = np.full(runs.labels.size, assumed.difference)
    return _row("one", WITH_METRIC, [runs], [truth], assumed.number_of_pairs, settings, rng), [runs]


def _power(
    assumed: Assumptions, settings: PlanSettings, population: Population, rng: np.random.Generator
) -> tuple[list[Detection], list[Detection]]:
    """One label per item under the default rule: over a grid of differences, and for three that are shown."""
    rule = replace(_rule("anytime", settings, assumed.number_of_pairs), margin=None)
    runs = min(settings.repetitions, _POWER_RUNS if rule.pool is None else _POWER_RUNS_IN_POOL)
    arguments = (assumed.tie_rate, rule, settings.most_items, runs, rng)
    centre = population.rates().difference
    # Campaigns of a pool are slow: small differences, which no number of labels that is shown could find, are left out.
    smallest = SMALLEST if rule.pool is None else max(SMALLEST, centre / 4)
    grid = detections(grid_of_differences(assumed.tie_rate, smallest), *arguments)
    shown = [factor * centre for factor in (0.5, 1.0, 2.0) if 0.005 <= factor * centre < 0.88 * (1 - assumed.tie_rate)]
    return grid, detections([float(f"{value:.2g}") for value in shown], *arguments)


def _round_labels(curves: Sequence[Detection]) -> list[int]:
    """Round numbers of labels over the range in which the shown differences are found."""
    if not curves:
        return [100, 200, 500, 1_000, 2_000, 5_000]
    easiest, hardest = curves[-1], curves[0]
    finite = hardest.labels[np.isfinite(hardest.labels)]
    most = float(np.quantile(finite, 0.9)) if finite.size else 20_000.0
    return round_numbers(easiest.needed(0.2) if np.isfinite(easiest.needed(0.2)) else 100.0, most)


def _pair_plans(pilot: Pilot, differences: Sequence[Floats], planned: Sequence[CampaignRuns]) -> tuple[PairPlan, ...]:
    plans = []
    for pair, drawn, runs in zip(pilot.pairs, differences, planned, strict=True):
        low, high = np.quantile(drawn, [0.1, 0.9])
        seen = (pair.wins - pair.losses) / max(pair.wins + pair.ties + pair.losses, 1e-9)
        labels = Range.of(runs.labels, runs.decided)
        plans.append(PairPlan(pair.system_a, pair.system_b, pair.items, float(seen), float(low), float(high), labels))
    return tuple(plans)
