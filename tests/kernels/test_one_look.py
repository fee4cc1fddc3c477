"""Ends of an interval: they bracket where a p-value crosses its level, and never contradict it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from tiebreak.errors import UsageError
from tiebreak.kernels.one_look import highest_accepted, lowest_accepted, one_look


@pytest.mark.parametrize("level", [1e-6, 0.025, 0.4])
@pytest.mark.parametrize("mean", [-0.9, -0.02, 0.0, 0.3, 0.95])
def test_normal_p_values_by_hand(mean: float, level: float) -> None:
    # p = Phi((m - mean)/.1): the end is mean + .1 z of the level, within [-1, 1].
    low = lowest_accepted(lambda null: float(ndtr((null - mean) / 0.1)), level)
    assert low == pytest.approx(max(mean + 0.1 * float(ndtri(level)), -1.0), abs=2e-7)
    high = highest_accepted(lambda null: float(ndtr((null + mean) / 0.1)), level)
    assert high == pytest.approx(min(mean - 0.1 * float(ndtri(level)), 1.0), abs=2e-7)


def test_steps_are_found_and_calls_are_few() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        jumps = np.sort(rng.uniform(-1, 1, 30))
        calls = []

        def p_value(null: float, jumps: np.ndarray = jumps, calls: list[float] = calls) -> float:
            calls.append(null)
            return float((jumps <= null).mean())

        low = lowest_accepted(p_value, 0.1)  # p > .1 from the fourth jump on
        assert jumps[3] <= low <= jumps[3] + 1e-7
        assert len(calls) < 32


def test_verdict_and_interval_never_contradict_each_other() -> None:
    """A crossing just above, at, or just below 0, closer than the search looks."""
    for crossing in (-1e-12, 0.0, 1e-12):
        test = one_look(
            0.3, 0.0, lambda null, at=crossing: 0.5 if null > at else 0.02, lambda null: 1.0 if null >= -0.3 else 0.0
        )
        low, high = test.interval(0.025)
        assert (low > 0) == (test.p_a <= 0.025)
        assert high == pytest.approx(0.3, abs=2e-7)


def test_levels_are_checked() -> None:
    with pytest.raises(UsageError, match="must lie strictly between 0 and 1"):
        one_look(0.0, 0.0, lambda _: 1.0, lambda _: 1.0).interval(0.5)
