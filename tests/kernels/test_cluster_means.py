"""The share of items over clusters, one look: by hand, brute force, symmetries, seeded error rates beside a t test."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.stats import binomtest, t, ttest_1samp

from tiebreak.errors import UsageError
from tiebreak.kernels.cluster_means import ClusterPool, cluster_means, effective_clusters
from tiebreak.kernels.score_interval import NullScore

Floats = NDArray[np.float64]


def clusters(count: int, seed: int, shift: float = 0.1) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 21, count)
    towards = np.clip(rng.normal(0.5 + shift / 2, 0.25, count), 0, 1)
    return 2.0 * rng.binomial(sizes, towards) - sizes, sizes.astype(float)


def test_by_hand() -> None:
    # Sums 4, 2, -1 of sizes 4, 3, 2. Subsets with a sum <= 0: {} and {-1}: 2 of 8. With a sum >= 0: all but {-1}: 7.
    # Residuals 16/9, 1/3, -19/9: squares 626/81, so that t = 5/sqrt(3/2 * 626/81) = 1.4685, p .140: less.
    test = cluster_means(np.array([4.0, 2.0, -1.0]), np.array([4.0, 3.0, 2.0]), 1)
    assert test.estimate == pytest.approx(5 / 9)
    assert_allclose([test.p_a, test.p_b, test.smallest_p], [2 / 8, 7 / 8, 1 / 8], atol=1e-11)
    # At .2 a side only {} may lie below: the next mean of a subset is -1/2, that of {-1}. 1 is the mean of {4}.
    low, high = test.interval(0.2)
    assert (low, high) == (pytest.approx(-0.5, abs=2e-7), pytest.approx(1.0, abs=2e-7))


@pytest.mark.parametrize("seed", range(3))
def test_brute_force(seed: int) -> None:
    sums, sizes = clusters(9, seed)
    test = cluster_means(sums, sizes, 1)
    for null in (-0.4, -0.1, 0.0):
        scores = sums - null * sizes
        flipped = np.array([np.dot(signs, scores) for signs in itertools.product((1, -1), repeat=9)])
        residuals = sums - test.estimate * sizes
        by_t = t.sf(scores.sum() / math.sqrt(9 / 8 * float(residuals @ residuals)), 8)
        both = max(by_t, float((flipped >= scores.sum() - 1e-9).mean()))
        assert test.at_most(null) == pytest.approx(NullScore.of(sums, sizes, 8.0).raised(null, both), abs=1e-11)


def test_clusters_of_one_label_are_the_sign_test() -> None:
    values = np.repeat([1.0, 0.0, -1.0], [30, 20, 14])
    test = cluster_means(values, np.ones(64), 1)
    by_t = ttest_1samp(values, 0.0, alternative="greater").pvalue
    assert test.p_a == pytest.approx(max(by_t, binomtest(30, 44, alternative="greater").pvalue), abs=1e-11)


def test_items_count_not_clusters() -> None:
    """Twenty documents with one item for a, ten with nine items for b: b is better by items."""
    test = cluster_means(np.append(np.ones(20), -9 * np.ones(10)), np.append(np.ones(20), 9 * np.ones(10)), 1)
    assert test.estimate == pytest.approx(-70 / 110)
    assert test.p_b < 0.01


def test_effective_clusters_by_hand() -> None:
    assert effective_clusters(np.array([3.0, 3.0, 3.0])) == 3.0
    assert effective_clusters(np.array([1.0, 1.0, 2.0])) == pytest.approx(16 / 6)
    assert effective_clusters(np.empty(0)) == 0.0


def test_whole_clusters_drawn_from_a_pool() -> None:
    sums, sizes = clusters(20, 4)
    widths = []
    for pool in (None, 10**9, 40, 24, 20):
        test = cluster_means(sums, sizes, 1, None if pool is None else ClusterPool(pool, np.zeros(20)))
        low, high = test.interval(0.025)
        widths.append(high - low)
    assert widths[0] == pytest.approx(widths[1], rel=1e-4)
    assert widths[2] == pytest.approx(widths[0] * math.sqrt(0.5), rel=0.02)
    assert widths[2] > widths[3] > widths[4]
    assert widths[4] < 1e-6  # every cluster labelled once: about these labels, and certain
    noisy = cluster_means(sums, sizes, 1, ClusterPool(20, sizes * 0.3)).interval(0.025)
    assert noisy[1] - noisy[0] > 0.05


@pytest.mark.parametrize("count", [7, 30, 200])
@pytest.mark.parametrize("denominator", [1, None])
def test_order_and_sides(count: int, denominator: int | None) -> None:
    sums, sizes = clusters(count, 5)
    order = np.random.default_rng(2).permutation(count)
    one = cluster_means(sums, sizes, denominator)
    moved = cluster_means(sums[order], sizes[order], denominator)
    swapped = cluster_means(-sums, sizes, denominator)
    assert_allclose([moved.p_a, moved.p_b], [one.p_a, one.p_b], atol=1e-12)
    assert_allclose([swapped.p_b, swapped.p_a], [one.p_a, one.p_b], atol=1e-12)
    low, high = one.interval(0.025)
    assert_allclose(moved.interval(0.025), (low, high), atol=1e-9)
    assert_allclose(swapped.interval(0.025), (-high, -low), atol=1e-9)


def test_verdict_and_interval_agree_at_every_level() -> None:
    for seed in range(30):
        sums, sizes = clusters((8, 14, 25, 60)[seed % 4], seed, shift=0.3)
        pool = ClusterPool(90, np.zeros(sums.size)) if seed % 3 == 0 else None
        test = cluster_means(sums, sizes, 1, pool)
        for level in (0.025, 0.001, test.p_a, test.p_b):
            if 0 < level < 0.5:
                low, high = test.interval(level)
                assert (low > 0) == (test.p_a <= level)
                assert (high < 0) == (test.p_b <= level)


def test_all_alike_is_not_certain() -> None:
    for count in (6, 12, 100):
        low, high = cluster_means(np.full(count, 10.0), np.full(count, 10.0), 1).interval(0.025)
        assert high == 1.0
        assert 0.5 / count < 1 - low < 12 / count


def test_nothing_and_bad_input() -> None:
    none = cluster_means(np.empty(0), np.empty(0), 1)
    assert (none.p_a, none.p_b, none.interval(0.025)) == (1.0, 1.0, (-1.0, 1.0))
    with pytest.raises(UsageError, match=r"the sum 3.0 of a cluster of 2 items lies beyond its size"):
        cluster_means(np.array([3.0]), np.array([2.0]), 1)
    with pytest.raises(UsageError, match="at least one item, but one has 0"):
        cluster_means(np.array([0.0]), np.array([0.0]), 1)
    with pytest.raises(UsageError, match="do not fit a pool of 1"):
        cluster_means(np.zeros(2), np.ones(2), 1, ClusterPool(1, np.zeros(2)))


# ---- error rates -------------------------------------------------------------------------------------------------


def errors(kind: str, count: int, runs: int) -> tuple[float, float]:
    """Wrong directions at .025 a side where each document leans to a or b: ours, and a t test alone."""
    rng, wrong, by_t = np.random.default_rng(13), 0, 0
    quantile = float(t.ppf(0.975, count - 1))
    for _ in range(runs):
        sizes = rng.integers(2, 21, count) if kind == "2-20" else np.ceil(np.exp(rng.normal(1.8, 1.0, count)))
        towards = 0.5 + rng.choice([-0.25, 0.25], count)
        sums = 2.0 * rng.binomial(sizes.astype(int), towards) - sizes
        test = cluster_means(sums, sizes.astype(float), 1)
        wrong += min(test.p_a, test.p_b) <= 0.025
        residuals = sums - sums.sum() / sizes.sum() * sizes
        by_t += abs(sums.sum()) > quantile * math.sqrt(count / (count - 1) * float(residuals @ residuals))
    return wrong / runs, by_t / runs


def allowed(runs: int, level: float = 0.05) -> float:
    return level + 3 * math.sqrt(level * (1 - level) / runs)


def test_error_rate() -> None:
    wrong, _ = errors("2-20", 12, 600)
    assert 0.01 < wrong <= allowed(600)


def test_error_rate_with_unequal_sizes_beside_a_t_test() -> None:
    wrong, by_t = errors("lognormal", 10, 600)
    assert 0.005 < wrong <= allowed(600)
    assert by_t > allowed(600)  # the control


@pytest.mark.full
@pytest.mark.parametrize("kind", ["2-20", "lognormal"])
@pytest.mark.parametrize("count", [8, 12, 20, 50, 100])
def test_error_rates_in_many_runs(kind: str, count: int) -> None:
    wrong, _ = errors(kind, count, 4_000)
    assert wrong <= allowed(4_000)
