"""Strengths by Davidson's model with intervals that hold for games which are not independent, and who is better.

Point estimates are the posterior mode of `davidson` under a prior so wide, N(0, 10^2), that it only keeps them finite.
Strengths are told from the mean of the *core*, the systems whose differences have limits (`separation`).

The interval of a contrast c has the half-width t s: s^2 is the larger one of two variances, and t the quantile of
Student's t with `freedom` degrees.

- The model's: c' H^-1 J H^-1 c, J the sum of w^2 times the information of each row. It knows how few games behave.
- That of the clusters: the sum of (c' (H - H_g)^-1 U_g)^2 times (G - 1)/G, with U_g and H_g the scores and information
  of cluster g: each cluster is judged by a fit without it (the jackknife, or CR3 of MacKinnon, Nielsen & Webb 2023, to
  first order). It knows that games on one item depend on each other, and that the model need not be true.
- With a the information of a system's rows and a_g its sum over those in cluster g, freedom = (sum a)^2 /
  sum (a_g^2 - sum over g of a^2) - 1, 1 at least: what is learned of dependence comes from pairs of games within a
  cluster (Satterthwaite). Where no two games of a system share a cluster nothing has to be learned, and t is normal.

A system outside of the core has an end where it won, or lost, all decided games against systems whose own ends are
known: given which games were decided, a win against an opponent weaker by d has the chance 1/(1 + exp(-d)), whatever
the share of ties, and in a cluster only the game counts that was hardest to win. Its other end is open. Its estimate is
that of the default prior of `davidson`, within its ends; without a prior it would be infinite.

That one system is better than another has the same statistic; outside of the core its ends, or that it won all decided
games between the two, at a third of the level each. All K (K - 1) directions together hold with chance 1 - alpha at the
level alpha/(K (K - 1)) of each, and then so does what follows from two of them.

Which pairs of systems to ask about next, given what is known of their strengths.

`most_informative` is for the whole order: the pair that maximises

    exp(-z^2/2) sqrt(v) U,   z = |beta_i - beta_j| / sqrt(v),   v = Var(beta_i - beta_j),   U ~ uniform(0.5, 1.5)

that is, a pair that is close for what is known of it and little known. The noise keeps equal pairs from being asked in
the order of their numbers. A request for several games is filled one by one: each game chosen counts as information,
though not as an outcome, for the choice of the next, so that a batch does not ask one pair over and over.

`winner_only` is for the best system alone: top-two Thompson sampling (Russo 2016). Strengths are drawn from their
posterior; the best of the draw is the leader, and the first other system to lead in further draws its challenger. It
leaves the order of the others unknown.

Both use the outcomes seen so far to choose pairs, never items; evidence that is valid along each pair's own sequence of
items stays valid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import log_expit, stdtrit

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks
from tiebreak.kernels.davidson import DavidsonFit, davidson, information, separation
from tiebreak.kernels.games import Games
from tiebreak.kernels.influence import Influences, influences

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

WIDE_SPREAD: Final = 10.0
_FARTHEST: Final = 60.0


@dataclass(frozen=True)
class Strengths:
    """What games say of the strengths of systems that they connect.

    `core` (K,): systems whose differences have limits; `unlimited`: ties and wins are separated, so that it is one
    system. `fit`: with the wide prior. `estimates` (K,): strengths beside the mean of the core.
    """

    games: Games
    core: Flags
    unlimited: bool
    fit: DavidsonFit
    estimates: Floats
    influences: Influences

    def level_of_each(self, alpha: float, anchor: int | None = None) -> float:
        """The level of an end that makes all intervals hold together with chance 1 - alpha (Bonferroni).

        An anchor needs no interval, and two systems beside their mean are one question.
        """
        count = self.games.systems
        return alpha / 2 / max(1 if count == 2 else count - (anchor is not None), 1)

    def ends(self, level: float, anchor: int | None = None) -> tuple[Floats, Floats]:
        """Lowest and highest strengths (K,), each missed with chance `level`; infinite where there is none.

        Strengths beside the core's mean, or beside that of the anchor, a system. Beside an anchor outside of the core
        the ends of both are taken together.
        """
        _checks.open_unit("level", level)
        inside = anchor if anchor is not None and self.core[anchor] else None
        center, error = self._beside(inside)
        half = -stdtrit(self.influences.freedom, level) * error
        known = self.core & (self.games.clusters > 1)  # one item tells nothing of others
        if inside is not None:
            known[inside] = True
        low, high = np.where(known, center - half, -np.inf), np.where(known, center + half, np.inf)
        self._bound(low, level, won=True)
        self._bound(high, level, won=False)
        if anchor is None or inside is not None:
            return low, high
        below, above = low - high[anchor], high - low[anchor]
        below[anchor] = above[anchor] = 0.0
        return below, above

    def better(self, level: float) -> Flags:
        """(K, K): whether the row is better than the column, each of them wrongly with chance `level`."""
        _checks.open_unit("level", level)
        freedom = np.minimum.outer(self.influences.freedom, self.influences.freedom)
        ahead = np.subtract.outer(self.fit.beta, self.fit.beta)
        found = (ahead > -stdtrit(freedom, level) * self._errors()[1]) & (self.games.clusters > 1)
        low, high = self.ends(level / 3)
        inside = np.logical_and.outer(self.core, self.core)
        return np.where(inside, found, np.greater.outer(low, high) | self._won_all(level / 3))

    def left(self, level: float) -> tuple[float, float, float] | None:
        """The advantage of being shown on the left, with its ends; None where sides were not asked for."""
        if self.fit.left is None:
            return None
        at = self.games.systems
        variance = max(self.influences.model[at, at], self.influences.clustered[at, at])
        half = -float(stdtrit(self.influences.freedom_of_all, level)) * math.sqrt(variance)
        return self.fit.left, self.fit.left - half, self.fit.left + half

    def _won_all(self, level: float) -> Flags:
        """(K, K): whether the row won all decided games with the column, in more clusters than luck explains.

        Where the left has an advantage this says nothing.
        """
        games, shape = self.games, (self.games.systems, self.games.systems)
        if games.side is not None:
            return np.zeros(shape, dtype=np.bool_)
        decided = games.outcome != 0
        a_won = games.outcome[decided] > 0
        winner = np.where(a_won, games.first[decided], games.second[decided])
        loser = np.where(a_won, games.second[decided], games.first[decided])
        of_clusters = np.zeros(int(games.cluster.max()) + 1, dtype=games.times.dtype)
        of_clusters[games.cluster] = games.times
        code = np.sort((winner * games.systems + loser) * of_clusters.size + games.cluster[decided])
        pair, cluster = np.divmod(code[np.diff(code, prepend=-1) > 0], of_clusters.size)
        won = np.bincount(pair, of_clusters[cluster], games.systems**2).reshape(shape)
        return np.asarray((won.T == 0) & (won * math.log(2) >= -math.log(level)))

    def _beside(self, anchor: int | None) -> tuple[Floats, Floats]:
        """Strengths of the core with their standard errors, beside its mean or an anchor in it."""
        alone, between = self._errors()
        if anchor is None:
            return self.fit.beta - self.fit.beta[self.core].mean(), alone
        return self.fit.beta - self.fit.beta[anchor], between[anchor]

    def _errors(self) -> tuple[Floats, Floats]:
        """Standard errors of strengths beside the core's mean (K,), and of differences between two (K, K)."""
        count, share = self.games.systems, self.core / self.core.sum()
        alone, between = [], []
        for covariance in (self.influences.model, self.influences.clustered):
            of_systems = covariance[:count, :count]
            own, with_mean = np.diagonal(of_systems), of_systems @ share
            alone.append(own - 2 * with_mean + share @ with_mean)
            between.append(np.add.outer(own, own) - 2 * of_systems)
        return np.sqrt(np.maximum(0, np.maximum(*alone))), np.sqrt(np.maximum(0, np.maximum(*between)))

    def _bound(self, ends: Floats, level: float, *, won: bool) -> None:
        """Give an end to systems outside of the core that won, or lost, all decided games against some with an end."""
        wins, sign = _wins_and_ties(self.games)[0] > 0, 1.0 if won else -1.0
        beat = wins if won else wins.T
        while True:
            against = beat & ~beat.T & np.isfinite(ends)
            waiting = np.flatnonzero(~np.isfinite(ends) & ~self.core & against.any(axis=1)).tolist()
            found = [_end(self.games, k, against[k], sign * ends, level, sign * (self.fit.left or 0)) for k in waiting]
            if not np.isfinite(found).any():
                return
            ends[waiting] = sign * np.array(found)


