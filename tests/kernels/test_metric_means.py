"""Means with the help of metrics, one look: the plain test where they are unused, agreement, seeded error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.stats import ttest_1samp

from tiebreak.errors import UsageError
from tiebreak.kernels.cluster_means import ClusterPool, cluster_means
from tiebreak.kernels.metric_means import metric_cluster_means, metric_means
from tiebreak.kernels.panel_means import Pool, panel_means

Floats = NDArray[np.float64]


def study(rng: np.random.Generator, size: int, metrics: int, kind: str) -> tuple[Floats, Floats, float, Floats]:
    """Values (N,) of three labels, their variances, the pool's true mean, metrics (N, M); over all inputs it is 0."""
    table = rng.standard_normal((size, metrics))
    if kind == "strong":
        strong = rng.random(size) < 0.05
        a, b = np.where(strong, 1.0, 0.2), np.where(strong, 0.0, 0.2 + 0.05 / 0.95)
        table[:, 0] += 2 * strong
    else:
        towards = rng.standard_normal(size)
        a = np.clip(0.4 + 0.25 * towards, 0, 0.8)
        b = 0.8 - a
        if kind == "good":
            table[:, 0] = 0.8 * towards + 0.6 * table[:, 0]
    drawn = rng.random((size, 3))
    votes = np.where(drawn < a[:, None], 1.0, np.where(drawn < (a + b)[:, None], -1.0, 0.0))
    return votes.mean(axis=1), votes.var(axis=1, ddof=1), float((a - b).mean()), table


def test_adjusted_values_are_tested_like_any_others() -> None:
    values, _, _, table = study(np.random.default_rng(1), 300, 1, "good")
    found = metric_means(values[:80], np.full(80, 3), table[:80], table)
    assert found.help.used.tolist() == [1.0]
    by_t = ttest_1samp(found.help.adjusted, 0.0, alternative="greater").pvalue
    assert found.test.estimate == found.help.estimate
    assert by_t - 1e-12 <= found.test.p_a <= by_t + 0.02
    plain = panel_means(values[:80], np.full(80, 3)).interval(0.025)
    low, high = found.test.interval(0.025)
    assert (high - low) / (plain[1] - plain[0]) == pytest.approx(found.help.width_ratio, abs=0.03)
    assert high - low < 0.95 * (plain[1] - plain[0])


def test_without_any_use_it_is_the_plain_test() -> None:
    values, variances, _, table = study(np.random.default_rng(2), 100, 2, "good")
    for pool in (None, Pool(100, variances)):
        found = metric_means(values, np.full(100, 3), table, table, pool)  # every item is labelled
        plain = panel_means(values, np.full(100, 3), pool)
        assert (found.test.p_a, found.test.p_b, found.help.can_help) == (plain.p_a, plain.p_b, False)
        assert found.test.interval(0.025) == plain.interval(0.025)
    few = np.where(np.arange(40) < 15, 1.0, 0.0)
    found = metric_means(few, np.full(40, 3), few[:, None], np.append(few, few)[:, None])
    assert found.test.p_a == panel_means(few, np.full(40, 3)).p_a
    assert found.help.width_ratio == 1.0


def test_verdict_and_interval_agree_and_sides_mirror() -> None:
    rng = np.random.default_rng(3)
    for kind, pooled in (("good", False), ("good", True), ("strong", False), ("useless", True)) * 3:
        values, variances, _, table = study(rng, 150, 2, kind)
        pool = Pool(150, variances[:50]) if pooled else None
        found = metric_means(values[:50], np.full(50, 3), table[:50], table, pool).test
        swapped = metric_means(-values[:50], np.full(50, 3), -table[:50], -table, pool).test
        assert_allclose([swapped.p_b, swapped.p_a], [found.p_a, found.p_b], atol=1e-10)
        for level in (0.025, 0.001, found.p_a, found.p_b):
            if 0 < level < 0.5:
                low, high = found.interval(level)
                assert (low > 0) == (found.p_a <= level)
                assert (high < 0) == (found.p_b <= level)


def test_clusters() -> None:
    rng = np.random.default_rng(4)
    towards = np.repeat(rng.normal(0.2, 0.5, 60), 5)
    values = np.where(rng.random(300) < 0.5 + np.clip(towards, -1, 1) / 2, 1.0, -1.0)
    table = (towards + 0.3 * rng.standard_normal(300))[:, None]
    clusters = np.repeat(np.arange(20), 5)
    plain = cluster_means(values[:100].reshape(20, 5).sum(axis=1), np.full(20, 5.0), 1)
    for pool in (None, ClusterPool(60, np.zeros(20))):
        found = metric_cluster_means(values[:100], clusters, 1, table[:100], table, pool)
        low, high = found.test.interval(0.025)
        assert found.help.width_ratio < 0.9
        assert high - low < np.subtract(*plain.interval(0.025)[::-1])
    useless = metric_cluster_means(values[:100], clusters, 1, np.zeros((100, 1)), np.zeros((300, 1)))
    assert (useless.test.p_a, useless.test.estimate) == (plain.p_a, plain.estimate)


def test_bad_input() -> None:
    values = np.zeros(30)
    with pytest.raises(UsageError, match="a pool of 50 items, but metrics of 40"):
        metric_means(values, np.full(30, 3), np.zeros((30, 1)), np.zeros((40, 1)), Pool(50, values))


# ---- error rates -------------------------------------------------------------------------------------------------


def check_error_rate(kind: str, count: int, size: int, metrics: int, pooled: bool, runs: int) -> None:
    rng, wrong, widths = np.random.default_rng(17), 0, []
    for run in range(runs):
        values, variances, pool_mean, table = study(rng, size, metrics, kind)
        truth, pool = (pool_mean, Pool(size, variances[:count])) if pooled else (0.0, None)
        test = metric_means(values[:count], np.full(count, 3), table[:count], table, pool).test
        wrong += min(test.at_most(truth), test.at_least_negated(-truth)) <= 0.025
        if run % 10 == 0:
            plain = panel_means(values[:count], np.full(count, 3), pool).interval(0.025)
            widths.append(np.subtract(*test.interval(0.025)) / np.subtract(*plain))
    assert 0 < wrong / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
    assert np.mean(widths) < (0.95 if kind == "good" else 1.03)


@pytest.mark.parametrize(
    ("kind", "metrics", "pooled"), [("good", 1, False), ("useless", 16, True), ("strong", 1, False)]
)
def test_error_rate(kind: str, metrics: int, pooled: bool) -> None:
    check_error_rate(kind, 50, 150, metrics, pooled, 350)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["good", "useless", "strong"])
@pytest.mark.parametrize("metrics", [1, 16])
@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("count", [30, 100])
def test_error_rates_in_many_runs(kind: str, metrics: int, pooled: bool, count: int) -> None:
    check_error_rate(kind, count, 3 * count, metrics, pooled, 4_000)
