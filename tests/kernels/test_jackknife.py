"""Leave-one-out errors and intervals: by hand, against closed forms; and whether one scale tells all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.worlds.leaderboards import World, all_pairs, by_item, independent, outcomes
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.special import stdtrit
from scipy.stats import t as student
from tests.kernels.test_strengths import played

from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.games import Games
from tiebreak.kernels.jackknife import (
    OneScale,
    correlation_interval,
    jackknife,
    jackknife_reach,
    log_interval,
    one_scale,
)
from tiebreak.kernels.strengths import strengths

Floats = NDArray[np.float64]


def test_by_hand() -> None:
    """Moved by -1, 0, 1: squares 2, kurtosis 3 * 2/4 = 1.5, so 2 * 3/.5 = 12 degrees, at most U - 1 = 2."""
    error = math.sqrt(2 * 2 / 3)
    assert jackknife_reach(np.array([4.0, 5.0, 6.0])) == pytest.approx(student.ppf(0.975, 2) * error)
    # One of 101 units weighs all: kurtosis about 100, so that 4 degrees are left.
    lone = np.append(np.zeros(100), 1.0)
    squares = float(((lone - lone.mean()) ** 2).sum())
    assert jackknife_reach(lone) == pytest.approx(student.ppf(0.975, 4) * math.sqrt(squares * 100 / 101))
    assert jackknife_reach(np.full(9, 0.3)) == 0.0


def test_of_a_mean_it_is_the_t_interval() -> None:
    """Evenly spread values have so little kurtosis that all U - 1 degrees are left."""
    values = np.linspace(-1, 1, 30)
    left_out = (values.sum() - values) / 29
    expected = student.ppf(0.975, 29) * values.std(ddof=1) / math.sqrt(30)
    assert jackknife_reach(left_out) == pytest.approx(expected)


def test_on_a_log_scale() -> None:
    left_out = np.array([1.5, 2.0, 2.5, 2.1])
    found = log_interval(2.0, left_out, 1.0)
    reach = jackknife_reach(np.log(left_out + 1))
    assert found == pytest.approx((3 * math.exp(-reach) - 1, 3 * math.exp(reach) - 1))
    assert log_interval(-0.5, left_out - 2.2, 1.0) is not None  # near 0 and below
    assert log_interval(-1.0, left_out, 1.0) is None
    assert log_interval(2.0, np.append(left_out, -1.0), 1.0) is None
    assert log_interval(2.0, np.append(left_out, math.nan), 1.0) is None
    assert log_interval(2.0, np.empty(0), 1.0) is None


def test_of_a_correlation() -> None:
    left_out = np.array([0.5, 0.6, 0.55, 0.4])
    reach = jackknife_reach(np.arctanh(left_out))
    middle = math.atanh(0.52)
    found = correlation_interval(0.52, left_out)
    assert found == pytest.approx((math.tanh(middle - reach), math.tanh(middle + reach)))
    assert correlation_interval(1.0, left_out) is None
    assert correlation_interval(0.5, np.append(left_out, math.nan)) is None
    assert correlation_interval(0.5, left_out[:1]) is None


def ratio(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]


def test_of_a_mean_it_is_the_standard_error() -> None:
    values = np.array([1.0, 2.0, 4.0, 9.0])
    found = jackknife(np.column_stack([values, np.ones(4)]), ratio)
    assert found.estimate == 4.0
    # The mean of all but one moves by (value - mean) / 3: the jackknife of a mean is sd / sqrt(n).
    assert found.error == pytest.approx(values.std(ddof=1) / 2)
    assert found.reach(0.05) == pytest.approx(float(stdtrit(found.freedom, 0.975)) * found.error)


def test_a_figure_by_hand() -> None:
    # Units with 1 of 1, 1 of 2, 0 of 1: 2/4. Without each: 1/3, 1/2, 2/3; mean 1/2; squares 2/36; error^2 2/3 * 2/36.
    found = jackknife(np.array([[1.0, 1.0], [1.0, 2.0], [0.0, 1.0]]), ratio)
    assert found.estimate == 0.5
    assert found.error == pytest.approx(math.sqrt(2 / 3 * 2 / 36))


def test_the_order_of_units_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    sums = np.column_stack([rng.integers(0, 4, 30), rng.integers(4, 9, 30)]).astype(float)
    one, other = jackknife(sums, ratio), jackknife(sums[::-1].copy(), ratio)
    assert one.error == pytest.approx(other.error, rel=1e-12)
    assert one.freedom == pytest.approx(other.freedom, rel=1e-12)


def test_nothing_moves_what_is_alike() -> None:
    assert jackknife(np.ones((5, 2)), ratio).error == 0


@pytest.mark.parametrize("sums", [[[1.0, 2.0]], [[1.0, 1.0], [0.0, 0.0]]])
def test_without_an_error_it_says_so(sums: list[list[float]]) -> None:
    with np.errstate(invalid="ignore"), pytest.raises(UnidentifiedError):
        jackknife(np.array(sums), ratio)


# ---- one scale -----------------------------------------------------------------------------------------------------


def of_one_scale(games: Games) -> OneScale:
    found = strengths(games)
    return one_scale(games, found.fit, found.influences)


def test_a_circle_by_hand() -> None:
    # Each beats the next 60 : 40 and nothing else tells them apart: strengths are equal, every score is .2 above what
    # is expected. Var(R) = 100/4 for a pair by itself; of three residuals the fit takes away two dimensions of three,
    # which leaves a third: z = 10 / sqrt(25/3) = 3.46.
    won, lost = "w" * 60 + "l" * 40, "w" * 40 + "l" * 60
    found = of_one_scale(played({(0, 1): won, (1, 2): won, (0, 2): lost}))
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert_allclose(found.excess, [0.2, -0.2, 0.2], atol=1e-6)
    assert_allclose(found.p_values, 0.00053, atol=0.0001)
    assert found.p_value == found.p_values.min()


def test_one_odd_pair_is_named() -> None:
    rng = np.random.default_rng(1)
    pairs = np.repeat(all_pairs(5), 80, axis=0)
    truth = np.linspace(1, -1, 5)
    difference = truth[pairs[:, 0]] - truth[pairs[:, 1]]
    difference[(pairs == (0, 3)).all(axis=1)] = -1.0  # 3 beats 0, which is far above it
    found = of_one_scale(Games.of(5, *pairs.T, outcomes(rng, difference, 0.0)))
    worst = int(found.p_values.argmin())
    assert found.pairs[worst].tolist() == [0, 3]
    assert found.excess[worst] < -0.5
    assert found.p_values[worst] < 1e-6


def test_nothing_is_tested_where_nothing_can_be() -> None:
    chain = {(0, 1): "w" * 30 + "l" * 20, (1, 2): "w" * 30 + "l" * 20}
    assert of_one_scale(played(chain)).p_value is None  # no circle: every pair fits
    few = {(0, 1): "wlwl", (1, 2): "wlwl", (0, 2): "wlwl"}
    assert of_one_scale(played(few)).p_value is None  # 2 expected wins either side
    pairs = np.tile(all_pairs(3), (40, 1))
    outcome = np.random.default_rng(2).integers(-1, 2, 120)
    assert of_one_scale(Games.of(3, *pairs.T, outcome, cluster=np.arange(120) % 9)).p_value is None  # nine items


def test_names_and_sides_change_nothing() -> None:
    rng = np.random.default_rng(3)
    games = by_item(4, 40, 4, 0.0, 1 / 3).make(rng)
    found = of_one_scale(games)
    turned = rng.random(games.first.size) < 0.5
    first, second = np.where(turned, [games.second, games.first], [games.first, games.second])
    outcome = np.where(turned, -games.outcome, games.outcome)
    other = of_one_scale(Games.of(4, 3 - first, 3 - second, outcome, cluster=games.cluster))
    place = {tuple(pair): k for k, pair in enumerate(other.pairs.tolist())}
    there = [place[3 - second, 3 - first] for first, second in found.pairs.tolist()]
    assert_allclose(other.p_values[there], found.p_values, rtol=1e-5)
    assert_allclose(other.excess[there], -found.excess, atol=1e-6)


SOUND_WORLDS = (
    independent(6, 500, 1.0, 1 / 3),
    independent(3, 120, 0.5, 0.15),
    by_item(6, 30, None, 0.0, 1 / 3),
    by_item(5, 60, 3, 0.0, 1 / 3, people=3),
)


@pytest.mark.parametrize("world", SOUND_WORLDS, ids=lambda world: world.name)
def test_it_errs_as_often_as_it_says(world: World) -> None:
    """Where one scale is true; at most 22 of 250 studies below .05: at 5% more are found in 0.5%, at 10% in 71%."""
    rng = np.random.default_rng(4)
    p_values = [of_one_scale(world.make(rng)).p_value for _ in range(250)]
    assert all(value is not None for value in p_values)
    assert sum(value <= 0.05 for value in p_values if value is not None) <= 22
