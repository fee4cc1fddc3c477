"""Contrasts of two shares beside another package, and figures of few units."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from tiebreak.auditing.estimates import Contrast, Estimate, mean_estimate, share_estimate


def test_a_contrast_is_newcombes() -> None:
    hits = np.repeat([1.0, 0, 1, 0], [300, 100, 330, 270])
    inside = np.arange(1000) < 400
    found = Contrast.of(hits, inside, np.arange(1000)).estimate(0.05)
    assert found.value == pytest.approx(300 / 400 - 330 / 600)
    oracle = confint_proportions_2indep(300, 400, 330, 600, method="newcomb")
    assert (found.low, found.high) == pytest.approx(oracle, abs=0.001)


def test_its_mirror_is_itself() -> None:
    hits, inside = np.resize([1.0, 1, 0, 1, 0, 1, 1], 70), np.resize([True, False, False], 70)
    one = Contrast.of(hits, inside, np.arange(70) // 2).estimate(0.1)
    other = Contrast.of(hits, ~inside, np.arange(70) // 2).estimate(0.1)
    assert one.value == pytest.approx(-(other.value or 0))
    assert one.low == pytest.approx(-(other.high or 0))


def test_what_nothing_is_known_of_is_none() -> None:
    nothing, none = np.empty(0), np.empty(0, dtype=np.intp)
    assert share_estimate(nothing, none, 0.05) == mean_estimate(nothing, none, 0.05) == Estimate()
    one = share_estimate(np.ones(3), np.zeros(3, dtype=np.intp), 0.05)
    assert one == Estimate(1.0, None, None, 3, 1)
    assert mean_estimate(np.ones(3), np.arange(3), 0.05) == Estimate(1.0, None, None, 3, 3)  # 2^-3 is not below .025
