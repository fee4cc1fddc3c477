"""Who plays next in a tournament: pairs at random, as Zhou & Xu (2020) have it, or by what the games so far leave open.

Every matching is an endless iterator of games, which asks for the outcomes of a few pairs at a time: whoever plays them
may be labels that exist, a judge, or people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.davidson import DavidsonFit, davidson
from tiebreak.kernels.next_pair import most_informative, winner_only
from tiebreak.kernels.tournament import Game
from tiebreak.records import Matching

Integers = NDArray[np.intp]
Play = Callable[[Integers], NDArray[np.int8]]
"""From rows of pairs (n,), which may repeat, to the outcomes (n,) of as many games: 1, 0 or -1 for the first."""

_AT_ONCE: Final = 256


def matched_games(
    matching: Matching, systems: int, pairs: Integers, play: Play, rng: np.random.Generator
) -> Iterator[Game]:
    """Games without end between the `pairs` (P, 2) of systems that may be matched, each pair listed once.

    `random`: every pair with the same chance. The others fit Davidson's model to the games so far, after every few of
    them, and ask for the pairs that say most of the order, or of the winner.
    """
    if matching == "random":
        return _random(pairs, play, rng)
    return _chosen(_CHOICES[matching], systems, pairs, play, rng)


def _random(pairs: Integers, play: Play, rng: np.random.Generator) -> Iterator[Game]:
    while True:
        rows = rng.integers(len(pairs), size=_AT_ONCE)
        yield from zip(*pairs[rows].T.tolist(), play(rows).tolist(), strict=True)


def _chosen(
    choose: Callable[..., Integers], systems: int, pairs: Integers, play: Play, rng: np.random.Generator
) -> Iterator[Game]:
    counts = np.zeros((len(pairs), 3))
    fit: DavidsonFit | None = None
    while True:
        fit = davidson(systems, pairs, counts, start=fit)
        rows = choose(fit, pairs, max(systems // 2, 1), rng)
        outcomes = play(rows)
        np.add.at(counts, (rows, 1 - outcomes), 1)
        yield from zip(*pairs[rows].T.tolist(), outcomes.tolist(), strict=True)


_CHOICES: Final = MappingProxyType({"most-informative": most_informative, "winner": winner_only})
