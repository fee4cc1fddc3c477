"""Correlations as papers print them, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tiebreak.kernels.rank_correlation import PaperCorrelations, paper_correlations, ranks


def test_by_hand() -> None:
    """Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: sums of squares 4.5 and 5, products 4.5, so that rho = 4.5 / sqrt(22.5)."""
    first, second = np.array([1.0, 2.0, 2.0, 9.0]), np.array([0.0, 1.0, 2.0, 3.0])
    assert ranks(first).tolist() == [1.0, 2.5, 2.5, 4.0]
    assert paper_correlations(first, second).spearman == pytest.approx(4.5 / 22.5**0.5)


@pytest.mark.parametrize("points", [3, 10, 200])
@pytest.mark.parametrize("ties", [False, True])
def test_equals_scipy(points: int, ties: bool) -> None:
    rng = np.random.default_rng(points)
    first = rng.normal(size=points)
    second = first + rng.normal(size=points)
    if ties:
        first, second = np.round(first), np.round(second)
        first[0], second[0] = 5.0, 4.0
    found = paper_correlations(first, second)
    pearson, spearman = stats.pearsonr(first, second), stats.spearmanr(first, second)
    assert (found.points, found.pearson, found.spearman) == (
        points, pytest.approx(pearson.statistic), pytest.approx(spearman.statistic),
    )  # fmt: skip
    assert found.pearson_p == pytest.approx(pearson.pvalue)
    assert found.spearman_p == (pytest.approx(spearman.pvalue) if points >= 10 else None)


def test_nothing_to_correlate() -> None:
    assert paper_correlations(np.arange(2.0), np.arange(2.0)) == PaperCorrelations(2)
    assert paper_correlations(np.arange(5.0), np.zeros(5)) == PaperCorrelations(5)


def test_a_perfect_correlation() -> None:
    found = paper_correlations(np.arange(5.0), -np.arange(5.0))
    assert (found.pearson, found.spearman) == (pytest.approx(-1.0), pytest.approx(-1.0))
    assert found.pearson_p == pytest.approx(0.0, abs=1e-12)
