"""The error of any smooth figure of sums, by leaving out one unit at a time.

A figure f(S) of sums S over G independent units; f_(g) is f of the sums without unit g. Its squared error is
(G - 1)/G times the sum of (f_(g) - their mean)^2 (Tukey 1958; Efron & Tibshirani 1993, ch. 11). No draws: the same
labels give the same error, in whatever order they come.

The t distribution beside it has as many degrees of freedom as that sum of squares can be known by, 2 G/(kurtosis - 1)
of the moves, at least 4 and at most G - 1: few units that weigh much know it badly. Ratios of variances go on the log
scale, and correlations on Fisher's, where they are nearly symmetric.

Measured: `width_ratio`, `rating_variance`.

Whether one scale of strengths fits: a test of Davidson's model against pairs that do not follow it.

Null: the expected score of every pair is that of the model, whatever the dependence between games of one cluster. A
pair's residual R is its score minus the expected one, in wins beyond what strengths say. Each cluster's part of R is
its own residual by a fit without it, less what it moves the fit (`influence`); the variance is the larger one of what
these parts give and what the model says. z = R / s.e. against Student's t, with the degrees of freedom of the pair's
own rows; p is that of the largest z, Bonferroni. Systems in a circle (a beats b beats c beats a) are what it finds, and
the pairs that stand out are named.

Only pairs with 5 expected wins on either side are tested, a tie counting half (after Cochran 1954), and whose residual
is not 0 by construction, as where nothing but the pair itself connects two systems. With a single circle of games all
residuals say the same, and nothing is corrected for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.davidson import DavidsonFit
from tiebreak.kernels.games import Games
from tiebreak.kernels.influence import Influences, RowFigures, freedom_of

Floats = NDArray[np.float64]
Figure = Callable[[Floats], Floats]
"""From sums (..., K) to the figure (...), NaN where it does not exist."""

_FEWEST_DEGREES: Final = 4.0
_NOTHING: Final = 1e-20  # squares that are rounding


@dataclass(frozen=True, slots=True)
class Jackknife:
    """A figure with its standard `error` and the `freedom` of a t for it; an error of 0 says that no unit moves it."""

    estimate: float
    error: float
    freedom: float

    def reach(self, alpha: float) -> float:
        """Half the width of its interval at level 1 - `alpha`."""
        return float(stdtrit(self.freedom, 1 - alpha / 2)) * self.error


def jackknife(sums: Floats, figure: Figure) -> Jackknife:
    """Of `sums` (G, K) by unit.

    Raises:
        UnidentifiedError: fewer than two units, or a figure that does not exist, or not without one of them.
    """
    units = sums.shape[0]
    if units < 2:
        raise UnidentifiedError(f"an error needs two independent units or more, but there are {units}")
    total = sums.sum(axis=0)
    estimate = float(figure(total[None])[0])
    left_out = figure(total - sums)
    if not (math.isfinite(estimate) and np.isfinite(left_out).all()):
        raise UnidentifiedError("the figure does not exist without some of the units")
    return _of(estimate, left_out)


def jackknife_reach(left_out: Floats) -> float:
    """How far a 95 % interval reaches to either side; 0 where no unit changes the estimate.

    `left_out` (G,), at least two: the estimate without each unit, on a scale where it is about symmetric.
    """
    return _of(0.0, left_out).reach(0.05)


def log_interval(estimate: float, left_out: Floats, shift: float) -> tuple[float, float] | None:
    """The 95 % interval of `estimate`, on the scale log(estimate + shift); None where that does not exist.

    `left_out` (G,): the estimate without each unit. `shift`: what keeps the sum positive, so that estimates near 0 or
    below it have an interval too; the low end is above -shift.
    """
    moved = left_out + shift
    if left_out.size < 2 or not estimate + shift > 0 or not (np.isfinite(moved) & (moved > 0)).all():
        return None
    factor = math.exp(jackknife_reach(np.log(moved)))
    return (estimate + shift) / factor - shift, (estimate + shift) * factor - shift


def correlation_interval(estimate: float, left_out: Floats) -> tuple[float, float] | None:
    """The 95 % interval of a correlation, on Fisher's scale; None where that does not exist, as for 1 or -1.

    `left_out` (G,): the correlation without each unit.
    """
    if left_out.size < 2 or not (np.abs(np.append(left_out, estimate)) < 1).all():
        return None
    reach, middle = jackknife_reach(np.arctanh(left_out)), math.atanh(estimate)
    return math.tanh(middle - reach), math.tanh(middle + reach)


def _of(estimate: float, left_out: Floats) -> Jackknife:
    units = left_out.size
    moved = left_out - left_out.mean()
    squares = float(moved @ moved)
    if squares <= _NOTHING:
        return Jackknife(estimate, 0.0, units - 1.0)
    kurtosis = units * float((moved**4).sum()) / squares**2
    freedom = min(max(2 * units / max(kurtosis - 1, _NOTHING), _FEWEST_DEGREES), units - 1.0)
    return Jackknife(estimate, math.sqrt(squares * (units - 1) / units), freedom)


Flags = NDArray[np.bool_]
Integers = NDArray[np.intp]

LEAST_EXPECTED: Final = 5.0
LEAST_CLUSTERS: Final = 10
_LEFT_TO_VARY: Final = 1e-4
"""Share of a pair's variance that has to be left after the fit."""


