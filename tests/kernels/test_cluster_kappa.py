"""Kappa over clusters: derived by hand, beside statsmodels, and how often its interval holds the truth."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import cohens_kappa

from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.clusters import cluster_kappa

Floats = NDArray[np.float64]


def single(table: object) -> Floats:
    """One cluster per item of a table of counts."""
    counts = np.array(table, dtype=int)
    size = counts.shape[0]
    return np.repeat(np.eye(size * size).reshape(-1, size, size), counts.ravel(), axis=0)


def test_by_hand() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: p_o = .7, p_e = .5 * .6 + .5 * .4 = .5, kappa = .4.
    found = cluster_kappa(single([[20, 5], [10, 15]]), 0.05)
    assert found.estimate == pytest.approx(0.4)
    assert found.low is not None
    assert found.high is not None
    assert -1 < found.low < 0.4 < found.high < 1


def test_beside_another_package() -> None:
    table = [[231, 45, 145], [60, 80, 71], [97, 29, 166]]
    oracle = cohens_kappa(np.array(table))
    found = cluster_kappa(single(table), 0.05)
    assert found.estimate == pytest.approx(oracle.kappa)
    # Theirs is kappa -+ 1.96 of the asymptotic error; with 924 items both are the same to a hundredth.
    assert found.low == pytest.approx(oracle.kappa_low, abs=0.01)
    assert found.high == pytest.approx(oracle.kappa_upp, abs=0.01)


def test_items_that_repeat_one_another_are_one() -> None:
    tables = single([[20, 5], [10, 15]])
    alone, doubled = cluster_kappa(tables, 0.05), cluster_kappa(2 * tables, 0.05)
    assert doubled.estimate == pytest.approx(alone.estimate)
    assert alone.low is not None
    assert doubled.low == pytest.approx(alone.low, abs=0.02)  # and not as if there were 100 items


def test_full_agreement_has_an_interval() -> None:
    found = cluster_kappa(single([[30, 0], [0, 30]]), 0.05)
    assert found.estimate == 1
    assert found.high == pytest.approx(1)
    assert found.low is not None
    assert 0.8 < found.low < 0.95  # 60 of 60 agree: at 95% more than 94% would, and half of them by chance


def test_raters_who_never_agree_have_an_interval() -> None:
    found = cluster_kappa(single([[0, 12, 8], [9, 0, 4], [3, 9, 0]]), 0.05)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.estimate <= found.high < 0  # 0 of 45 agree, a third would by chance


def test_one_cluster_says_nothing_of_others() -> None:
    found = cluster_kappa(np.array([[[20.0, 5.0], [10.0, 15.0]]]), 0.05)
    assert found.estimate == pytest.approx(0.4)
    assert (found.low, found.high) == (None, None)


def test_a_rater_who_always_says_the_same() -> None:
    found = cluster_kappa(single([[30, 20], [0, 0]]), 0.05)
    assert found.estimate == 0
    assert (found.low, found.high) == (None, None)
    with pytest.raises(UnidentifiedError):
        cluster_kappa(single([[30, 0], [0, 0]]), 0.05)


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("agreeing", [0.55, 0.9])
def test_it_holds_the_truth(size: int, agreeing: float) -> None:
    """40 clusters of 1 or 4 items whose difficulty they share; three outcomes of unequal shares. Of 1,000 intervals at
    95% at most 72 miss; with a true miss rate of .10 more than 72 would in all but 2 of 1,000 tests."""
    rng = np.random.default_rng([size, int(100 * agreeing)])
    shares = np.array([0.5, 0.2, 0.3])
    truth = _kappa(_joint(agreeing, shares))
    missed = 0
    for _ in range(1000):
        # The probability of copying the other rater varies by cluster about its mean.
        copied = np.where(rng.random(40) < 0.5, agreeing - 0.09, agreeing + 0.09)[:, None]
        people = rng.choice(3, p=shares, size=(40, size))
        judge = np.where(rng.random((40, size)) < copied, people, rng.choice(3, p=shares, size=(40, size)))
        tables = np.zeros((40, 3, 3))
        np.add.at(tables, (np.repeat(np.arange(40), size), judge.ravel(), people.ravel()), 1.0)
        found = cluster_kappa(tables, 0.05)
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= truth <= found.high
    assert missed <= 72


def _joint(agreeing: float, shares: Floats) -> Floats:
    return agreeing * np.diag(shares) + (1 - agreeing) * np.outer(shares, shares)


def _kappa(table: Floats) -> float:
    agreed, chance = np.trace(table), table.sum(axis=0) @ table.sum(axis=1)
    return float((agreed - chance) / (1 - chance))


def test_of_a_pool_the_rest_is_all_that_is_left_to_chance() -> None:
    rng = np.random.default_rng(4)
    tables = np.zeros((60, 3, 3))
    people = rng.integers(0, 3, size=60)
    judge = np.where(rng.random(60) < 0.7, people, rng.integers(0, 3, size=60))
    np.add.at(tables, (np.arange(60), judge, people), 1.0)
    inputs, half, whole = (cluster_kappa(tables, 0.05, seen) for seen in (0.0, 0.5, 1.0))
    assert whole.low == whole.high == whole.estimate == inputs.estimate
    assert None not in (inputs.low, inputs.high, half.low, half.high)
    ratio = ((half.high or 0) - (half.low or 0)) / ((inputs.high or 0) - (inputs.low or 0))
    assert 0.5**0.5 < ratio < 0.5**0.5 + 0.1  # an item of the pool further on either side
