from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import betaln
from scipy.stats import beta

from tiebreak.kernels import bet_mixture, bounded_mean
from tiebreak.kernels.control_variate import control_inputs, control_items, plan_companions
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items
from tiebreak.rules.anytime import (
    AnytimeProcess,
    AssistedProcess,
    EvidencePaths,
    Priors,
    assisted_paths,
    evidence_paths,
    predicts_labels,
)
from tiebreak.rules.budgeted import BudgetedProcess, BudgetPlan
from tiebreak.rules.sequence import ValueSequence

PRIORS = Priors.default()
LOG_40 = math.log(40)


def process(values: list[float] | np.ndarray, pool_size: int | None = None) -> AnytimeProcess:
    return AnytimeProcess(ValueSequence.complete(np.asarray(values, dtype=float), pool_size), PRIORS)


def outcomes(rng: np.random.Generator, size: int, difference: float, ties: float = 0.3) -> np.ndarray:
    wins = (1 - ties + difference) / 2
    return rng.choice([1.0, 0.0, -1.0], size=size, p=[wins, ties, 1 - ties - wins])


def closed_form(wins: int, losses: int, A: float) -> float:
    """2^(w+l+1) B(w+A, l+A)/B(A, A) P(Beta(w+A, l+A) > 1/2): the truncated-Beta mixture, without quadrature."""
    log_e = (wins + losses + 1) * math.log(2) + betaln(wins + A, losses + A) - betaln(A, A)
    return math.exp(log_e) * float(beta.sf(0.5, wins + A, losses + A))


def test_outcomes_on_inputs_use_the_mixture_of_the_default_prior() -> None:
    # The default prior is half Beta(20, 20) and half Beta(2, 2): E is the mean of the two closed forms. Ties bet
    # nothing. Path: win, tie, win, loss.
    path = process([1, 0, 1, -1]).log_e_path(1)
    counts = [(1, 0), (1, 0), (2, 0), (2, 1)]
    expected = [math.log((closed_form(w, l, 20) + closed_form(w, l, 2)) / 2) for w, l in counts]  # noqa: E741
    assert path == pytest.approx(expected, abs=2e-3)  # bets above .98 are cut there


@pytest.mark.parametrize(
    ("values", "pool_size", "mixture"),
    [
        ([1.0, 0.0, -1.0, 1.0], None, True),
        ([1.0, 0.5, -1.0, 1.0], None, False),  # a mean of two labels
        ([1.0, 0.0, -1.0, 1.0], 50, False),  # these items
    ],
)
def test_the_family_of_bets_follows_from_the_values_and_the_target(
    values: list[float], pool_size: int | None, mixture: bool
) -> None:
    found = process(values, pool_size).log_e_path(1, 0.1)
    array = np.array(values)
    if mixture:
        expected = bet_mixture.log_e_path(array, PRIORS.outcomes, 0.1)
    else:
        expected = bounded_mean.log_e_path(array, PRIORS.bounded, 0.1, pool_size)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("pool_size", [None, 300])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_swapping_the_systems_swaps_the_sides(pool_size: int | None, scale: float) -> None:
    values = outcomes(np.random.default_rng(1), 200, 0.2) * scale
    forward, back = process(values, pool_size), process(-values, pool_size)
    assert forward.log_e_path(1, 0.1) == pytest.approx(back.log_e_path(-1, 0.1))
    low, high = forward.interval(LOG_40)
    assert back.interval(LOG_40) == pytest.approx((-high, -low), abs=2e-4)


def test_abandoned_items_weaken_both_sides() -> None:
    values = outcomes(np.random.default_rng(2), 100, 0.4)
    known = AnytimeProcess(ValueSequence.complete(values), PRIORS)
    gone = np.arange(100) % 10 == 0
    holed = AnytimeProcess(ValueSequence.longest_prefix(np.where(gone, np.nan, values), gone), PRIORS)
    assert holed.log_e_path(1)[-1] < known.log_e_path(1)[-1]
    low, high = holed.interval(LOG_40)
    # By hand: the mean of for_a treats ten items as losses, that of for_b as wins, so that the interval must hold
    # every mean in between.
    assert low < holed.sequence.for_a.mean() < holed.sequence.for_b.mean() < high


