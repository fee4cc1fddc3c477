"""Which pairs of systems to ask about next, given what is known of their strengths.

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

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.davidson import DavidsonFit, information

Floats = NDArray[np.float64]
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
