"""Simulated games between systems whose strengths are known, for tests and benchmarks of leaderboards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.kernels.davidson import davidson, outcome_probabilities
from tiebreak.kernels.games import Games
from tiebreak.kernels.glicko2 import Game, matched_games
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
