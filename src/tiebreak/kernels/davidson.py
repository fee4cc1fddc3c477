"""Strengths of many systems from counts of wins, ties and losses: Bradley-Terry with ties (Davidson 1970).

    P(i beats j) : P(tie) : P(j beats i) = exp(d/2) : nu : exp(-d/2),   d = beta_i - beta_j (+ gamma s)

With the sides of the games, s = 1 where i was shown on the left and -1 where j was, gamma is the advantage of the left.

The mode of the posterior under beta_i ~ N(0, 1.5^2) and weak priors log nu, gamma ~ N(0, 2^2), and its Laplace
covariance.
The log posterior is strictly concave (a multinomial logit in (beta, log nu) and normal priors), so the mode exists and
is unique whatever the counts: systems that nobody compared, groups never compared with each other, a system that always
wins and data without a tie are held by the priors, and their covariance says how little is known. Differences of beta
are what the data speak of; the prior alone fixes their sum at 0.

Unlike ratings that are updated game by game, the result does not depend on the order of the games. It serves to choose
what to ask next and to draw an order with its uncertainty; it promises no error rate under repeated looks.

Source: Davidson (1970), "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments".

What games can tell of strengths at all: who was compared with whom, and who has no highest or lowest strength.

A likelihood of wins and ties has a maximum only where every system scored, by a win or a tie, against some other one
along a path that leads to every system (Ford 1957). Where a system was never beaten nor tied, no strength is too high
for it; where two groups were never compared, nothing is known between them. And where ties and wins are separated, so
that some strengths would let every tie be a tie and every win a win, all differences may grow without limit together
with the tie parameter: such are games without any win.

Source: Ford (1957), "Solution of a ranking problem from binary comparisons"; Albert & Anderson (1984), "On the
existence of maximum likelihood estimates in logistic regression models", for separation in general.

Whether games limit what being shown on the left is worth, in Davidson's model with sides.

They do not where strengths, the advantage of the left and the share of ties may change together, the advantage among
them, so that no game becomes less likely, however far they go: as where the left won every game, or where one of two
systems always was there. An estimate then is the prior's, and so is that of every difference which it may stand for.

A direction of (beta, gamma, log nu) is such a one where the winner's side of d rises at least as far as 2 log nu and
not below 0, for every win, and d moves no farther than 2 log nu, for every tie. These directions are a cone, so that
one with a part in gamma exists where the largest or smallest gamma of the cone, cut off at 1 and -1, is not 0.

Source: Albert & Anderson (1984), "On the existence of maximum likelihood estimates in logistic regression models".

Places that systems may have: from what is known of pairs to a range of ranks for each system.

A system has no better place than 1 + the number of systems known to be better, and no worse one than the number of
systems less those known to be worse. Where all that is known of pairs is true with chance 1 - alpha, so are all ranges
together.

Source: Mogstad, Romano, Shaikh & Wilhelm (2024), "Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries".

Points of single samples against common references: 3 for a win, 1 for a draw, 0 for a loss (Zhou & Xu 2020).

The paper takes 50 references, drawn from machine-generated samples of the same task, and the points as an absolute
score of a sample, beside its rating in a tournament in which every sample is a player.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.optimize import linprog

from tiebreak.errors import NotConvergedError, UsageError
from tiebreak.kernels.games import Games

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Shares = tuple[Floats, Floats, Floats]
"""P(win), P(tie) and P(loss) of rows."""

STRENGTH_SPREAD: Final = 1.5
TIE_SPREAD: Final = 2.0
SIDE_SPREAD: Final = 2.0

_TOLERANCE: Final = 1e-6
_SMALLEST_STEP: Final = 2.0**-40
_ROUNDING: Final = 64 * np.finfo(np.float64).eps


@dataclass(frozen=True, slots=True)
class DavidsonFit:
    """Posterior mode and its covariance.

    `beta` (K,): log strengths, sum 0. `log_nu`: log of the tie parameter; two equal systems tie with probability
    nu/(2 + nu). `covariance` (K + 1, K + 1) of (beta, log nu), with sides (K + 2, K + 2) of (beta, gamma, log nu).
    `iterations`: Newton steps taken. `gradient_norm`: the largest component of the gradient of the log posterior at the
    result. `left`: gamma, None where no sides were given.
    """

    beta: Floats
    log_nu: float
    covariance: Floats
    iterations: int
    gradient_norm: float
    left: float | None = None

    def variance_of_difference(self, first: Integers, second: Integers) -> Floats:
        """Var(beta_i - beta_j) for each i of `first` and j of `second`, of their broadcast shape; > 0 for i != j."""
        diagonal = np.diagonal(self.covariance)
        return np.asarray(diagonal[first] + diagonal[second] - 2 * self.covariance[first, second])


def davidson(
    systems: int,
    pairs: ArrayLike,
    counts: ArrayLike,
    *,
    sides: ArrayLike | None = None,
    start: DavidsonFit | None = None,
    strength_spread: float = STRENGTH_SPREAD,
    tie_spread: float = TIE_SPREAD,
    max_iterations: int = 100,
) -> DavidsonFit:
    """Strengths of `systems` systems, numbered from 0.

    pairs: (P, 2), two different systems a row; a pair may have several rows, either way round. counts: (P, 3), wins of
    the first, ties, wins of the second; finite and >= 0, not necessarily whole (averaged labels). P may be 0: the
    result is the prior. start: an earlier fit of the same systems to begin from; it changes the time, not the result.
    sides (P,): 1 where the first system of a row was shown on the left, -1 where the second was, 0 where nobody knows.

    Raises:
        UsageError: shapes or values outside of these, spreads that are not positive.
        NotConvergedError: no mode within `max_iterations` Newton steps, or counts so large that rounding hides it.
    """
    first, second = _checked_pairs(systems, pairs)
    table = _checked_counts(counts, len(first))
    shown = None if sides is None else _checked_sides(sides, len(first))
    precision = _prior_precision(systems, strength_spread, tie_spread, sided=shown is not None)
    posterior = _Posterior(systems, first, second, table, precision, shown)
    point, iterations = _maximise(posterior, _starting_point(len(precision), systems, start), max_iterations)
    gradient, hessian = posterior.derivatives(point)
    # At the mode the priors make the strengths sum to 0; what Newton leaves of the sum is rounding.
    beta = point.x[:systems] - point.x[:systems].mean()
    left = None if shown is None else float(point.x[systems])
    steepest = float(np.abs(gradient).max())
    return DavidsonFit(beta, float(point.x[-1]), _inverse(hessian), iterations, steepest, left)


def outcome_probabilities(difference: ArrayLike, log_nu: float) -> Floats:
    """P(win), P(tie) and P(loss) of the first system at d = `difference` (...): (..., 3), rows sum to one."""
    return np.stack(_shares(np.asarray(difference, dtype=np.float64), log_nu)[0], axis=-1)


def row_scores(counts: Floats, shares: Shares) -> tuple[Floats, Floats]:
    """Each row's derivative of the log likelihood by d and by log nu (P,); `counts` (3, P): wins, ties and losses.

    Counts minus expected counts, in a form that does not cancel where one outcome is nearly certain.
    """
    (wins, ties, losses), (win, tie, loss) = counts, shares
    about_d = wins * (tie / 2 + loss) - losses * (tie / 2 + win) - ties * (win - loss) / 2
    about_nu = ties * (win + loss) - (wins + losses) * tie
    return about_d, about_nu


def row_information(games: Floats, shares: Shares) -> tuple[Floats, Floats, Floats]:
    """Covariances (P,) of (win - loss)/2 with itself and with a tie, and of a tie with itself, times `games` (P,)."""
    win, tie, loss = shares
    return games * (win + loss - (win - loss) ** 2) / 4, -games * tie * (win - loss) / 2, games * tie * (win + loss)


def information(difference: ArrayLike, log_nu: float) -> Floats:
    """Fisher information of one game about d, the variance of (win - loss)/2: at most 1/4, of the shape of d."""
    given = np.asarray(difference, dtype=np.float64)
    return row_information(np.ones_like(given), _shares(given, log_nu)[0])[0]


def _shares(difference: Floats, log_nu: float) -> tuple[Shares, Floats]:
    """P(win), P(tie), P(loss), and the log of exp(d/2) + nu + exp(-d/2)."""
    half = difference / 2
    top = np.maximum(np.abs(half), log_nu)
    win, tie, loss = np.exp(half - top), np.exp(log_nu - top), np.exp(-half - top)
    total = win + tie + loss
    return (win / total, tie / total, loss / total), top + np.log(total)


@dataclass(frozen=True, slots=True)
class _Point:
    """x = (beta_0, ..., beta_(K-1), with sides gamma, log nu), the log posterior there, and the shares of each row."""

    x: Floats
    value: float
    shares: Shares


@dataclass(frozen=True, slots=True)
class _Posterior:
    """The log posterior and its derivatives. `counts` (3, P); `precision` of the priors, as long as x."""

    systems: int
    first: Integers
    second: Integers
    counts: Floats
    precision: Floats
    sides: Floats | None

    def at(self, x: Floats) -> _Point:
        difference = x[self.first] - x[self.second]
        if self.sides is not None:
            difference += x[self.systems] * self.sides
        shares, log_total = _shares(difference, float(x[-1]))
        wins, ties, losses = self.counts
        fit = (wins - losses) @ difference / 2 + ties.sum() * x[-1] - (wins + ties + losses) @ log_total
        return _Point(x, float(fit - self.precision @ x**2 / 2), shares)

    def derivatives(self, point: _Point) -> tuple[Floats, Floats]:
        """Gradient and negative Hessian, which is positive definite."""
        systems = self.systems
        about_d, about_nu = row_scores(self.counts, point.shares)
        gradient = -self.precision * point.x
        gradient[:systems] += self._at_systems(about_d)
        gradient[-1] += about_nu.sum()
        of_d, cross, of_nu = row_information(self.counts.sum(axis=0), point.shares)
        weights = np.bincount(self.first * systems + self.second, of_d, systems**2).reshape(systems, systems)
        weights = weights + weights.T
        hessian = np.diag(self.precision)
        hessian[:systems, :systems] += np.diag(weights.sum(axis=1)) - weights
        hessian[-1, :systems] = hessian[:systems, -1] = self._at_systems(cross)
        hessian[-1, -1] += of_nu.sum()
        if self.sides is not None:
            gradient[systems] += about_d @ self.sides
            hessian[systems, :systems] = hessian[:systems, systems] = self._at_systems(of_d * self.sides)
            hessian[systems, systems] += of_d @ self.sides**2
            hessian[systems, -1] = hessian[-1, systems] = cross @ self.sides
        return gradient, hessian

    def _at_systems(self, of_rows: Floats) -> Floats:
        """Sums over the rows of each system: plus where it comes first, minus where it comes second."""
        sums = np.bincount(self.first, of_rows, self.systems) - np.bincount(self.second, of_rows, self.systems)
        return np.asarray(sums, dtype=np.float64)


def _maximise(posterior: _Posterior, start: Floats, max_iterations: int) -> tuple[_Point, int]:
    """Newton steps, each halved until the log posterior rises; ends where a step is 1e-6 posterior deviations long.

    That last step is still taken: Newton squares the error, so that what remains is rounding.
    """
    point = posterior.at(start)
    for iteration in range(max_iterations + 1):
        gradient, hessian = posterior.derivatives(point)
        direction = _solved(hessian, gradient)
        gain = float(gradient @ direction)  # squared length of the step in posterior standard deviations
        if gain <= _TOLERANCE**2:
            return posterior.at(point.x + direction), iteration
        if iteration == max_iterations:
            break
        following = _step(posterior, point, direction, gain)
        if following is None:
            break
        point = following
    raise NotConvergedError(
        f"the Davidson model found no mode in {max_iterations} Newton steps (the last step would be "
        f"{math.sqrt(gain):.2g} posterior standard deviations long); allow more steps, or start from no earlier fit"
    )


def _step(posterior: _Posterior, point: _Point, direction: Floats, gain: float) -> _Point | None:
    """The point reached by the longest of the halved steps that rises enough (Armijo); None if none does."""
    step = 1.0
    rounding = _ROUNDING * (abs(point.value) + float(posterior.counts.sum()))
    while step >= _SMALLEST_STEP:
        tried = posterior.at(point.x + step * direction)
        if tried.value >= point.value + 1e-4 * step * gain - rounding:
            return tried
        step /= 2
    return None


def _inverse(hessian: Floats) -> Floats:
    inverse = _solved(hessian, np.eye(len(hessian)))
    return np.asarray((inverse + inverse.T) / 2)


def _solved(hessian: Floats, right: Floats) -> Floats:
    """H^-1 times a vector or matrix, by Cholesky. LAPACK itself: the wrappers take longer than a small system does."""
    factor, failed = dpotrf(hessian, lower=1, clean=0)
    if failed:
        raise NotConvergedError("the Davidson model lost its curvature to rounding: these counts are too large for it")
    return np.asarray(dpotrs(factor, right, lower=1)[0], dtype=np.float64)


def _checked_pairs(systems: int, pairs: ArrayLike) -> tuple[Integers, Integers]:
    if systems < 2:
        raise UsageError(f"strengths need at least 2 systems, not {systems}")
    given = np.asarray(pairs)
    if given.size == 0:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    if given.ndim != 2 or given.shape[1] != 2 or not np.issubdtype(given.dtype, np.integer):
        raise UsageError(f"pairs must be whole numbers of shape (P, 2), not {given.dtype} of shape {given.shape}")
    numbers = given.astype(np.intp)
    outside = (numbers < 0) | (numbers >= systems)
    if outside.any():
        raise UsageError(f"systems are numbered 0 to {systems - 1}, but a pair names {numbers[outside][0]}")
    same = numbers[:, 0] == numbers[:, 1]
    if same.any():
        raise UsageError(f"row {int(np.argmax(same))} of pairs compares system {numbers[same][0, 0]} with itself")
    return numbers[:, 0], numbers[:, 1]


def _checked_counts(counts: ArrayLike, rows: int) -> Floats:
    table = np.asarray(counts, dtype=np.float64)
    if table.size == 0 and rows == 0:
        return np.empty((3, 0))
    if table.shape != (rows, 3):
        raise UsageError(f"counts must be (wins, ties, losses) for each of {rows} pairs, not of shape {table.shape}")
    wrong = ~(np.isfinite(table) & (table >= 0))
    if wrong.any():
        raise UsageError(f"counts must be finite and >= 0, but one of them is {table[wrong][0]}")
    return np.ascontiguousarray(table.T)


def _checked_sides(sides: ArrayLike, rows: int) -> Floats:
    given = np.asarray(sides, dtype=np.float64)
    if given.shape != (rows,) or not np.isin(given, (-1, 0, 1)).all():
        raise UsageError(f"sides must be 1, 0 or -1 for each of {rows} pairs")
    return given


def _prior_precision(systems: int, strength_spread: float, tie_spread: float, *, sided: bool) -> Floats:
    for name, spread in (("strength_spread", strength_spread), ("tie_spread", tie_spread)):
        if not (math.isfinite(spread) and spread > 0):
            raise UsageError(f"{name} must be a positive number, but it is {spread}")
    others = [SIDE_SPREAD**-2.0, tie_spread**-2.0] if sided else [tie_spread**-2.0]
    return np.append(np.full(systems, strength_spread**-2.0), others)


def _starting_point(size: int, systems: int, start: DavidsonFit | None) -> Floats:
    point = np.zeros(size)
    if start is None:
        return point
    point[-1] = start.log_nu
    if start.left is not None and size > systems + 1:
        point[systems] = start.left
    if start.beta.shape == (systems,):
        point[:systems] = start.beta
    if start.beta.shape != (systems,) or not np.isfinite(point).all():
        raise UsageError(f"the fit to start from must be of {systems} systems, not of {len(start.beta)}")
    return point


Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Separation:
    """`core` (K,): systems whose differences have limits: of those that all reach each other by wins and ties as many
    as there are such, and where no two do, the one with the most games. `unlimited`: ties and wins are separated, and
    no difference need have a limit; the core is one system.
    """

    core: Flags
    unlimited: bool


def connected_groups(systems: int, first: Integers, second: Integers) -> tuple[tuple[int, ...], ...]:
    """Systems that games (n,) connect, the largest group first; a system without games is one of its own."""
    met = np.eye(systems, dtype=np.bool_)
    met[first, second] = met[second, first] = True
    groups = {tuple(np.flatnonzero(row).tolist()) for row in paths(met)}
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))


def separation(wins: NDArray[np.float64], ties: NDArray[np.float64]) -> Separation:
    """Of systems that games connect. wins (K, K): of the row over the column; ties (K, K): symmetric; >= 0.

    Raises:
        UsageError: other shapes, ties that are not symmetric, or systems that no game connects.
    """
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or ties.shape != wins.shape or (ties != ties.T).any():
        raise UsageError("separation takes two square matrices of one size, that of ties symmetric")
    won, tied, own = wins > 0, ties > 0, np.eye(len(wins), dtype=np.bool_)
    groups = connected_groups(len(wins), *np.nonzero(won | tied))
    if len(groups) > 1:
        raise UsageError(f"the games fall into {len(groups)} groups that nothing connects; take each by itself")
    unlimited = _unlimited(won, tied)
    reaches = own if unlimited else paths(won | tied | own)
    mutual = reaches & reaches.T
    games = wins.sum(axis=0) + wins.sum(axis=1) + ties.sum(axis=1)
    best = max(range(len(wins)), key=lambda k: (mutual[k].sum(), games[k], -k))
    return Separation(mutual[best], unlimited)


def paths(edges: Flags) -> Flags:
    """Between which systems a path of edges leads, of any length (Warshall)."""
    found = edges.copy()
    for k in range(len(found)):
        found[found[:, k]] |= found[k]
    return found


def _unlimited(won: Flags, tied: Flags) -> bool:
    """Whether strengths exist that are at least 2 apart for every win, at most 2 for every tie, and some tie.

    Bellman and Ford: x_i >= x_j + 2 for a win and x_i >= x_j - 2 for a tie have a solution unless some circle of games
    has more wins than ties.
    """
    if not tied.any():
        return False
    step = np.where(won, 2.0, np.where(tied, -2.0, -np.inf))
    level = np.zeros(len(won))
    for _ in range(len(won) + 1):
        raised = np.maximum(level, (step + level[None, :]).max(axis=1))
        if (raised == level).all():
            return True
        level = raised
    return False


def side_is_limited(games: Games) -> bool:
    """Whether the games set limits to the advantage of the left, in either direction.

    Raises:
        UsageError: games without sides.
        NotConvergedError: the linear program was not solved.
    """
    if games.side is None:
        raise UsageError("these games have no sides")
    codes = [games.outcome.astype(np.intp), games.side.astype(np.intp)]
    first, second, outcome, side = np.unique(np.stack([games.first, games.second, *codes], axis=1), axis=0).T
    size, row = games.systems + 2, np.arange(first.size)
    ahead = np.zeros((first.size, size))  # of the first system, by (beta, gamma, log nu)
    ahead[row, first], ahead[row, second], ahead[row, -2] = 1, -1, side
    decided, ties = outcome != 0, 2 * np.eye(size)[-1]
    won, tied = ahead[decided] * outcome[decided, None], ahead[~decided]
    falls = np.concatenate([-won, ties - won, tied - ties, -tied - ties])
    bounds = [*[(None, None)] * games.systems, (-1, 1), (None, None)]
    for sign in (1, -1):
        found = linprog(sign * np.eye(size)[-2], A_ub=falls, b_ub=np.zeros(len(falls)), bounds=bounds)
        if not found.success:
            raise NotConvergedError(f"whether games limit the advantage of the left was not found: {found.message}")
        if found.fun < -0.5:
            return False
    return True


def rank_ranges(better: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Best and worst places (K,), the first is 1; better (K, K): whether the row is known to be better than the column.

    Raises:
        UsageError: no square matrix, or two systems of which each is better than the other.
    """
    if better.ndim != 2 or better.shape[0] != better.shape[1]:
        raise UsageError(f"what is known of pairs is a square matrix, not one of shape {better.shape}")
    if (better & better.T).any():
        raise UsageError("two systems cannot each be better than the other")
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


WIN: Final = 3
DRAW: Final = 1


def reference_points(outcomes: ArrayLike) -> NDArray[np.int64]:
    """Points (n,) of n samples; outcomes (n, R): 1 where the sample beat the reference, 0 a draw, -1 where it lost.

    Raises:
        UsageError: no reference, or an outcome other than these.
    """
    given = np.asarray(outcomes)
    if given.ndim != 2 or not given.shape[1]:
        raise UsageError(f"outcomes are a row per sample and a column per reference, not of shape {given.shape}")
    if not np.isin(given, (-1, 0, 1)).all():
        raise UsageError(f"an outcome is 1, 0 or -1, but one is {given[~np.isin(given, (-1, 0, 1))][0]}")
    return np.asarray(WIN * (given == 1).sum(axis=1) + DRAW * (given == 0).sum(axis=1), dtype=np.int64)
