"""The page on when a training stops: its worlds, and its figures where they can be computed."""

from __future__ import annotations

import numpy as np
from benchmarks.stop_training import RULES, by_streak, worlds


def test_five_in_a_row_on_a_plateau_take_what_theory_says() -> None:
    """Runs of five of probability p take (p^-5 - 1) / (1 - p) trials: 62 at one half, 70.6 at p = .487."""
    plateau = worlds()[0]
    rule = by_streak(1000)
    ends = [rule(plateau, np.random.default_rng([5, k])).at for k in range(400)]
    p = 0.487  # 500 comparisons with each of two: wins and losses are equal in 2.6% of the checks
    assert abs(np.mean(ends) - (p**-5 - 1) / (1 - p)) < 4 * np.std(ends) / np.sqrt(len(ends))


def test_every_rule_keeps_a_checkpoint_from_before_it_stopped() -> None:
    for world in worlds():
        for _, rule in RULES:
            end = rule(world, np.random.default_rng(3))
            assert 0 <= end.kept <= end.at
