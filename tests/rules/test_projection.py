from __future__ import annotations

import math

import numpy as np
import pytest

from tiebreak.rules.anytime import AnytimeProcess, Priors
from tiebreak.rules.projection import (
    detectable_difference,
    further_units,
    further_units_counts,
    units_to_detect,
)
from tiebreak.rules.sequence import ValueSequence

PRIORS = Priors.default()
LOG_40 = math.log(40)
Floats = np.ndarray
GRID = [(0.1, 0.0), (0.1, 0.6), (0.2, 0.3), (0.4, 0.0), (0.4, 0.3), (0.6, 0.3)]


def repeated(wins: int, ties: int, losses: int, pool_size: int | None = None) -> ValueSequence:
    return ValueSequence.complete(np.repeat([1.0, 0.0, -1.0], [wins, ties, losses]), pool_size)


def first_crossing(values: Floats, pool_size: int | None = None) -> int:
    path = AnytimeProcess(ValueSequence.complete(values, pool_size), PRIORS).log_e_path(1)
    assert (path >= LOG_40).any()
    return int(np.argmax(path >= LOG_40)) + 1


def draws(rng: np.random.Generator, size: int, difference: float, ties: float) -> Floats:
    wins = (1 - ties + difference) / 2
    uniform = rng.random(size)
    return np.where(uniform < wins, 1.0, np.where(uniform < wins + ties, 0.0, -1.0))


