"""Simulated games between systems whose strengths are known, for tests and benchmarks of leaderboards.

Worlds of `rank`: systems of known strengths, whose intervals and places are counted, and whether one scale fits.

Games are those of Davidson's model; *spread* is the standard deviation of the systems' strengths (1 is 174 points), and
equal systems tie in the share given. Where items have several games, systems have strengths of their own on each item,
which differ from the general ones by N(0, 1): the games of an item depend on each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from benchmarks.cells import Cell, Counts, Measure, Rng
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.kernels.davidson import davidson, outcome_probabilities
from tiebreak.kernels.games import Games
from tiebreak.kernels.glicko2 import Game, matched_games
from tiebreak.kernels.jackknife import one_scale
from tiebreak.kernels.strengths import Strengths, strengths
from tiebreak.records import Matching

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True)
class World:
    """`make` draws one study; `truth` (K,): strengths, told from any origin."""

    name: str
    truth: Floats
    make: Callable[[np.random.Generator], Games]


def all_pairs(systems: int) -> Integers:
    """Both systems of each pair."""
    return np.stack(np.triu_indices(systems, 1), axis=1)


def log_nu(ties: float) -> float:
    """Of this share of ties between equal systems."""
    return float(np.log(2 * max(ties, 1e-9) / (1 - ties)))


def spread_out(systems: int, spread: float) -> Floats:
    """Quantiles of N(0, spread^2)."""
    return np.asarray(spread * ndtri((np.arange(systems) + 0.5) / systems))


def outcomes(rng: np.random.Generator, difference: Floats, of_ties: float) -> Integers:
    """1, 0 or -1 for each difference (n,) by Davidson's model, with log nu `of_ties`."""
    bounds = outcome_probabilities(difference, of_ties).cumsum(axis=1)[:, :2]
    return np.asarray(1 - (rng.random(len(difference))[:, None] > bounds).sum(axis=1))


def independent(systems: int, games: int, spread: float, ties: float, *, one_rare: float = 1.0) -> World:
    """Every game on an item of its own, between two systems at random; those with system 0 `one_rare` times as often.

    A chain of all systems comes first, so that games connect them.
    """
    truth, pairs = spread_out(systems, spread), all_pairs(systems)
    chain = np.stack([np.arange(systems - 1), np.arange(1, systems)], axis=1)
    chances = np.where((pairs == 0).any(axis=1), one_rare, 1.0)
    chances /= chances.sum()

    def make(rng: np.random.Generator) -> Games:
        rows = rng.choice(len(pairs), size=max(games - len(chain), 0), p=chances)
        first, second = np.concatenate([chain, pairs[rows]]).T
        return Games.of(systems, first, second, outcomes(rng, truth[first] - truth[second], log_nu(ties)))

    rare = f", {one_rare:g} times as many of one" if one_rare < 1 else ""
    return World(f"{systems} systems, {games:,} games{rare}, spread {spread:g}, {ties:.0%} ties", truth, make)


def by_item(
    systems: int, items: int, each: int | None, spread: float, ties: float, *, own: float = 1.0, people: int = 1
) -> World:
    """`each` pairs of every item, all without it, by so many people; on an item systems differ by N(0, own^2) more.

    The true strengths are those that the model gives games without number.
    """
    center, pairs = spread_out(systems, spread), all_pairs(systems)

    def make(rng: np.random.Generator) -> Games:
        sizes = rng.permuted(np.tile(np.arange(len(pairs)), (items, 1)), axis=1)[:, :each]
        item = np.repeat(np.arange(items), sizes.shape[1] * people)
        first, second = pairs[np.repeat(sizes.ravel(), people)].T
        strengths = center + own * rng.standard_normal((items, systems))
        result = outcomes(rng, strengths[item, first] - strengths[item, second], log_nu(ties))
        return Games.of(systems, first, second, result, cluster=item, weight=np.full(item.size, 1 / people))

    what = "all pairs" if each is None else f"{each} pairs"
    labels = (f", {people} labels" if people > 1 else "") + (f", N(0, {own:g}²) of their own" if own != 1 else "")
    name = f"{systems} systems on {items} items, {what} of each{labels}, spread {spread:g}, {ties:.0%} ties"
    return World(name, _marginal(center, own, ties), make)


def uneven_items(systems: int, items: int, ties: float) -> World:
    """Equal systems; items have a lognormal number of games, of which the largest few have most."""
    pairs = all_pairs(systems)

    def make(rng: np.random.Generator) -> Games:
        sizes = np.maximum(1, np.round(np.exp(rng.normal(1.0, 1.2, items)))).astype(np.intp)
        item = np.repeat(np.arange(items), sizes)
        first, second = pairs[rng.integers(len(pairs), size=item.size)].T
        own = rng.standard_normal((items, systems))
        result = outcomes(rng, own[item, first] - own[item, second], log_nu(ties))
        return Games.of(systems, first, second, result, cluster=item)

    return World(f"{systems} equal systems on {items} items of very different sizes", np.zeros(systems), make)


def one_sided_items(systems: int, items: int, people: int, share: float) -> World:
    """Equal systems, one pair of each item by a panel; a share of the items is strongly for one of the systems."""
    pairs = all_pairs(systems)

    def make(rng: np.random.Generator) -> Games:
        rows = rng.integers(len(pairs), size=items)
        strong = np.where(rng.random(items) < share, rng.integers(systems, size=items), -1)
        first, second, strong = (np.repeat(of, people) for of in (*pairs[rows].T, strong))
        result = outcomes(rng, 6.0 * (strong == first) - 6.0 * (strong == second), -1.0)
        item, weight = np.repeat(np.arange(items), people), np.full(items * people, 1 / people)
        return Games.of(systems, first, second, result, cluster=item, weight=weight)

    name = f"{systems} equal systems, {items} items by panels of {people}, {share:.0%} of them one-sided"
    return World(name, np.zeros(systems), make)


def circle(games: int, lead: float) -> Callable[[np.random.Generator], Games]:
    """Three systems, each `lead` above the next one."""

    def make(rng: np.random.Generator) -> Games:
        first = rng.integers(3, size=games)
        return Games.of(3, first, (first + 1) % 3, outcomes(rng, np.full(games, lead), 0.0))

    return make


def endless_games(truth: Floats, rng: np.random.Generator, matching: Matching = "random") -> Iterator[Game]:
    """Games between systems of these strengths, a third of them ties between equal ones."""
    pairs = all_pairs(len(truth))
    bounds = outcome_probabilities(truth[pairs[:, 0]] - truth[pairs[:, 1]], 0.0).cumsum(axis=1)[:, :2]

    def play(rows: Integers) -> NDArray[np.int8]:
        return np.asarray(1 - (rng.random(len(rows))[:, None] > bounds[rows]).sum(axis=1)).astype(np.int8)

    return matched_games(matching, len(truth), pairs, play, rng)


def _marginal(center: Floats, own: float, ties: float) -> Floats:
    """The strengths that fit the shares of all pairs over items (Gauss-Hermite over what they differ by on an item)."""
    if not own or not np.ptp(center):
        return center
    pairs = all_pairs(len(center))
    points, weights = np.polynomial.hermite_e.hermegauss(61)
    difference = (center[pairs[:, 0]] - center[pairs[:, 1]])[:, None] + np.sqrt(2) * own * points
    shares = np.einsum("pqo,q->po", outcome_probabilities(difference, log_nu(ties)), weights / weights.sum())
    return davidson(len(center), pairs, shares * 1e6, strength_spread=1e3, tie_spread=1e3).beta


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
