"""Hypergeometric tails."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.stats import hypergeom

from tiebreak.kernels.hypergeometric import Hypergeometric


def tail(least: float, draws: float, marked: float, unmarked: float, size: int = 40) -> float:
    arrays = (np.array([float(value)]) for value in (least, draws, marked, unmarked))
    return float(Hypergeometric(size).upper_tail(*arrays)[0])


def test_by_hand() -> None:
    # 3 draws out of 4 marked and 2 unmarked: 3 marked in 4 of 20 ways, 2 marked in 6 * 2 = 12.
    assert tail(3, 3, 4, 2) == pytest.approx(4 / 20)
    assert tail(2, 3, 4, 2) == pytest.approx(16 / 20)
    assert tail(1, 3, 4, 2) == 1.0  # there are only 2 unmarked
    assert tail(4, 3, 4, 2) == 0.0


def test_nothing_drawn() -> None:
    assert tail(0, 0, 0, 0) == tail(0, 0, 5, 3) == tail(-1, 2, 5, 3) == 1.0
    assert tail(1, 0, 5, 3) == 0.0


def test_every_small_population() -> None:
    cells = [
        (x, n, k, r) for k in range(8) for r in range(8) for n in range(k + r + 1) for x in range(n + 2)
    ]  # fmt: skip
    expected = [sum(comb(k, y) * comb(r, n - y) for y in range(x, n + 1)) / comb(k + r, n) for x, n, k, r in cells]
    arrays = np.array(cells, dtype=float).T
    np.testing.assert_allclose(Hypergeometric(14).upper_tail(*arrays), expected, rtol=1e-12, atol=1e-15)


def test_large_populations_against_scipy() -> None:
    rng = np.random.default_rng(4)
    size = rng.integers(100, 20_000, 300)
    marked = (size * rng.uniform(0.01, 0.99, 300)).astype(int)
    draws = (size * rng.uniform(0.01, 1.0, 300)).astype(int)
    spread = np.sqrt(draws * marked / size * (1 - marked / size) * (1 - draws / size)) + 1
    least = np.rint(draws * marked / size + rng.uniform(-6, 6, 300) * spread)
    result = Hypergeometric(20_000).upper_tail(least, *(v.astype(float) for v in (draws, marked, size - marked)))
    np.testing.assert_allclose(result, hypergeom.sf(least - 1, size, marked, draws), rtol=1e-7, atol=1e-13)
