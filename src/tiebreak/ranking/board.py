"""A leaderboard by Davidson's model: ratings on the Elo scale, intervals, ranks, and what each rating rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.evidence.games import GameRows
from tiebreak.kernels.davidson import connected_groups, davidson, paths, side_is_limited
from tiebreak.kernels.games import Games
from tiebreak.kernels.jackknife import one_scale
from tiebreak.kernels.strengths import Strengths, most_informative, strengths, winner_only
from tiebreak.results.ranks import Misfit, OneScaleFit, Reference, SideAdvantage, Strength
from tiebreak.results.settings import RankSettings

Integers = NDArray[np.intp]

ELO: Final = 400 / math.log(10)
"""Points per unit of strength: 400 more are odds of ten to one."""
_UNKNOWN_SIDE: Final = 1.0
"""Variance of the left's advantage, whose prior has 4, above which the games do not tell it from the systems."""


@dataclass(frozen=True, slots=True)
class ConnectedGroup:
    """Systems that games connect, by their `names`, and what their games say. `number`: 1 is the largest group."""

    number: int
    names: tuple[str, ...]
    found: Strengths
    anchor: int | None


@dataclass(frozen=True)
class Board:
    """All groups of a criterion's systems. `names`: of all systems with games."""

    names: tuple[str, ...]
    groups: tuple[ConnectedGroup, ...]
    settings: RankSettings

    def strengths(self) -> list[Strength]:
        """All ratings, group by group, the best first in each."""
        found = []
        for group in self.groups:
            low, high = group.found.ends(self._level(group), group.anchor)
            estimates = group.found.estimates
            center = 0.0 if group.anchor is None else estimates[group.anchor]
            # Of a system without one end the estimate is that of a prior, which knows nothing of the other end.
            shown = np.clip(estimates - center, low, high)
            for k in np.argsort(-shown, kind="stable").tolist():
                ends = self._end(float(low[k])), self._end(float(high[k]))
                found.append(Strength(group.names[k], self._elo(float(shown[k])), *ends))
        return found

    def better(self) -> NDArray[np.bool_]:
        """(K, K), by `names`: which are known to be better than which, for places that hold together or alone."""
        known = np.zeros((len(self.names), len(self.names)), dtype=np.bool_)
        place = {name: k for k, name in enumerate(self.names)}
        sizes = [len(group.names) for group in self.groups]
        together = self.settings.multiplicity != "none"
        for group, size in zip(self.groups, sizes, strict=True):
            # All directions of all groups, or those that one system is in: both hold its place.
            directions = sum(n * (n - 1) for n in sizes) if together else 2 * (size - 1)
            members = [place[name] for name in group.names]
            known[np.ix_(members, members)] = group.found.better(self.settings.alpha / directions)
        return paths(known) if together else known

    def references(self) -> tuple[Reference, ...]:
        """What the ratings of each group are told from."""
        rating = self.settings.anchor_rating
        found = []
        for group in self.groups:
            anchor = None if group.anchor is None else group.names[group.anchor]
            core = tuple(name for name, inside in zip(group.names, group.found.core, strict=True) if inside)
            found.append(Reference(rating, anchor, core if anchor is None else (anchor,)))
        return tuple(found)

    def fit(self) -> OneScaleFit:
        """Whether one scale fits all groups; of the pairs those that stand out at alpha."""
        tests = [
            (group, one_scale(group.found.games, group.found.fit, group.found.influences)) for group in self.groups
        ]
        tests = [(group, test) for group, test in tests if test.p_values.size]
        if not tests:
            return OneScaleFit(None, 0, ())
        pairs = [
            Misfit(group.names[i], group.names[j], float(excess), min(float(p) * len(tests), 1.0))
            for group, test in tests
            for (i, j), excess, p in zip(test.pairs.tolist(), test.excess, test.p_values, strict=True)
        ]
        odd = sorted((pair for pair in pairs if pair.p_value <= self.settings.alpha), key=lambda pair: pair.p_value)
        return OneScaleFit(min(pair.p_value for pair in pairs), len(pairs), tuple(odd))

    def side(self) -> SideAdvantage | None:
        """What being shown on the left is worth in the largest group; None where that was not asked for or found."""
        found = self.groups[0].found.left(self.settings.alpha / 2)
        return None if found is None else SideAdvantage(*(ELO * value for value in found))

    def left_in(self) -> tuple[str, ...]:
        """Systems in whose groups the left's advantage was not taken out."""
        return tuple(name for group in self.groups if group.found.fit.left is None for name in group.names)

    def _level(self, group: ConnectedGroup) -> float:
        if self.settings.multiplicity == "none":
            return self.settings.alpha / 2
        share = len(group.names) / len(self.names)
        return group.found.level_of_each(self.settings.alpha * share, group.anchor)

    def _elo(self, strength: float) -> float:
        return self.settings.anchor_rating + ELO * strength

    def _end(self, strength: float) -> float | None:
        return self._elo(strength) if math.isfinite(strength) else None


def board_of(systems: Sequence[str], rows: GameRows, clusters: Integers, settings: RankSettings) -> Board:
    """The board of all games. `systems`: names by the numbers of the rows, each of which has games; `clusters`
    (n_items,) of the items.
    """
    groups = []
    for number, members in enumerate(connected_groups(len(systems), rows.first, rows.second), 1):
        place = np.full(len(systems), -1)
        place[list(members)] = np.arange(len(members))
        inside = place[rows.first] >= 0
        games = Games.of(
            len(members),
            place[rows.first[inside]],
            place[rows.second[inside]],
            rows.outcome[inside],
            cluster=clusters[rows.item[inside]],
            weight=rows.weight[inside],
            side=rows.side[inside] if settings.left_advantage and rows.side[inside].any() else None,
        )
        of_group = tuple(systems[k] for k in members)
        anchor = of_group.index(settings.anchor) if settings.anchor in of_group else None
        groups.append(ConnectedGroup(number, of_group, _strengths(games), anchor))
    return Board(tuple(systems), tuple(groups), settings)


def next_games(systems: Sequence[str], rows: GameRows, seed: int) -> tuple[tuple[str, str, str], ...]:
    """The pair to compare next, by the rule for the order and by that for the winner: (rule, system_a, system_b)."""
    pairs, counts, _ = Games.of(len(systems), rows.first, rows.second, rows.outcome, weight=rows.weight).counts()
    fit = davidson(len(systems), pairs, counts)
    every = np.stack(np.triu_indices(len(systems), 1), axis=1)
    found = []
    for rule, choose in (("most-informative", most_informative), ("winner", winner_only)):
        row = choose(fit, every, 1, np.random.default_rng(seed))[0]
        found.append((rule, systems[every[row, 0]], systems[every[row, 1]]))
    return tuple(found)


def _strengths(games: Games) -> Strengths:
    """Without the advantage of the left where the games do not tell it from the systems, or set no limit to it."""
    found = strengths(games)
    if games.side is None:
        return found
    at = games.systems
    if found.fit.covariance[at, at] <= _UNKNOWN_SIDE and side_is_limited(games):
        return found
    return strengths(replace(games, side=None))
