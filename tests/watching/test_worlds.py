"""Error rates of `watch`: the worlds of benchmarks/watch.py, few studies of each, and the readings beside it."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.watched import WORLDS, World
from scipy.stats import binom

FULL = ("means of two labels, looks by the lead", "pool of 300, looks by the lead", "unwelcome labels asked again")
"""Worlds that take seconds; what they show is shown by others, too."""
MANY_LOOKS = ("20 looks at labels of one date", "sheets of ten people, merged")


@pytest.mark.parametrize(
    "world",
    [pytest.param(of, id=of.name, marks=pytest.mark.full if of.name in FULL + MANY_LOOKS else ()) for of in WORLDS],
)
def test_every_world_is_as_promised(world: World) -> None:
    """100 studies (slow ones, and those with many looks: 40). At twice alpha the first fails with a chance of .3, all
    worlds together nearly always; the benchmark plays 2,000 (500).
    """
    runs = 40 if world.slow or world.name in MANY_LOOKS else 100
    played = [world.play(np.random.default_rng([7, number])) for number in range(runs)]
    watch, other = sum(one.watch for one in played), sum(one.other for one in played)
    held, erring = (watch, other) if world.covered else (other, watch)
    assert held <= binom.ppf(0.999, runs, 0.05)
    assert erring > 2 or world.name.startswith("means")


def test_a_world_is_the_same_again() -> None:
    first, second = (WORLDS[2].play(np.random.default_rng(3)) for _ in range(2))
    assert first == second
