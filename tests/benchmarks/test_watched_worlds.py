"""The worlds of watched studies, few of each: what is promised holds, and the other readings err."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.watched_companions import COMPANION_WORLDS, SavedBeside, saving_beside
from benchmarks.watched_metrics import METRIC_WORLDS, Saved, saving
from benchmarks.watched_studies import Counted, count, page, problems_of
from benchmarks.watched_worlds import WORLDS, World
from scipy.stats import binom

ALL = (*WORLDS, *METRIC_WORLDS)


@pytest.mark.parametrize("world", ALL, ids=[world.name for world in ALL])
def test_every_world_is_as_promised(world: World) -> None:
    """Of 100 (slow ones: 40) studies: at twice alpha the first fails with a chance of 0.3 (0.4 where they are
    40), all worlds together nearly always; the page has 2,000 (500)."""
    runs = 40 if world.slow else 100
    found = count(world, runs, seed=7)
    held, erring = (found.watch, found.other) if world.covered else (found.other, found.watch)
    assert held <= binom.ppf(0.999, runs, 0.05)
    if world.errs and erring <= 2:
        pytest.fail(f"the control errs in {erring} of {runs} only")


@pytest.mark.parametrize("world", [COMPANION_WORLDS[0], COMPANION_WORLDS[-1]], ids=["rows", "ledgers"])
def test_companions_are_as_promised(world: World) -> None:
    """With looks by everything that can be known: the bets alone, and whole ledgers."""
    assert count(world, 15, seed=7).watch <= binom.ppf(0.999, 15, 0.05)


@pytest.mark.full
@pytest.mark.parametrize("world", COMPANION_WORLDS, ids=[world.name for world in COMPANION_WORLDS])
def test_companions_are_as_promised_in_many_studies(world: World) -> None:
    assert count(world, 300 if world.slow else 1000, seed=7).problem == ""


def test_problems_are_told() -> None:
    world = WORLDS[0]
    assert "300 of 2000 wrong" in Counted(world, 2000, 300, 500).problem
    assert "the control errs in 90 of 2000 only" in Counted(world, 2000, 30, 90).problem
    assert Counted(world, 2000, 30, 500).problem == ""
    saved = Saved(0.9, 0.1, np.array([300.0]), np.array([120.0]))
    beside = SavedBeside(5, 0.9, 0.1, saved.alone, saved.alone / 2)
    written = page([Counted(world, 2000, 30, 500)], [saved], [beside])
    assert "| 2,000 | 0.015 |" in written
    assert "| 4 | 1 in 5 | 0.9 | 1 | 300, 150: 50% |" in written
    assert "| 0.1 | 0.9 | 1 | 300 | 120 | 60% |" in written
    assert problems_of([saved]) == []
    assert len(problems_of([Saved(0.9, 0.1, saved.alone, saved.alone)])) == 1
    assert len(problems_of([Saved(0.0, 0.1, saved.alone, saved.alone * 1.1)])) == 1


def test_a_metric_saves_labels_and_a_useless_one_costs_few() -> None:
    assert saving(0.9, 0.2, 8, seed=3, pool=400).share > 0.3
    assert saving(0.0, 0.2, 8, seed=3, pool=400).share > -0.03
    assert saving_beside(5, 0.9, 0.2, 8, seed=3, most=400).share > 0.2


def test_a_world_is_the_same_again() -> None:
    first, second = (WORLDS[2].play(np.random.default_rng(3)) for _ in range(2))
    assert first == second
