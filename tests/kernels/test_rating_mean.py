"""Mean ratings and their variances: by hand, oracles, what must not matter, coverage."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.stats import f_oneway
from scipy.stats import t as student
from tests.kernels.checks import refused

from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.rated_outputs import RatedOutputs
from tiebreak.kernels.rating_mean import MeanRatings, RatingVariance, rating_mean, rating_variance
from tiebreak.kernels.unit_means import cluster_means, panel_means

# ---- mean --------------------------------------------------------------------------------------------------------

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
    assert 4.2 < found.low < 5 - 4 * 0.03  # at the level, 3.7/20 of ones would go unseen: 5 - .74
    threes = rating_mean(single(np.full(20, 3.0), LIKERT))
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
    assert ends(single(np.array([4.0]), LIKERT)) == (1.0, 5.0)
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
        refused(message, single, values, **given)  # type: ignore[arg-type]
    refused("one is nan", single, np.array([math.nan]))
    refused("at least one rating", MeanRatings, values, np.array([1, 0]), np.zeros(2))
    refused("twice the level", rating_mean, single(values), 0.5)


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


designs = product(SHARES, (10, 20, 50, 100, 400), ((1, None), (1, 2), (3, 1), (3, 2), (3, None)))
in_full = [
    pytest.param(kind, count, people, share and share * count, 400, 0.06, marks=pytest.mark.full)
    for kind, count, (people, share) in designs
]


@pytest.mark.parametrize("scale", [LIKERT, None])
@pytest.mark.parametrize(("kind", "count", "people", "size", "runs", "level"), [
    ("80 % fives", 20, 1, None, 200, 0.055), ("95 % fives", 50, 3, 100, 200, 0.055),
    ("ones and fives", 10, 1, 40, 200, 0.055), ("symmetric", 50, 2, 100, 200, 0.055), *in_full,
])  # fmt: skip
def test_coverage(kind: str, count: int, people: int, size: int | None, scale: Scale, runs: int, level: float) -> None:
    """Twice .055 would be missed in .11 +- .022 of 200 runs, twice .06 in .12 +- .016 of 400."""
    assert missed(kind, count, people, size, scale, runs) <= level + 3 * math.sqrt(level * (1 - level) / runs)


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


clusters_in_full = [
    pytest.param(*of, 400, 0.075, marks=pytest.mark.full)
    for of in product(("80 % fives", "95 % fives", "symmetric"), (8, 12, 20, 50), (False, True))
]


@pytest.mark.parametrize("scale", [LIKERT, None])
@pytest.mark.parametrize(
    ("kind", "clusters", "pooled", "runs", "level"),
    [("80 % fives", 12, False, 150, 0.06), ("symmetric", 20, True, 150, 0.06), *clusters_in_full],
)
def test_coverage_of_clusters(kind: str, clusters: int, pooled: bool, scale: Scale, runs: int, level: float) -> None:
    """Twice .06 would be missed in .12 +- .027 of 150 runs, twice .075 in .15 +- .018 of 400.

    Without a scale the intervals of 8 to 20 clusters are the shortest.
    """
    found = missed_of_clusters(kind, clusters, pooled, scale, runs)
    assert found <= level + 3 * math.sqrt(level * (1 - level) / runs)


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


# ---- variance ----------------------------------------------------------------------------------------------------

GOLDEN = [
    (0.43133787, 0.15561525, 0.85513995),
    (1.07333333, 0.82650018, 1.39388287),
    (2.48838187, 1.10958084, 9.57067734),
    (1.40186758, 1.10448581, 1.90124123),
]
"""sigma_f^2, sigma_a^2, gamma and its ceiling, each with low and high."""


def split(table: Floats) -> RatingVariance:
    """Of a table (n, k), one row per output."""
    return rating_variance(RatedOutputs.of(np.repeat(np.arange(table.shape[0]), table.shape[1]), table.ravel()))


def ratings(rng: np.random.Generator, shape: tuple[int, int], gamma: float, levels: int = 0, lead: float = 0) -> Floats:
    """sigma_f 1 and sigma_a^2 gamma; with levels, rounded to 1 to so many."""
    latent = rng.normal(lead, 1, (shape[0], 1)) + math.sqrt(gamma) * rng.normal(size=shape)
    if not levels:
        return latent
    middle = (1 + levels) / 2
    return np.clip(np.rint((0.8 if levels == 3 else 1.2) * latent + middle), 1, levels)


def test_variance_by_hand() -> None:
    """Means 2, 6, 4: S^2 = 4. s^2 = 2 and 2: sigma_a^2 = 2, noise of means (1 + 1 + 2)/3, sigma_f^2 = 8/3."""
    found = rating_variance(RatedOutputs.of([0, 0, 1, 1, 2], [1, 3, 5, 7, 4]))
    assert found.sigma_a2.estimate == 2.0
    assert found.sigma_f2.estimate == pytest.approx(8 / 3)
    assert found.gamma.estimate == pytest.approx(3 / 4)
    assert found.ceiling.estimate == pytest.approx(7 / 3)
    assert (found.outputs, found.ratings, found.reason) == (3, 5, None)
    assert found.gamma.low is None  # no interval with two outputs that have two ratings


def test_variance_golden() -> None:
    found = split(ratings(np.random.default_rng(1), (50, 3), 1.0, 5))
    values = [(of.estimate, of.low, of.high) for of in (found.sigma_f2, found.sigma_a2, found.gamma, found.ceiling)]
    assert_allclose(values, GOLDEN, rtol=1e-6)


def test_equals_the_analysis_of_variance_where_counts_are_equal() -> None:
    """F = mean square between over that within = 1 + k/gamma."""
    table = ratings(np.random.default_rng(2), (40, 4), 0.7)
    found = split(table)
    assert found.gamma.estimate == pytest.approx(4 / (f_oneway(*table).statistic - 1))
    assert found.sigma_a2.estimate == pytest.approx(table.var(axis=1, ddof=1).mean())


def test_variance_what_must_not_matter() -> None:
    table = ratings(np.random.default_rng(3), (30, 3), 0.7)
    one, other = split(table), split(table[::-1, ::-1] * -10 + 1000)
    assert_allclose([other.gamma.low, other.gamma.high], [one.gamma.low, one.gamma.high], rtol=1e-8)
    assert_allclose([other.sigma_f2.low, other.sigma_a2.high], [100 * one.sigma_f2.low, 100 * one.sigma_a2.high])
    assert one.ceiling.low == pytest.approx(1 + 1 / one.gamma.high)
    assert one.ceiling.high == pytest.approx(1 + 1 / one.gamma.low)
    rated = RatedOutputs.of(np.repeat(np.arange(30), 3), table.ravel())
    assert rating_variance(rated, np.arange(30)[::-1].copy()).gamma.low == pytest.approx(one.gamma.low)
    documents = rating_variance(rated, np.repeat(np.arange(10), 3))
    assert documents.gamma.estimate == pytest.approx(one.gamma.estimate)
    assert abs(documents.gamma.low - one.gamma.low) > 0.001


def test_every_output_is_left_out_once() -> None:
    """The interval from estimates that were made anew without each output, unequal numbers of ratings."""
    rng = np.random.default_rng(4)
    output = np.repeat(np.arange(12), rng.integers(1, 5, 12))
    value = rng.normal(size=12)[output] + 0.5 * rng.normal(size=output.size)
    whole = rating_variance(RatedOutputs.of(output, value))
    without = [rating_variance(RatedOutputs.of(output[output != of], value[output != of])) for of in range(12)]
    rated = RatedOutputs.of(output, value)
    noise = np.where(rated.counts > 1, rated.variances, whole.sigma_a2.estimate) / rated.counts
    left_out = np.log([of.sigma_f2.estimate + noise.mean() for of in without])
    left_out -= left_out.mean()
    freedom = min(max(2 * 12 / (12 * (left_out**4).sum() / (left_out**2).sum() ** 2 - 1), 4), 11)
    reach = student.ppf(0.975, freedom) * math.sqrt((left_out**2).sum() * 11 / 12)
    low = (whole.sigma_f2.estimate + noise.mean()) * math.exp(-reach) - noise.mean()
    assert whole.sigma_f2.low == pytest.approx(max(low, 0.0))


def test_unbiased_where_people_agree_better_on_some_outputs_and_rate_those_less_often() -> None:
    """Half of the outputs have noise 1 and four ratings, half .1 and two; outputs vary by 1."""
    rng, found = np.random.default_rng(5), []
    output = np.repeat(np.arange(20), np.tile([4, 2], 10))
    sd = np.tile([1.0, math.sqrt(0.1)], 10)
    for _ in range(2_000):
        value = (rng.normal(size=20))[output] + sd[output] * rng.normal(size=output.size)
        variance = rating_variance(RatedOutputs.of(output, value))
        found.append([variance.sigma_f2.estimate, variance.sigma_a2.estimate])
    error = np.std(found, axis=0) / math.sqrt(len(found))
    assert_allclose(np.mean(found, axis=0), [1.0, 0.55], atol=float(3.5 * error.max()))


# ---- what has no value ---------------------------------------------------------------------------------------------


NOTHING = IntervalEstimate()


def test_fewer_than_two_outputs() -> None:
    none, one = rating_variance(RatedOutputs.of([], [])), rating_variance(RatedOutputs.of([4, 4], [1.0, 3.0]))
    assert (none.reason, none.sigma_a2, none.outputs) == ("one-output", NOTHING, 0)
    assert (one.reason, one.sigma_a2.estimate, one.sigma_f2, one.gamma) == ("one-output", 2.0, NOTHING, NOTHING)


def test_one_rating_per_output() -> None:
    found = rating_variance(RatedOutputs.of(np.arange(5), np.arange(5.0)))
    assert (found.reason, found.sigma_f2, found.sigma_a2, found.gamma) == ("one-rating", NOTHING, NOTHING, NOTHING)


def test_constant_ratings() -> None:
    found = split(np.full((10, 3), 4.1))
    assert (found.reason, found.sigma_f2.estimate, found.sigma_a2.estimate) == ("constant", 0.0, 0.0)
    assert (found.gamma, found.ceiling) == (NOTHING, NOTHING)


def test_people_who_never_differ() -> None:
    found = split(np.repeat(np.arange(10.0)[:, None], 3, axis=1))
    assert (found.reason, found.gamma.estimate, found.ceiling, found.sigma_a2.estimate) == ("no-noise", 0.0, NOTHING, 0)
    assert found.sigma_f2.estimate == pytest.approx(np.arange(10.0).var(ddof=1))
    assert found.sigma_f2.low is not None


def test_outputs_that_differ_no_more_than_noise() -> None:
    """Two ratings of each output, one above and one below: all means are equal, or nearly."""
    table = np.array([[1.0, 3.0], [1.0, 3.1], [0.9, 3.0], [1.0, 3.0]])
    found = split(table)
    assert (found.reason, found.sigma_f2.estimate, found.gamma.estimate) == ("no-spread", 0.0, None)
    assert found.ceiling.estimate == 1.0
    assert found.gamma.high is None
    equal = split(np.tile([1.0, 3.0], (4, 1)))
    assert (equal.reason, equal.sigma_f2, equal.gamma) == ("no-spread", IntervalEstimate(0.0), NOTHING)
    assert equal.ceiling == IntervalEstimate(1.0)


def test_variance_bad_input() -> None:
    refused("3 outputs, but 2 clusters", rating_variance, RatedOutputs.of([0, 0, 1, 2], [1, 2, 3, 4]), np.arange(2))


def test_always_a_number_or_nothing() -> None:
    """Few ratings on few steps: every combination of degenerate cases, never a nan, an infinity, a negative value."""
    rng, reasons = np.random.default_rng(6), set()
    for _ in range(3_000):
        output = np.repeat(np.arange(4), rng.integers(0, 4, 4))
        found = rating_variance(RatedOutputs.of(output, rng.integers(1, 3, output.size)))
        reasons.add(found.reason)
        for of in (found.sigma_f2, found.sigma_a2, found.gamma, found.ceiling):
            given = [value for value in (of.low, of.estimate, of.high) if value is not None]
            assert all(math.isfinite(value) and value >= 0 for value in given)
            assert given == sorted(given)
    assert reasons == {None, "one-output", "one-rating", "constant", "no-noise", "no-spread"}


# ---- coverage ------------------------------------------------------------------------------------------------------


def variance_missed(outputs: int, people: int, gamma: float, levels: int, runs: int) -> Floats:
    """How many intervals of gamma, sigma_f^2 and sigma_a^2 do not hold the truth."""
    lead = 1.0 if levels else 0.0  # with levels many ratings are the highest one
    world = ratings(np.random.default_rng(9), (400_000, 4), gamma, levels, lead)
    noise = float(world.var(axis=1, ddof=1).mean())
    signal = float(world.mean(axis=1).var()) - noise / 4
    rng, misses = np.random.default_rng(11), np.zeros(3)
    for _ in range(runs):
        found = split(ratings(rng, (outputs, people), gamma, levels, lead))
        for column, (of, truth) in enumerate(
            ((found.gamma, noise / signal), (found.sigma_f2, signal), (found.sigma_a2, noise))
        ):
            misses[column] += (of.low or 0.0) > truth or (of.high or math.inf) < truth
    return misses / runs


@pytest.mark.parametrize(("outputs", "people", "gamma", "levels"), [(30, 2, 1.5, 0), (30, 3, 0.3, 5), (100, 3, 1.0, 3)])
def test_variance_coverage(outputs: int, people: int, gamma: float, levels: int) -> None:
    """Twice .06 would be missed here in .12 +- .017."""
    assert variance_missed(outputs, people, gamma, levels, 400).max() <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / 400)


@pytest.mark.full
@pytest.mark.parametrize("outputs", [30, 100, 400])
@pytest.mark.parametrize("people", [2, 3, 5])
@pytest.mark.parametrize("gamma", [0.3, 1.5])
@pytest.mark.parametrize("levels", [0, 3, 5])
def test_variance_coverage_in_many_runs(outputs: int, people: int, gamma: float, levels: int) -> None:
    """Twice .07 would be missed in .14 +- .008; sigma_a^2 of few people is the hardest, .914."""
    misses = variance_missed(outputs, people, gamma, levels, 2_000)
    assert misses[:2].max() <= 0.07 + 3 * math.sqrt(0.07 * 0.93 / 2_000)
    assert misses[2] <= 0.09 + 3 * math.sqrt(0.09 * 0.91 / 2_000)
