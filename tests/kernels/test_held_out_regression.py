"""Held-out regression: refitted fold by fold, beside the closed form of PPI++, useless metrics, symmetries, savings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from tests.kernels.checks import refused

from tiebreak.errors import UsageError
from tiebreak.kernels.held_out_regression import _chosen_slopes, _folds, held_out_regression

Floats = NDArray[np.float64]


def study(count: int, size: int, metrics: int, rho: float, seed: int, good: int = 1) -> tuple[Floats, Floats]:
    """Values in thirds (N,) and metrics (N, M), of which the first `good` have correlation `rho` with the values."""
    rng = np.random.default_rng(seed)
    values = np.rint(np.clip(rng.normal(0.1, 0.6, size), -1, 1) * 3) / 3
    table = rng.standard_normal((size, metrics))
    standard = (values - values.mean()) / values.std()
    table[:, :good] = rho * standard[:, None] + math.sqrt(1 - rho**2) * table[:, :good]
    assert count <= size
    return values, table


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(12), 5)])
def test_refitted_fold_by_fold(clusters: NDArray[np.intp] | None) -> None:
    """One metric that every fold uses: the slope without each item or cluster by numpy.polyfit, then the definition."""
    values, table = study(60, 300, 1, 0.8, 1)
    found = held_out_regression(values[:60], table[:60], table, "items", clusters)
    assert found.used.tolist() == [1.0]
    corrected, units = [], np.arange(60) if clusters is None else clusters
    for item in range(60):
        others = np.flatnonzero(units != units[item])
        slope, _ = np.polyfit(table[others, 0], values[others], 1)
        corrected.append(values[item] - slope * (table[item, 0] - table[:, 0].mean()))
    assert found.estimate == pytest.approx(np.mean(corrected), rel=1e-9)
    assert found.adjusted.mean() == pytest.approx(found.estimate, abs=1e-12)


def test_several_metrics_refitted() -> None:
    """Four metrics that share the signal: the slopes are those of one ridge regression without the item."""
    values, table = study(80, 400, 4, 0.5, 3, good=4)
    found = held_out_regression(values[:80], table[:80], table, "items")
    assert found.used.tolist() == [1.0] * 4
    standard = (table - table.mean(axis=0)) / table.std(axis=0)
    estimates = []
    for penalty in (0.05, 0.3, 1.0):
        corrected = []
        for item in range(80):
            others = np.delete(np.arange(80), item)
            centred = standard[others] - standard[others].mean(axis=0)
            towards = centred.T @ (values[others] - values[others].mean())
            slopes = np.linalg.solve(centred.T @ centred + penalty * 79 * np.eye(4), towards)
            corrected.append(values[item] - slopes @ standard[item])
        estimates.append(np.mean(corrected))
    assert min(abs(found.estimate - of) for of in estimates) < 1e-9


def test_beside_ppi_plus_plus() -> None:
    """PPI++ with the tuned weight: mean h - w (mean g labelled - mean g unlabelled), w = slope / (1 + n/unlabelled)."""
    for seed in range(5):
        values, table = study(200, 2_000, 1, 0.7, seed)
        human, drawn, rest = values[:200], table[:200, 0], table[200:, 0]
        weight = np.cov(human, drawn)[0, 1] / drawn.var(ddof=1) / (1 + 200 / 1_800)
        expected = human.mean() - weight * (drawn.mean() - rest.mean())
        found = held_out_regression(human, table[:200], table, "inputs")
        assert found.estimate == pytest.approx(expected, abs=2e-3)


def test_golden_of_ppi_py() -> None:
    """`ppi_mean_pointestimate` of ppi-python 0.2.3, whose slope uses the metric's variance over all items.

    They differ by .0015, of a standard error of .03; without the metric the mean is .0780.
    """
    rng = np.random.default_rng(2)
    metric = rng.normal(size=2_000)
    human = np.clip(0.5 * metric + 0.5 * rng.normal(size=2_000) + 0.1, -1, 1)[:200]
    found = held_out_regression(human, metric[:200, None], metric[:, None], "inputs")
    assert found.estimate == pytest.approx(0.05807472, abs=2e-3)
    assert human.mean() == pytest.approx(0.07798629)


def test_no_choice_looks_at_the_item_itself() -> None:
    """An item's own value never changes its slope or choice: what it is corrected by."""
    values, table = study(40, 200, 6, 0.5, 4)
    centred = table - table.mean(axis=0)
    units = np.arange(40)
    slopes = []
    for other in (-1.0, 0.0, 1.0):
        changed = values[:40].copy()
        changed[7] = other
        mean = values[:40].mean()  # a fixed origin, as the folds do not depend on it
        folds = _folds(changed - mean, centred[:40], units, 40)
        slopes.append(_chosen_slopes(folds, np.ones(6, dtype=bool))[0])
    assert_allclose(slopes[0][7], slopes[1][7], atol=1e-12)
    assert_allclose(slopes[0][7], slopes[2][7], atol=1e-12)
    assert np.abs(slopes[0] - slopes[2]).max() > 1e-3  # the other folds do follow


