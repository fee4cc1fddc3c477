from __future__ import annotations

import numpy as np
import pytest

from tiebreak.planning.power import (
    Detection,
    detections,
    power_curves,
    reaches,
    smallest_found,
)
from tiebreak.rules.anytime import Priors
from tiebreak.rules.projection import units_to_detect
from tiebreak.simulate.engines.stopping import SimulatedRule


def test_what_answers_find_by_hand() -> None:
    # 100 answers find .2 and 400 find .1 (with 80% chance): 200 lie halfway on both logarithms, so .1414.
    grid = [
        Detection(0.05, np.full(10, np.inf)),
        Detection(0.1, np.full(10, 400.0)),
        Detection(0.2, np.full(10, 100.0)),
    ]
    assert smallest_found(grid, 100) == pytest.approx(0.2)
    assert smallest_found(grid, 200) == pytest.approx(np.sqrt(0.1 * 0.2))
    assert smallest_found(grid, 400) == pytest.approx(0.1)
    assert smallest_found(grid, 99) is None
    assert smallest_found(grid, 1600) == pytest.approx(0.05)  # beyond the grid: answers grow with 1/difference^2
    assert smallest_found(grid[:1], 10**6) is None
    assert [reach.difference for reach in reaches(grid, [99, 100])] == [None, pytest.approx(0.2)]


def test_chances_count_runs() -> None:
    found = Detection(0.1, np.array([10.0, 20.0, 30.0, np.inf]))
    assert [found.chance(count) for count in (9, 10, 29, 1000)] == [0.0, 0.25, 0.5, 0.75]
    assert found.needed(0.5) == 30.0
    assert found.needed(0.9) == np.inf
    (curve,) = power_curves([found], [10, 30])
    assert curve.chances == (0.25, 0.75)
    assert curve.chance_of(30) == 0.75


def test_simulated_detection_is_near_the_projection() -> None:
    # The projection lets outcomes come exactly as expected; campaigns take up to 15% less on average.
    rng = np.random.default_rng(1)
    rule = SimulatedRule(alpha=0.05)
    for found in detections([0.1, 0.3], 0.3, rule, 20_000, 400, rng):
        projected = units_to_detect(found.difference, 0.3, rule.log_threshold, Priors.default())
        assert 0.8 * projected < found.labels[np.isfinite(found.labels)].mean() < 1.1 * projected
