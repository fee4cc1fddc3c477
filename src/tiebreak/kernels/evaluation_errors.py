"""How far an evaluation is from a full human one: error types of its verdicts, divergence of its shares.

metric-error-correction: the four outcomes of its introduction (List 1) and the Kullback-Leibler divergence of its
section 6, per pair of systems.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UnidentifiedError, UsageError
from tiebreak.kernels import _checks
from tiebreak.records import Verdict

ErrorType = Literal["correct", "inversion", "omission", "insertion"]

ERROR_TYPES: Final[tuple[ErrorType, ...]] = ("correct", "inversion", "omission", "insertion")
"""In the order of the codes that `error_types` returns: 0, 1, 2, 3."""

CORRECT: Final = 0
INVERSION: Final = 1
OMISSION: Final = 2
INSERTION: Final = 3

VERDICT_CODES: Final[dict[Verdict, int]] = {"a": 1, "equivalent": 0, "undecided": 0, "b": -1}
"""An error type asks only whether a better system was named, and which: all else is "="."""

_SUM_TOLERANCE: Final = 1e-6


def error_types(verdicts: ArrayLike, reference: ArrayLike) -> NDArray[np.int64]:
    """Places in `ERROR_TYPES`, one per pair (the shape of the arguments).

    `verdicts`, `reference`: codes 1 (a is better), 0 (neither is called better), -1 (b is better), of equal shape.
    Equal codes are correct; opposite directions an inversion; a direction that only the reference has an omission; one
    that only the verdict has an insertion. Without pairs the result is empty. Raises `UsageError` for other codes or
    unequal shapes.
    """
    ours, theirs = _codes("verdicts", verdicts), _codes("reference", reference)
    if ours.shape != theirs.shape:
        raise UsageError(f"verdicts and reference differ in shape: {ours.shape} and {theirs.shape}")
    types = np.where(ours == 0, OMISSION, np.where(theirs == 0, INSERTION, INVERSION))
    return np.where(ours == theirs, CORRECT, types).astype(np.int64)


def error_counts(types: ArrayLike) -> NDArray[np.int64]:
    """How often each error type occurs: shape (4,), in the order of `ERROR_TYPES`.

    `types`: what `error_types` returns. Raises `UsageError` for a code that is not one of 0 to 3.
    """
    codes = np.asarray(types)
    if codes.size and not np.isin(codes, range(len(ERROR_TYPES))).all():
        raise UsageError(f"error types must be codes 0 to 3, but they are {np.unique(codes).tolist()}")
    return np.bincount(codes.astype(np.int64).ravel(), minlength=len(ERROR_TYPES)).astype(np.int64)


def kl_from_humans(protocol: ArrayLike, human_counts: ArrayLike) -> NDArray[np.float64]:
    """KL(p_protocol || p_human) in nats, >= 0, one per pair: shape (N,).

    `protocol` (N, 3): estimated shares of (a preferred, tie, b preferred), each row summing to 1. `human_counts`
    (N, 3): counts of the same outcomes among all human labels.

    p_human is the mode of the posterior under the uniform prior, which is the observed shares n_c / n. Where the
    humans never gave an outcome that the protocol expects, the divergence from the mode would be infinite; there
    p_human is the mean of that posterior, (n_c + 1) / (n + 3). An outcome that neither side has adds nothing
    (0 log 0 = 0) and keeps the mode: forced choices have no ties, and such an evaluation is at distance 0 from itself.
    The authors' p_protocol is a posterior mean and never zero; for such input the two readings of a zero are one.

    Raises:
        UsageError: shapes that differ or are not (N, 3), counts that are no counts, rows that are no shares.
        UnidentifiedError: a pair without any human label.
    """
    shares, counts = _shares(protocol), _checks.counts("human_counts", human_counts)
    if counts.shape != shares.shape:
        raise UsageError(f"protocol and human_counts differ in shape: {shares.shape} and {counts.shape}")
    totals = counts.sum(axis=1, keepdims=True)
    if (totals == 0).any():
        raise UnidentifiedError(f"pair {int(np.argmin(totals))} has no human label to compare with")
    unexpected = ((counts == 0) & (shares > 0)).any(axis=1, keepdims=True)
    human = np.where(unexpected, (counts + 1) / (totals + shares.shape[1]), counts / totals)
    present = shares > 0  # where a share is present p_human is positive, by the choice above
    ratio = np.divide(shares, human, out=np.ones_like(shares), where=present)
    divergence: NDArray[np.float64] = (shares * np.log(ratio)).sum(axis=1)
    return np.maximum(divergence, 0.0)  # rounding may leave -1e-17


def _codes(name: str, values: ArrayLike) -> NDArray[np.int64]:
    codes = np.asarray(values)
    if codes.size and not np.isin(codes, (-1, 0, 1)).all():
        raise UsageError(f"{name} must be codes 1, 0 or -1, but they are {np.unique(codes).tolist()}")
    return codes.astype(np.int64)


def _shares(protocol: ArrayLike) -> NDArray[np.float64]:
    shares = np.asarray(protocol, dtype=np.float64)
    if shares.ndim != 2 or shares.shape[1] != 3:
        raise UsageError(f"protocol must have shape (pairs, 3), but it has {shares.shape}")
    good = (shares >= 0).all(axis=1) & (np.abs(shares.sum(axis=1) - 1.0) <= _SUM_TOLERANCE)
    if not good.all():
        place = int(np.argmin(good))
        raise UsageError(f"protocol must hold shares that sum to 1, but row {place} is {shares[place].tolist()}")
    return shares
