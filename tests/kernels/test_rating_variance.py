"""Variance of outputs and of people: by hand, beside the analysis of variance, unbiased, every degenerate case."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.stats import f_oneway
from scipy.stats import t as student

from tiebreak.errors import UsageError
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.rated_outputs import RatedOutputs
from tiebreak.kernels.rating_mean import RatingVariance, rating_variance

Floats = NDArray[np.float64]

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


def test_by_hand() -> None:
    """Means 2, 6, 4: S^2 = 4. s^2 = 2 and 2: sigma_a^2 = 2, noise of means (1 + 1 + 2)/3, sigma_f^2 = 8/3."""
    found = rating_variance(RatedOutputs.of([0, 0, 1, 1, 2], [1, 3, 5, 7, 4]))
    assert found.sigma_a2.estimate == 2.0
    assert found.sigma_f2.estimate == pytest.approx(8 / 3)
    assert found.gamma.estimate == pytest.approx(3 / 4)
    assert found.ceiling.estimate == pytest.approx(7 / 3)
    assert (found.outputs, found.ratings, found.reason) == (3, 5, None)
    assert found.gamma.low is None  # no interval with two outputs that have two ratings


def test_golden() -> None:
    found = split(ratings(np.random.default_rng(1), (50, 3), 1.0, 5))
    values = [(of.estimate, of.low, of.high) for of in (found.sigma_f2, found.sigma_a2, found.gamma, found.ceiling)]
    assert_allclose(values, GOLDEN, rtol=1e-6)


def test_equals_the_analysis_of_variance_where_counts_are_equal() -> None:
    """F = mean square between over that within = 1 + k/gamma."""
    table = ratings(np.random.default_rng(2), (40, 4), 0.7)
    found = split(table)
    assert found.gamma.estimate == pytest.approx(4 / (f_oneway(*table).statistic - 1))
    assert found.sigma_a2.estimate == pytest.approx(table.var(axis=1, ddof=1).mean())


def test_what_must_not_matter() -> None:
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


def test_bad_input() -> None:
    with pytest.raises(UsageError, match="3 outputs, but 2 clusters"):
        rating_variance(RatedOutputs.of([0, 0, 1, 2], [1, 2, 3, 4]), np.arange(2))


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


def missed(outputs: int, people: int, gamma: float, levels: int, runs: int) -> Floats:
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
def test_coverage(outputs: int, people: int, gamma: float, levels: int) -> None:
    """Twice .06 would be missed here in .12 +- .017."""
    assert missed(outputs, people, gamma, levels, 400).max() <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / 400)


@pytest.mark.full
@pytest.mark.parametrize("outputs", [30, 100, 400])
@pytest.mark.parametrize("people", [2, 3, 5])
@pytest.mark.parametrize("gamma", [0.3, 1.5])
@pytest.mark.parametrize("levels", [0, 3, 5])
def test_coverage_in_many_runs(outputs: int, people: int, gamma: float, levels: int) -> None:
    """Twice .07 would be missed in .14 +- .008; sigma_a^2 of few people is the hardest, .914."""
    misses = missed(outputs, people, gamma, levels, 2_000)
    assert misses[:2].max() <= 0.07 + 3 * math.sqrt(0.07 * 0.93 / 2_000)
    assert misses[2] <= 0.09 + 3 * math.sqrt(0.09 * 0.91 / 2_000)
