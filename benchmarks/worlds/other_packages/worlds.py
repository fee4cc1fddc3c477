"""Simulated studies that all packages can read: scores of systems on the same items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from benchmarks.cells import Rng
from benchmarks.worlds.one_look.clusters import clustered
from benchmarks.worlds.one_look.panels import leaning, strong
from benchmarks.worlds.other_packages.asked import Floats, Labels

DrawLabels = Callable[[Rng, float], Labels]
"""A study in which the first system is better than every other by this difference."""

RUNS = (300, 100)
"""Studies without a difference, and with one."""


@dataclass(frozen=True)
class World:
    """`difference`: the true one where power is measured, None where there is no such part. `key`: of the seed; worlds
    with the same key hold the same outcomes. `unclaimed`: packages, and what they do not claim to handle here.
    """

    name: str
    draw: DrawLabels
    difference: float | None
    key: int
    systems: int = 2
    runs: tuple[int, int] = RUNS
    unclaimed: tuple[tuple[str, str], ...] = ()

    def truth(self, difference: float) -> Floats:
        """The true difference of each pair."""
        return np.array([difference * (a == 0) for a, _ in combinations(range(self.systems), 2)])


def outcomes(rng: Rng, items: int, ties: float, difference: float) -> Floats:
    """(items,) in {-1, 0, 1}."""
    chances = [(1 - ties - difference) / 2, ties, (1 - ties + difference) / 2]
    return rng.choice([-1.0, 0.0, 1.0], size=items, p=chances)


def as_preferences(values: Floats) -> Floats:
    """1 for the better system, 0 for the other, 1/2 for both where neither is."""
    return np.stack([(1 + values) / 2, (1 - values) / 2])


def pass_fail(items: int, ties: float) -> DrawLabels:
    """Every output passes or fails; a tie is twice the same."""

    def draw(rng: Rng, difference: float) -> Labels:
        values = outcomes(rng, items, ties, difference)
        both = np.where(rng.random(items) < 0.5, 1.0, 0.0)
        return Labels(np.where(values == 0, both, as_preferences(values)))

    return draw


def preferences(items: int, ties: float) -> DrawLabels:
    """One preference per item."""
    return lambda rng, difference: Labels(as_preferences(outcomes(rng, items, ties, difference)))


def panels(items: int) -> DrawLabels:
    """Three people per item, who agree more than chance would have it; 30% of labels are ties."""

    def draw(rng: Rng, difference: float) -> Labels:
        return Labels(as_preferences(leaning(0.3, difference)(rng, items, 3).mean(axis=0)), people=3)

    return draw


def few_strong(items: int) -> DrawLabels:
    """Three people per item; 5% of items are the first system's for all, the rest ties or now and then the other's."""

    def draw(rng: Rng, difference: float) -> Labels:
        if difference:
            raise ValueError("this world is drawn without a difference only")
        return Labels(as_preferences(strong(0.05)(rng, items, 3).mean(axis=0)), people=3)

    return draw


def in_clusters(rng: Rng, difference: float) -> Labels:
    """20 documents of 2 to 20 items, which lean to one system or the other."""
    drawn = clustered(20, "2-20", False, 0.3, difference)(rng)
    return Labels(as_preferences(drawn.values), clusters=drawn.clusters)


def five_systems(rng: Rng, difference: float) -> Labels:
    """Pass or fail of five systems on 100 items, of which some are harder."""
    chance = np.tile(rng.uniform(0.2, 0.8, size=100), (5, 1))
    chance[0] += difference
    return Labels(np.where(rng.random((5, 100)) < chance, 1.0, 0.0))


_NO_MEANS = (("evalica", "means of several labels"),)

WORLDS = (
    World("100 items, pass or fail, never the same", pass_fail(100, 0.0), 0.3, 1),
    World("100 items, pass or fail, 30% ties", pass_fail(100, 0.3), 0.25, 2),
    World("the same outcomes as scores 1, 1/2, 0", preferences(100, 0.3), 0.25, 2),
    World("20 items, pass or fail, 30% ties", pass_fail(20, 0.3), 0.5, 3),
    World("100 items, means of 3 people, 30% ties", panels(100), 0.2, 4, unclaimed=_NO_MEANS),
    World(
        "30 items, means of 3 people, 5% of items strongly the first's", few_strong(30), None, 5, unclaimed=_NO_MEANS
    ),
    World(
        "20 clusters of 2 to 20 items, 30% ties",
        in_clusters,
        0.3,
        6,
        unclaimed=tuple((name, "clusters of items") for name in ("evalstats", "evalica", "ppi-python")),
    ),
    World(
        "5 systems, 10 pairs, 100 items, pass or fail",
        five_systems,
        0.2,
        7,
        systems=5,
        runs=(200, 100),
        unclaimed=tuple(
            (name, "intervals for several pairs at once") for name in ("truescore", "evalica", "ppi-python")
        ),
    ),
)