def strengths(games: Games) -> Strengths:
    """Strengths of systems that games connect.

    Raises:
        UsageError: systems between which no path of games leads.
        NotConvergedError: as `davidson`.
    """
    found = separation(*_wins_and_ties(games))
    pairs, counts, sides = games.counts()
    wide = davidson(games.systems, pairs, counts, sides=sides, strength_spread=WIDE_SPREAD)
    default = davidson(games.systems, pairs, counts, sides=sides, start=wide)
    beside_core = [fit.beta - fit.beta[found.core].mean() for fit in (wide, default)]
    estimates = np.where(found.core, *beside_core)
    return Strengths(games, found.core, found.unlimited, wide, estimates, influences(games, wide))


def _wins_and_ties(games: Games) -> tuple[Floats, Floats]:
    """(K, K) each, in weight of games."""
    count = games.systems
    lost = games.outcome < 0
    pair = np.where(lost, games.second * count + games.first, games.first * count + games.second)  # the winner first
    by_kind: Floats = np.bincount(pair + count**2 * (games.outcome == 0), games.total, 2 * count**2).astype(np.float64)
    wins, ties = by_kind.reshape(2, count, count)
    return wins, ties + ties.T


def _end(games: Games, system: int, others: Flags, ends: Floats, level: float, left: float) -> float:
    """The strength with which all decided games against `others` would have been won with chance `level`.

    `ends`: the others' lowest strengths, `left` the advantage of the left. Of losses all of this is mirrored.
    """
    decided = games.outcome != 0
    as_first = np.flatnonzero(decided & (games.first == system) & others[games.second])
    as_second = np.flatnonzero(decided & (games.second == system) & others[games.first])
    rows = np.concatenate([as_first, as_second])
    opponents = ends[np.concatenate([games.second[as_first], games.first[as_second]])]
    if games.side is not None:
        opponents = opponents - left * np.concatenate([games.side[as_first], -games.side[as_second]])
    _, cluster = np.unique(games.cluster[rows], return_inverse=True)
    times = np.zeros(int(cluster.max()) + 1)
    times[cluster] = games.times[rows]

    def excess(strength: float) -> float:
        """Of the log probability over that of the level; in a cluster the hardest game alone counts."""
        hardest = np.zeros(times.size)
        np.minimum.at(hardest, cluster, log_expit(strength - opponents))
        return float(times @ hardest) - math.log(level)

    reach = _FARTHEST + float(np.abs(opponents).max())
    return float(brentq(excess, -reach, reach)) if excess(-reach) < 0 < excess(reach) else -math.inf


