from __future__ import annotations

import numpy as np
import pytest

from tiebreak.results.order import EvidenceCurve, looks


def curve(points: int, stop: int | None) -> EvidenceCurve:
    steps = np.arange(points)
    return EvidenceCurve("style", "x", "y", steps, 2 * steps, steps / 10, -steps / 10, steps / 20, 3.0, 2.0, stop)


@pytest.mark.parametrize("stop", [None, 0, 77, 100])
def test_thinned_curves_keep_both_ends_and_the_stop(stop: int | None) -> None:
    full = curve(101, stop)
    thin = full.thinned(20)
    assert thin.items.size <= 20
    assert (thin.items[0], thin.items[-1]) == (0, 100)
    assert stop is None or stop in thin.items
    assert thin.labels.tolist() == (2 * thin.items).tolist()
    assert thin.log_e_a.tolist() == full.log_e_a[thin.items].tolist()
    assert thin.log_e_equivalent is not None
    assert thin.log_e_equivalent.size == thin.items.size
    assert full.thinned(101).items.tolist() == full.items.tolist()


def test_a_curve_needs_three_points() -> None:
    with pytest.raises(ValueError, match="at least 3 points"):
        curve(10, None).thinned(2)


def test_looks_are_few_and_hold_the_stop() -> None:
    assert looks(5, None).tolist() == [0, 1, 2, 3, 4, 5]
    found = looks(1000, 333, 50)
    assert found.size <= 50
    assert {0, 333, 1000} <= set(found.tolist())
