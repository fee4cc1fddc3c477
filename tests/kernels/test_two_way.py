"""Means over items and people: variances by hand and beside statsmodels, and the error where people have tastes."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import binom
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from tiebreak.kernels.two_way import TwoWayMean, fewest_people, two_way_mean


def crossed(values: list[list[float]]) -> TwoWayMean:
    """A row per item, a column per person; nan where a person gave no label."""
    table = np.array(values)
    item, person = np.nonzero(~np.isnan(table))
    weights = 1 / (len(table) * np.bincount(item)[item])
    return two_way_mean(table[item, person], weights, item, person, len(table))


def test_by_hand() -> None:
    # The mean is 1/2. Strays, each over 4: (1/2, 1/2), (1/2, -3/2) / 4. By item 1/4 and -1/4: 2 * 2/16 = 1/4. By person
    # 1/4 and -1/4: 1/4. By label (1 + 1 + 1 + 9) / 64 = 3/16. People add 1/4 - 3/16.
    found = crossed([[1, 1], [1, -1]])
    assert (found.estimate, found.items, found.people) == (0.5, 2, 2)
    assert found.of_items == pytest.approx(1 / 4)
    assert found.of_people == pytest.approx(1 / 16)


def test_variances_are_those_of_statsmodels() -> None:
    rng = np.random.default_rng(3)
    table = rng.choice([-1.0, 0.0, 1.0], (30, 7)) + rng.normal(0, 0.1, (1, 7))
    table[rng.random(table.shape) < 0.3] = np.nan
    item, person = np.nonzero(~np.isnan(table))
    values = table[item, person]
    found = two_way_mean(values, np.full(values.size, 1 / values.size), item, person, 30)
    fit = sm.OLS(values, np.ones(values.size)).fit()
    both, of_items, of_people = cov_cluster_2groups(fit, item, person, use_correction=False)
    of_labels = of_items + of_people - both
    assert found.of_items == pytest.approx(of_items[0, 0] * 30 / 29)
    assert found.of_people == pytest.approx(max(of_people[0, 0] * 7 / 6 - of_labels[0, 0], 0))


def test_a_turned_pair_is_mirrored() -> None:
    table = [[1, 1, 0], [1, -1, 1], [0, 1, 1], [-1, 1, 1]]
    one, other = crossed(table).look(), crossed([[-value for value in row] for row in table]).look()
    assert (one.p_a, one.p_b) == pytest.approx((other.p_b, other.p_a))
    assert one.interval(0.05) == pytest.approx(tuple(-end for end in reversed(other.interval(0.05))))


def test_ties_that_nobody_gives_add_no_person() -> None:
    values, weights = np.array([1.0, 1.0, 0.0]), np.full(3, 1 / 3)
    found = two_way_mean(values, weights, np.arange(3), np.array([0, 1, -1]), 3)
    assert (found.estimate, found.people) == (pytest.approx(2 / 3), 2)


@pytest.mark.parametrize(("level", "people"), [(0.025, 6), (0.05, 5), (0.5, 2), (0.025 / 6, 8), (2.0**-7, 7)])
def test_so_many_people_decide_if_they_agree_and_no_fewer(level: float, people: int) -> None:
    assert fewest_people(level) == people
    agree = crossed([[1.0] * people] * 40).look()
    assert agree.p_a <= level
    assert agree.smallest_p == pytest.approx(agree.p_a)
    assert crossed([[1.0] * (people - 1)] * 40).look().p_a > level


def simulated(people: int, items: int, own: int | None, tastes: float, rng: np.random.Generator) -> TwoWayMean:
    """Two equal systems: people's tastes for one of them, and items that favour one, are normal; `own`: people of each
    item, None for all, 0: each person has items of their own.
    """
    log_odds = rng.normal(0, tastes, people)[None, :] + rng.normal(0, 0.5, (items, 1))
    answers = np.where(rng.random((items, people)) < 1 / (1 + np.exp(-log_odds)), 1.0, -1.0)
    answers[rng.random(answers.shape) < 0.2] = 0.0
    asked = np.ones(answers.shape, dtype=bool)
    if own == 0:
        asked = np.arange(items)[:, None] % people == np.arange(people)[None, :]
    elif own is not None:
        asked = rng.random(answers.shape).argsort(axis=1) < own
    return crossed(np.where(asked, answers, np.nan).tolist())


RUNS = 1000


@pytest.mark.parametrize("tastes", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize(
    ("people", "items", "own"), [(6, 40, None), (20, 10, None), (8, 160, 0), (12, 60, 3), (40, 20, None)]
)
def test_the_error_is_that_which_is_said(people: int, items: int, own: int | None, tastes: float) -> None:
    rng = np.random.default_rng([people, items, int(10 * tastes)])
    looks = [simulated(people, items, own, tastes, rng).look() for _ in range(RUNS)]
    wrong = sum(min(look.p_a, look.p_b) <= 0.025 for look in looks)
    assert wrong <= binom.ppf(0.999, RUNS, 0.05)  # 72: at twice the level 100 are expected


def test_a_test_over_items_alone_errs_far_more_often() -> None:
    rng = np.random.default_rng(1)
    fits = [simulated(6, 40, None, 1.0, rng) for _ in range(200)]
    assert sum(abs(fit.estimate) > 2.02 * np.sqrt(fit.of_items) for fit in fits) > 60


def test_intervals_hold_the_truth() -> None:
    rng = np.random.default_rng(2)
    intervals = [simulated(12, 40, None, 0.5, rng).look().interval(0.025) for _ in range(RUNS)]
    assert sum(not low <= 0 <= high for low, high in intervals) <= binom.ppf(0.999, RUNS, 0.05)
