"""Betting towards a budget: levels by hand, one family of nested nulls, and wrong verdicts counted in simulations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from tiebreak.kernels.control_variate import plan_companions, reserve_size
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items
from tiebreak.rules.anytime import EvidencePaths, Priors, evidence_paths
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
        between = one.log_e_path(1, 0.137)  # not announced: made when it is asked for
        assert (between <= np.maximum.accumulate(one.log_e_path(1)) + 1e-12).all()
        low, high = one.interval(math.log(40))
        assert -1 <= low <= difference <= high <= 1
        assert (low >= 0) == bool(one.log_e_path(1).max() >= math.log(40))


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


def test_a_budget_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one unit"):
        process(np.ones(5), 0)


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
