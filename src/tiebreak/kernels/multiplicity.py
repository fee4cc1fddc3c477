"""Many pairs at once: which one-sided nulls may be rejected, from e-values (in logs) or p-values.

The family of K pairs is its 2K one-sided nulls, column 0 "a is not better", column 1 "b is not better". For
Bonferroni and Holm an e-process may enter by its running maximum, since P(sup E >= c) <= 1/c (Ville), each
pair may stop at its own time, and no independence is needed. log E may be -inf (E = 0) and inf (the null is
impossible).

Holm (1979), "A simple sequentially rejective multiple test procedure".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels import _checks


@dataclass(frozen=True, slots=True)
class HolmResult:
    """`found`: bool, shape (K, 2), nulls rejected; column 0: a is better, column 1: b is better.

    `log_threshold`: shape (K,), log((2K - j)/alpha) at which the pair was first found, or which it still
    faces; on the scale of log E, or of -log p. `j`: number of directions found.
    """

    found: NDArray[np.bool_]
    log_threshold: NDArray[np.float64]
    j: int


def holm_directions(sup_log_e: ArrayLike, alpha: float) -> HolmResult:
    """Holm's step-down over the 2K directions: E >= (2K - j)/alpha, j = directions already found.

    sup_log_e: shape (K, 2), K >= 0, logs of the running maxima. The family-wise error is at most alpha.

    Why (2K - j) and not 2(K - j), although a decided pair needs no further question: finding "a is better"
    shows that one null false, but the opposite null of that pair stays true, and it could have been
    rejected wrongly at an earlier moment. Holm's argument needs the divisor to be at least the number of
    true nulls, K when every pair has a better system; 2(K - j) sinks below that, down to 2 for the last
    pair. That pair was not drawn beforehand: it is the one whose labels misled, because the others were
    decided before it. Each of K pairs could have been that one with probability up to alpha/2. (Simulated: 40
    pairs, clear ones labelled first, alpha = 0.2: 2(K - j) errs in 45% of the campaigns, 2K - j in 1%.)

    Both directions of one pair can be found from maxima over a long run; a campaign lets the first verdict
    stand. Raises `UsageError` for another shape, NaN, or alpha outside (0, 1).
    """
    level = _checks.open_unit("alpha", alpha)
    evidence = _evidence(sup_log_e)
    _check_pairs(evidence)

    def passes(left: int) -> NDArray[np.bool_]:
        return np.asarray(evidence >= np.log(left / level))

    return _step_down(evidence.shape[0], level, passes)


def holm_p(p: ArrayLike, alpha: float) -> HolmResult:
    """Holm's step-down for one-sided p-values of the same 2K directions: p <= alpha/(2K - j).

    p: shape (K, 2), in [0, 1], one look at a fixed sample each; any dependence. Raises `UsageError` for
    another shape, a p-value outside [0, 1], or alpha outside (0, 1).
    """
    level = _checks.open_unit("alpha", alpha)
    values = _p_values(p)
    _check_pairs(values)

    def passes(left: int) -> NDArray[np.bool_]:
        return np.asarray(values <= level / left)

    return _step_down(values.shape[0], level, passes)


def _step_down(pairs: int, alpha: float, passes: Callable[[int], NDArray[np.bool_]]) -> HolmResult:
    """All directions that pass at 2K - j together raise j; the fixed point equals one-by-one step-down."""
    found = np.zeros((pairs, 2), dtype=np.bool_)
    log_threshold = np.full(pairs, np.nan)
    while True:
        j = int(found.sum())
        # With all 2K found nothing faces a threshold any more, hence the 1.
        left = max(2 * pairs - j, 1)
        waiting = ~found.any(axis=1)
        log_threshold[waiting] = np.log(left / alpha)
        grown = found | passes(left)
        if (grown == found).all():
            return HolmResult(found=found, log_threshold=log_threshold, j=j)
        found = grown


def _evidence(log_e: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(log_e, dtype=np.float64)
    if np.isnan(array).any():
        raise UsageError("an e-value is not a number (NaN); its log must be a number, -inf or inf")
    return array


def _p_values(p: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(p, dtype=np.float64)
    bad = ~((array >= 0.0) & (array <= 1.0))
    if bad.any():
        raise UsageError(f"a p-value must lie in [0, 1], but one of them is {array[bad].flat[0]}")
    return array


def _check_pairs(array: NDArray[np.float64]) -> None:
    if array.ndim != 2 or array.shape[1] != 2:
        raise UsageError(f"expected one row per pair and two directions, shape (K, 2), but got {array.shape}")
