"""What one look could have found, against the exact power of its test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multinomial, nct, t

from tiebreak.kernels.paired_outcomes import paired_outcomes, paired_pool
from tiebreak.rules.finished import FinishedSet, FinishedSets
from tiebreak.rules.finished_projection import (
    Lead,
    few_means_to_direction,
    least_units,
    means_usually_enough,
    outcomes_to_direction,
    pool_to_direction,
    units_to_direction,
    units_usually_enough,
    usually_found,
    usually_found_with,
)

LEVELS = (0.025, 0.05 / 90)


def outcomes(wins: int, ties: int, losses: int) -> FinishedSet:
    values = np.repeat([1.0, 0.0, -1.0], [wins, ties, losses])
    return FinishedSet(values, np.ones(values.size, dtype=np.int64))


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


def test_by_the_width_of_an_interval() -> None:
    # A half-width of 1.96 standard errors: 2.8 of them are found in 80% of studies.
    assert usually_found(0.196, 0.025, 0.025) == pytest.approx(0.1 * (1.95996 + 0.84162), abs=1e-5)
    assert usually_found(0.196, 0.025, 0.0025) > usually_found(0.196, 0.025, 0.025)
    # Both ways to say it agree where the width is that of outcomes without a difference.
    width = 1.95996 * math.sqrt(0.7 / 400)
    assert usually_found(width, 0.025, 0.025) == pytest.approx(usually_found_with(400, 0.7, 0.025), rel=0.02)


def p_value(of: FinishedSet) -> float:
    """Of the direction that is ahead."""
    tests = FinishedSets([of])
    return float(min(tests.p_a[0], tests.p_b[0]))


def outcomes_decided(counts: tuple[int, int, int], items: NDArray[np.int64], level: float) -> NDArray[np.bool_]:
    """By the test itself, of so many items in these shares of wins, ties and losses."""
    wins, losses = (np.rint(count * items / sum(counts)) for count in (counts[0], counts[2]))
    tests = paired_outcomes(wins, items - wins - losses, losses)
    return np.asarray(np.minimum(tests.p_a, tests.p_b) <= level)


@pytest.mark.parametrize("level", [0.025, 0.05 / 20])
@pytest.mark.parametrize("items", [3, 7, 20])
def test_outcomes_in_these_shares_decide_about_there(items: int, level: float) -> None:
    """All counts of so few items, or every 20th of them: never before they decide, nor long after it."""
    every = [(wins, losses) for wins in range(1, items + 1) for losses in range(min(wins, items - wins + 1))]
    for wins, losses in every[:: 1 if items < 20 else 20]:
        counts = (wins, items - wins - losses, losses)
        found = outcomes_to_direction(*counts, level)
        if p_value(outcomes(*counts)) <= level or found is None or found > 400:
            continue
        needed = items + found
        around = np.unique(np.rint(np.geomspace(items + 1, 1.4 * needed + 5, 150)).astype(int))
        decided = outcomes_decided(counts, around, level)
        first, last = around[decided.argmax()], around[~decided].max(initial=items)
        # Whole numbers make the counts jump: between the first and the last that could be meant, or a few items off.
        assert 0.93 * first - 2 <= needed <= 1.03 * max(first, last + 1) + 2, counts


def test_a_streak_goes_on_with_as_many_ties() -> None:
    assert [outcomes_to_direction(n, 0, 0, 0.025) for n in range(1, 6)] == [5, 4, 3, 2, 1]
    found = outcomes_to_direction(2, 98, 0, 0.025)  # two of a hundred were no ties, and four of two hundred decide
    assert found is not None
    assert outcomes_decided((2, 98, 0), np.array([100 + found]), 0.025)
    assert not outcomes_decided((2, 98, 0), np.array([170]), 0.025)
    assert outcomes_to_direction(0, 4, 0, 0.025) is None  # nothing but ties
    assert outcomes_to_direction(5, 4, 5, 0.025) is None
    assert outcomes_to_direction(5_001, 0, 5_000, 0.025) is None  # more than a hundred times as many


@pytest.mark.parametrize("level", [0.025, 0.05 / 20])
@pytest.mark.parametrize(
    ("counts", "pool"),
    [((7, 0, 5), 60), ((7, 0, 5), 1_000), ((20, 7, 18), 400), ((9, 3, 7), 40), ((5, 1, 0), 200), ((60, 20, 45), 3_000)],
)
def test_a_pool_decides_about_there(counts: tuple[int, int, int], pool: int, level: float) -> None:
    items = sum(counts)
    found = pool_to_direction(*counts, pool, level)
    assert found is not None
    around = np.unique(np.rint(np.geomspace(items + 1, pool, 100)).astype(int))
    wins, losses = np.rint(counts[0] * around / items), np.rint(counts[2] * around / items)
    tests = paired_pool(wins, around - wins - losses, losses, pool)
    decided = np.minimum(tests.p_a, tests.p_b) <= level
    first, last = around[decided.argmax()], around[~decided].max(initial=items)
    assert 0.9 * first - 3 <= items + found <= 1.1 * max(first, last + 1) + 2


def test_few_unanimous_means_take_the_eight_of_their_test() -> None:
    assert [few_means_to_direction(np.ones(n), 20, 0.025) for n in range(1, 8)] == [7, 6, 5, 4, 3, 2, 1]
    assert few_means_to_direction(np.array([1.0, 0.0]), 20, 0.025) == 13  # seven and a half among fifteen
    assert few_means_to_direction(np.array([1.0, -2 / 3]), 20, 0.025) is None  # for the test of many
    assert few_means_to_direction(np.zeros(3), 20, 0.025) is None


def test_units_that_agree_go_on_to_agree() -> None:
    assert [units_to_direction(n, Lead(math.sqrt(n)), 0.5**n, 0.025, None, 0.5**n) for n in range(1, 6)] == [
        5,
        4,
        3,
        2,
        1,
    ]
    assert units_to_direction(100, Lead(), 0.25, 0.025, None, 0.25) == 200  # two of a hundred were no ties: six
    assert units_to_direction(2, Lead(), 0.25, 0.025, 5, 0.25) == 3  # the pool holds no more
    assert units_to_direction(6, Lead(0.0), 0.5, 0.025) is None
    assert units_to_direction(6, Lead(), 0.5, 0.025) is None


def test_a_pool_holds_no_more_than_it_does() -> None:
    assert pool_to_direction(100, 0, 90, 190, 0.025) is None
    assert 8 <= (pool_to_direction(100, 0, 99, 210, 0.025) or 0) <= 11
    assert units_to_direction(200, Lead(), 0.1, 0.025, 200) is None
    assert units_to_direction(100, Lead(1.2, 1.0), 0.115, 0.025, 200) is None  # 267 of 200
    without, within = (units_to_direction(100, Lead(), 0.1, 0.025, pool) or 0 for pool in (None, 200))
    assert 0 < within < without
    assert within <= 100
