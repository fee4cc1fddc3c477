"""The worlds of watched studies, few of each: what is promised holds, and the other readings err."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.watched_studies import Counted, count, page
from benchmarks.watched_worlds import WORLDS, World
from scipy.stats import binom


@pytest.mark.parametrize("world", WORLDS, ids=[world.name for world in WORLDS])
def test_every_world_is_as_promised(world: World) -> None:
    """Of 100 (ledgers: 40) studies: at twice alpha the first fails with a chance of 0.3 (0.4 where they are 40), all
    worlds together nearly always; the page has 2,000 (500)."""
    runs = 40 if world.ledger else 100
    found = count(world, runs, seed=7)
    held, erring = (found.watch, found.other) if world.covered else (found.other, found.watch)
    assert held <= binom.ppf(0.999, runs, 0.05)
    if world.errs and erring <= 2:
        pytest.fail(f"the control errs in {erring} of {runs} only")


def test_problems_are_told() -> None:
    world = WORLDS[0]
    assert "300 of 2000 wrong" in Counted(world, 2000, 300, 500).problem
    assert "the control errs in 90 of 2000 only" in Counted(world, 2000, 30, 90).problem
    assert Counted(world, 2000, 30, 500).problem == ""
    assert "| 2,000 | 0.015 |" in page([Counted(world, 2000, 30, 500)])


def test_a_world_is_the_same_again() -> None:
    first, second = (WORLDS[2].play(np.random.default_rng(3)) for _ in range(2))
    assert first == second
