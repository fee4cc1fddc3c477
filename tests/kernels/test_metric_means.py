"""Means with the help of metrics, of outcomes and of ratings: the plain test where they are unused, and error rates."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import ttest_1samp
from tests.kernels.checks import check_agreement, refused

from tiebreak.errors import UsageError
from tiebreak.kernels.held_out_regression import held_out_regression
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.metric_means import metric_cluster_means, metric_means, rating_metric_mean
from tiebreak.kernels.rating_mean import MeanRatings, rating_mean
from tiebreak.kernels.unit_means import ClusterPool, Pool, cluster_means, panel_means

# ---- outcomes ----------------------------------------------------------------------------------------------------

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
    assert found.test.estimate == pytest.approx(found.help.estimate, abs=1e-14)
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
        assert (found.test.p_a, found.test.p_b, found.help.unused) == (plain.p_a, plain.p_b, "all-labelled")
        assert found.test.interval(0.025) == plain.interval(0.025)


def test_verdict_and_interval_agree_and_sides_mirror() -> None:
    rng = np.random.default_rng(3)
    for kind, pooled in (("good", False), ("good", True), ("strong", False), ("useless", True)) * 3:
        values, variances, _, table = study(rng, 150, 2, kind)
        pool = Pool(150, variances[:50]) if pooled else None
        found = metric_means(values[:50], np.full(50, 3), table[:50], table, pool).test
        swapped = metric_means(-values[:50], np.full(50, 3), -table[:50], -table, pool).test
        assert_allclose([swapped.p_b, swapped.p_a], [found.p_a, found.p_b], atol=1e-10)
        check_agreement(found, (0.025, 0.001, found.p_a, found.p_b))


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


KINDS = ("good", "useless", "strong")
in_full = [pytest.param(*of, 1_000, marks=pytest.mark.full) for of in product(KINDS, (1, 16), (False, True), (30, 100))]


@pytest.mark.parametrize(
    ("kind", "metrics", "pooled", "count", "runs"),
    [("good", 1, False, 50, 350), ("useless", 16, True, 50, 350), ("strong", 1, False, 50, 350), *in_full],
)
def test_error_rate(kind: str, metrics: int, pooled: bool, count: int, runs: int) -> None:
    rng, wrong, widths, size = np.random.default_rng(17), 0, [], 3 * count
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


# ---- ratings -----------------------------------------------------------------------------------------------------

Scale = tuple[float, float] | None

LIKERT = (1.0, 5.0)
CUTS = {
    "symmetric": (-1.3, -0.5, 0.5, 1.3),
    "80 % fives": (-3.0, -2.2, -1.6, -0.84),
    "95 % fives": (-3.0, -2.6, -2.2, -1.645),
}
NOISE = 0.7  # of a rating, beside the quality of its output


def world(kind: str, size: int, people: int, rho: float, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Ratings (N, k), what people mean (N,), and a metric (N, 1) of correlation rho with the quality behind them."""
    quality = rng.normal(size=(size, 1))
    metric = rho * quality + math.sqrt(1 - rho**2) * rng.normal(size=(size, 1))
    cuts = np.array(CUTS[kind]) * math.sqrt(1 + NOISE**2)
    ratings = 1.0 + (quality + NOISE * rng.normal(size=(size, people)) > cuts[:, None, None]).sum(axis=0)
    return ratings, 1 + ndtr((quality - cuts) / NOISE).sum(axis=1), metric


def rated(table: Floats, count: int, scale: Scale, size: int | None = None) -> MeanRatings:
    variances = table.var(axis=1, ddof=1) if table.shape[1] > 1 else np.zeros(table.shape[0])
    counts = np.full(count, table.shape[1], dtype=np.intp)
    return MeanRatings(table.mean(axis=1)[:count], counts, variances[:count], scale, None, size)


def test_it_is_the_mean_of_adjusted_values() -> None:
    table, _, metric = world("symmetric", 300, 1, 0.8, np.random.default_rng(1))
    of = rated(table, 60, None)
    found = rating_metric_mean(of, metric[:60], metric)
    adjusted = held_out_regression(of.values, metric[:60], metric, "inputs").adjusted
    assert found.mean == rating_mean(replace(of, values=adjusted))
    assert found.mean.estimate == pytest.approx(found.help.estimate)
    assert found.help.used.tolist() == [1.0]
    low, high = found.mean.low, found.mean.high
    plain = rating_mean(of)
    assert (high - low) / (plain.high - plain.low) == pytest.approx(found.help.width_ratio, abs=0.02)
    declared = rating_metric_mean(rated(table, 60, LIKERT), metric[:60], metric).mean
    assert (declared.low, declared.high) == pytest.approx((low, high), abs=0.05)


