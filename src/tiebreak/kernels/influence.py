"""How far each cluster of games moves the fit of Davidson's model, and the covariances that follow; see `strengths`.

A number that was estimated, and how far it may be off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.davidson import DavidsonFit, outcome_probabilities, row_information, row_scores
from tiebreak.kernels.games import Games

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

_TERMS: Final = 30
_CLOSE: Final = 1e-3


@dataclass(frozen=True, slots=True)
class RowFigures:
    """One copy of each row of games by the fit of D `parameters`: `scores` about d (n,), the three parts of its
    `information` (n,), about d, d and log nu, log nu; `shares` of the three outcomes.
    """

    parameters: int
    scores: Floats
    information: tuple[Floats, Floats, Floats]
    shares: Floats

    def expected(self, sign: Floats) -> Floats:
        """Expected score (n,) of the first system, where sign is -1 of the second; a tie counts half."""
        return np.asarray(np.where(sign > 0, self.shares[0], self.shares[2]) + self.shares[1] / 2)


@dataclass(frozen=True, slots=True)
class Influences:
    """Of parameters (beta, with sides gamma, log nu), D in all.

    `of_clusters` (G', D): how far each distinct cluster moves them, `times` (G',) how many there are of it. `model`,
    `clustered` (D, D): the two covariances. `freedom` (K,): degrees of freedom of each system's strength, infinite
    where no two of its games share a cluster; `freedom_of_all`: of all games together. `rows`: what they come from.
    """

    of_clusters: Floats
    times: Floats
    model: Floats
    clustered: Floats
    freedom: Floats
    freedom_of_all: float
    rows: RowFigures


def influences(games: Games, fit: DavidsonFit) -> Influences:
    """Those of the clusters of games in a fit of all of them."""
    difference = fit.beta[games.first] - fit.beta[games.second]
    if games.side is not None and fit.left is not None:
        difference = difference + fit.left * games.side
    shares = outcome_probabilities(difference, fit.log_nu).T
    won, tied, lost = ((games.outcome == of) * games.weight for of in (1, 0, -1))
    about_d, about_nu = row_scores(np.stack([won, tied, lost]), (shares[0], shares[1], shares[2]))
    rows = _Rows(games, int(games.cluster.max()) + 1, len(fit.covariance))
    each = row_information(games.weight, (shares[0], shares[1], shares[2]))
    own = rows.summed(about_d, about_nu) @ fit.covariance
    moved = own
    for _ in range(_TERMS):  # (H - H_g)^-1 U_g as a series in H^-1 H_g
        following = own + rows.times_information(moved, each) @ fit.covariance
        change, moved = np.abs(following - moved).max(), following
        if change <= _CLOSE * np.abs(moved).max():
            break
    times = np.zeros(rows.clusters)
    times[games.cluster] = games.times
    shrink = (games.clusters - 1) / games.clusters
    squared = tuple(of * games.weight * games.times for of in each)
    return Influences(
        of_clusters=moved,
        times=times,
        model=fit.covariance @ rows.information(squared) @ fit.covariance,
        clustered=shrink * (moved.T * times) @ moved,
        freedom=_freedom(games, each[0] * games.weight),
        freedom_of_all=freedom_of(games.cluster, each[0] * games.weight, games.times),
        rows=RowFigures(len(fit.covariance), about_d, each, shares),
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """Sums over the rows of games, by cluster and parameter."""

    games: Games
    clusters: int
    size: int

    def summed(self, about_d: Floats, about_nu: Floats) -> Floats:
        """(G', D): of derivatives of rows by d and log nu."""
        games, size = self.games, self.size
        start = games.cluster * size
        columns = [start + games.first, start + games.second, start + size - 1]
        values = [about_d, -about_d, about_nu]
        if games.side is not None:
            columns.append(start + games.systems)
            values.append(about_d * games.side)
        total = np.bincount(np.concatenate(columns), np.concatenate(values), self.clusters * size)
        return np.asarray(total, dtype=np.float64).reshape(self.clusters, size)

    def times_information(self, vectors: Floats, each: tuple[Floats, ...]) -> Floats:
        """(G', D): the information of each cluster times its vector."""
        games = self.games
        of_d, cross, of_nu = each
        along = vectors[games.cluster, games.first] - vectors[games.cluster, games.second]
        if games.side is not None:
            along = along + vectors[games.cluster, games.systems] * games.side
        about_nu = vectors[games.cluster, -1]
        return self.summed(of_d * along + cross * about_nu, cross * along + of_nu * about_nu)

    def information(self, each: tuple[Floats, ...]) -> Floats:
        """(D, D): of all rows together."""
        games, size = self.games, self.size
        of_d, cross, of_nu = each
        ends = [(games.first, np.ones(of_d.size)), (games.second, -np.ones(of_d.size))]
        if games.side is not None:
            ends.append((np.full(of_d.size, games.systems), games.side.astype(np.float64)))
        total = np.zeros(size * size)
        for column, sign in ends:
            for other, of_other in ends:
                total += np.bincount(column * size + other, of_d * sign * of_other, total.size)
            by_nu = np.bincount(column, cross * sign, size)
            total[np.arange(size) * size + size - 1] += by_nu
            total[(size - 1) * size + np.arange(size)] += by_nu
        total[-1] += of_nu.sum()
        return total.reshape(size, size)


def _freedom(games: Games, information: Floats) -> Floats:
    """(K,) degrees of freedom, by the rows of each system."""
    found = np.empty(games.systems)
    order = np.argsort(np.concatenate([games.first, games.second]), kind="stable")
    players = np.concatenate([games.first, games.second])[order]
    rows = order % games.first.size
    bounds = np.searchsorted(players, np.arange(games.systems + 1))
    for system in range(games.systems):
        own = rows[bounds[system] : bounds[system + 1]]
        found[system] = freedom_of(games.cluster[own], information[own], games.times[own])
    return found


def freedom_of(cluster: Integers, information: Floats, times: Integers) -> float:
    """Degrees of freedom of a variance that is learned from pairs of rows within clusters; infinite without any."""
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    sums = np.add.reduceat(information[order], starts)
    within = float((sums**2).sum() - (information**2).sum())
    whole = float(information @ times)
    return np.inf if within <= 1e-12 * whole**2 else max(whole**2 / within - 1, 1.0)


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """`estimate` with its interval from `low` to `high`.

    None is what does not exist: an estimate that the data do not identify, a side that nothing bounds or that the data
    say nothing about. Neither nan nor an infinity ever stands for it.
    """

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
