"""What one look could have found, against the exact power of its test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import multinomial

from tiebreak.kernels.paired_outcomes import paired_outcomes
from tiebreak.rules.power import difference_by_width, further_outcomes, further_units, outcomes_enough

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
@pytest.mark.parametrize("difference", [0.1, 0.2, 0.4])
def test_the_outcomes_that_are_enough_find_it(difference: float, ties: float, level: float) -> None:
    units = outcomes_enough(difference, 1 - ties, level)
    square = max(1 - ties, difference)
    if 60 <= units <= 200:
        assert power(units, 1 - square, difference, level) == pytest.approx(0.8, abs=0.08)


def test_by_the_width_of_an_interval() -> None:
    # A half-width of 1.96 standard errors: 2.8 of them are found in 80% of studies.
    assert difference_by_width(0.196, 0.025) == pytest.approx(0.1 * (1.95996 + 0.84162), abs=1e-5)


@pytest.mark.parametrize("level", [0.025, 0.05 / 20])
@pytest.mark.parametrize("counts", [(25, 10, 12), (40, 0, 28), (12, 50, 5), (9, 30, 20)])
def test_with_so_many_further_outcomes_four_of_five_studies_decide(counts: tuple[int, int, int], level: float) -> None:
    wins, ties, losses = counts
    found, items = further_outcomes(*counts, level), sum(counts)
    difference = abs(wins - losses) / items
    assert power(items + found, ties / items, difference, level) == pytest.approx(0.8, abs=0.08)
    assert further_outcomes(losses, ties, wins, level) == found


def test_further_outcomes_by_hand() -> None:
    # Streaks go on: six items at .025.
    assert [further_outcomes(n, 0, 0, 0.025) for n in range(1, 6)] == [5, 4, 3, 2, 1]
    assert further_outcomes(0, 4, 0, 0.025) is None  # nothing but ties
    assert further_outcomes(5, 4, 5, 0.025) is None
    assert further_outcomes(5_001, 0, 5_000, 0.025) is None  # more than a hundred times as many


def test_further_units_by_hand() -> None:
    # 1.96 standard errors are .2: 2.8016 of them shrink to .1 with (.2 * 2.8016 / 1.96 / .1)^2 = 8.17 times the units.
    assert further_units(100, 0.2, 0.1, 0.025) == 718
    assert further_units(100, 0.2, -0.01, 0.025) is None
    assert further_units(100, 0.2, math.nan, 0.025) is None
    assert further_units(100, 0.2, 0.01, 0.025) is None  # 800 times as many
    assert further_units(0, 1.0, 0.1, 0.025) is None
    # Half of a pool of 200 informs as 200 units do; 1,635 of them are 178 of the pool.
    assert further_units(100, 0.2, 0.1, 0.025, 200) == 79
    assert further_units(200, 0.2, 0.1, 0.025, 200) is None
    assert further_units(1, 1.0, 1.0, 0.025, least=6) == 5
    assert further_units(1, 1.0, 1.0, 0.025, 4, least=6) == 3  # all that there are
    assert further_units(100, 0.1, 0.2, 0.025) == 1  # on its way, whatever chance has held up


@pytest.mark.parametrize("pool", [None, 400])
def test_with_so_many_further_units_the_interval_tells_the_distance_in_four_of_five_studies(pool: int | None) -> None:
    """Means of 100 units with a standard deviation of .5, and a distance of .08."""
    spread, distance, units = 0.5, 0.08, 100
    left = 1.0 if pool is None else 1 - units / pool
    half_width = 1.95996 * spread * math.sqrt(left / units)
    needed = units + (further_units(units, half_width, distance, 0.025, pool) or 0)
    error = spread * math.sqrt((1 if pool is None else 1 - needed / pool) / needed)
    estimates = np.random.default_rng(3).normal(distance, error, 20_000)
    assert (estimates > 1.95996 * error).mean() == pytest.approx(0.8, abs=0.01)