Integers = NDArray[np.intp]

_LEAST_NOISE, _MOST_NOISE = 0.5, 1.5
REDRAWS: Final = 100


def most_informative(
    fit: DavidsonFit,
    pairs: ArrayLike,
    count: int,
    rng: np.random.Generator,
    *,
    room: ArrayLike | None = None,
) -> Integers:
    """The next `count` games as row numbers of `pairs`, the most informative first.

    pairs (P, 2): the pairs that may be asked, each once, either way round. room (P,): how many more games each may have
    (no limit without it); fewer than `count` numbers come back when all are full. With room 1 for each pair and count P
    the result is an order of preference over all pairs.

    Raises:
        UsageError: no two different systems of the fit in a row of pairs, or a room or count below 0.
    """
    first, second, left = _checked(fit, pairs, count, room)
    difference = fit.beta[first] - fit.beta[second]
    gained = np.maximum(information(difference, fit.log_nu), np.finfo(np.float64).tiny)
    covariance = fit.covariance
    variance = fit.variance_of_difference(first, second)
    chosen = []
    for _ in range(_games(count, left)):
        # As a logarithm, since exp(-z^2/2) is 0 in floating point where a pair is far apart.
        value = -(difference**2) / (2 * variance) + np.log(variance) / 2
        value += np.log(rng.uniform(_LEAST_NOISE, _MOST_NOISE, len(value)))
        row = int(np.argmax(np.where(left > 0, value, -np.inf)))
        chosen.append(row)
        left[row] -= 1
        # One more game of information w about c . x turns the inverse H of the covariance into H + w c c'; its inverse
        # is that of Sherman and Morrison. Only covariances with the difference c enter.
        column = covariance[:, first[row]] - covariance[:, second[row]]
        column = column / np.sqrt(1 / gained[row] + column[first[row]] - column[second[row]])
        covariance = covariance - np.outer(column, column)
        variance = variance - (column[first] - column[second]) ** 2
    return np.array(chosen, dtype=np.intp)


