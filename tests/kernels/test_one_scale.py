from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.tournaments import World, all_pairs, by_item, independent, outcomes
from numpy.testing import assert_allclose
from tests.kernels.test_strengths import played

from tiebreak.kernels.games import Games
from tiebreak.kernels.jackknife import OneScale, one_scale
from tiebreak.kernels.strengths import strengths


def of_one_scale(games: Games) -> OneScale:
    found = strengths(games)
    return one_scale(games, found.fit, found.influences)


def test_a_circle_by_hand() -> None:
    # Each beats the next 60 : 40 and nothing else tells them apart: strengths are equal, every score is .2 above what
    # is expected. Var(R) = 100/4 for a pair by itself; of three residuals the fit takes away two dimensions of three,
    # which leaves a third: z = 10 / sqrt(25/3) = 3.46.
    found = of_one_scale(
        played({(0, 1): "w" * 60 + "l" * 40, (1, 2): "w" * 60 + "l" * 40, (0, 2): "w" * 40 + "l" * 60})
    )
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
    other = of_one_scale(
        Games.of(
            4,
            3 - np.where(turned, games.second, games.first),
            3 - np.where(turned, games.first, games.second),
            np.where(turned, -games.outcome, games.outcome),
            cluster=games.cluster,
        )
    )
    place = {tuple(pair): k for k, pair in enumerate(other.pairs.tolist())}
    there = [place[3 - second, 3 - first] for first, second in found.pairs.tolist()]
    assert_allclose(other.p_values[there], found.p_values, rtol=1e-5)
    assert_allclose(other.excess[there], -found.excess, atol=1e-6)


SOUND = (
    independent(6, 500, 1.0, 1 / 3),
    independent(3, 120, 0.5, 0.15),
    by_item(6, 30, None, 0.0, 1 / 3),
    by_item(5, 60, 3, 0.0, 1 / 3, people=3),
)


@pytest.mark.parametrize("world", SOUND, ids=lambda world: world.name)
def test_it_errs_as_often_as_it_says(world: World) -> None:
    """Where one scale is true; at most 22 of 250 studies below .05: at 5% more are found in 0.5%, at 10% in 71%."""
    rng = np.random.default_rng(4)
    p_values = [of_one_scale(world.make(rng)).p_value for _ in range(250)]
    assert all(value is not None for value in p_values)
    assert sum(value <= 0.05 for value in p_values if value is not None) <= 22