@dataclass(frozen=True, slots=True)
class OneScale:
    """`pairs` (P, 2) that were tested, first < second; `excess` (P,): the first's share of wins less the second's,
    beyond what the model expects; `p_values` (P,), adjusted for the number of pairs.
    """

    pairs: Integers
    excess: Floats
    p_values: Floats

    @property
    def p_value(self) -> float | None:
        """Of all pairs together; None where none could be tested."""
        return float(self.p_values.min()) if self.p_values.size else None


def one_scale(games: Games, fit: DavidsonFit, found: Influences) -> OneScale:
    """The test of a fit of these games, by its influences."""
    rows = _RowsOfPairs.made(games, found.rows)
    residual, expected = rows.residual_and_expected()
    model = rows.variance_of_model(fit, found)
    tested = (expected.min(axis=0) >= LEAST_EXPECTED) & (model > _LEFT_TO_VARY * rows.own_information())
    circles = len(rows.pairs) - games.systems + 1
    if games.clusters < LEAST_CLUSTERS or circles < 1:
        tested[:] = False
    error = np.sqrt(np.maximum(model, rows.variance_of_clusters(found))[tested])
    p_values = 2 * stdtr(rows.freedom(tested), -np.abs(residual[tested]) / error) * (tested.sum() if circles > 1 else 1)
    excess = 2 * residual[tested] / expected[:, tested].sum(axis=0)
    return OneScale(rows.pairs[tested], excess, np.minimum(p_values, 1.0))


@dataclass(frozen=True, slots=True)
class _RowsOfPairs:
    """Games by pair: `of` (n,) the number of each row's pair in `pairs` (P, 2), `sign` (n,) -1 where the row has it the
    other way round.
    """

    games: Games
    figures: RowFigures
    pairs: Integers
    of: Integers
    sign: Floats

    @classmethod
    def made(cls, games: Games, figures: RowFigures) -> _RowsOfPairs:
        low, high = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
        code, of = np.unique(low * games.systems + high, return_inverse=True)
        pairs = np.stack(np.divmod(code, games.systems), axis=1).astype(np.intp)
        return cls(games, figures, pairs, of, np.where(games.first > games.second, -1.0, 1.0))

    def residual_and_expected(self) -> tuple[Floats, Floats]:
        """R (P,), and expected wins (2, P) of either side."""
        residual = self._sums(self.sign * self.figures.scores * self.games.times)
        sides = [self._sums(self.games.total * self.figures.expected(side * self.sign)) for side in (1, -1)]
        return residual, np.stack(sides)

    def own_information(self) -> Floats:
        """Var(R) (P,) where games are independent and strengths are known."""
        return self._sums(self.figures.information[0] * self.games.total)

    def variance_of_model(self, fit: DavidsonFit, found: Influences) -> Floats:
        """Var(R) (P,) where games are independent and the model is true: its own, less what the fit takes away."""
        once, squared = self._gradients(self.games.times), self._gradients(self.games.total)
        taken = np.einsum("pd,pd->p", once @ fit.covariance, squared)
        return np.asarray(self.own_information() - 2 * taken + np.einsum("pd,pd->p", once @ found.model, once))

    def variance_of_clusters(self, found: Influences) -> Floats:
        """Var(R) (P,) by the parts of the clusters."""
        games, (about_d, cross, _) = self.games, self.figures.information
        code, cell = np.unique(games.cluster * len(self.pairs) + self.of, return_inverse=True)
        cluster, pair = np.divmod(code, len(self.pairs))
        times, (first, second) = found.times[cluster], self.pairs[pair].T
        # Of its influence only what moves this pair counts: the difference of its systems, gamma and log nu.
        moved = [found.of_clusters[cluster, first] - found.of_clusters[cluster, second], found.of_clusters[cluster, -1]]
        slopes = [about_d, self.sign * cross]
        if games.side is not None:
            moved.append(found.of_clusters[cluster, games.systems])
            slopes.append(self.sign * about_d * games.side)
        own = np.bincount(cell, self.sign * self.figures.scores)
        lost = np.zeros(code.size)
        for of_clusters, slope in zip(moved, slopes, strict=True):
            own = own + np.bincount(cell, slope) * of_clusters
            lost += self._sums(slope * games.times)[pair] * of_clusters
        gradients = self._gradients(games.times)
        moves = np.einsum("pd,pd->p", gradients @ found.clustered, gradients)
        return np.asarray(np.bincount(pair, times * own * (own - 2 * lost), len(self.pairs)) + moves)

    def freedom(self, chosen: Flags) -> Floats:
        """Degrees of freedom of what is learned from the rows of each of the chosen pairs."""
        information = self.figures.information[0] * self.games.weight
        order = np.argsort(self.of, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(self.of))[:-1])
        rows = [parts[pair] for pair in np.flatnonzero(chosen)]
        return np.array([freedom_of(self.games.cluster[own], information[own], self.games.times[own]) for own in rows])

    def _gradients(self, weight: Floats | Integers) -> Floats:
        """(P, D): derivatives of each pair's expected score by the parameters, with so much weight for each row."""
        about_d, cross, _ = self.figures.information
        found, row = np.zeros((len(self.pairs), self.figures.parameters)), np.arange(len(self.pairs))
        slope = self._sums(about_d * weight)
        found[row, self.pairs[:, 0]], found[row, self.pairs[:, 1]] = slope, -slope
        found[:, -1] = self._sums(self.sign * cross * weight)
        if self.games.side is not None:
            found[:, self.games.systems] = self._sums(self.sign * about_d * self.games.side * weight)
        return found

    def _sums(self, of_rows: Floats) -> Floats:
        return np.bincount(self.of, of_rows, len(self.pairs)).astype(np.float64)