@pytest.mark.parametrize("pool_size", [None, 480])
@pytest.mark.parametrize("scale", [1.0, 0.7])
def test_the_interval_excludes_zero_exactly_when_the_direction_crosses(pool_size: int | None, scale: float) -> None:
    rng = np.random.default_rng(3)
    crossed = 0
    for _ in range(30):  # shorter than 512, so that the interval takes every look
        values = outcomes(rng, int(rng.integers(5, 400)), float(rng.uniform(-0.3, 0.3))) * scale
        one = process(values, pool_size)
        low, high = one.interval(LOG_40)
        for limit, side in ((low, 1), (-high, -1)):
            if one.log_e_path(side).max() >= LOG_40:
                crossed += 1
                assert limit > -1e-4  # the tolerance of the search
            else:
                assert limit < 0
    assert 5 < crossed < 55


def test_long_sequences_are_looked_at_now_and_then_and_always_at_the_end() -> None:
    # 5,000 values: every 19th look, the last among them. The interval may only be wider than with all looks.
    values = outcomes(np.random.default_rng(5), 5000, 0.1)
    one = process(values)
    low, high = one.interval(LOG_40)
    assert one.log_e_path(1, low).max() >= LOG_40  # the lower limit is a rejected value, also with all looks
    assert one.log_e_path(-1, -high).max() >= LOG_40
    assert one.log_e_path(1, low + 2e-3)[-1] < LOG_40  # and the last look does not reject much more
    assert low < values.mean() < high


@pytest.mark.parametrize("values", [[1.0, 1.0, -1.0, 0.0], [0.0, 0.0], [0.5, -0.25, 1.0]])
def test_a_completely_labelled_pool_has_no_uncertainty(values: list[float]) -> None:
    mean = sum(values) / len(values)
    assert process(values, len(values)).interval(LOG_40) == (mean, mean)
    low, high = process(values, len(values) + 1).interval(LOG_40)
    assert low < mean < high


def test_a_completely_labelled_pool_decides_the_smallest_difference() -> None:
    # One win more than losses among 9: once all are drawn, "the mean is at most 0" is impossible.
    values = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0]
    assert process(values, 9).log_e_path(1)[-1] == np.inf
    assert process(values, 9).log_e_path(-1)[-1] < LOG_40


def test_without_labels_nothing_is_known() -> None:
    one = process([])
    assert one.interval(LOG_40) == (-1.0, 1.0)
    assert one.log_e_path(1).size == 0
    assert evidence_paths(one, 0.1).for_a.size == 0


def test_paths_with_a_margin_argue_against_both_sides_of_it() -> None:
    values = np.zeros(400)
    one = process(values)
    assert evidence_paths(one, None).equivalent_low is None
    assert evidence_paths(one, None).log_e_equivalent() is None
    paths = evidence_paths(one, 0.1)
    # Only ties: symmetric, no direction, and the difference is above -.1 and below .1.
    assert paths.for_a.max() == pytest.approx(0.0, abs=1e-9)
    assert paths.equivalent_low == pytest.approx(paths.equivalent_high)
    combined = paths.log_e_equivalent()
    assert combined is not None
    assert combined[-1] > math.log(20)


def test_equivalence_is_as_strong_as_its_weaker_side() -> None:
    low, high = np.array([0.0, 3.0, 5.0]), np.array([1.0, 2.0, 9.0])
    found = EvidencePaths(np.zeros(3), np.zeros(3), low, high).log_e_equivalent()
    assert found is not None
    assert found.tolist() == [0.0, 2.0, 5.0]


def test_evidence_falls_as_the_null_grows() -> None:
    for scale, pool_size in ((1.0, None), (0.5, None), (1.0, 500)):
        one = process(outcomes(np.random.default_rng(7), 200, 0.2) * scale, pool_size)
        finals = np.array([one.log_e_path(1, null) for null in np.linspace(-0.9, 0.9, 19)])
        assert (finals[1:] <= finals[:-1] + 1e-9).all()


# ---- with a metric's help --------------------------------------------------------------------------------------


def helped(
    seed: int,
    labelled: int,
    size: int,
    difference: float,
    *,
    pool: bool,
    correlation: float = 0.8,
    scale: float = 1.0,
    linear: bool = False,
) -> AssistedProcess:
    """Labels of the first items, a metric on all of them: by the regression for outcomes, linear for other values."""
    rng = np.random.default_rng(seed)
    values = outcomes(rng, size, difference)
    metric = correlation * values / values.std() + math.sqrt(1 - correlation**2) * rng.normal(size=size)
    values = scale * values[:labelled]
    drawn, rest = metric[:labelled], metric[labelled:]
    regression = scale == 1.0 and not linear
    if pool:
        form = regress_items if regression else control_items
        assistance = form(values, drawn, rest)
    else:
        reserved, rest = rest[:50], rest[50:]
        plan = plan_companions(labelled - np.arange(labelled), rest.size)
        form_inputs = regress_inputs if regression else control_inputs
        assistance = form_inputs(values, drawn, rest, plan, reserved)
    sequence = ValueSequence.complete(values, size if pool else None)
    return AssistedProcess(sequence, assistance, PRIORS, regression=regression)


