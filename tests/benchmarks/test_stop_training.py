"""The page on when a training stops: its worlds, and its figures where they can be computed."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.stop_training import MOST, RULES, by_streak, worlds
from scipy.stats import binom


def until_five_lost(n: int, ties: float) -> float:
    """A run of five of probability p takes (p^-5 - 1) / (1 - p) trials on average: 62 at one half. Here p is below, as
    wins and losses are equal with a probability of its own.
    """
    decided = np.arange(0, n + 1, 2)
    equal = float((binom.pmf(decided, n, 1 - ties) * binom.pmf(decided // 2, decided, 0.5)).sum())
    p = (1 - equal) / 2
    return (p**-5 - 1) / (1 - p)


@pytest.mark.parametrize(("place", "n"), [(0, 1000), (0, 100), (1, 1000), (1, 100)])
def test_five_in_a_row_on_a_plateau_take_what_theory_says(place: int, n: int) -> None:
    plateau = worlds()[place]
    ends = [by_streak(n)(plateau, np.random.default_rng([5, k])).at for k in range(400)]
    expected = until_five_lost(n, plateau.ties)
    assert round(expected) == {(0, 1000): 66, (0, 100): 76, (1, 1000): 69, (1, 100): 88}[place, n]
    assert abs(np.mean(ends) - expected) < 4 * np.std(ends) / np.sqrt(len(ends))
    assert sum(end == MOST for end in ends) < 8, "the mean is of trainings that ended"


def test_every_rule_keeps_a_checkpoint_from_before_it_stopped() -> None:
    for world in worlds():
        for _, rule in RULES:
            end = rule(world, np.random.default_rng(3))
            assert 0 <= end.kept <= end.at
