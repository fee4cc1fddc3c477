"""The page on when a training stops: its worlds, and its figures where they can be computed."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.stop_training import MOST, OF_TEXTS, RULES, by_streak, gained, with_texts, worlds
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


def test_texts_are_as_far_apart_as_the_page_says() -> None:
    """A third of ties on a plateau, and wins - losses by the gain that a row names."""
    generator = np.random.default_rng(4)
    plateau, gains = (with_texts(100_000, gain)(generator) for gain in (None, 0.2))
    even = plateau.check(1, 2, 100_000, generator)
    assert abs(even.ties / 100_000 - 1 / 3) < 0.006
    assert gains.over_best is not None
    assert gained(gains.over_best) == pytest.approx(0.2)
    gains.quality[1] = gains.over_best
    check = gains.check(1, 0, 100_000, generator)
    assert abs((check.wins - check.losses) / 100_000 - 0.2) < 0.01
    for make, rules in OF_TEXTS[2:3]:
        for _, rule in rules:
            assert not rule(make(generator), generator).stopped
