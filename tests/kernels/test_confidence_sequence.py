"""Confidence sequences: how many values they need, what metrics save, and the paper's bootstrap of widths."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
from benchmarks.worlds.rating_campaigns import EVEN, FIVES_80, FIVES_95, rating_draws
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.special import ndtri
from tests.kernels.checks import refused
from tests.kernels.test_data_efficiency import rated as rated_outputs
from tests.kernels.test_data_efficiency import study

from tiebreak.kernels import confidence_sequence as module
from tiebreak.kernels.confidence_sequence import WidthCurves, values_to_width, width_curves, width_ratio
from tiebreak.kernels.data_efficiency import data_efficiency, perfect_metric
from tiebreak.kernels.held_out_regression import held_out_regression
from tiebreak.kernels.rated_outputs import RatedOutputs
from tiebreak.kernels.rating_mean import rating_variance
from tiebreak.records import UnitValue
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import MeasureFacts, Units
from tiebreak.settings.protocol import DecisionSettings

Floats = NDArray[np.float64]

# ---- projection --------------------------------------------------------------------------------------------------

THRESHOLD = math.log(2 / 0.05)


def simulated(shares: tuple[float, ...], half_width: float, pool: int | None, runs: int = 9) -> float:
    """The median of values until a sequence is narrow."""
    rule, settings = RULES["width"], DecisionSettings("width")
    facts = MeasureFacts(pool or 1_000, outcomes_only=False, pool_size=pool, half_width=half_width)
    (plan,) = rule.prepare([facts], settings)
    rng, found = np.random.default_rng(1), []
    for _ in range(runs):
        values = rating_draws(rng, shares, 1, pool or 1_000)[0][0]
        started = [rule.start(plan)]
        units = rule.units_to_decide([plan], started, map(UnitValue.labelled, values.tolist()), settings, 0)
        found += [] if units is None else [units]
    assert len(found) == runs
    return float(np.median(found))


@pytest.mark.parametrize("shares", [EVEN, FIVES_80, FIVES_95, (0.0, 0.15, 0.7, 0.15, 0.0), (0.0, 0.0, 0.0, 0.0, 1.0)])
@pytest.mark.parametrize(("half_width", "pool"), [(0.2, None), (0.12, 400)])
def test_it_is_near_what_simulated_sequences_take(shares: tuple[float, ...], half_width: float, pool: int) -> None:
    values = np.linspace(-1, 1, 5)
    mean = float(np.dot(values, shares))
    variance = float(np.dot(values**2, shares)) - mean**2
    wanted = values_to_width(mean, variance, half_width, THRESHOLD, pool)
    assert 0.65 < simulated(shares, half_width, pool) / wanted < 1.3


def test_what_it_depends_on() -> None:
    def needed(mean: float = 0.0, variance: float = 0.3, half_width: float = 0.1, threshold: float = THRESHOLD) -> int:
        return values_to_width(mean, variance, half_width, threshold)

    assert needed(half_width=0.05) > 3 * needed(), "half the width: about four times the values"
    assert needed(variance=0.6) > 1.7 * needed()
    assert needed(threshold=math.log(2 * 10 / 0.05)) > needed()
    assert needed(mean=0.4) == needed(mean=-0.4), "the two sides are alike"
    in_pool = values_to_width(0.0, 0.3, 0.1, THRESHOLD, pool_size=300)
    assert in_pool < min(300, needed()), "what is drawn of a pool is no longer open"
    refused("above 0", values_to_width, 0.0, 0.3, 0.0, THRESHOLD, error=ValueError)


@pytest.mark.parametrize(("pool", "at", "noise"), [(60, 20, None), (60, 20, 0.1), (250, 40, 0.3), (None, 30, None)])
def test_of_a_sequence_that_has_begun_it_is_reached_four_times_in_five(
    pool: int | None, at: int, noise: float | None
) -> None:
    rng, ratios = np.random.default_rng(5), []
    rule, settings = RULES["width"], DecisionSettings("width", target="inputs" if pool is None else "items")
    for _ in range(25):
        values = rating_draws(rng, EVEN, 1, pool or 400)[0][0]
        metric = None if noise is None else values + rng.normal(0, noise, values.size)
        facts = MeasureFacts(values.size, outcomes_only=False, pool_size=pool, half_width=0.18, metric=metric)
        (plan,) = rule.prepare([facts], settings)
        state, ends = rule.start(plan), None
        for done, value in enumerate(values.tolist(), 1):
            state, _ = rule.advance(plan, state, Units.of([UnitValue.labelled(value)]))
            (summary,) = rule.summary([plan], [state], settings)
            if done == at:
                ends = rule.units_to_verdict(plan, state, summary)
            if (summary.high - summary.low) / 2 <= 0.18:
                break
        assert done > at
        assert ends is not None
        ratios.append((done - at) / ends)
    assert np.mean(np.array(ratios) <= 1) > 0.6, "below it in .01 of cases, if the chance is .8"
    assert 0.6 < np.median(ratios) < 1.1


# ---- ratio -------------------------------------------------------------------------------------------------------

Target = Literal["inputs", "items"]


def test_by_hand() -> None:
    """Squares 1, 1, 4 with and 4, 4, 4 without: sqrt(6/12); left out 5/8, 5/8 and 2/8 remain."""
    ratio, low, high = width_ratio(np.array([1.0, -1.0, 2.0]), np.array([2.0, -2.0, 2.0]), np.arange(3))
    assert ratio == pytest.approx(math.sqrt(0.5))
    moved = np.log([5 / 8, 5 / 8, 2 / 8]) / 2
    error = math.sqrt(2 / 3 * ((moved - moved.mean()) ** 2).sum())
    assert_allclose([low * high, math.log(high / ratio)], [ratio**2, 4.302653 * error], rtol=1e-5)


def test_of_clusters_and_without_any_change() -> None:
    values = np.array([1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1.0, -1.0])
    units = np.array([0, 1, 0, 1, 2, 3, 2, 3])
    assert width_ratio(values, values, units) == (1.0, 1.0, 1.0)
    sums = np.array([1.5, -1.5, 3.0, -3.0])
    changed = values * [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5]
    expected = width_ratio(sums * [1.0, 1.0, 0.5, 0.5], sums, np.arange(4))
    assert_allclose(width_ratio(changed, values, units), expected)
    assert width_ratio(np.zeros(8), values, units) == (0.0, 0.0, 1.0)


def missed(
    count: int, size: int, metrics: int, rho: float, ties: float, runs: int, target: Target
) -> tuple[float, float]:
    """Of the samples that show a saving: how many there are, and how many intervals miss the mean over all samples."""
    rng = np.random.default_rng(5)
    shown, squares = [], []
    for _ in range(runs):
        values = rng.choice([1.0, 0.0, -1.0], p=[(1 - ties) * 0.6, ties, (1 - ties) * 0.4], size=size)
        standard = (values - values.mean()) / values.std()
        table = rng.normal(size=(size, metrics))
        table[:, 0] = rho * standard + math.sqrt(1 - rho**2) * table[:, 0]
        found = held_out_regression(values[:count], table[:count], table, target)
        squares.append([found.adjusted.var(), values[:count].var()])
        if found.used.any():
            shown.append((found.ratio_low, found.ratio_high))
    with_, without = np.mean(squares, axis=0)
    truth = math.sqrt(with_ / without)
    return len(shown) / runs, float(np.mean([not low <= truth <= high for low, high in shown]))


DESIGNS = [(30, 300, 1, 0.6, 0.3), (50, 500, 16, 0.6, 0.3), (100, 330, 1, 0.4, 0.7), (30, 100, 1, 0.9, 0.0)]


@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize(("count", "size", "metrics", "rho", "ties"), DESIGNS)
def test_coverage(count: int, size: int, metrics: int, rho: float, ties: float, target: Target) -> None:
    shown, misses = missed(count, size, metrics, rho, ties, 200, target)
    assert shown > 0.5
    assert misses <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)


@pytest.mark.full
@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize(("count", "size", "metrics", "rho", "ties"), DESIGNS)
def test_coverage_in_many_runs(count: int, size: int, metrics: int, rho: float, ties: float, target: Target) -> None:
    """In 2,000 samples of each: at most 7.5 % miss."""
    assert missed(count, size, metrics, rho, ties, 2_000, target)[1] <= 0.075 + 3 * math.sqrt(0.075 / 2_000)


@pytest.mark.parametrize(("count", "size"), [(60, 100), (150, 400), (300, 3000)])
@pytest.mark.parametrize("rho", [0.5, 0.8])
def test_coverage_of_inputs_like_these(count: int, size: int, rho: float) -> None:
    """A metric of a latent lead behind the outcomes, and a large share of the pool labelled: the slope counts."""
    rng = np.random.default_rng(7)

    def world(items: int) -> tuple[np.ndarray, np.ndarray]:
        lead = rng.normal(0.25, 1, items)
        metric = rho * lead + math.sqrt(1 - rho**2) * rng.normal(size=items)
        seen = lead + 0.5 * rng.normal(size=items)
        return np.sign(seen) * (np.abs(seen) > 0.4), metric

    truth = np.corrcoef(*world(500_000))[0, 1] ** 2 * (1 - count / size)
    held = []
    for _ in range(300):
        values, metric = world(size)
        found = held_out_regression(values[:count], metric[:count, None], metric[:, None], "inputs")
        if found.used.any():
            held.append(found.ratio_low**2 <= 1 - truth <= found.ratio_high**2)
    assert len(held) > 200
    assert 0.875 <= np.mean(held) <= 0.99  # measured .915-.963


# ---- width curves --------------------------------------------------------------------------------------------------


SIZES = (10, 40, 160)


def curve_study(outputs: int, people: int, rho: float) -> tuple[RatedOutputs, Floats]:
    table, metric = study(np.random.default_rng(1), outputs, people, rho)
    return rated_outputs(table), metric


def test_curves_by_hand() -> None:
    """Two outputs rated 0 and 1, one draw: 0 or 1, so that the middle 80 % are all of [0, 1]."""
    curves = width_curves(RatedOutputs.of([0, 1], [0.0, 1.0]), (1,), np.random.default_rng(1))
    assert curves.mean.tolist() == [1.0]
    assert (curves.metric, curves.noiseless, curves.perfect, curves.perfect_in_paper) == (None, None, None, None)
    assert WidthCurves((5, 10), np.array([2.0, 1.0]), None, None, None, None).efficiency(np.array([1.0, 1.0])) == 2.5
    assert curves.efficiency(np.zeros(1)) is None


def test_by_the_definition() -> None:
    """A plain loop: outputs with replacement, one rating of each, both estimates."""
    rated, metric = curve_study(60, 3, 0.6)
    curves = width_curves(rated, SIZES, np.random.default_rng(2), metric, resamples=4_000)
    rng, table = np.random.default_rng(3), rated.ratings.reshape(60, 3)
    g = (metric - metric.mean()) / metric.std()
    for place, size in enumerate(SIZES[:2]):
        plain, control = [], []
        for _ in range(4_000):
            outputs = [int(rng.integers(60)) for _ in range(size)]
            y = np.array([table[of, rng.integers(3)] for of in outputs])
            alpha = ((y - y.mean()) * g[outputs]).mean()
            plain.append(y.mean())
            control.append((y - alpha * g[outputs]).mean())
        expected = [np.subtract(*np.quantile(of, [0.9, 0.1])) for of in (plain, control)]
        assert_allclose([curves.mean[place], curves.metric[place]], expected, rtol=0.06)


def test_what_theory_says() -> None:
    """Normal estimates: widths 2 * 1.28 sd; squared ratios 1/(1 - rho_obs^2), and those of the perfect metrics."""
    rated, metric = curve_study(400, 3, 0.7)
    curves = width_curves(rated, (200,), np.random.default_rng(4), metric, resamples=12_000)
    variance = rating_variance(rated)
    single = variance.sigma_f2.estimate + variance.sigma_a2.estimate
    assert curves.mean[0] == pytest.approx(2 * ndtri(0.9) * math.sqrt(single / 200), rel=0.04)
    efficiency, perfect = data_efficiency(rated, metric), perfect_metric(rated)
    assert curves.efficiency(curves.metric) == pytest.approx(efficiency.population.estimate, rel=0.07)
    assert curves.efficiency(curves.perfect) == pytest.approx(perfect.leave_one_out, rel=0.07)
    assert curves.efficiency(curves.perfect_in_paper) == pytest.approx(perfect.as_in_paper, rel=0.07)
    noiseless = single / (rated.means.var() * (1 - np.corrcoef(rated.means, metric)[0, 1] ** 2))
    assert curves.efficiency(curves.noiseless) == pytest.approx(noiseless, rel=0.07)
    assert perfect.as_in_paper > perfect.ceiling  # the paper's cannot be had


def test_few_ratings_make_a_metric_cost() -> None:
    rated, metric = curve_study(300, 1, 0.0)
    curves = width_curves(rated, (5, 200), np.random.default_rng(5), metric, resamples=6_000)
    assert (curves.mean / curves.metric)[0] < 0.93
    assert (curves.mean / curves.metric)[1] == pytest.approx(1.0, abs=0.03)


def test_seeds_scales_and_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    rated, metric = curve_study(50, 2, 0.5)
    one = width_curves(rated, SIZES, np.random.default_rng(6), metric)
    again = width_curves(rated, SIZES, np.random.default_rng(6), metric * 3 - 5)
    assert_array_equal(one.mean, again.mean)
    assert_allclose(one.metric, again.metric)
    scaled = RatedOutputs.of(np.repeat(np.arange(50), 2), 10 * rated.ratings)
    assert_allclose(width_curves(scaled, SIZES, np.random.default_rng(6), metric).perfect, 10 * one.perfect)
    monkeypatch.setattr(module, "CHUNK_CELLS", 1_000)
    chunked = width_curves(rated, SIZES, np.random.default_rng(6), metric)
    assert_allclose(chunked.metric, one.metric, rtol=0.15)


def test_a_metric_is_standardised_over_all_outputs() -> None:
    rated, metric = curve_study(50, 1, 0.5)
    pool = np.concatenate([metric, metric + 4])
    wide = width_curves(rated, (20,), np.random.default_rng(7), metric, pool)
    plain = width_curves(rated, (20,), np.random.default_rng(7), metric)
    assert_array_equal(wide.mean, plain.mean)
    assert wide.metric[0] != pytest.approx(plain.metric[0], rel=1e-3)


def test_unequal_numbers_of_ratings_and_constants() -> None:
    some = RatedOutputs.of([0, 0, 1, 2, 2, 2], [1.0, 2, 3, 4, 5, 5])
    curves = width_curves(some, (4,), np.random.default_rng(8), [1.0, 1.0, 1.0])
    assert curves.perfect is None  # output 1 has no other people
    assert curves.perfect_in_paper is not None
    assert_array_equal(curves.metric, curves.mean)  # a constant metric says nothing
    equal = width_curves(RatedOutputs.of([0, 0, 1, 1], [3.0] * 4), (4,), np.random.default_rng(9), [1.0, 2.0])
    assert equal.perfect.tolist() == [0.0]
    assert equal.efficiency(equal.metric) is None


def test_curves_bad_input() -> None:
    rated, metric = curve_study(10, 1, 0.5)
    rng = np.random.default_rng(10)
    nothing = RatedOutputs.of([], [])
    for of, sizes, resamples in ((nothing, (5,), 10), (rated, (), 10), (rated, (0,), 10), (rated, (5,), 1)):
        refused("curves need rated outputs", width_curves, of, sizes, rng, resamples=resamples)
    for wrong in (metric[:9], np.append(metric[:9], math.nan)):
        refused("10 rated outputs need as many finite metric values", width_curves, rated, (5,), rng, wrong)
