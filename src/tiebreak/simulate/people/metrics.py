"""Simulated metrics and judges: outcomes with a chosen confusion, or scores with a chosen correlation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError

Codes = NDArray[np.int8]
Floats = NDArray[np.float64]

IDEAL_MIXTURE: Final = ((0.8, 0.25, 0.1), (0.1, 0.5, 0.1), (0.1, 0.25, 0.8))
"""The ideal metric of metric-error-correction (Deriu et al. 2023): P(metric says row | human says column)."""


@dataclass(frozen=True, slots=True)
class SimulatedMetric:
    """A metric `name` whose scores correlate with the latent quality of outputs by `correlation` in [-1, 1].

    Raises `UsageError` for another correlation.
    """

    name: str
    correlation: float

    def __post_init__(self) -> None:
        check_correlation(self.correlation)


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """A judge `name` that hears what one more person says of two outputs, and repeats it with mistakes.

    `mixture` (3, 3): P(judge says row | person says column), in the order a, tie, b; columns sum to 1. Where people
    disagree it agrees with the labels of a campaign less often than the mixture says, as real judges do.
    Raises `UsageError` for another matrix.
    """

    name: str
    mixture: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        checked_mixture(self.mixture)


def checked_mixture(mixture: ArrayLike) -> Floats:
    """The matrix (3, 3), if it is one of chances whose columns sum to 1; else raises `UsageError`."""
    try:
        matrix = np.asarray(mixture, dtype=np.float64)
    except ValueError:  # rows of different lengths
        matrix = np.empty(0)
    if matrix.shape != (3, 3) or not (matrix >= 0).all() or not np.allclose(matrix.sum(axis=0), 1.0):
        raise UsageError("a mixture is a 3 x 3 matrix of chances whose columns (a, tie, b of the humans) sum to 1")
    return matrix


def check_correlation(correlation: float) -> None:
    """Raises `UsageError` outside [-1, 1] (NaN included)."""
    if not -1 <= correlation <= 1:
        raise UsageError(f"a correlation must be in [-1, 1], not {correlation}")


def mixed_outcomes(human: Codes, mixture: ArrayLike, rng: np.random.Generator) -> Codes:
    """A judge's outcomes for human ones, any shape: `mixture` (3, 3) holds P(judge says k | human says c).

    Rows and columns in the order a, tie, b; columns sum to 1. Raises `UsageError` for another matrix.
    """
    matrix = checked_mixture(mixture)
    column = 1 - human.astype(np.intp)
    uniform = rng.random(human.shape)
    is_a = uniform < matrix[0][column]
    is_b = uniform >= (matrix[0] + matrix[1])[column]
    return np.asarray(is_a.astype(np.int8) - is_b.astype(np.int8))


def correlated_scores(signal: Floats, correlation: float, rng: np.random.Generator) -> Floats:
    """Scores (..., n) that correlate with the signal (..., n) by `correlation` in [-1, 1], up to chance.

    The signal is standardised along its last axis (a constant one gives pure noise); the rest is normal noise, so that
    the scores have mean 0 and variance 1. Raises `UsageError` for a correlation outside [-1, 1].
    """
    check_correlation(correlation)
    centred = signal - signal.mean(axis=-1, keepdims=True)
    spread = centred.std(axis=-1, keepdims=True)
    standard = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    return np.asarray(correlation * standard + math.sqrt(1 - correlation**2) * rng.normal(size=signal.shape))
