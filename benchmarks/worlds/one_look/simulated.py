"""What is counted where a world is simulated: wrong directions of the rule and of a control, and missed differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from benchmarks.cells import ALPHAS, Counts, Floats, Measure, Rng
from scipy.special import bdtrc, stdtr

from tiebreak.kernels.score_interval import NullScore
from tiebreak.rules.finished import FinishedSet, FinishedSets

_NEXT_TO_NOTHING = 1e-12

Draw = Callable[[Rng], FinishedSet]
"""One study of a world."""

Control = Callable[[FinishedSet], float]
"""A two-sided p-value of the same labels, read in a wrong way."""


def wrong_directions(draw: Draw, *controls: Control, least: Control | None = None) -> Measure:
    """Both directions together in a world without a difference, of the rule and of up to two controls.

    `least`: what the rule's p-value is at least, where that is cheaper: the rule is asked only where it may decide.
    """

    def measure(rng: Rng, runs: int) -> Counts:
        sets = [draw(rng) for _ in range(runs)]
        ours = p_values([of for of in sets if least is None or least(of) <= max(ALPHAS) * (1 + 1e-9)])
        found = {f"wrong {alpha}": float((ours <= alpha).sum()) for alpha in ALPHAS}
        for name, control in zip(("control", "second"), controls, strict=False):
            theirs = np.array([control(of) for of in sets])
            found |= {f"{name} {alpha}": float((theirs <= alpha).sum()) for alpha in ALPHAS}
        return found

    return measure


def p_values(sets: Sequence[FinishedSet]) -> Floats:
    """The rule's, two-sided."""
    tests = FinishedSets(sets)
    return np.asarray(2 * np.minimum(tests.p_a, tests.p_b))


def missed_differences(draw: Draw, difference: float) -> Measure:
    """Intervals that do not hold the true difference, on either side."""

    def measure(rng: Rng, runs: int) -> Counts:
        tests = FinishedSets([draw(rng) for _ in range(runs)])
        found: dict[str, float] = {}
        for alpha in ALPHAS:
            low, high = tests.intervals(alpha / 2)
            above, below = float((low > difference).sum()), float((high < difference).sum())
            found[f"missed {alpha}"] = above + below
        return found

    return measure


def by_t(of: FinishedSet) -> float:
    """The t test of the items' values."""
    n, spread = of.values.size, float(of.values.std(ddof=1))
    return 2 * float(stdtr(n - 1, -abs(of.values.mean()) / (spread / np.sqrt(n)))) if spread else 1.0


def by_score(of: FinishedSet) -> float:
    """The score test alone, over items or clusters of inputs like these: the rule's p-value is at least as large."""
    sums, sizes = of.values, np.ones(of.values.size)
    if of.clusters is not None:
        sums, sizes = np.bincount(of.clusters, weights=of.values), np.bincount(of.clusters).astype(np.float64)
    if sums.sum() < 0:
        sums = -sums
    return 2 * NullScore.of(sums, sizes, sums.size - 1.0).raised(0.0, _NEXT_TO_NOTHING)


def by_sign(of: FinishedSet) -> float:
    """The sign test of the items, as if they were independent."""
    wins, _, losses = of.counts
    ahead = max(wins, losses)
    return min(1.0, 2 * float(bdtrc(ahead - 1, wins + losses, 0.5))) if ahead else 1.0