@pytest.mark.parametrize("ties", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("difference", [0.1, 0.2, 0.35])
def test_units_to_detect_is_near_the_mean_of_simulated_campaigns(difference: float, ties: float) -> None:
    # Measured with 500 campaigns a cell: the mean is .86 to .98 of it, the median .72 to .94. 200 campaigns know the
    # mean to about 4%, the median to 7%.
    rng = np.random.default_rng(31)
    expected = units_to_detect(difference, ties, LOG_40, PRIORS)
    taken = [first_crossing(draws(rng, 8 * expected, difference, ties)) for _ in range(200)]
    assert 0.75 < np.mean(taken) / expected < 1.1
    assert 0.55 < np.median(taken) / expected < 1.1
    assert 0.5 < np.mean(np.array(taken) <= expected) < 0.8  # "more than half"


def test_units_to_detect_crosses_exactly_there() -> None:
    # Difference 1 without ties is n wins and nothing else: E of n wins, by brute force.
    path = AnytimeProcess(ValueSequence.complete(np.ones(30)), PRIORS).log_e_path(1)
    assert units_to_detect(1.0, 0.0, LOG_40, PRIORS) == int(np.argmax(path >= LOG_40)) + 1


@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_detectable_difference_is_the_inverse(ties: float) -> None:
    for difference in (0.05, 0.1, 0.3, 0.55):
        units = units_to_detect(difference, ties, LOG_40, PRIORS)
        found, before = (detectable_difference(n, ties, LOG_40, PRIORS) for n in (units, units - 1))
        assert found is not None
        assert found <= difference + 1e-3
        assert before is None or before >= difference  # one unit less does not do; bisection rounds upwards
        assert (detectable_difference(units, ties, LOG_40, PRIORS, 2 * units) or 1) < found, "of a pool less is open"


def test_too_few_labels_find_nothing() -> None:
    assert detectable_difference(0, 0.0, LOG_40, PRIORS) is None
    assert detectable_difference(4, 0.0, LOG_40, PRIORS) is None  # 4 wins in a row: E < 2^4 < 40
    assert detectable_difference(50, 1.0, LOG_40, PRIORS) is None  # only ties


@pytest.mark.parametrize(("difference", "ties"), [(0.0, 0.2), (-0.1, 0.2), (0.9, 0.2), (1e-5, 0.0)])
def test_impossible_differences_are_refused(difference: float, ties: float) -> None:
    with pytest.raises(ValueError, match=r"does not fit|too small for every bet"):
        units_to_detect(difference, ties, LOG_40, PRIORS)


def test_projections_at_the_boundaries() -> None:
    assert further_units(repeated(0, 0, 0), LOG_40, 0.0, 1, PRIORS) is None
    assert further_units(repeated(60, 10, 10), LOG_40, 0.0, 1, PRIORS) == 0  # decided as it is
    assert further_units(repeated(10, 5, 10), LOG_40, 0.0, 1, PRIORS) is None  # no difference: no end in sight
    assert further_units(repeated(10, 5, 14), LOG_40, 0.0, 1, PRIORS) is None  # it points the other way
    assert further_units(repeated(501, 0, 500), LOG_40, 0.0, 1, PRIORS) is None  # beyond 100 times as many


def test_equivalence_is_projected_against_the_margin() -> None:
    # Only ties: both sides of a margin of .1 grow, and faster for a larger margin.
    ties = repeated(0, 60, 0)
    needs = [further_units(ties, math.log(20), -margin, side, PRIORS) for margin in (0.1, 0.3) for side in (1, -1)]
    assert needs[0] == needs[1]
    assert needs[2] == needs[3]
    assert (needs[0] or 0) > (needs[2] or 0)
    assert needs[0] is not None


def test_the_dirichlet_posterior_by_hand() -> None:
    # 60 values with balance 10 on 40 untied: z = 10/sqrt(40) = 1.581; z grows with sqrt(n), so that 60 (z*/z)^2 are
    # needed: z* = 1.96: 92.2, 33 further.
    values = np.repeat([1.0, 0.0, -1.0], [25, 20, 15])
    assert further_units_counts("dirichlet", values, 0.05) == 33


def test_the_hoeffding_rule_by_hand() -> None:
    # Mean .25: offset .125 of 1/2; ln(20)/(2 * .125^2) = 95.9: 96 in all, 56 further.
    values = np.repeat([1.0, -1.0], [25, 15])
    assert further_units_counts("hoeffding", values, 0.05) == 56


@pytest.mark.parametrize("method", ["dirichlet", "hoeffding"])
def test_rules_on_counts_without_a_difference_see_no_end(method: str) -> None:
    assert further_units_counts(method, np.array([1.0, -1.0, 0.0]), 0.05) is None
    assert further_units_counts(method, np.empty(0), 0.05) is None
    assert further_units_counts(method, np.zeros(4), 0.05) is None


@pytest.mark.parametrize("side", [1, -1])
def test_a_margin_beyond_all_that_known_ties_leave_open(side: int) -> None:
    # 5% of the items have different outputs: a margin of .2 is a null of -1 for them, where a bet has no cap.
    sequence = ValueSequence.complete(np.ones(12), 40, 0.05)
    assert sequence.unit_null(-0.2) == -1.0
    found = further_units(sequence, LOG_40, -0.2, side, PRIORS)
    assert found == (0 if side > 0 else None)  # twelve wins rule out that all are losses, not that all are wins


def test_further_units_are_a_cautious_projection() -> None:
    """What the docstring of `decisions.projection` says, measured: pooled over differences, ties and stages."""
    rng = np.random.default_rng(32)
    ratios = []
    for difference, ties in GRID:
        for share in (0.3, 0.6):
            units = units_to_detect(difference, ties, LOG_40, PRIORS)
            count = max(5, int(share * units))
            for _ in range(50):
                values = draws(rng, 10 * units, difference, ties)
                needed = first_crossing(values)
                if needed > count:
                    labelled = ValueSequence.complete(values[:count])
                    projected = further_units(labelled, LOG_40, 0.0, 1, PRIORS)
                    ratios.append(0.0 if projected is None else (needed - count) / max(projected, 1))
    assert len(ratios) > 400
    assert 0.4 < np.median(ratios) < 0.65
    assert 0.7 < np.mean(np.array(ratios) <= 1) < 0.87
