"""Betting towards a budget: levels by hand, one family of nested nulls, and wrong verdicts counted in simulations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from tiebreak.kernels import hedge
from tiebreak.kernels.companions import plan_companions, reserve_size
from tiebreak.kernels.hedge import hedge_table
from tiebreak.kernels.metric_help import MetricHelp, no_help
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items
from tiebreak.rules.anytime import AnytimeProcess, EvidencePaths, Priors, evidence_paths
from tiebreak.rules.budgeted import BudgetedProcess, BudgetPlan, budget_plan
from tiebreak.rules.family import EvidenceVerdict, FamilyRule, decide_family
from tiebreak.rules.registry import Multiplicity
from tiebreak.rules.sequence import ValueSequence

Floats = NDArray[np.float64]

PRIORS = Priors.default()
ALONE = BudgetPlan(0.025)


def outcomes(rng: np.random.Generator, count: int, difference: float, ties: float = 0.3) -> Floats:
    wins = (1 - ties + difference) / 2
    return rng.choice([1.0, 0.0, -1.0], size=count, p=[wins, ties, 1 - ties - wins])


def pool(rng: np.random.Generator, size: int, difference: float, ties: float = 0.3) -> Floats:
    """A pool whose mean is exactly the difference, in random order."""
    tied = round(size * ties)
    wins = round((size - tied + size * difference) / 2)
    return rng.permutation(np.repeat([1.0, 0.0, -1.0], [wins, tied, size - tied - wins]))


def process(
    values: Floats,
    budget: int,
    plan: BudgetPlan = ALONE,
    pool_size: int | None = None,
    help_: MetricHelp | None = None,
    margin: float | None = None,
    scale: float = 1.0,
) -> BudgetedProcess:
    sequence = ValueSequence.complete(values, pool_size, scale)
    return BudgetedProcess(sequence, help_, plan, budget, PRIORS, margin=margin)


# ---- levels ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("multiplicity", "margin", "complete", "level", "reserve"),
    [
        ("holm", False, True, 0.05 / 6, 0.0),  # three pairs, six directions
        ("bonferroni", True, True, 0.05 / 6, 0.0),  # an equivalence needs half the evidence of a direction
        ("none", False, True, 0.05 / 2, 0.0),
        ("fdr", False, True, 0.05 / 6, 0.2),
        ("fdr", True, True, 0.05 / 9, 0.2),
        ("fdr", False, False, 0.05 / (6 * 2.45), 0.2),  # 1 + 1/2 + ... + 1/6 = 2.45
    ],
)
def test_levels_by_hand(multiplicity: Multiplicity, margin: bool, complete: bool, level: float, reserve: float) -> None:
    plan = budget_plan(3, FamilyRule(0.05, multiplicity, complete), with_margin=margin)
    assert plan.level == pytest.approx(level)
    assert plan.reserve == reserve


def test_equal_answers_decide_as_soon_as_the_largest_bets_allow() -> None:
    # Every win multiplies by at most 1.55: ln(40)/ln(1.55) = 8.4 wins. The plan bets less at first.
    path = process(np.ones(30), 30).log_e_path(1)
    assert 9 <= int((path >= math.log(40)).argmax()) + 1 <= 12
    assert (process(-np.ones(30), 30).log_e_path(-1) == path).all()


def test_nothing_after_the_budget_changes_anything() -> None:
    values = outcomes(np.random.default_rng(1), 200, 0.1)
    other = np.concatenate([values[:80], -values[80:]])
    first, second = process(values, 80), process(other, 80)
    assert_allclose(first.log_e_path(1), second.log_e_path(1))
    assert np.ptp(first.log_e_path(1)[80:]) == 0
    assert first.interval(math.log(40)) == second.interval(math.log(40))


def test_a_reserve_aims_at_the_same_goal_and_goes_on() -> None:
    values = outcomes(np.random.default_rng(2), 300, 0.4)
    plan = BudgetPlan(0.025, 0.2)
    path = process(values, 60, plan).log_e_path(1)
    assert path[-1] > path[60] + 1
    # .8 of the wealth reaching 1/(.8 level) is 1/level, whatever the reserve has.
    alone = hedge.log_e_path(values, no_help(values, None), hedge_table(0.02), 60, 1)
    mixture = (np.exp(path) - 0.8 * np.exp(alone)) / 0.2
    assert (mixture > 0).all()


# ---- one family of nested nulls --------------------------------------------------------------------------------


Made = tuple[ValueSequence, MetricHelp | None]


def made(rng: np.random.Generator, difference: float, kind: str, n: int = 120) -> Made:
    """A sequence of `n` labels of one of four kinds, with the metric's help where there is one (rho .8)."""
    size = 400
    everything = pool(rng, size, difference) if "items" in kind else outcomes(rng, size, difference)
    if "metric" not in kind:
        return ValueSequence.complete(everything[:n], size if "items" in kind else None), None
    metric = everything + 0.6 * rng.standard_normal(size)
    if "items" in kind:
        return ValueSequence.complete(everything[:n], size), regress_items(everything[:n], metric[:n], metric[n:])
    reserve = reserve_size(size - n)
    plan = plan_companions(n - np.arange(n), size - n - reserve)
    found = regress_inputs(everything[:n], metric[:n], metric[n + reserve :], plan, metric[n : n + reserve])
    return ValueSequence.complete(everything[:n]), found