@pytest.mark.parametrize("pool", [True, False])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_evidence_with_a_metric_falls_as_the_null_grows(pool: bool, scale: float) -> None:
    one = helped(8, 120, 500, 0.2, pool=pool, scale=scale)
    for side in (1, -1):
        finals = np.array([one.log_e_path(side, null) for null in np.linspace(-0.9, 0.9, 19)])
        assert (finals[1:] <= finals[:-1] + 1e-9).all()


@pytest.mark.parametrize("pool", [True, False])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_the_interval_with_a_metric_excludes_zero_exactly_when_the_direction_crosses(pool: bool, scale: float) -> None:
    rng = np.random.default_rng(9)
    crossed = 0
    for seed in range(16):  # fewer labels than 256: the interval takes every look
        difference = float(rng.uniform(-0.5, 0.5))
        one = helped(seed, int(rng.integers(40, 200)), 600, difference, pool=pool, scale=scale)
        low, high = one.interval(LOG_40)
        for limit, side in ((low, 1), (-high, -1)):
            if one.log_e_path(side).max() >= LOG_40:
                crossed += 1
                assert limit > -1e-4
            else:
                assert limit < 1e-4
    assert 3 < crossed < 29


def test_a_completely_labelled_pool_with_a_metric_has_no_uncertainty() -> None:
    one = helped(11, 60, 60, 0.1, pool=True)
    mean = one.sequence.mean
    assert mean > 0
    assert one.interval(LOG_40) == (mean, mean)
    assert one.log_e_path(1)[-1] == np.inf


@pytest.mark.parametrize("budget", [None, 20])
def test_no_interval_reaches_beyond_what_known_ties_leave_open(budget: int | None) -> None:
    two_wins = ValueSequence.complete(np.ones(2), 10, 0.25)
    process = (
        AnytimeProcess(two_wins, PRIORS)
        if budget is None
        else BudgetedProcess(two_wins, None, BudgetPlan(0.025), budget, PRIORS)
    )
    low, high = process.interval(math.log(40))
    assert -0.25 <= low < 0.2
    assert high == 0.25


def test_a_pool_of_known_ties_only_has_no_difference() -> None:
    nothing_asked = ValueSequence.complete(np.empty(0), 0, 0.0)
    assert nothing_asked.mean == 0.0
    assert AnytimeProcess(nothing_asked, PRIORS).interval(math.log(40)) == (0.0, 0.0)


@pytest.mark.parametrize("null", [0.0, -0.2])
@pytest.mark.parametrize("linear", [True, False])
@pytest.mark.parametrize("pool", [True, False])
def test_many_sequences_side_by_side_are_those_one_by_one(pool: bool, linear: bool, null: float) -> None:
    one = [helped(seed, 100, 500, 0.3, pool=pool, linear=linear) for seed in range(4)]
    helps = [of._help for of in one]
    names = ("centred", "above", "below", "reach_above", "reach_below", "variances")
    together = MetricHelp(*(np.stack([getattr(of, name) for of in helps]) for name in names), helps[0].pool_size)
    outcomes = np.stack([of.sequence.for_a for of in one])
    for side in (1, -1):
        expected = [of.log_e_path(side, null) for of in one]
        found = assisted_paths(outcomes, together, side, null, regression=not linear)
        np.testing.assert_allclose(found, expected, atol=1e-8)


def test_a_metric_that_predicts_nothing_leaves_the_evidence_as_it_is() -> None:
    useless = [helped(seed, 120, 500, 0.2, pool=False, correlation=0.0) for seed in range(12)]
    same = 0
    for one in useless:
        alone = AnytimeProcess(one.sequence, PRIORS)
        if not predicts_labels(one.sequence, one._help):
            same += 1
            for null in (0.0, -0.1):
                assert one.log_e_path(1, null).tolist() == alone.log_e_path(1, null).tolist()
    assert same >= 10
