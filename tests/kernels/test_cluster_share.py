"""Shares over clusters: against Wilson's own interval, at the ends, and how often the interval holds the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit
from statsmodels.stats.proportion import proportion_confint

from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.clusters import cluster_share, items_to_half_width


@pytest.mark.parametrize("hits", [0, 3, 250, 500])
def test_of_single_items_it_is_wilsons(hits: int) -> None:
    found = cluster_share((np.arange(500) < hits).astype(float), np.ones(500), 0.05)
    assert found == pytest.approx(proportion_confint(hits, 500, method="wilson"), abs=0.004)


def test_at_the_ends_by_hand() -> None:
    # 20 clusters, all hits: n = 20, t with 19 degrees of freedom, low = n / (n + t^2).
    square = float(stdtrit(19, 0.975)) ** 2
    assert cluster_share(np.full(20, 3.0), np.full(20, 3.0), 0.05) == pytest.approx((20 / (20 + square), 1))
    assert cluster_share(np.zeros(20), np.full(20, 3.0), 0.05) == pytest.approx((0, square / (20 + square)))


def test_misses_are_the_mirror_of_hits() -> None:
    sums, sizes = np.array([1.0, 0, 2, 3, 1, 4]), np.array([2.0, 1, 4, 3, 5, 4])
    low, high = cluster_share(sums, sizes, 0.1)
    assert cluster_share(sizes - sums, sizes, 0.1) == pytest.approx((1 - high, 1 - low))
    assert cluster_share(sums[::-1], sizes[::-1], 0.1) == pytest.approx((low, high))


def test_one_cluster_says_nothing_of_others() -> None:
    with pytest.raises(UnidentifiedError):
        cluster_share(np.array([3.0]), np.array([4.0]), 0.05)


@pytest.mark.parametrize(("clusters", "size"), [(30, 1), (60, 1), (40, 4)])
@pytest.mark.parametrize("share", [0.5, 0.76, 0.91])
def test_it_holds_the_truth(clusters: int, size: int, share: float) -> None:
    """Clusters vary about the share by a beta with a correlation of .2 within them. Of 1,000 intervals at 95% at most
    72 miss; with a true miss rate of .10 more than 72 would in all but 2 of 1,000 tests. Nor are they too wide: 10 miss
    at least."""
    rng = np.random.default_rng([clusters, size, int(100 * share)])
    own = rng.beta(4 * share, 4 * (1 - share), size=(1000, clusters))
    sums = rng.binomial(size, own).astype(float)
    found = [cluster_share(of, np.full(clusters, float(size)), 0.05) for of in sums]
    missed = sum(not low <= share <= high for low, high in found)
    assert 10 <= missed <= 72


def test_it_holds_the_truth_of_unequal_clusters() -> None:
    """30 clusters of 1 to 20 items, half of which come from the four largest; the bounds are as above."""
    rng = np.random.default_rng(9)
    sizes = np.array([20.0, 20, 20, 20, *[3] * 26])
    own = rng.beta(4 * 0.8, 4 * 0.2, size=(1000, 30))
    sums = rng.binomial(sizes.astype(int), own).astype(float)
    found = [cluster_share(of, sizes, 0.05) for of in sums]
    missed = sum(not low <= 0.8 <= high for low, high in found)
    assert 10 <= missed <= 72


def test_of_a_pool_by_hand() -> None:
    """Half of a pool: n is 200 in place of 100, and both ends reach an item of 200 further; at 0 and 1 a unit."""
    hits, ones = np.repeat([1.0, 0.0], [30, 70]), np.ones(100)
    square = float(stdtrit(99, 0.975)) ** 2 / 200
    middle, half = (0.3 + square / 2) / (1 + square), square**0.5 * (0.21 + square / 4) ** 0.5 / (1 + square)
    found = cluster_share(hits, ones, 0.05, seen=0.5)
    assert found == pytest.approx((middle - half - 0.005, middle + half + 0.005), abs=0.001)  # the error's n - 1
    assert cluster_share(hits, ones, 0.05, seen=1.0) == (0.3, 0.3)
    assert cluster_share(hits, ones, 0.05, seen=1e-9) == pytest.approx(cluster_share(hits, ones, 0.05), abs=1e-6)
    low, high = cluster_share(np.zeros(20), np.full(20, 3.0), 0.05, seen=0.5)
    square = float(stdtrit(19, 0.975)) ** 2
    assert (low, high) == pytest.approx((0, square / (40 + square) + 1 / 40))


@pytest.mark.parametrize(("size", "drawn"), [(40, 20), (100, 90), (400, 200)])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.6])
def test_it_holds_the_share_of_a_pool(size: int, drawn: int, share: float) -> None:
    """Of 1,000 intervals at 95% at most 72 miss, as above; as if drawn from many they are too wide for any to."""
    rng = np.random.default_rng([size, int(100 * share)])
    pool = (np.arange(size) < round(share * size)).astype(float)
    true, ones = float(pool.mean()), np.ones(drawn)
    draws = [rng.permutation(pool)[:drawn] for _ in range(1000)]
    ends = [cluster_share(of, ones, 0.05, seen=drawn / size) for of in draws]
    assert sum(not low - 1e-9 <= true <= high + 1e-9 for low, high in ends) <= 72
    wide = [cluster_share(of, ones, 0.05) for of in draws]
    assert np.mean([high - low for low, high in wide]) > 1.15 * np.mean([high - low for low, high in ends])


def test_items_needed_by_hand() -> None:
    """Half of Wilson's interval at a share of 1/2 is t / (2 sqrt(n + t^2)), .05 where n = 99 t^2; by the jackknife 100
    items are worth 99."""
    needed = items_to_half_width(np.array([0.0, 1] * 50), np.ones(100), 0.05, 0.05) or 0
    assert needed == np.ceil(99 * float(stdtrit(needed - 1, 0.975)) ** 2 / 0.99)


@pytest.mark.parametrize("sums", [[0.0, 2, 4, 1, 3] * 6, [2.0, 2, 2, 2, 1] * 6])
@pytest.mark.parametrize("seen", [0.0, 0.25])
def test_items_needed_are_those_of_the_interval_itself(sums: list[float], seen: float) -> None:
    """Clusters that vary more than independent items would, and clusters that vary less: what is there already is what
    its own half-width takes, and with thrice as many alike clusters the interval is as narrow as was projected."""
    some, sizes = np.array(sums), np.full(30, 4.0)
    low, high = cluster_share(some, sizes, 0.05, seen)
    assert items_to_half_width(some, sizes, (high - low) / 2, 0.05, seen) == pytest.approx(120, abs=1)
    low, high = cluster_share(np.tile(some, 3), np.tile(sizes, 3), 0.05, 3 * seen)
    assert items_to_half_width(some, sizes, (high - low) / 2, 0.05, seen) == pytest.approx(360, rel=0.03)


def test_items_needed_are_no_more_than_the_pool_has() -> None:
    assert items_to_half_width(np.array([0.0, 1] * 50), np.ones(100), 0.0001, 0.05, seen=0.5) == 200
    assert items_to_half_width(np.array([0.0, 1] * 50), np.ones(100), 0.0001, 0.05, seen=1.0) == 100


def test_of_what_never_varies_nothing_is_projected() -> None:
    assert items_to_half_width(np.ones(20), np.ones(20), 0.05, 0.05) is None