@pytest.mark.parametrize("runs", [500, pytest.param(2_000, marks=pytest.mark.full)])
def test_estimates_are_unbiased_and_as_wide_as_they_say(runs: int) -> None:
    for target in ("inputs", "items"):
        errors, variances = [], []
        for seed in range(runs):
            values, table = study(40, 200, 3, 0.7, seed)
            found = held_out_regression(values[:40], table[:40], table, target)
            truth = values.mean() if target == "items" else 0.0907152  # sum over k of k/3 P(N(.1, .6^2) rounds to it)
            errors.append(found.estimate - truth)
            variances.append(found.adjusted.var(ddof=1) / 40 * (0.8 if target == "items" else 1.0))
        spread = float(np.std(errors))
        assert abs(np.mean(errors)) < 3.5 * spread / math.sqrt(runs)
        assert spread**2 == pytest.approx(np.mean(variances), rel=4.5 / math.sqrt(runs))


def test_a_metric_of_labelled_items_only_is_not_used() -> None:
    values, table = study(60, 300, 2, 0.8, 3, good=2)
    table[60:, 0] = math.nan
    found = held_out_regression(values[:60], table[:60], table, "inputs")
    alone = held_out_regression(values[:60], table[:60, 1:], table[:, 1:], "inputs")
    assert found.used.tolist() == [0.0, 1.0]
    assert_allclose(found.adjusted, alone.adjusted, rtol=1e-12)
    table[60:] = math.nan
    found = held_out_regression(values[:60], table[:60], table, "inputs")
    assert found.unused == "all-labelled"
    assert_array_equal(found.adjusted, values[:60])


def test_missing_values_count_as_the_mean() -> None:
    """Missing here and there, with a label and without: as with the mean of the others in their place."""
    values, table = study(60, 300, 1, 0.8, 5)
    table[::5] = math.nan
    filled = np.where(np.isnan(table), np.nanmean(table), table)
    found, by_hand = (held_out_regression(values[:60], of[:60], of, "items") for of in (table, filled))
    assert_allclose(found.adjusted, by_hand.adjusted, rtol=1e-12)


def test_nothing_to_gain_where_every_item_is_labelled() -> None:
    values, table = study(60, 60, 2, 0.9, 1)
    for target in ("inputs", "items"):
        found = held_out_regression(values, table, table, target)
        assert found.unused == "all-labelled"
        assert_array_equal(found.adjusted, values)
        assert (found.width_ratio, found.used.any()) == (1.0, False)


