"""How many values a confidence sequence needs: against sequences that are simulated value by value."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.worlds.rating_campaigns import EVEN, FIVES_80, FIVES_95, rating_draws

from tiebreak.kernels.confidence_sequence import values_to_width
from tiebreak.records import UnitValue
from tiebreak.rules import running
from tiebreak.rules.anytime import Priors

PRIORS = Priors.default()
THRESHOLD = math.log(2 / 0.05)


def simulated(shares: tuple[float, ...], half_width: float, pool: int | None, runs: int = 9) -> float:
    """The median of values until a sequence is narrow."""
    steps = math.ceil(40 / half_width)
    plan = running.running_plan(PRIORS, margin=None, outcomes_only=False, pool_size=pool, steps=steps)
    rng, found = np.random.default_rng(1), []
    for _ in range(runs):
        values = rating_draws(rng, shares, 1, pool or 1_000)[0][0]
        evidence = running.start(plan)
        for count, value in enumerate(values.tolist(), 1):
            evidence = running.advance(plan, evidence, UnitValue.labelled(value))
            low, high = running.interval(plan, evidence, THRESHOLD)
            if (high - low) / 2 <= half_width:
                found.append(count)
                break
    assert len(found) == runs
    return float(np.median(found))


@pytest.mark.parametrize("shares", [EVEN, FIVES_80, FIVES_95, (0.0, 0.15, 0.7, 0.15, 0.0), (0.0, 0.0, 0.0, 0.0, 1.0)])
@pytest.mark.parametrize(("half_width", "pool"), [(0.2, None), (0.12, 400)])
def test_it_is_near_what_simulated_sequences_take(shares: tuple[float, ...], half_width: float, pool: int) -> None:
    values = np.linspace(-1, 1, 5)
    mean = float(np.dot(values, shares))
    variance = float(np.dot(values**2, shares)) - mean**2
    wanted = values_to_width(mean, variance, half_width, THRESHOLD, PRIORS.bounded, pool)
    assert wanted is not None
    assert 0.7 < simulated(shares, half_width, pool) / wanted < 1.3


def test_what_it_depends_on() -> None:
    def needed(mean: float = 0.0, variance: float = 0.3, half_width: float = 0.1, threshold: float = THRESHOLD) -> int:
        found = values_to_width(mean, variance, half_width, threshold, PRIORS.bounded)
        assert found is not None
        return found

    assert needed(half_width=0.05) > 3 * needed(), "half the width: about four times the values"
    assert needed(variance=0.6) > 1.7 * needed()
    assert needed(threshold=math.log(2 * 10 / 0.05)) > needed()
    assert needed(mean=0.4) == needed(mean=-0.4), "the two sides are alike"
    in_pool = values_to_width(0.0, 0.3, 0.1, THRESHOLD, PRIORS.bounded, pool_size=300)
    assert in_pool is not None
    assert in_pool < min(300, needed()), "what is drawn of a pool is no longer open"
    with pytest.raises(ValueError, match="above 0"):
        values_to_width(0.0, 0.3, 0.0, THRESHOLD, PRIORS.bounded)