def winner_only(
    fit: DavidsonFit,
    pairs: ArrayLike,
    count: int,
    rng: np.random.Generator,
    *,
    room: ArrayLike | None = None,
    redraws: int = REDRAWS,
) -> Integers:
    """The next `count` games for finding the best system, as row numbers of `pairs`; arguments as `most_informative`.

    Leaders are among the systems that some pair with room has, challengers among those that may still be paired with
    the leader. Where no other system leads in `redraws` draws, the challenger is the one most likely to be better than
    the leader, by (beta_j - beta_leader) / sqrt(v).

    Raises:
        UsageError: as `most_informative`; redraws below 1.
    """
    first, second, left = _checked(fit, pairs, count, room)
    if redraws < 1:
        raise UsageError(f"redraws must be at least 1, but it is {redraws}")
    systems = len(fit.beta)
    root = np.asarray(np.linalg.cholesky(fit.covariance[:systems, :systems]), dtype=np.float64)
    row_of = np.full((systems, systems), -1, dtype=np.intp)
    row_of[first, second] = row_of[second, first] = np.arange(len(first))
    open_pair = np.zeros((systems, systems), dtype=bool)
    open_pair[first, second] = open_pair[second, first] = left > 0
    chosen = []
    for _ in range(_games(count, left)):
        leader = _leaders(fit.beta, root, np.asarray(open_pair.any(axis=1)), 1, rng)[0]
        challengers = open_pair[leader].copy()
        challengers[leader] = True
        others = _leaders(fit.beta, root, challengers, redraws, rng)
        others = others[others != leader]
        challenger = int(others[0]) if len(others) else _most_competitive(fit, int(leader), open_pair[leader])
        row = row_of[leader, challenger]
        chosen.append(row)
        left[row] -= 1
        if left[row] == 0:
            open_pair[leader, challenger] = open_pair[challenger, leader] = False
    return np.array(chosen, dtype=np.intp)


def _leaders(beta: Floats, root: Floats, allowed: NDArray[np.bool_], draws: int, rng: np.random.Generator) -> Integers:
    """The best allowed system in each of `draws` draws from N(beta, root root')."""
    strengths = beta + rng.standard_normal((draws, len(beta))) @ root.T
    return np.asarray(np.where(allowed, strengths, -np.inf).argmax(axis=1))


def _most_competitive(fit: DavidsonFit, leader: int, allowed: NDArray[np.bool_]) -> int:
    others = np.flatnonzero(allowed)
    variance = fit.variance_of_difference(others, np.full(len(others), leader))
    return int(others[np.argmax((fit.beta[others] - fit.beta[leader]) / np.sqrt(variance))])


def _games(count: int, left: Integers) -> int:
    """How many games there is room for; `left` may hold the largest integer for "no limit", which must not overflow."""
    return min(count, int(np.minimum(left, count).sum()))


def _checked(
    fit: DavidsonFit, pairs: ArrayLike, count: int, room: ArrayLike | None
) -> tuple[Integers, Integers, Integers]:
    """First and second systems, and the room of each pair as an array of our own."""
    if count < 0:
        raise UsageError(f"the number of games must be >= 0, but it is {count}")
    given = np.asarray(pairs)
    if given.size == 0:
        given = np.empty((0, 2), dtype=np.intp)  # of which the checks below find nothing wrong
    if given.ndim != 2 or given.shape[1] != 2 or not np.issubdtype(given.dtype, np.integer):
        raise UsageError(f"pairs must be whole numbers of shape (P, 2), not {given.dtype} of shape {given.shape}")
    wrong = (given < 0).any(axis=1) | (given >= len(fit.beta)).any(axis=1) | (given[:, 0] == given[:, 1])
    if wrong.any():
        raise UsageError(
            f"a pair is two different systems of 0 to {len(fit.beta) - 1}, but one is {tuple(given[wrong][0].tolist())}"
        )
    if len(np.unique(given.min(axis=1) * len(fit.beta) + given.max(axis=1))) < len(given):
        raise UsageError("a pair is listed twice; list each pair once, either way round")
    left = np.full(len(given), np.iinfo(np.intp).max) if room is None else np.array(room)
    if left.shape != (len(given),) or not np.issubdtype(left.dtype, np.integer) or (left < 0).any():
        raise UsageError(f"room must be a whole number >= 0 for each of {len(given)} pairs")
    return given[:, 0].astype(np.intp), given[:, 1].astype(np.intp), left.astype(np.intp)
