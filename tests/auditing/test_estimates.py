"""Contrasts of two shares beside another package, and figures of few units."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from tiebreak.auditing.claims import Units
from tiebreak.auditing.estimates import Contrast, mean_estimate, score_estimate, share_estimate
from tiebreak.results.audits import Estimate


def test_a_contrast_is_newcombes() -> None:
    hits = np.repeat([1.0, 0, 1, 0], [300, 100, 330, 270])
    inside = np.arange(1000) < 400
    found = Contrast.of(hits, inside, Units(np.arange(1000))).estimate(0.05)
    assert found.value == pytest.approx(300 / 400 - 330 / 600)
    oracle = confint_proportions_2indep(300, 400, 330, 600, method="newcomb")
    assert (found.low, found.high) == pytest.approx(oracle, abs=0.001)


def test_its_mirror_is_itself() -> None:
    hits, inside = np.resize([1.0, 1, 0, 1, 0, 1, 1], 70), np.resize([True, False, False], 70)
    one = Contrast.of(hits, inside, Units(np.arange(70) // 2)).estimate(0.1)
    other = Contrast.of(hits, ~inside, Units(np.arange(70) // 2)).estimate(0.1)
    assert one.value == pytest.approx(-(other.value or 0))
    assert one.low == pytest.approx(-(other.high or 0))


def test_what_nothing_is_known_of_is_none() -> None:
    nothing, none = np.empty(0), Units(np.empty(0, dtype=np.intp))
    assert share_estimate(nothing, none, 0.05) == mean_estimate(nothing, none, 0.05) == Estimate()
    assert score_estimate(nothing, none, 0.05) == Estimate()
    one = share_estimate(np.ones(3), Units(np.zeros(3, dtype=np.intp)), 0.05)
    assert one == Estimate(1.0, None, None, 3, 1)
    assert mean_estimate(np.ones(3), Units(np.arange(3)), 0.05) == Estimate(1.0, None, None, 3, 3)  # 2^-3 > .025


def test_of_a_pool_that_is_all_there_nothing_is_left_to_chance() -> None:
    values, units = np.array([1.0, 0, 1, 1]), Units(np.array([0, 0, 1, 2]), 1.0)
    for found in (share_estimate, mean_estimate, score_estimate):
        assert found(values, units, 0.05) == Estimate(0.75, 0.75, 0.75, 4, 3)
    contrast = Contrast.of(values, np.array([True, True, False, False]), units).estimate(0.05)
    assert (contrast.low, contrast.high) == (-0.5, -0.5)


def test_a_larger_share_of_the_pool_tells_more() -> None:
    values = np.resize([1.0, 0, 1, 1, 0], 60)
    for found in (share_estimate, mean_estimate, score_estimate):
        widths = [
            (of.high or 0) - (of.low or 0)
            for of in (found(values, Units(np.arange(60), seen), 0.05) for seen in (0.0, 0.5, 0.9))
        ]
        assert widths[0] > widths[1] > widths[2] > 0
        if found is not share_estimate:  # whose ends lie a unit of the pool further out
            assert widths[1] == pytest.approx(widths[0] * 0.5**0.5, rel=0.03)
