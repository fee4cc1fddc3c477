"""Sign test with ties dropped: the naive baseline for comparing two systems on a fixed set of items.

Coakley & Heise (1996), "Versions of the sign test in the presence of ties": of the variants they compare,
the one that drops the ties, which they recommend.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from tiebreak.kernels import _checks


@dataclass(frozen=True, slots=True)
class SignTest:
    """p-values and statistic, each of the broadcast shape of the counts (0-d arrays for plain numbers).

    `p_a`: one-sided, small when a is better (null: P(a wins) <= P(b wins)); `p_b`: the opposite direction;
    `p_two_sided`: null of no difference; `z`: (w - l) / sqrt(w + l), positive where a won more often.
    """

    p_two_sided: NDArray[np.float64]
    p_a: NDArray[np.float64]
    p_b: NDArray[np.float64]
    z: NDArray[np.float64]


def sign_test(wins: ArrayLike, losses: ArrayLike) -> SignTest:
    """Sign test of `wins` of a against `losses` of a; ties are dropped before the call.

    Exact binomial p-values for any number of items: the normal approximation is wrong in up to 5.4% where 5% are
    asked for, also with thousands of them. One look at a sample whose size was fixed beforehand: the p-values are not
    valid when the test is repeated while labels arrive.

    wins, losses: whole numbers >= 0, any shapes that broadcast. Without any win or loss every p-value is 1
    and z is 0. Raises `UsageError` for counts that are negative, fractional or not finite.
    """
    won, lost = np.broadcast_arrays(_checks.counts("wins", wins), _checks.counts("losses", losses))
    z = np.asarray((won - lost) / np.sqrt(np.maximum(won + lost, 1.0)))
    p_a, p_b = _upper_tail(won, lost), _upper_tail(lost, won)
    p_two_sided = np.minimum(1.0, 2.0 * np.minimum(p_a, p_b))
    return SignTest(p_two_sided=np.asarray(p_two_sided), p_a=p_a, p_b=p_b, z=z)


def _upper_tail(successes: NDArray[np.float64], failures: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(X >= successes), X binomial with successes + failures trials of probability 1/2."""
    tail = betainc(np.maximum(successes, 1.0), failures + 1.0, 0.5)
    return np.where(successes == 0.0, 1.0, tail)
