"""What one look could have found, against the exact power of its test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import multinomial, nct, t

from tiebreak.kernels.paired_outcomes import paired_outcomes
from tiebreak.rules.finished_projection import (
    least_units,
    means_usually_enough,
    units_to_direction,
    units_usually_enough,
    usually_found,
    usually_found_with,
)

LEVELS = (0.025, 0.05 / 90)


def power(units: int, ties: float, difference: float, level: float) -> float:
    """The chance that one look finds a difference, over all outcomes of the units."""
    wins, losses = (grid.ravel() for grid in np.meshgrid(np.arange(units + 1), np.arange(units + 1)))
    wins, losses = wins[wins + losses <= units], losses[wins + losses <= units]
    counts = np.column_stack([wins, units - wins - losses, losses])
    untied = 1 - ties
    chances = multinomial.pmf(counts, units, [(untied + difference) / 2, ties, (untied - difference) / 2])
    return float(chances[paired_outcomes(*counts.T.astype(float)).p_a <= level].sum())


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("ties", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("units", [60, 150])
def test_what_would_usually_have_been_found_is_found_in_80_percent(units: int, ties: float, level: float) -> None:
    difference = usually_found_with(units, 1 - ties, level)
    assert power(units, ties, difference, level) == pytest.approx(0.8, abs=0.08)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("ties", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("difference", [0.1, 0.2, 0.4])
def test_the_units_that_are_usually_enough_find_it(difference: float, ties: float, level: float) -> None:
    units = units_usually_enough(difference, 1 - ties, level)
    square = max(1 - ties, difference)
    assert usually_found_with(units, square, level) <= difference + 1e-9
    if units > least_units(level) / square + 1:
        assert usually_found_with(units - 1, square, level) > difference
    if 60 <= units <= 200:
        assert power(units, 1 - square, difference, level) == pytest.approx(0.8, abs=0.08)


@pytest.mark.parametrize(("difference", "square"), [(0.1, 0.05), (0.2, 0.05), (0.3, 0.3)])
def test_means_that_are_usually_enough_are_found_by_t(difference: float, square: float) -> None:
    """Normal values, whose spread may be smaller than the difference."""
    units = means_usually_enough(difference, square, 0.025)
    noise = math.sqrt(square * (1 - difference**2))
    found = 1 - nct.cdf(t.ppf(0.975, units - 1), units - 1, difference / noise * math.sqrt(units))
    assert found == pytest.approx(0.8, abs=0.06)


def test_never_fewer_units_than_a_perfect_streak_needs() -> None:
    assert units_usually_enough(1.0, 1.0, 0.025) == 6
    assert units_usually_enough(1.0, 1.0, 0.001) == least_units(0.001) == 10


def test_by_the_width_of_an_interval() -> None:
    # A half-width of 1.96 standard errors: 2.8 of them are found in 80% of studies.
    assert usually_found(0.196, 0.025, 0.025) == pytest.approx(0.1 * (1.95996 + 0.84162), abs=1e-5)
    assert usually_found(0.196, 0.025, 0.0025) > usually_found(0.196, 0.025, 0.025)
    # Both ways to say it agree where the width is that of outcomes without a difference.
    width = 1.95996 * math.sqrt(0.7 / 400)
    assert usually_found(width, 0.025, 0.025) == pytest.approx(usually_found_with(400, 0.7, 0.025), rel=0.02)


def test_agreement_goes_on_with_as_many_ties() -> None:
    assert [units_to_direction(n, 0.5**n, 0.025, None, 0.5**n) for n in range(1, 6)] == [5, 4, 3, 2, 1]
    assert units_to_direction(100, 0.25, 0.025, None, 0.25) == 200  # two of a hundred were no ties: six are wanted
    assert units_to_direction(4, 1.0, 0.025, None, 1.0) is None  # nothing but ties
    assert units_to_direction(2, 0.25, 0.025, 5, 0.25) == 3  # the pool holds no more