KINDS = ("inputs", "items", "inputs, metric", "items, metric")


@pytest.mark.parametrize("kind", KINDS)
def test_evidence_falls_in_the_null_and_the_interval_agrees(kind: str) -> None:
    rng = np.random.default_rng(3)
    for difference in (0.0, 0.4):
        sequence, help_ = made(rng, difference, kind)
        one = BudgetedProcess(sequence, help_, ALONE, 120, PRIORS, margin=0.25)
        for side in (1, -1):
            weak, strong = one.log_e_path(side, -0.25), one.log_e_path(side, 0.0)
            # A direction reached implies that the difference is beyond the margin on that side, at or before that time.
            assert (strong <= np.maximum.accumulate(weak) + 1e-12).all()
        low, high = one.interval(math.log(40))
        assert -1 <= low <= difference <= high <= 1
        assert (low >= 0) == bool(one.log_e_path(1).max() >= math.log(40))


def test_a_null_that_was_not_announced_is_made_when_asked() -> None:
    one = process(outcomes(np.random.default_rng(4), 100, 0.3), 100)
    asked = one.log_e_path(1, 0.137)
    assert asked.shape == (100,)
    assert (asked <= np.maximum.accumulate(one.log_e_path(1)) + 1e-12).all()
    assert_allclose(one.log_e_path(1, 0.137, slice(9, None, 10)), asked[9::10])


def test_intervals_are_about_as_wide_as_without_a_budget() -> None:
    rng = np.random.default_rng(5)
    widths = []
    for _ in range(12):
        values = outcomes(rng, 150, 0.2)
        for one in (process(values, 150), AnytimeProcess(ValueSequence.complete(values), PRIORS)):
            low, high = one.interval(math.log(40))
            widths.append(high - low)
    assert np.mean(widths[::2]) < 1.05 * np.mean(widths[1::2])


def test_known_ties_shrink_the_interval_and_a_complete_pool_has_none() -> None:
    values = pool(np.random.default_rng(6), 200, 0.2)
    whole, half = process(values[:100], 100, pool_size=200), process(values[:100], 100, pool_size=200, scale=0.5)
    assert_allclose(half.interval(math.log(40)), np.array(whole.interval(math.log(40))) / 2)
    assert process(values, 200, pool_size=200).interval(math.log(40)) == (values.mean(), values.mean())
    assert process(values, 200, pool_size=200).log_e_path(1)[-1] == np.inf


def test_no_labels_and_abandoned_items() -> None:
    empty = process(np.empty(0), 50, margin=0.2)
    assert empty.interval(math.log(40)) == (-1.0, 1.0)
    assert empty.log_e_path(1).size == 0
    assert decide_family([evidence_paths(empty, 0.2)], FamilyRule(0.05, "holm"))[0].verdict == "undecided"
    values = np.where(np.arange(60) % 3 == 0, np.nan, 1.0)
    holed = ValueSequence.longest_prefix(values, np.isnan(values))
    one = BudgetedProcess(holed, None, ALONE, 60, PRIORS)
    # An abandoned item counts against either side: a third of losses for a, and for b nothing but losses.
    assert_allclose(one.log_e_path(1), process(np.where(np.isnan(values), -1.0, 1.0), 60).log_e_path(1))
    assert one.log_e_path(-1).max() < 1


