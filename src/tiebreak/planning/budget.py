"""What a budget decides, and what could be done if that is too little: plain sentences with figures.

Simulated campaigns with a metric's help: the kernels of `compare --metric`, for one label an item.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels import metric_help
from tiebreak.kernels.control_variate import plan_companions, reserve_size
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items
from tiebreak.planning.assumptions import Assumptions, PlanSettings, pairs_of
from tiebreak.planning.campaigns import Answers, PlannedOutcomes, decided_by, family_costs, grow_campaigns
from tiebreak.planning.population import Population
from tiebreak.planning.power import CHANCE, BudgetAnswer, Detection, smallest_found
from tiebreak.records import Target
from tiebreak.results.numbers import counted, in_percent, money, number, plain, rounded
from tiebreak.rules.anytime import assisted_paths
from tiebreak.simulate.engines.engine import CampaignRuns
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.engines.stopping import EQUIVALENT, SimulatedRule
from tiebreak.simulate.people.crowd import draw_labels, draw_people
from tiebreak.simulate.people.metrics import correlated_scores
from tiebreak.simulate.people.workers import tie_probability

Floats = NDArray[np.float64]

_FIRST: Final = 250  # labels before the first check; doubled as long as any run goes on
_RUNS_AT_ONCE: Final = 50
_CELLS: Final = 2_000_000  # items that are simulated at once
_LARGEST_POOL_METRIC_HELP: Final = 200_000  # ten times the most labels: more items hardly say more
_SLACK: Final = 0.005  # correlations are given to two digits
_LABELS_EXPECTED: Final = 100  # as `compare` has it while labels come in: at least so many more


def check_correlation(population: Population, correlation: float) -> None:
    """Raise `UsageError` for a correlation with single labels that no metric can have, because people disagree."""
    largest = population.largest_correlation()
    if not 0 < correlation <= largest + _SLACK:
        raise UsageError(
            f"a metric correlates with single labels by more than 0 and here by at most {largest:.2f}, because two "
            f"people's labels correlate by {population.rates().agreement:.2f} only; {correlation:g} is not possible"
        )


def assisted_campaigns(
    population: Population,
    correlation: float,
    target: Target,
    pool: int,
    log_threshold: float,
    most_items: int,
    runs: int,
    rng: np.random.Generator,
) -> CampaignRuns:
    """Campaigns of one label an item, with a metric on all `pool` items that correlates so with a single label.

    `most_items` may be at most the pool; for inputs like these half of it, because every label wants at least one
    unlabelled item beside it, and some are set aside. Raises `UsageError` for an impossible correlation.
    """
    check_correlation(population, correlation)
    pool = min(pool, _LARGEST_POOL_METRIC_HELP)
    most_items = min(most_items, pool if target == "items" else (pool - reserve_size(pool)) // 2)
    at_once = max(1, min(_RUNS_AT_ONCE, _CELLS // pool))
    parts = [
        _part(population, correlation, target, pool, log_threshold, most_items, min(at_once, runs - start), rng)
        for start in range(0, runs, at_once)
    ]
    return CampaignRuns.joined(parts)


def _part(
    population: Population,
    correlation: float,
    target: Target,
    pool: int,
    log_threshold: float,
    most_items: int,
    runs: int,
    rng: np.random.Generator,
) -> CampaignRuns:
    latent = np.clip(population.mean + population.spread * rng.normal(size=(runs, pool)), -1.0, 1.0)
    people = draw_people(len(population.crowd()), runs, most_items, 1, rng)
    labels = draw_labels(population.crowd(), people, latent[:, :most_items], rng)[:, :, 0]
    share = min(correlation / population.largest_correlation(), 1.0)
    scores = correlated_scores(_mean_label(population, latent), share, rng)
    verdict, items = np.zeros(runs, dtype=np.int8), np.full(runs, most_items)
    rows, count = np.arange(runs), min(_FIRST, most_items)
    while rows.size:
        outcomes = labels[rows, :count].astype(np.float64)
        found = _help(outcomes, scores[rows], target)
        undecided = np.ones(rows.size, dtype=np.bool_)
        at = np.full(rows.size, count + 1)
        for side in (1, -1):
            reached = assisted_paths(outcomes, found, side) >= log_threshold
            first = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, count + 1)
            better = first < at
            verdict[rows[better]], items[rows[better]] = side, first[better]
            at[better] = first[better]
            undecided &= ~better
        if count == most_items:
            break
        rows, count = rows[undecided], min(2 * count, most_items)
    return CampaignRuns(verdict, items, items.copy())


def _mean_label(population: Population, latent: Floats) -> Floats:
    """What people say of an item on average, up to a factor."""
    return np.asarray((1 - tie_probability(population.tie_threshold, latent)) * latent)


def _help(outcomes: Floats, scores: Floats, target: Target) -> metric_help.MetricHelp:
    """What `compare` makes of the metric for these labels (runs, count) and the scores of all items (runs, pool)."""
    count = outcomes.shape[1]
    drawn, rest = scores[:, :count], scores[:, count:]
    if target == "items":
        return regress_items(outcomes, drawn, rest)
    reserved = reserve_size(rest.shape[1])
    plan = plan_companions(np.maximum(_LABELS_EXPECTED, np.arange(count)), rest.shape[1] - reserved)
    plans = np.broadcast_to(plan, outcomes.shape)
    return regress_inputs(outcomes, drawn, rest[:, reserved:], plans, rest[:, :reserved])


MARGINS: Final = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
_RUNS_FOR_MARGINS, _RUNS_WITH_METRIC, _FEWEST_WITH_METRIC = 100, 100, 40
_RUNS_FOR_PAIRS: Final = 200
_WORTH_SAYING: Final = 0.05
_USUAL_CORRELATION: Final = 0.5
_UNLABELLED: Final = 10  # times the budget's items: what a metric is taken to have scored
_LARGEST_POOL: Final = 10_000
_ALL_OF: Final = 30


def in_money(labels: float, settings: PlanSettings) -> str:
    """`20,000 labels` or, with a price, `20,000 labels ($2,000)`."""
    if settings.price is None:
        return f"{rounded(labels)} labels"
    return f"{rounded(labels)} labels ({settings.currency}{rounded(labels * settings.price)})"


def budget_answer(
    assumed: Assumptions,
    settings: PlanSettings,
    population: Population,
    planned: list[CampaignRuns],
    grid: list[Detection],
    policy: SimulatedLabelling,
    rng: np.random.Generator,
) -> BudgetAnswer | None:
    """What the budget decides of the `planned` runs (one record per pair, or one for all); None without a budget."""
    budget = settings.budget_in_labels
    if budget is None:
        return None
    pairs = assumed.number_of_pairs
    labels, decided = family_costs(planned, pairs, rng)
    share = float(decided_by(labels, decided, budget).mean())
    each = budget // pairs
    cost = f"{money(settings.max_money, settings.currency)} pays for " if settings.max_money is not None else ""
    per_pair = f", {each:,} per pair" if pairs > 1 else ""
    expectation = f"{in_percent(share)} of the pairs" if pairs > 1 else f"the pair in {in_percent(share)} of campaigns"
    head = f"{cost}{counted(budget, 'label')}{per_pair}. These are expected to decide {expectation}."
    if share >= CHANCE:
        return BudgetAnswer(budget, share, f"The budget is enough: {head}", ())
    alike = len(planned) == 1  # pairs of a pilot differ, and only the simulation of all of them says how
    runs = min(_RUNS_FOR_PAIRS, settings.repetitions, planned[0].labels.size)
    ways = [
        _more_labels(labels, decided, settings),
        _larger_difference(grid, each),
        *_without_the_hardest(planned, budget, rng),
        *(_fewer_pairs(assumed, settings, population, policy, budget, runs, rng) if alike else []),
        _metric(assumed, settings, population, each, planned[0], rng) if alike else "",
        _margin(assumed, settings, grid, each, rng),
    ]
    return BudgetAnswer(budget, share, f"The budget is too small for this question: {head}", tuple(filter(None, ways)))


def _more_labels(
    labels: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    decided: np.ndarray[tuple[int, int], np.dtype[np.bool_]],
    settings: PlanSettings,
) -> str:
    """The number of labels at which 80% of the pairs are decided, by doubling and halving."""
    most = float(labels.sum(axis=1).max()) + 1
    if float(decided_by(labels, decided, math.ceil(most)).mean()) < CHANCE:
        too_little = f"would decide less than {in_percent(CHANCE)} of the pairs"
        return f"More labels: even a budget of {in_money(most, settings)} {too_little}."
    low, high = 0.0, most
    while high - low > max(1.0, 0.01 * high):
        middle = (low + high) / 2
        enough = float(decided_by(labels, decided, math.ceil(middle)).mean()) >= CHANCE
        low, high = (low, middle) if enough else (middle, high)
    return f"More labels: a budget of {in_money(high, settings)} decides {in_percent(CHANCE)} of the pairs on average."


def _larger_difference(grid: list[Detection], each: int) -> str:
    found = smallest_found(grid, each)
    if found is None:
        return ""
    return (
        f"A larger difference: {counted(each, 'label')} per pair find one of {number(found)} or more with a chance of "
        f"{in_percent(CHANCE)}."
    )


def _without_the_hardest(planned: list[CampaignRuns], budget: int, rng: np.random.Generator) -> list[str]:
    """For pairs that differ: how many of the hardest to leave out, so that the budget decides the others."""
    easiest_first = sorted(planned, key=lambda runs: (-runs.decided.mean(), runs.labels.mean()))
    for left_out in _thinned(range(1, len(planned) - 1)):
        kept = easiest_first[:-left_out]
        share = float(decided_by(*family_costs(kept, len(kept), rng), budget).mean())
        if share >= CHANCE:
            which = "the hardest pair" if left_out == 1 else f"the {left_out} hardest pairs"
            return [f"Fewer pairs: without {which}, {in_percent(share)} of the other {len(kept)} are decided."]
    return []


def _fewer_pairs(
    assumed: Assumptions,
    settings: PlanSettings,
    population: Population,
    policy: SimulatedLabelling,
    budget: int,
    runs: int,
    rng: np.random.Generator,
) -> list[str]:
    """A baseline instead of all pairs, and the most systems that the budget decides."""
    if assumed.number_of_systems is None or assumed.number_of_pairs <= 1:
        return []
    systems = assumed.number_of_systems
    with_baseline = pairs_of(systems, baseline=True)
    smaller = [systems - fewer for fewer in _thinned(range(1, systems - 1))]
    families = sorted(
        {with_baseline, *(pairs_of(count, baseline=False) for count in smaller)} - {assumed.number_of_pairs}
    )
    pool = settings.number_of_items if settings.target == "items" else None
    rules = {
        family: SimulatedRule("anytime", settings.alpha, margin=settings.margin, family=family, pool=pool)
        for family in families
        if family < assumed.number_of_pairs
    }
    if not rules:
        return []
    most = min(settings.most_items, max(budget // policy.people, 1))
    one = policy.name == "one"  # the same distribution, drawn faster
    source = (
        PlannedOutcomes(assumed.difference, assumed.tie_rate, runs)
        if one
        else Answers.of(population, policy, runs, rng)
    )
    found = grow_campaigns(source, list(rules.values()), most, rng)

    def share(family: int) -> float:
        labels, decided = family_costs([found[rules[family]]], family, rng)
        return float(decided_by(labels, decided, budget).mean())

    ways = []
    if with_baseline in rules:
        ways.append(
            f"A baseline: of its {with_baseline} pairs instead of {assumed.number_of_pairs}, chosen before looking, "
            f"{in_percent(share(with_baseline))} are decided."
        )
    for count in smaller:
        pairs = pairs_of(count, baseline=False)
        if pairs in rules and share(pairs) >= CHANCE:
            return [*ways, f"Fewer systems: the budget is enough for {count} of them ({counted(pairs, 'pair')})."]
    if 1 in rules:
        ways.append(f"Fewer systems: even a single pair is decided in only {in_percent(share(1))} of campaigns.")
    return ways


def _thinned(numbers: range) -> list[int]:
    """All of the first thirty and the last, and some between, each about a tenth more than the one before: each of
    them costs a simulation.
    """
    found: list[int] = []
    for count in numbers:
        if len(found) < _ALL_OF or count == numbers[-1] or count >= 1.1 * found[-1]:
            found.append(count)
    return found


def _metric(
    assumed: Assumptions,
    settings: PlanSettings,
    population: Population,
    each: int,
    planned: CampaignRuns,
    rng: np.random.Generator,
) -> str:
    """A metric that is not assumed yet, with a correlation of 0.5 or of what people's agreement allows.

    With `each` labels on every pair, beside the same share of the `planned` runs.
    """
    if assumed.metric_correlation is not None or settings.margin is not None or each < 1:
        return ""
    possible = population.largest_correlation()
    correlation = math.floor(100 * min(_USUAL_CORRELATION, 0.95 * possible)) / 100
    pool = settings.number_of_items or min(_UNLABELLED * max(each, 100), _LARGEST_POOL)
    if correlation < 0.1 or (settings.target == "inputs" and pool < 3 * each):
        return ""
    threshold = math.log(2 * assumed.number_of_pairs / settings.alpha)
    count = max(_FEWEST_WITH_METRIC, min(_RUNS_WITH_METRIC, _RUNS_WITH_METRIC * 1_000 // each))
    runs = assisted_campaigns(population, correlation, settings.target, pool, threshold, each, count, rng)
    helped, share = float(runs.decided.mean()), float((planned.decided & (planned.labels <= each)).mean())
    what = f"one that correlates by {number(correlation)} with single labels"
    best = (
        f" (a perfect one would by {number(possible)}, as far as people agree)"
        if correlation < _USUAL_CORRELATION
        else ""
    )
    if helped < share + _WORTH_SAYING:
        return f"A metric or judge: {what}{best} would help little."
    return (
        f"A metric or judge: {what}{best}, on {pool:,} items: with {counted(each, 'label')} per pair, "
        f"{in_percent(helped)} of the pairs are decided instead of {in_percent(share)}."
    )


def _margin(
    assumed: Assumptions, settings: PlanSettings, grid: list[Detection], each: int, rng: np.random.Generator
) -> str:
    """The smallest margin within which the budget would show that equal systems are equivalent."""
    if each < 1 or settings.margin is not None:
        return ""
    source = PlannedOutcomes(0.0, assumed.tie_rate, _RUNS_FOR_MARGINS)
    pool = settings.number_of_items if settings.target == "items" else None
    # To show that a difference is below a margin takes about as much as to find a difference of that size.
    hopeless = 0.7 * (smallest_found(grid, each) or 0.0)
    for margin in (margin for margin in MARGINS if margin >= hopeless):
        rule = SimulatedRule("anytime", settings.alpha, margin=margin, family=assumed.number_of_pairs, pool=pool)
        found = grow_campaigns(source, [rule], min(settings.most_items, each), rng)[rule]
        if float((found.verdict == EQUIVALENT).mean()) >= CHANCE:
            return (
                f"A margin: if a difference below {plain(margin)} does not matter, --margin {plain(margin)} shows with "
                f"a chance of {in_percent(CHANCE)} that equal systems are equivalent."
            )
    return ""
