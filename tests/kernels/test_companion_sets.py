"""Sets of an item and its companions: valid whatever the metric says, by exact expectation and beside a plain
implementation; ranks; what several labelled items of a set leave; and that evidence falls in the null.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from tiebreak.kernels import bet_mixture
from tiebreak.kernels.companion_sets import CompanionSets, drawn_sets, log_e_at_looks, rank_scores

Floats = NDArray[np.float64]


def plain(values: Floats, scores: Floats, sets: list[int], ends: list[int], null: float) -> list[float]:
    """log E at the ends of looks, factor by factor."""
    bets = np.geomspace(0.015, 0.9, 24)
    mass = sum(bets / width * np.exp(-(bets**2) / (2 * width**2)) for width in (0.15, 0.5))
    prior = bet_mixture.default_prior()
    experts = [(bet, 0.0, 0, 0.6 * math.exp(log)) for bet, log in zip(prior.bets, prior.log_weights, strict=True)]
    ways = scores.shape[1]
    for way, slope in itertools.product(range(ways), (0.5, 1.0)):
        experts += [
            (bet, slope, way, 0.4 / 2 / ways * share) for bet, share in zip(bets, mass / mass.sum(), strict=True)
        ]
    wealth = [weight for *_, weight in experts]
    found, start = [], 0
    for end in ends:
        groups: dict[object, list[int]] = {}
        for k in range(start, end):
            groups.setdefault(sets[k] if sets[k] >= 0 else f"alone {k}", []).append(k)
        for members in groups.values():
            for number, (bet, slope, way, _) in enumerate(experts):
                room = 1 + null
                if slope == 0:
                    factors = [1 + min(bet, 0.98 / room) * (values[k] - null) for k in members]
                else:
                    theta = min(bet, 0.9 / room, 1 / (room + slope))
                    tilt = min(bet, 0.98 * (1 - theta * room) / slope)
                    factors = [1 + theta * (values[k] - null) - tilt * slope * scores[k, way] for k in members]
                wealth[number] *= min(factors)
        found.append(math.log(sum(wealth)))
        start = end
    return found


@pytest.mark.parametrize("null", [-0.4, 0.0, 0.3])
@pytest.mark.parametrize("ways", [1, 3])
def test_the_same_as_factor_by_factor(null: float, ways: int) -> None:
    rng = np.random.default_rng(ways)
    values = rng.choice([-1.0, -0.5, 0.0, 1.0], 24)
    scores = rng.uniform(-1, 1, (24, ways))
    sets = [4, -1, 4, 2, 0, -1, 7, 7, 1, 7, -1, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 20]
    ends = [5, 10, 11, 24]
    ours = log_e_at_looks(values, scores, np.array(sets), np.array(ends), null)
    assert_allclose(ours, plain(values, scores, sets, ends, null))


@pytest.mark.parametrize("mean", [0.0, 0.2])
def test_whatever_the_metric_says_the_mean_of_e_is_one_at_the_edge_of_the_null(mean: float) -> None:
    """By enumeration of two sets of three items, the first of which is labelled: contents are a value and a metric,
    which is inverted, clever and useless by turns."""
    kinds = [(1.0, 2.0, 0.3 + mean / 2), (0.0, 5.0, 0.25), (0.0, -1.0, 0.15), (-1.0, 2.0, 0.3 - mean / 2)]
    found = []
    of_set = []
    for content in itertools.product(kinds, repeat=3):
        metric = np.array([[kind[1]] for kind in content])
        rank = rank_scores(metric, np.zeros(3, dtype=np.intp))[0, 0]
        of_set.append((content[0][0], rank, math.prod(kind[2] for kind in content)))
    kept: dict[tuple[float, float], float] = {}
    for value, rank, chance in of_set:
        kept[value, rank] = kept.get((value, rank), 0.0) + chance
    assert abs(sum(rank * chance for (_, rank), chance in kept.items())) < 1e-12
    for side in (1, -1):
        total = 0.0
        for one, two in itertools.product(kept.items(), repeat=2):
            values, ranks = (side * np.array([one[0][k], two[0][k]]) for k in (0, 1))
            log_e = log_e_at_looks(values, ranks[:, None], np.arange(2), np.array([1, 2]), side * mean)
            total += one[1] * two[1] * math.exp(log_e[-1])
        found.append(total)
    assert_allclose(found, 1.0, atol=1e-12)


def test_evidence_is_one_function_of_what_has_come() -> None:
    """Whatever the order, and however many looks there were."""
    rng = np.random.default_rng(3)
    values, scores, sets = rng.choice([-1.0, 0.0, 1.0], 40), rng.uniform(-1, 1, (40, 1)), np.arange(40)
    often = log_e_at_looks(values, scores, sets, np.arange(1, 41))
    order = rng.permutation(40)
    assert_allclose(log_e_at_looks(values[order], scores[order], sets[order], np.array([40]))[-1], often[-1])
    assert_allclose(log_e_at_looks(values, scores, sets, np.array([7, 20, 40])), often[[6, 19, 39]])


def test_several_items_of_a_set_leave_the_least() -> None:
    values, scores = np.array([1.0, 1.0, -1.0, 0.0]), np.array([[1.0], [-0.2], [0.1], [0.4]])
    ends = np.array([4])
    both = log_e_at_looks(values, scores, np.array([0, 1, 1, 2]), ends)
    for first in (1, 2):
        kept = np.array([0, first, 3])
        assert both[-1] <= log_e_at_looks(values[kept], scores[kept], np.arange(3), np.array([3]))[-1] + 1e-12
    with pytest.raises(ValueError, match="several looks"):
        log_e_at_looks(values, scores, np.array([0, 1, 1, 2]), np.array([2, 4]))


def test_evidence_falls_in_the_null() -> None:
    rng = np.random.default_rng(5)
    values, scores = rng.uniform(-1, 1, 60), rng.uniform(-1, 1, (60, 2))
    paths = [
        log_e_at_looks(values, scores, np.arange(60), np.array([20, 60]), null) for null in np.linspace(-0.99, 0.99, 80)
    ]
    assert (np.diff(np.array(paths), axis=0) <= 1e-9).all()


def test_a_good_metric_grows_evidence_and_a_useless_one_costs_no_more_than_its_share() -> None:
    rng = np.random.default_rng(8)
    values = rng.choice([1.0, 0.0, -1.0], p=[0.45, 0.3, 0.25], size=(200, 5))
    sets, ends = np.repeat(np.arange(200), 5), np.array([200])
    alone = bet_mixture.log_e_path(values[:, 0], bet_mixture.default_prior())[-1]
    for noise, least, most in ((0.3, 3.0, 30.0), (100.0, math.log(0.6), 0.5)):
        ranks = rank_scores((values + noise * rng.normal(size=values.shape)).reshape(-1, 1), sets)[::5]
        gained = log_e_at_looks(values[:, 0], ranks, np.arange(200), ends)[-1] - alone
        assert least <= gained <= most


def test_ranks() -> None:
    sets = np.array([0, 0, 0, 1, 1, 1, 1, 2, -1, 3, 3])
    nan = math.nan
    metric = np.array([[5.0, 1e300, 2.0, 3.0, 3.0, nan, -4.0, 9.0, 7.0, nan, 1.0]]).T
    expected = [0, 1, -1, 0.5, 0.5, 0, -1, 0, 0, 0, 0]
    assert_allclose(rank_scores(metric, sets)[:, 0], expected)
    both = rank_scores(np.concatenate([metric, -metric], axis=1), sets)
    assert both.shape == (11, 3)
    assert_allclose(both[:, 1], -both[:, 0])
    assert_allclose(both[:, 2], 0)
    assert rank_scores(np.empty((11, 0)), sets).shape == (11, 0)


def test_sets_are_drawn_by_place() -> None:
    places = np.array([50, 10, 40, 20, 30, 60, 70], dtype=np.uint64)
    assert drawn_sets(places, 3).tolist() == [1, 0, 1, 0, 0, 1, -1]
    assert drawn_sets(places[:2], 3).tolist() == [-1, -1]
    assert drawn_sets(places[:0], 3).size == 0


def test_what_is_left_of_what_a_metric_explains() -> None:
    of = CompanionSets(np.array([0, -1, 1]), np.zeros((3, 1)), np.array([5, 1, 2]))
    assert of.share == pytest.approx((0.8 + 0 + 0.5) / 3)
    assert of.of(np.array([2, 0])).sizes.tolist() == [2, 5]
    assert of.of(np.array([], dtype=np.intp)).share == 0.0
    assert log_e_at_looks(np.empty(0), np.empty((0, 1)), np.empty(0, np.intp), np.empty(0, np.intp)).size == 0
