from __future__ import annotations

import numpy as np
import pytest

from tiebreak.planning.records import Range
from tiebreak.rules.power import Endings, PlannedPower


def test_a_range_by_hand() -> None:
    # A tenth has ended by unit 10, all but a tenth by 90, evenly between; the rest goes on to 100.
    units, chances = np.array([10.0, 90.0, 100.0]), np.array([[0.1, 0.9, 0.94]])
    found = Range.of(Endings(np.array([0.1]), units, chances, 0 * chances, 0 * chances, None))
    assert (found.low, found.high) == (pytest.approx(10.0), pytest.approx(90.0))
    assert found.open == pytest.approx(0.06)
    assert found.mean == pytest.approx(9.5 + 40 + 0.8)
    assert found.scaled(2).mean == 2 * found.mean
    assert found.scaled(2).open == found.open


def test_the_sum_over_pairs_is_what_drawn_campaigns_add_up_to() -> None:
    endings = PlannedPower(0.01, 0.7).endings(200, np.array([0.25]))
    found = Range.of_all([endings], 6)
    rng = np.random.default_rng(1)
    ended = np.concatenate([[0.0], endings.ended[0]])
    drawn = np.interp(rng.random((20_000, 6)), ended, np.concatenate([[0.0], endings.units])).sum(axis=1)
    assert found.mean == pytest.approx(drawn.mean(), rel=0.02)
    assert [found.low, found.high] == pytest.approx(np.quantile(drawn, [0.1, 0.9]), rel=0.05)
    assert found.open == pytest.approx(1 - ended[-1] ** 6)


def test_one_pair_alone_is_no_sum() -> None:
    endings = PlannedPower(0.025, 0.7).endings(200, np.array([0.25]))
    assert Range.of_all([endings]) == Range.of(endings)
