"""The paper's bootstrap of widths: by the definition, beside what theory says, both perfect metrics, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.errors import UsageError
from tiebreak.kernels import confidence_sequence as module
from tiebreak.kernels.confidence_sequence import WidthCurves, width_curves
from tiebreak.kernels.data_efficiency import data_efficiency, perfect_metric
from tiebreak.kernels.rated_outputs import RatedOutputs
from tiebreak.kernels.rating_mean import rating_variance

Floats = NDArray[np.float64]

SIZES = (10, 40, 160)


def study(outputs: int, people: int, rho: float, seed: int = 1) -> tuple[RatedOutputs, Floats]:
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=outputs)
    metric = rho * quality + math.sqrt(1 - rho**2) * rng.normal(size=outputs)
    table = quality[:, None] + rng.normal(size=(outputs, people))
    return RatedOutputs.of(np.repeat(np.arange(outputs), people), table.ravel()), metric


def test_by_hand() -> None:
    """Two outputs rated 0 and 1, one draw: 0 or 1, so that the middle 80 % are all of [0, 1]."""
    curves = width_curves(RatedOutputs.of([0, 1], [0.0, 1.0]), (1,), np.random.default_rng(1))
    assert curves.mean.tolist() == [1.0]
    assert (curves.metric, curves.noiseless, curves.perfect, curves.perfect_in_paper) == (None, None, None, None)
    assert WidthCurves((5, 10), np.array([2.0, 1.0]), None, None, None, None).efficiency(np.array([1.0, 1.0])) == 2.5
    assert curves.efficiency(np.zeros(1)) is None


def test_by_the_definition() -> None:
    """A plain loop: outputs with replacement, one rating of each, both estimates."""
    rated, metric = study(60, 3, 0.6)
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
    rated, metric = study(400, 3, 0.7)
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
    rated, metric = study(300, 1, 0.0)
    curves = width_curves(rated, (5, 200), np.random.default_rng(5), metric, resamples=6_000)
    assert (curves.mean / curves.metric)[0] < 0.93
    assert (curves.mean / curves.metric)[1] == pytest.approx(1.0, abs=0.03)


def test_seeds_scales_and_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    rated, metric = study(50, 2, 0.5)
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
    rated, metric = study(50, 1, 0.5)
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


def test_bad_input() -> None:
    rated, metric = study(10, 1, 0.5)
    rng = np.random.default_rng(10)
    for of, sizes, resamples in (
        (RatedOutputs.of([], []), (5,), 10),
        (rated, (), 10),
        (rated, (0,), 10),
        (rated, (5,), 1),
    ):
        with pytest.raises(UsageError, match="curves need rated outputs"):
            width_curves(of, sizes, rng, resamples=resamples)
    for wrong in (metric[:9], np.append(metric[:9], math.nan)):
        with pytest.raises(UsageError, match="10 rated outputs need as many finite metric values"):
            width_curves(rated, (5,), rng, wrong)