def test_what_must_not_matter() -> None:
    values, table = study(50, 200, 5, 0.7, 6)
    one = held_out_regression(values[:50], table[:50], table, "inputs")
    order = np.random.default_rng(1).permutation(50)
    moved = held_out_regression(values[:50][order], table[:50][order], table[::-1], "inputs")
    assert_allclose(moved.adjusted, one.adjusted[order], atol=1e-12)
    swapped = held_out_regression(-values[:50], -table[:50], -table, "inputs")
    assert_allclose(swapped.adjusted, -one.adjusted, atol=1e-12)
    scaled = (table * [1e6, 0.01, 3.0, -1.0, 1.0] + [7.0, 0.0, -1e3, 2.0, 0.0])[:, ::-1]
    other = held_out_regression(values[:50], scaled[:50], scaled, "inputs")
    assert_allclose(other.adjusted, one.adjusted, atol=1e-7)
    names = np.random.default_rng(2).permutation(25)
    by = [held_out_regression(values[:50], table[:50], table, "items", of).adjusted
          for of in (np.repeat(np.arange(25), 2), np.repeat(names, 2))]  # fmt: skip
    assert_allclose(by[0], by[1], atol=1e-12)
    singles = held_out_regression(values[:50], table[:50], table, "inputs", np.arange(50))
    assert_allclose(singles.adjusted, one.adjusted, atol=1e-12)


def test_degenerate_and_bad_input() -> None:
    values, table = study(30, 100, 2, 0.5, 7)
    constant = held_out_regression(values[:30], np.full((30, 2), 3.3), np.full((100, 2), 3.3), "inputs")
    assert_array_equal(constant.adjusted, values[:30])
    few = held_out_regression(values[:7], table[:7], table, "items")
    assert (constant.unused, few.unused, few.used.any()) == ("constant-metric", "few-units", False)
    ties = held_out_regression(np.zeros(30), table[:30], table, "items")
    assert (ties.estimate, ties.width_ratio) == (0.0, 1.0)
    assert math.isnan(held_out_regression(np.empty(0), table[:0], table, "inputs").estimate)
    twin = np.column_stack([table[:, 0], table[:, 0]])
    assert np.isfinite(held_out_regression(values[:30], twin[:30], twin, "items").adjusted).all()
    with pytest.raises(UsageError, match="must be finite, but one of them is nan"):
        held_out_regression(np.array([math.nan]), table[:1], table, "inputs")
    refused("do not fit a pool of 10", held_out_regression, values[:30], table[:30], table[:10], "inputs")
    refused("30 values, but 4 clusters", held_out_regression, values[:30], table[:30], table, "inputs", np.arange(4))


def test_a_value_far_outside_counts_as_four_robust_standard_deviations() -> None:
    values, table = study(60, 300, 1, 0.8, 5)
    far = table.copy()
    far[7, 0] = 1e6
    low, median, high = np.quantile(far[:, 0], [0.25, 0.5, 0.75])
    near = far.copy()
    near[7, 0] = median + 4 * (high - low) / 1.349
    found, expected = (held_out_regression(values[:60], of[:60], of, "items") for of in (far, near))
    assert found.estimate == pytest.approx(expected.estimate, rel=1e-12)
    assert found.width_ratio == pytest.approx(expected.width_ratio, rel=1e-12)
    assert found.width_ratio < 0.9  # one wild value does not take the metric's help away
    two_valued = np.zeros((300, 1))
    two_valued[::5] = 1.0  # the same on most of the pool: nothing is far
    helped_by = held_out_regression(values[:60] + two_valued[:60, 0], two_valued[:60], two_valued, "items")
    assert helped_by.used[0] == 1.0


def test_values_of_any_scale() -> None:
    """Ratings of 1-5, or 0-100, or a millionth: the same choices, and everything in their unit."""
    values, table = study(50, 200, 5, 0.7, 6)
    for kind in ("inputs", "items"):
        one = held_out_regression(values[:50], table[:50], table, kind)
        for unit, origin in ((2.0, 3.0), (1e6, -4e6), (1e-6, 0.0), (-50.0, 50.0)):
            other = held_out_regression(unit * values[:50] + origin, table[:50], table, kind)
            assert_allclose((other.adjusted - origin) / unit, one.adjusted, atol=1e-8)
            assert_allclose(other.slopes / unit, one.slopes, atol=1e-8)
            assert other.width_ratio == pytest.approx(one.width_ratio)
