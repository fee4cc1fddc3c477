"""How heavy is the tail of importance weights? The shape k of a generalised Pareto distribution fitted to it.

Vehtari, Simpson, Gelman, Yao & Gabry (2024), "Pareto smoothed importance sampling": with k > 0.7 no feasible number
of points makes an importance-sampling estimate reliable, and its standard error is not to be believed. The
fit is the one of Zhang & Stephens (2009), weakly regularised towards 0.5 as in the former paper.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SMALLEST_TAIL = 5
SMALLEST_QUARTILE = 1e-15  # of exceedances, relative to the largest; below it k > 4 and the fit is none


def pareto_k_hat(weights: Floats) -> float:
    """k of the largest min(S/5, 3 sqrt(S)) of the importance weights (S,), which are >= 0 on any scale.

    Negative for bounded weights. -inf where the tail is constant: nothing is heavier than the rest. +inf where a few
    weights outweigh the rest by any factor, and for fewer than 21 weights, in whose favour nothing can be said.
    """
    tail_size = math.ceil(min(weights.size / 5, 3 * math.sqrt(weights.size)))
    if tail_size < SMALLEST_TAIL:
        return math.inf
    largest = np.sort(np.partition(weights, -tail_size - 1)[-tail_size - 1 :])
    if largest[-1] <= largest[0] * (1 + 1e-12):
        return -math.inf
    excess = largest[1:] - largest[0]
    return _generalised_pareto_shape(excess / excess[-1])


def _generalised_pareto_shape(excess: Floats) -> float:
    """Posterior mean of k for sorted exceedances (n,) in [0, 1], over a grid of the quotient -k/sigma."""
    size = excess.size
    grid_size = 30 + int(math.sqrt(size))
    quartile = excess[int(size / 4 + 0.5) - 1]
    if quartile <= 0:
        quartile = excess[excess > 0][0]
    if quartile < SMALLEST_QUARTILE:
        return math.inf
    quotients = 1 / excess[-1] + (1 - np.sqrt(grid_size / (np.arange(1, grid_size + 1) - 0.5))) / (3 * quartile)
    shapes = np.log1p(-quotients[:, None] * excess).mean(axis=1)
    profile = size * (np.log(-quotients / shapes) - shapes - 1)
    posterior = np.exp(profile - profile.max())
    posterior /= posterior.sum()
    shape = float(np.log1p(-float(posterior @ quotients) * excess).mean())
    return (size * shape + 10 * 0.5) / (size + 10)