@pytest.mark.parametrize("level", [1e-16, 1e-7, 0.4])
def test_extreme_levels_give_numbers(level: float) -> None:
    path = process(outcomes(np.random.default_rng(7), 300, 0.6), 300, BudgetPlan(level)).log_e_path(1)
    assert np.isfinite(path).all()
    assert path.max() >= math.log(1 / level) * 0.999


def test_a_budget_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one unit"):
        process(np.ones(5), 0)


# ---- what it saves ---------------------------------------------------------------------------------------------


def check_fewer_labels(runs: int, kind: str) -> None:
    """One pair of difference .3 at alpha .05 with a budget of 200: at least 8% fewer labels than without one."""
    rng, rule = np.random.default_rng(8), FamilyRule(0.05, "holm")
    plan = budget_plan(1, rule, with_margin=False)
    counts = []
    for _ in range(runs):
        sequence, help_ = made(rng, 0.3, kind, 200)
        for one in (BudgetedProcess(sequence, help_, plan, 200, PRIORS), AnytimeProcess(sequence, PRIORS)):
            path = one.log_e_path(1)
            counts.append(int((path >= math.log(40)).argmax()) + 1 if path.max() >= math.log(40) else 200)
    assert np.mean(counts[::2]) < 0.92 * np.mean(counts[1::2])


@pytest.mark.parametrize("kind", ["inputs", "items, metric"])
def test_a_budget_saves_labels(kind: str) -> None:
    check_fewer_labels(60, kind)


def test_a_budget_that_is_far_too_large_costs_labels() -> None:
    """Difference .3, 30% ties, one pair: about 74 labels without a budget, 66 with one of 1,000, 87 with 4,000."""
    rng, runs, most = np.random.default_rng(5), 150, 400
    values = np.array([outcomes(rng, most, 0.3) for _ in range(runs)])
    helps = [no_help(run, None) for run in values]
    names = ("centred", "above", "below", "reach_above", "reach_below", "variances")
    together = MetricHelp(*(np.stack([getattr(help_, name) for help_ in helps]) for name in names), None)

    def labels(paths: Floats) -> float:
        reached = paths >= math.log(40)
        return float(np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, most).mean())

    without = labels(np.array([AnytimeProcess(ValueSequence.complete(run), PRIORS).log_e_path(1) for run in values]))
    with_budget = {
        budget: labels(hedge.log_e_path(values, together, hedge_table(0.025), budget, 1))
        for budget in (250, 750, 3_700)
    }
    assert with_budget[250] < 0.92 * without
    assert with_budget[750] < without
    assert 1.05 * without < with_budget[3_700] < 1.3 * without


# ---- validity, by the whole way from sequences to verdicts -------------------------------------------------------


def verdicts(family: list[Made], rule: FamilyRule, budget: int, margin: float | None) -> list[EvidenceVerdict]:
    plan = budget_plan(len(family), rule, with_margin=margin is not None)
    paths: list[EvidencePaths] = [
        evidence_paths(BudgetedProcess(sequence, help_, plan, budget, PRIORS, margin=margin), margin)
        for sequence, help_ in family
    ]
    return decide_family(paths, rule)


def check_error(runs: int, kind: str, alpha: float, margin: float | None, seed: int) -> None:
    """Families of four pairs, a look at every label; wrong verdicts at most alpha plus three standard errors.

    Two pairs are equal and two differ by .6 either way (their verdicts lower Holm's thresholds). With a margin the
    equal pairs differ by exactly the margin instead, where "equivalent" is wrong and so is the wrong direction.
    """
    rng, wrong, decided = np.random.default_rng(seed), 0, 0
    null = 0.0 if margin is None else margin
    for _ in range(runs):
        family = [made(rng, difference, kind, 80) for difference in (null, null, 0.6, -0.6)]
        found = [verdict.verdict for verdict in verdicts(family, FamilyRule(alpha, "holm"), 80, margin)]
        bad = {"a", "b"} if margin is None else {"b", "equivalent"}
        wrong += found[0] in bad or found[1] in bad or found[2] == "b" or found[3] == "a"
        decided += found[2] == "a"
    assert decided > 0.9 * runs
    assert wrong <= alpha * runs + 3 * math.sqrt(alpha * (1 - alpha) * runs)


