"""Worlds of `rank`: systems of known strengths, whose intervals and places are counted, and whether one scale fits.

Games are those of Davidson's model; *spread* is the standard deviation of the systems' strengths (1 is 174 points), and
equal systems tie in the share given. Where items have several games, systems have strengths of their own on each item,
which differ from the general ones by N(0, 1): the games of an item depend on each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from benchmarks.cells import Cell, Counts, Measure, Rng
from benchmarks.worlds.tournaments import World, by_item, circle, independent, one_sided_items, uneven_items
from scipy.special import ndtri

from tiebreak.kernels.games import Games
from tiebreak.kernels.jackknife import one_scale
from tiebreak.kernels.strengths import Strengths, strengths

ALPHA = 0.05
RUNS = 2_000
ELO = 400 / math.log(10)

WORLDS = (
    independent(2, 10, 0.5, 1 / 3),
    independent(2, 20, 1.0, 0.6),
    independent(2, 50, 2.0, 0.0),
    independent(5, 20, 1.0, 1 / 3),
    independent(5, 50, 1.0, 0.0),
    independent(5, 100, 1.0, 0.8),
    independent(5, 40, 2.0, 0.2),
    independent(10, 60, 1.0, 1 / 3),
    independent(10, 200, 2.0, 0.1),
    independent(10, 300, 0.0, 0.9),
    independent(10, 200, 0.5, 1 / 3, one_rare=0.1),
    independent(20, 100, 1.0, 1 / 3),
    independent(20, 400, 0.0, 0.0),
    independent(50, 300, 1.0, 1 / 3),
    independent(100, 600, 1.0, 1 / 3),
    independent(100, 5_000, 1.0, 1 / 3),
    by_item(3, 5, None, 0.0, 1 / 3),
    by_item(5, 8, None, 1.0, 1 / 3),
    by_item(10, 13, None, 0.0, 1 / 3),
    by_item(10, 13, 10, 0.0, 0.2),
    by_item(10, 30, None, 1.0, 1 / 3),
    by_item(5, 100, None, 1.0, 0.6),
    by_item(20, 100, 5, 1.0, 1 / 3),
    by_item(20, 100, None, 1.0, 0.0),
    by_item(30, 13, 60, 0.0, 1 / 3, people=2),
    by_item(100, 60, 60, 0.0, 1 / 3),
    by_item(2, 30, None, 0.5, 1 / 3, own=2.0, people=5),
    by_item(5, 30, 3, 1.0, 1 / 3, people=5),
    uneven_items(5, 15, 1 / 3),
    uneven_items(10, 60, 1 / 3),
    one_sided_items(3, 60, 5, 0.1),
    one_sided_items(2, 50, 10, 0.05),
)
ONE_SCALE = (
    independent(3, 120, 1.0, 1 / 3),
    independent(5, 300, 1.0, 0.1),
    independent(10, 1_000, 1.0, 1 / 3),
    independent(20, 3_000, 1.0, 0.6),
    by_item(5, 30, None, 0.0, 1 / 3),
    by_item(10, 100, 10, 0.0, 1 / 3),
    by_item(5, 40, 3, 0.0, 1 / 3, people=5),
)


CIRCLES = ((90, 0.5), (150, 0.5), (150, 1.0))
"""Games, and by how much each of three systems leads the next."""


def coverage(world: World) -> Measure:
    """Studies in which any interval of the leaderboard, or any range of places, does not hold the truth.

    Strengths are told from the systems in the core, those with both limits. "One interval" sums shares of systems whose
    interval by itself is wrong; only a wrong order of two systems makes a place wrong.
    """
    order = np.subtract.outer(world.truth, world.truth)
    count = world.truth.size

    def measure(rng: Rng, runs: int) -> Counts:
        found = dict.fromkeys((f"{event} {ALPHA:g}" for event in EVENTS), 0.0)
        for _ in range(runs):
            fitted = strengths(world.make(rng))
            beside = world.truth - world.truth[fitted.core].mean()
            low, high = fitted.ends(fitted.level_of_each(ALPHA))
            found["any interval 0.05"] += bool(((beside < low) | (beside > high)).any())
            low, high = fitted.ends(ALPHA / 2)
            found["one interval 0.05"] += float(((beside < low) | (beside > high)).mean())
            better = fitted.better(ALPHA / (count * (count - 1)))
            found["any place 0.05"] += bool((better & (order <= 0)).any())
            found["control 0.05"] += naive_misses(fitted, beside)
        return found

    return measure


EVENTS = ("any interval", "one interval", "any place", "control")


def naive_misses(found: Strengths, beside: np.ndarray) -> bool:
    """Whether intervals that take games for independent, by the normal distribution, miss any strength of the core."""
    count, share = beside.size, found.core / found.core.sum()
    of_systems = found.influences.model[:count, :count]
    variance = np.diagonal(of_systems) - 2 * of_systems @ share + share @ of_systems @ share
    error = -ndtri(found.level_of_each(ALPHA)) * np.sqrt(variance)
    return bool((np.abs(found.estimates - beside) > error)[found.core].any())


def misfits(make: Callable[[Rng], Games], event: str) -> Measure:
    """Studies in which the test finds that one scale does not fit, among those where it can be made."""

    def measure(rng: Rng, runs: int) -> Counts:
        p_values = []
        for _ in range(runs):
            games = make(rng)
            found = strengths(games)
            p_values.append(one_scale(games, found.fit, found.influences).p_value)
        tested = [value for value in p_values if value is not None]
        return {event: float(sum(value <= ALPHA for value in tested)), f"of {event}": float(len(tested))}

    return measure


def cells() -> Iterator[Cell]:
    """All cells: fewer studies of many systems."""
    limited = ("any interval 0.05", "any place 0.05")
    for world in WORLDS:
        runs = round(RUNS / max(1.0, len(world.truth) / 30) ** 1.5)
        yield Cell("leaderboards", world.name, "exact", coverage(world), runs, (), limited)
    for world in ONE_SCALE:
        yield Cell("one scale", world.name, "exact", misfits(world.make, "wrong 0.05"), RUNS // 2, (), ("wrong 0.05",))
    for games, lead in CIRCLES:
        name = f"a circle of three, {games} games, each {ELO * lead:.0f} points above the next"
        yield Cell("one scale", name, "exact", misfits(circle(games, lead), "power 0.05"), RUNS // 2, (), ())
