"""Wins, regrets, and their tests and intervals, against other ways to compute them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from benchmarks.papers.testbed import wins
from statsmodels.stats.multitest import multipletests

DIFFERENCES = np.random.default_rng(3).normal(0.3, 1, size=60).round(2)


def test_a_choice_wins_where_no_candidate_is_better() -> None:
    truth = (-6.2, -6.0, -6.5, -6.0)
    assert [wins.won(truth, k) for k in range(4)] == [False, True, False, True]
    assert wins.chance_of_winning(truth) == 0.5
    assert wins.chance_of_winning((1.0, 2.0, 3.0, 4.0, 5.0)) == 0.2


def test_regret_is_what_the_best_is_better_by() -> None:
    truth = (3.0, 1.0, 5.0)
    assert [wins.regret(truth, k) for k in range(3)] == [2, 4, 0]
    assert wins.chance_regret(truth) == pytest.approx(np.mean([2, 4, 0]))
    assert wins.spread(truth) == 4


@pytest.mark.parametrize("groups", [5, 11])
def test_few_groups_are_flipped_in_all_ways(groups: int) -> None:
    differences = DIFFERENCES[:groups]
    exact = scipy.stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert wins.sign_flip(differences, seed=1) == pytest.approx(exact.pvalue)


def test_many_groups_are_flipped_at_random() -> None:
    """Of wins alone it is the exact sign test: 19 against 7, of 60 groups."""
    decided = [1.0] * 19 + [-1.0] * 7 + [0.0] * 34
    p = scipy.stats.binomtest(19, 26).pvalue
    assert wins.sign_flip(decided, seed=1) == pytest.approx(p, abs=4 * np.sqrt(p / wins.DRAWS))
    exact = scipy.stats.ttest_1samp(DIFFERENCES, 0).pvalue
    assert wins.sign_flip(DIFFERENCES, seed=1) == pytest.approx(exact, abs=0.01)
    assert wins.sign_flip(-DIFFERENCES, seed=1) == wins.sign_flip(DIFFERENCES, seed=1)


def test_nothing_differs_where_all_differences_are_zero() -> None:
    assert wins.sign_flip([0.0] * 6, seed=1) == 1
    assert wins.sign_flip([0.0] * 40, seed=1) == 1


def test_the_interval_is_that_of_scipys_bootstrap() -> None:
    other = scipy.stats.bootstrap(
        (DIFFERENCES,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(8)
    ).confidence_interval
    assert wins.interval(DIFFERENCES, seed=1) == pytest.approx((other.low, other.high), abs=0.02)


def test_adjusted_p_values_are_those_of_statsmodels() -> None:
    p_values = [0.04, 0.001, 0.2, 0.013, 0.9]
    assert wins.holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_eight_of_ten_against_five_by_hand() -> None:
    """Tables with the same margins, 13 wins in 20 runs: 2 (C(10,8) C(10,5) + C(10,9) C(10,4) + C(10,3)) / C(20,13)."""
    assert wins.same_share(8, 5, 10) == pytest.approx(2 * (45 * 252 + 10 * 210 + 120) / 77520)
    assert wins.same_share(8, 5, 10) == pytest.approx(0.35, abs=0.005)