def test_without_any_use_it_is_the_plain_mean() -> None:
    rng = np.random.default_rng(2)
    table, _, metric = world("symmetric", 100, 3, 0.8, rng)
    for scale in (LIKERT, None):
        for size in (None, 100):
            of = rated(table, 100, scale, size)  # every output is rated: a metric known on these only
            found = rating_metric_mean(of, metric, metric)
            assert found.mean == rating_mean(of)
            assert found.help.unused == "all-labelled"
        useless = rated(table, 40, scale)
        assert rating_metric_mean(useless, np.ones((40, 1)), np.ones((100, 1))).mean == rating_mean(useless)
        few = rated(table, 7, scale)
        assert rating_metric_mean(few, metric[:7], metric).mean == rating_mean(few)
    nothing = MeanRatings(np.empty(0), np.empty(0, dtype=np.intp), np.empty(0))
    assert rating_metric_mean(nothing, np.empty((0, 1)), metric).mean == IntervalEstimate()


def test_several_metrics_and_clusters() -> None:
    rng = np.random.default_rng(3)
    table, _, metric = world("symmetric", 400, 1, 0.8, rng)
    metrics = np.column_stack([rng.normal(size=(400, 3)), metric])
    clusters = np.repeat(np.arange(20), 5)
    for scale in (LIKERT, None):
        of = replace(rated(table, 100, scale), clusters=clusters)
        found, plain = rating_metric_mean(of, metrics[:100], metrics), rating_mean(of)
        assert found.mean.high - found.mean.low < 0.95 * (plain.high - plain.low)
        pool = replace(of, pool_size=400, pool_clusters=80)
        assert rating_metric_mean(pool, metrics[:100], metrics).mean.high < found.mean.high


def test_an_estimate_stays_on_its_scale() -> None:
    """The metric says that the outputs that nobody rated are better still than these fives."""
    values = np.append(np.full(30, 5.0), [4.0] * 10)
    metric = np.append(np.linspace(0.9, 1.1, 30), np.linspace(-0.1, 0.1, 10))[:, None]
    pool = np.concatenate([metric, np.full((360, 1), 1.6)])
    of = MeanRatings(values, np.ones(40, dtype=np.intp), np.zeros(40), LIKERT)
    found = rating_metric_mean(of, metric, pool)
    assert found.help.estimate > 5
    assert (found.mean.estimate, found.mean.high) == (5.0, pytest.approx(5.0))


def test_ratings_bad_input() -> None:
    of = MeanRatings(np.zeros(3), np.ones(3, dtype=np.intp), np.zeros(3), pool_size=9)
    refused("a pool of 9 outputs, but metrics of 8", rating_metric_mean, of, np.zeros((3, 1)), np.zeros((8, 1)))


# ---- coverage ------------------------------------------------------------------------------------------------------


ratings_in_full = [
    pytest.param(*of, 400, marks=pytest.mark.full)
    for of in product(CUTS, (12, 30, 100), (0.0, 0.8), ("inputs", "items"), (LIKERT, None))
]


@pytest.mark.parametrize(
    ("kind", "count", "rho", "target", "scale", "runs"),
    [
        ("symmetric", 50, 0.8, "inputs", LIKERT, 200),
        ("80 % fives", 20, 0.8, "items", None, 200),
        ("95 % fives", 50, 0.0, "items", LIKERT, 200),
        *ratings_in_full,
    ],
)
def test_coverage(kind: str, count: int, rho: float, target: str, scale: Scale, runs: int) -> None:
    """Twice .055 would be missed in .11 +- .022 of 200 runs."""
    rng, misses, widths = np.random.default_rng(7), [], []
    mean = 1 + float(ndtr(-np.array(CUTS[kind])).sum())
    for run in range(runs):
        table, meant, metric = world(kind, 4 * count, 3 if target == "items" else 1, rho, rng)
        of = rated(table, count, scale, 4 * count if target == "items" else None)
        found = rating_metric_mean(of, metric[:count], metric).mean
        truth = float(meant.mean()) if target == "items" else mean
        if found.low is not None:
            misses.append(not found.low - 1e-6 <= truth <= found.high + 1e-6)
        if run % 5 == 0 and found.low is not None:
            plain = rating_mean(of)
            widths.append((found.high - found.low) / (plain.high - plain.low))
    assert np.mean(misses) <= 0.055 + 3 * math.sqrt(0.055 * 0.945 / runs)
    assert np.mean(widths) < (0.9 if (rho, kind) == (0.8, "symmetric") and count >= 20 else 1.04)
