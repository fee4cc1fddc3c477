"""The power of plans against simulated campaigns, and what follows from it."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.simulation import simulated_rule

from tiebreak.rules.family import Family
from tiebreak.rules.power import Endings, PlannedPower, smallest_number
from tiebreak.rules.rule import EQUIVALENT
from tiebreak.simulate.engines.stops import stops


def simulated(
    plan: int, ties: float, difference: float, margin: float | None = None, pool: int | None = None
) -> tuple[list[float], float, PlannedPower]:
    """Chances of the verdicts and mean items of one pair in 1,500 campaigns (600 by bets); the power of the plan."""
    family = Family(0.05, "holm", 1, margin is not None)
    runs = 1_500 if margin is None and pool is None else 600
    rng = np.random.default_rng(plan)
    if pool is None:
        rates = [(1 - ties + difference) / 2, ties, (1 - ties - difference) / 2]
        values = rng.choice(np.array([1, 0, -1], dtype=np.int8), p=rates, size=(runs, plan))
    else:
        ahead, behind = (round((1 - ties + sign * difference) / 2 * pool) for sign in (1, -1))
        items = np.repeat(np.array([1, -1, 0], dtype=np.int8), [ahead, behind, pool - ahead - behind])
        values = np.array([rng.permutation(items)[:plan] for _ in range(runs)])
    found = stops(values, simulated_rule("anytime", plan, margin=margin, pool=pool))
    kinds = (1, -1) if margin is None else (1, -1, EQUIVALENT)
    verdicts = [float((found.verdict == kind).mean()) for kind in kinds]
    return verdicts, float(found.items.mean()), PlannedPower.of(family, 1 - ties, margin, pool)


@pytest.mark.parametrize(
    ("plan", "ties", "difference", "close"),
    [
        (20, 0.3, 0.52, 0.1),
        (50, 0.0, 0.4, 0.05),
        (80, 0.6, 0.2, 0.04),
        (150, 0.3, 0.18, 0.04),
        (150, 0.3, 0.25, 0.04),
        (400, 0.3, 0.12, 0.04),
        (1_000, 0.6, 0.06, 0.04),
    ],
)
def test_the_chance_and_the_items_of_single_labels(plan: int, ties: float, difference: float, close: float) -> None:
    (for_a, for_b), items, power = simulated(plan, ties, difference)
    endings = power.endings(plan, np.array([difference]))
    assert endings.right[0] == pytest.approx(for_a, abs=close)
    assert endings.for_b[0, -1] == pytest.approx(for_b, abs=0.01)
    assert endings.mean_units[0] == pytest.approx(items, rel=0.1)
    assert power.chance(plan, difference) == endings.right[0]


@pytest.mark.parametrize(
    ("plan", "difference", "margin", "pool"),
    [(150, 0.0, 0.25, None), (150, 0.1, 0.25, None), (150, 0.15, None, 300), (200, 0.1, None, 300)],
)
def test_margins_and_pools(plan: int, difference: float, margin: float | None, pool: int | None) -> None:
    verdicts, items, power = simulated(plan, 0.3, difference, margin, pool)
    endings = power.endings(plan, np.array([difference]))
    for expected, chances in zip(verdicts, (endings.for_a, endings.for_b, endings.equivalent), strict=False):
        assert chances[0, -1] == pytest.approx(expected, abs=0.09)
    assert endings.mean_units[0] == pytest.approx(items, rel=0.12)


def test_equal_systems_are_called_different_at_the_level() -> None:
    endings = PlannedPower(0.025, 0.7).endings(300, np.zeros(1))
    # Where the last step of a plan is short, the grid is coarse for it.
    assert endings.for_a[0, -1] == pytest.approx(0.025, abs=2e-4)
    assert endings.for_b[0, -1] == pytest.approx(0.025, abs=2e-4)
    assert endings.right[0] == 0.0


def test_one_question_asked_in_three_ways() -> None:
    power = PlannedPower(0.025, 0.7)
    found = power.found(200)
    assert power.chance(200, found) == pytest.approx(0.8, abs=0.002)
    planned = power.smallest_plan(np.array([found]), 10_000)
    assert abs(planned - 200) <= 3
    assert power.smallest_plan(np.array([found]), 150) is None
    assert power.found(3) is None  # three items of which 70% are no ties show nothing


def test_many_differences_are_interpolated() -> None:
    power, differences = PlannedPower(0.025, 0.7), np.linspace(-0.4, 0.4, 81)
    at_once = power.endings(150, differences)
    apart = [power.chance(150, float(difference)) for difference in differences]
    assert np.abs(at_once.right - apart).max() < 0.005
    assert np.allclose(at_once.for_a, at_once.for_b[::-1], atol=1e-9)


def test_a_metric_helps_by_what_it_explains() -> None:
    plain, good = PlannedPower(0.025, 0.7), PlannedPower(0.025, 0.7, explained=0.49, scored=5_000)
    assert good.chance(300, 0.12) > plain.chance(300, 0.12) + 0.1
    few = PlannedPower(0.025, 0.7, explained=0.49, scored=620)
    assert plain.chance(300, 0.12) - 0.05 < few.chance(300, 0.12) < good.chance(300, 0.12)


def test_means_and_quantiles_by_hand() -> None:
    # Ended: a fifth by unit 10, half by 20, four fifths by 40. Mean: (1 + .8)/2 10 + (.8 + .5)/2 10 + (.5 + .2)/2 20.
    chances = np.array([[0.2, 0.5, 0.8]])
    endings = Endings(np.array([0.1]), np.array([10.0, 20.0, 40.0]), chances, 0 * chances, 0 * chances, None)
    assert endings.mean_units[0] == pytest.approx(9.0 + 6.5 + 7.0)
    assert endings.quantile(0.2) == pytest.approx(10.0)
    assert endings.quantile(0.35) == pytest.approx(15.0)
    assert endings.quantile(0.9) == 40.0
    # Squares: .9 (100) + .65 (400 - 100) + .35 (1600 - 400) = 705.
    assert endings.variance_of_units[0] == pytest.approx(705 - 22.5**2)


def test_the_smallest_number() -> None:
    assert smallest_number(lambda number: min(number / 100, 1.0), 1_000, 0.8) == 80
    assert smallest_number(lambda number: min(number / 100, 1.0), 70, 0.8) is None
    assert smallest_number(lambda number: 1.0, 70) == 1  # noqa: ARG005