@pytest.mark.parametrize(
    ("kind", "margin"), [("inputs", None), ("items, metric", None), ("inputs, metric", None), ("items", 0.2)]
)
def test_a_family_keeps_its_level(kind: str, margin: float | None) -> None:
    check_error(40, kind, 0.2, margin, 9)


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("margin", [None, 0.2])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_a_family_keeps_its_level_in_many_runs(kind: str, margin: float | None, alpha: float) -> None:
    check_error(1_000, kind, alpha, margin, 10)


def check_pair_error(runs: int, kind: str, alpha: float, n: int, ties: float, seed: int) -> None:
    """One pair, the plain process at null 0 from both sides with a look at every label: the sharpest case."""
    rng, wrong = np.random.default_rng(seed), 0
    plan = budget_plan(1, FamilyRule(alpha, "holm"), with_margin=False)
    for _ in range(runs):
        sequence = ValueSequence.complete(outcomes(rng, n, 0.0, ties) if kind == "inputs" else pool(rng, n, 0.0, ties))
        if kind == "items":
            sequence = ValueSequence.complete(sequence.for_a[: n // 2], n)
        table = hedge_table(plan.level)
        help_ = no_help(sequence.for_a, sequence.pool_size)
        for side in (1, -1):
            path = hedge.log_e_path(sequence.for_a, help_, table, len(sequence), side)
            wrong += bool(path.max() >= -math.log(plan.level))
    assert wrong <= alpha * runs + 3 * math.sqrt(alpha * (1 - alpha) * runs)
    assert wrong > 0.3 * alpha * runs  # the level is used


@pytest.mark.parametrize("kind", ["inputs", "items"])
def test_one_pair_keeps_its_level(kind: str) -> None:
    check_pair_error(300, kind, 0.2, 100, 0.3, 11)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["inputs", "items"])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("ties", [0.0, 0.6])
def test_one_pair_keeps_its_level_in_many_runs(kind: str, alpha: float, ties: float) -> None:
    check_pair_error(4_000, kind, alpha, 200, ties, 12)


def check_coverage(runs: int, kind: str, difference: float) -> None:
    rng, missed = np.random.default_rng(13), 0
    for _ in range(runs):
        sequence, help_ = made(rng, difference, kind, 80)
        low, high = BudgetedProcess(sequence, help_, BudgetPlan(0.1), 80, PRIORS).interval(math.log(10))
        missed += not low <= difference <= high
    assert missed <= 0.2 * runs + 3 * math.sqrt(0.16 * runs)


@pytest.mark.parametrize("kind", ["inputs", "items, metric"])
def test_intervals_cover(kind: str) -> None:
    check_coverage(60, kind, 0.2)


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("difference", [0.0, 0.4])
def test_intervals_cover_in_many_runs(kind: str, difference: float) -> None:
    check_coverage(1_000, kind, difference)


def test_false_discoveries_are_few() -> None:
    """Six pairs, three of them equal, e-BH at .2: the share of wrong verdicts among those given."""
    rng, shares = np.random.default_rng(14), []
    for _ in range(30):
        family = [made(rng, difference, "inputs", 80) for difference in (0.0, 0.0, 0.0, 0.6, -0.6, 0.5)]
        found = [verdict.verdict for verdict in verdicts(family, FamilyRule(0.2, "fdr"), 80, None)]
        given = sum(verdict != "undecided" for verdict in found)
        bad = sum(v != "undecided" for v in found[:3]) + (found[3] == "b") + (found[4] == "a") + (found[5] == "b")
        shares.append(bad / max(given, 1))
    assert np.mean(shares) <= 0.2
