"""Intervals of mean ratings: by hand, both kinds of scale, pools, clusters, what must not matter, coverage."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t as student

from tiebreak.errors import UsageError
from tiebreak.kernels.cluster_means import cluster_means
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.panel_means import panel_means
from tiebreak.kernels.rating_mean import MeanRatings, rating_mean

Floats = NDArray[np.float64]

Scale = tuple[float, float] | None

LIKERT = (1.0, 5.0)
GOLDEN_DECLARED = (3.18333333, 2.90307795, 3.46274421)
GOLDEN_FREE = (3.18333333, 2.89822697, 3.46266267)


def single(values: Floats, scale: Scale = None, **more: object) -> MeanRatings:
    """One rating per output."""
    return MeanRatings(values, np.ones(values.size, dtype=np.intp), np.zeros(values.size), scale, **more)  # type: ignore[arg-type]


def ends(of: MeanRatings) -> tuple[float, float]:
    found = rating_mean(of)
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def drawn(seed: int, count: int) -> Floats:
    return np.random.default_rng(seed).choice([1.0, 2, 3, 4, 5], p=[0.1, 0.2, 0.3, 0.3, 0.1], size=count)


def test_by_hand() -> None:
    """Symmetric ratings, where skewness changes nothing: mean 3, variance 40/19, t with 19 degrees."""
    values = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], 4)
    reach = student.ppf(0.975, 19) * math.sqrt(40 / 19 / 20)
    assert ends(single(values)) == pytest.approx((3 - reach, 3 + reach))
    low, high = ends(single(values, LIKERT))
    assert low == pytest.approx(3 - reach, abs=0.03)  # score test and flips see nothing unusual here either
    assert high == pytest.approx(3 + reach, abs=0.03)


def test_golden() -> None:
    found = rating_mean(single(drawn(1, 60), LIKERT))
    assert (found.estimate, found.low, found.high) == pytest.approx(GOLDEN_DECLARED, abs=1e-6)
    found = rating_mean(single(drawn(1, 60)))
    assert (found.estimate, found.low, found.high) == pytest.approx(GOLDEN_FREE, abs=1e-6)


def test_a_declared_scale_is_tested_as_compare_does() -> None:
    values = drawn(2, 80)
    mapped = (values - 3) / 2
    low, high = panel_means(mapped[mapped != 0], np.full(int((mapped != 0).sum()), 2)).interval(0.025)
    assert ends(single(values[values != 3], LIKERT)) == pytest.approx((3 + 2 * low, 3 + 2 * high), abs=0.02)
    clusters = np.repeat(np.arange(16), 5)
    by_cluster = cluster_means(mapped.reshape(16, 5).sum(axis=1), np.full(16, 5.0), None).interval(0.025)
    expected = tuple(3 + 2 * end for end in by_cluster)
    assert ends(single(values, LIKERT, clusters=clusters)) == pytest.approx(expected, abs=1e-6)


def test_all_equal() -> None:
    """Twenty fives: of a rating below five that 3 % give, 20 outputs show none in more than a half of studies."""
    found = rating_mean(single(np.full(20, 5.0), LIKERT))
    assert (found.estimate, found.high) == (5.0, pytest.approx(5.0))
    assert found.low is not None
    assert 4.2 < found.low < 5 - 4 * 0.03  # at the level, 3.7/20 of ones would go unseen: 5 - .74
    threes = rating_mean(single(np.full(20, 3.0), LIKERT))
    assert threes.low is not None
    assert threes.high is not None
    assert 3 - threes.low == pytest.approx(threes.high - 3)
    assert threes.high > 3.2
    assert rating_mean(single(np.full(20, 5.0))) == IntervalEstimate(5.0)  # nothing says how rare others are
    pool = single(np.full(20, 5.0), LIKERT, pool_size=100)
    assert ends(pool)[0] < 4.8
    assert rating_mean(single(np.full(20, 5.0), pool_size=100)) == IntervalEstimate(5.0)


def test_few() -> None:
    assert rating_mean(single(np.empty(0))) == IntervalEstimate()
    assert rating_mean(single(np.empty(0), LIKERT)) == IntervalEstimate()
    assert rating_mean(single(np.array([4.0]))) == IntervalEstimate(4.0)
    # One rating at h = 1/2: the mixture reaches 40 where 1 + (h - m)/(1 + m)/2 does, m = -77.5/79; mirrored -78.5/79.
    assert ends(single(np.array([4.0]), LIKERT)) == pytest.approx((3 - 155 / 79, 3 + 157 / 79), abs=1e-6)
    low, high = ends(single(np.array([4.0, 4, 5, 4, 5, 5, 4]), LIKERT))
    assert 1 < low < 4 < high <= 5
    assert rating_mean(single(np.array([4.0, 5, 3]), clusters=np.zeros(3, dtype=np.intp))).low is None


def test_a_pool() -> None:
    """Variance ((1 - f) s^2 + f v)/n, v with one label more that dissents; nothing is left where all was said."""
    values = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], 8)
    whole = single(values, LIKERT, pool_size=40)
    assert ends(whole) == pytest.approx((3.0, 3.0), abs=1e-6)
    assert ends(replace(whole, scale=None)) == (3.0, 3.0)
    half = single(values, None, pool_size=80)
    reach = student.ppf(0.975, 39) * math.sqrt(values.var(ddof=1) / 40 / 2)
    assert ends(half) == pytest.approx((3 - reach, 3 + reach))
    declared = ends(replace(half, scale=LIKERT))
    assert declared == pytest.approx((3 - reach, 3 + reach), abs=0.03)
    noisy = MeanRatings(values, np.full(40, 3, dtype=np.intp), np.full(40, 0.6), None, pool_size=40)
    dissent = 4 * 2**2 / 9  # as far as the values are apart, over three ratings, squared
    reach = ends(noisy)[1] - 3
    assert reach == pytest.approx(2.0 * math.sqrt((40 * 0.2 + dissent) / 40 / 40), rel=0.04)


def test_what_must_not_matter() -> None:
    values = drawn(3, 50)
    order = np.random.default_rng(4).permutation(50)
    clusters = np.arange(50) // 5
    for of in (single(values, LIKERT), single(values), single(values, LIKERT, clusters=clusters, pool_size=100,
                                                             pool_clusters=20)):  # fmt: skip
        low, high = ends(of)
        moved = replace(of, values=values[order], clusters=None if of.clusters is None else 7 - of.clusters[order])
        assert ends(moved) == pytest.approx((low, high), abs=1e-9)
        scale = None if of.scale is None else (-50.0, -10.0)
        turned = replace(of, values=-10 * values, scale=scale)
        assert ends(turned) == pytest.approx((-10 * high, -10 * low), abs=1e-5)


def test_each_output_a_cluster_is_nearly_the_same() -> None:
    values = drawn(5, 60)
    for scale in (LIKERT, None):
        plain = ends(single(values, scale))
        assert ends(single(values, scale, clusters=np.arange(60))) == pytest.approx(plain, abs=0.01)


def test_bad_input() -> None:
    values = np.array([1.0, 2.0])
    for given, message in (
        ({"scale": (1.0, 1.0)}, "from a number to a larger one, not from 1.0 to 1.0"),
        ({"scale": (0.0, 1.5)}, "the scale is 0 to 1.5, but a value is 2"),
        ({"pool_size": 1}, "2 rated outputs do not fit a pool of 1"),
        ({"clusters": np.zeros(3, dtype=np.intp)}, "must fit"),
        ({"clusters": np.zeros(2, dtype=np.intp), "pool_size": 9}, "say how many clusters it has"),
    ):
        with pytest.raises(UsageError, match=message):
            single(values, **given)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="one is nan"):
        single(np.array([math.nan]))
    with pytest.raises(UsageError, match="at least one rating"):
        MeanRatings(values, np.array([1, 0]), np.zeros(2))
    with pytest.raises(UsageError, match="twice the level"):
        rating_mean(single(values), 0.5)


# ---- coverage ------------------------------------------------------------------------------------------------------

SHARES = {
    "80 % fives": [0.02, 0.03, 0.05, 0.1, 0.8],
    "95 % fives": [0.01, 0.01, 0.01, 0.02, 0.95],
    "ones and fives": [0.1, 0, 0, 0, 0.9],
    "symmetric": [0.1, 0.2, 0.4, 0.2, 0.1],
}


def missed(kind: str, count: int, people: int, size: int | None, scale: Scale, runs: int) -> float:
    """Share of intervals that miss; each output has its own chances about those of `kind`. For a pool the truth is the
    mean of its outputs, of these ratings where there is one of each."""
    rng, share = np.random.default_rng(6), np.array(SHARES[kind])
    misses: list[bool] = []
    for _ in range(runs):
        chances = rng.dirichlet(2 * share + 1e-9, size=size or count)
        uniform = rng.random((size or count, people))
        table = 1.0 + (uniform[:, :, None] > chances[:, None, :4].cumsum(axis=2)).sum(axis=2)
        truth = float(share @ np.arange(1, 6))
        if size is not None:
            truth = float(table.mean() if people == 1 else (chances @ np.arange(1, 6)).mean())
        variances = table.var(axis=1, ddof=1) if people > 1 else np.zeros(size or count)
        counts = np.full(count, people, dtype=np.intp)
        found = rating_mean(MeanRatings(table.mean(axis=1)[:count], counts, variances[:count], scale, None, size))
        if found.low is not None and found.high is not None:
            misses.append(not found.low - 1e-6 <= truth <= found.high + 1e-6)
    return float(np.mean(misses))


@pytest.mark.parametrize("scale", [LIKERT, None])
@pytest.mark.parametrize(("kind", "count", "people", "size"), [
    ("80 % fives", 20, 1, None), ("95 % fives", 50, 3, 100), ("ones and fives", 10, 1, 40), ("symmetric", 50, 2, 100),
])  # fmt: skip
def test_coverage(kind: str, count: int, people: int, size: int | None, scale: Scale) -> None:
    """Twice .055 would be missed in .11 +- .022."""
    assert missed(kind, count, people, size, scale, 200) <= 0.055 + 3 * math.sqrt(0.055 * 0.945 / 200)


@pytest.mark.full
@pytest.mark.parametrize("scale", [LIKERT, None])
@pytest.mark.parametrize("kind", list(SHARES))
@pytest.mark.parametrize("count", [10, 20, 50, 100, 400])
@pytest.mark.parametrize(("people", "share"), [(1, None), (1, 2), (3, 1), (3, 2), (3, None)])
def test_coverage_in_many_runs(kind: str, count: int, people: int, share: int | None, scale: Scale) -> None:
    """Twice .06 would be missed in .12 +- .010."""
    size = None if share is None else share * count
    assert missed(kind, count, people, size, scale, 1_000) <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / 1_000)


def missed_of_clusters(kind: str, clusters: int, pooled: bool, scale: Scale, runs: int) -> float:
    """Clusters of lognormal size whose outputs are alike, of inputs like these or half of a pool."""
    rng, share, misses = np.random.default_rng(9), np.array(SHARES[kind]), []
    for _ in range(runs):
        total = 2 * clusters if pooled else clusters
        sizes = np.maximum(1, np.rint(np.exp(rng.normal(1.2, 0.7, total)))).astype(int)
        of = np.repeat(np.arange(total), sizes)
        chances = rng.dirichlet(4 * share + 1e-9, size=total)[of]
        values = 1.0 + (rng.random((of.size, 1)) > chances[:, :4].cumsum(axis=1)).sum(axis=1)
        truth = float(values.mean() if pooled else share @ np.arange(1, 6))
        pool = {"pool_size": of.size, "pool_clusters": total} if pooled else {}
        found = rating_mean(single(values[of < clusters], scale, clusters=of[of < clusters], **pool))
        if found.low is not None:
            misses.append(not found.low - 1e-6 <= truth <= found.high + 1e-6)
    return float(np.mean(misses))


@pytest.mark.parametrize("scale", [LIKERT, None])
@pytest.mark.parametrize(("kind", "clusters", "pooled"), [("80 % fives", 12, False), ("symmetric", 20, True)])
def test_coverage_of_clusters(kind: str, clusters: int, pooled: bool, scale: Scale) -> None:
    """Twice .06 would be missed in .12 +- .027."""
    assert missed_of_clusters(kind, clusters, pooled, scale, 150) <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / 150)


@pytest.mark.full
@pytest.mark.parametrize("scale", [LIKERT, None])
@pytest.mark.parametrize("kind", ["80 % fives", "95 % fives", "symmetric"])
@pytest.mark.parametrize("clusters", [8, 12, 20, 50])
@pytest.mark.parametrize("pooled", [False, True])
def test_coverage_of_clusters_in_many_runs(kind: str, clusters: int, pooled: bool, scale: Scale) -> None:
    """Twice .075 would be missed in .15 +- .011; without a scale the intervals of 8 to 20 clusters are the shortest."""
    assert missed_of_clusters(kind, clusters, pooled, scale, 1_000) <= 0.075 + 3 * math.sqrt(0.075 * 0.925 / 1_000)


def test_a_difference_paired_by_item() -> None:
    """Two systems on the same items: the mean difference .3, on a scale of twice the width."""
    rng, misses, widths = np.random.default_rng(8), 0, []
    for _ in range(150):
        quality = rng.normal(size=(40, 1))
        pair = np.clip(np.rint(3 + quality + rng.normal(size=(40, 2)) * 0.5 + [0.0, 0.3]), 1, 5)
        low, high = ends(single(pair[:, 1] - pair[:, 0], (-4.0, 4.0)))
        alone = [ends(single(pair[:, column], LIKERT)) for column in (0, 1)]
        widths.append((high - low) / math.hypot(*(of[1] - of[0] for of in alone)))
        misses += not low <= DIFFERENCE <= high
    assert misses / 150 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 150)
    assert np.mean(widths) < 0.75  # pairing takes out how hard the items are


DIFFERENCE = 0.2795
"""Of these two systems, rounded and cut at the ends of the scale (4 * 10^6 items)."""
