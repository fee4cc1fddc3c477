"""What is counted where a world is simulated: wrong directions of the rule and of a control, and missed differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from benchmarks.one_look.cells import ALPHAS, Counts, Measure, Rng
from scipy.special import bdtrc, stdtr

from tiebreak.rules.finished import FinishedSet, FinishedSets

Draw = Callable[[Rng], FinishedSet]
"""One study of a world."""

Control = Callable[[FinishedSet], float]
"""A two-sided p-value of the same labels, read in a wrong way."""


def wrong_directions(draw: Draw, control: Control) -> Measure:
    """Both directions together in a world without a difference, of the rule and of the control."""

    def measure(rng: Rng, runs: int) -> Counts:
        sets = [draw(rng) for _ in range(runs)]
        tests = FinishedSets(sets)
        ours = 2 * np.minimum(tests.p_a, tests.p_b)
        theirs = np.array([control(of) for of in sets])
        return {
            **{f"wrong {alpha}": float((ours <= alpha).sum()) for alpha in ALPHAS},
            **{f"control {alpha}": float((theirs <= alpha).sum()) for alpha in ALPHAS},
        }

    return measure


def missed_differences(draw: Draw, difference: float) -> Measure:
    """Intervals that do not hold the true difference: both sides, and that above and that below it."""

    def measure(rng: Rng, runs: int) -> Counts:
        tests = FinishedSets([draw(rng) for _ in range(runs)])
        found: dict[str, float] = {}
        for alpha in ALPHAS:
            low, high = tests.intervals(alpha / 2)
            above, below = float((low > difference).sum()), float((high < difference).sum())
            found |= {f"missed {alpha}": above + below, f"above {alpha}": above, f"below {alpha}": below}
        return found

    return measure


def by_t(of: FinishedSet) -> float:
    """The t test of the items' values."""
    n, spread = of.values.size, float(of.values.std(ddof=1))
    return 2 * float(stdtr(n - 1, -abs(of.values.mean()) / (spread / np.sqrt(n)))) if spread else 1.0


def by_sign(of: FinishedSet) -> float:
    """The sign test of the items, as if they were independent."""
    wins, _, losses = of.counts
    ahead = max(wins, losses)
    return min(1.0, 2 * float(bdtrc(ahead - 1, wins + losses, 0.5))) if ahead else 1.0
