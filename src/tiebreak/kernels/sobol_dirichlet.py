"""Randomised quasi-Monte Carlo points of Dirichlet distributions.

Sobol points with the direction numbers of Joe & Kuo (2008), scrambled by random lower-triangular bit matrices and a
digital shift (Matoušek 1998), mapped to Dirichlet points by stick-breaking: Beta quantiles from a table by the level.
Between logits a Beta quantile function is smooth and its tails are straight lines, so that a table is accurate (to
about 1e-4 in logarithms); and nothing under- or overflows, because points stay logarithms.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, betaln, expit

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

BITS = 32
QUANTILE_NODES = 256  # at which the Beta distribution function is computed
LEVEL_NODES = 2_048  # equally spaced in the logit of the level, to look quantiles up without searching

# Of the dimensions 2 to 8: the coefficients of the primitive polynomial (without its first and last, which are 1)
# as the bits of a number, then the first direction numbers. Dimension 1 is the van der Corput sequence.
_JOE_KUO: tuple[tuple[int, tuple[int, ...]], ...] = (
    (0, (1,)),
    (1, (1, 3)),
    (1, (1, 3, 1)),
    (2, (1, 1, 1)),
    (1, (1, 1, 3, 3)),
    (4, (1, 3, 5, 13)),
    (2, (1, 1, 5, 5, 17)),
)
_SMALLEST = 0.5 / 2**BITS  # no scrambled coordinate, nor one minus it, is smaller
_LEVELS = np.linspace(1.0001 * np.log(_SMALLEST), -1.0001 * np.log(_SMALLEST), LEVEL_NODES)
_LEVEL_STEP = float(_LEVELS[1] - _LEVELS[0])


@dataclass(frozen=True, slots=True)
class Places:
    """Where the logits of levels (dimension, points) lie in the tables: `node` below, `fraction` of the way up."""

    node: NDArray[np.intp]
    fraction: Singles


def level_places(logits: Floats) -> Places:
    """The places of logits (dimension, points) of levels that 32 bits can tell from 0 and 1."""
    place = (logits - _LEVELS[0]) * (1.0 / _LEVEL_STEP)
    node = place.astype(np.intp)
    return Places(node, (place - node).astype(np.float32))


@functools.lru_cache(maxsize=64)  # all blocks of both models, for one seed: 35 MB
def sobol_places(dimension: int, start: int, stop: int, scrambles: int, seed: int) -> Places:
    """`level_places` of `scrambled_sobol_logits`, scramble by scramble: (dimension, scrambles * points), kept."""
    return level_places(scrambled_sobol_logits(dimension, start, stop, scrambles, seed).reshape(dimension, -1))


def scrambled_sobol_logits(dimension: int, start: int, stop: int, scrambles: int, seed: int) -> Floats:
    """Logits of the points number `start` to `stop` - 1 of independent scrambles; (dimension, scrambles, points).

    dimension 1 to 8; consecutive blocks continue one sequence, whose first 2^m points fill the cube evenly. The same
    arguments give the same points.
    """
    points = sobol_integers(dimension, start, stop)
    rng = np.random.default_rng(seed)
    shift = rng.integers(2**BITS, size=(dimension, scrambles), dtype=np.uint64)
    # Bit i of a scrambled point is its bit i plus a random sum of the bits above it (more significant): column j of
    # the matrix is the word that bit j of the point adds, with its own bit set and random bits below.
    own_bit = np.uint64(1) << np.arange(BITS, dtype=np.uint64)
    columns = own_bit | (rng.integers(2**BITS, size=(dimension, scrambles, BITS), dtype=np.uint64) & (own_bit - 1))
    words = np.broadcast_to(shift[:, :, None], (dimension, scrambles, stop - start)).copy()
    for bit in range(BITS):
        is_set = (points >> np.uint64(bit)) & np.uint64(1)
        words ^= columns[:, :, bit, None] * is_set[:, None, :]
    uniform = (words.astype(np.float64) + 0.5) / 2.0**BITS
    return np.asarray(np.log(uniform) - np.log1p(-uniform))


def sobol_integers(dimension: int, start: int, stop: int) -> NDArray[np.uint64]:
    """Unscrambled Sobol points number `start` to `stop` - 1, times 2^32; (dimension, stop - start)."""
    index = np.arange(start, stop, dtype=np.uint64)
    gray = index ^ (index >> np.uint64(1))
    points = np.zeros((dimension, stop - start), dtype=np.uint64)
    for axis in range(dimension):
        directions = _direction_numbers(axis)
        for bit in range(int(stop - 1).bit_length()):
            points[axis] ^= directions[bit] * ((gray >> np.uint64(bit)) & np.uint64(1))
    return points


def _direction_numbers(axis: int) -> NDArray[np.uint64]:
    """The 32 direction numbers of a dimension (counted from 0), most significant bit first, by the recurrence."""
    if axis == 0:
        return np.array([1 << (BITS - 1 - bit) for bit in range(BITS)], dtype=np.uint64)
    coefficients, first = _JOE_KUO[axis - 1]
    degree = len(first)
    numbers = [value << (BITS - 1 - bit) for bit, value in enumerate(first)]
    for bit in range(degree, BITS):
        number = numbers[bit - degree] ^ (numbers[bit - degree] >> degree)
        for step in range(1, degree):
            if (coefficients >> (degree - 1 - step)) & 1:
                number ^= numbers[bit - step]
        numbers.append(number)
    return np.array(numbers, dtype=np.uint64)


def dirichlet_table(concentration: Floats) -> Singles:
    """What `log_dirichlet` looks up for Dir(concentration): (..., J - 1, LEVEL_NODES, 4), made once for many points.

    concentration: (..., J), J >= 2, each >= 0.1; leading axes are several distributions. Component j is a share, by its
    Beta marginal, of what the components before it left. By level: the logarithm of the share taken and its rise to
    the next level, and the same of the share left. Single precision: points need no more, and take half the time.
    """
    first = concentration[..., :-1]
    rest = concentration.sum(axis=-1, keepdims=True) - np.cumsum(concentration, axis=-1)[..., :-1]
    quantiles = _log_beta_quantiles(first.ravel(), rest.ravel())
    rises = np.diff(quantiles, axis=-1, append=quantiles[..., -1:])
    table = np.stack([quantiles[0], rises[0], quantiles[1], rises[1]], axis=-1).astype(np.float32)
    return table.reshape(*first.shape, LEVEL_NODES, 4)


def log_dirichlet(places: Places, table: Singles) -> Singles:
    """Logarithms (J, points) of Dirichlet points; places (J - 1, points) of uniform ones in the `dirichlet_table`."""
    logs = np.empty((places.node.shape[0] + 1, places.node.shape[1]), dtype=np.float32)
    logs[-1] = 0.0  # what is left so far
    for place, (node, fraction, of_level) in enumerate(zip(places.node, places.fraction, table, strict=True)):
        found = np.take(of_level, node, axis=0)
        np.multiply(found[:, 1], fraction, out=logs[place])
        logs[place] += found[:, 0]
        logs[place] += logs[-1]
        logs[-1] += found[:, 2]
        logs[-1] += found[:, 3] * fraction
    return logs


def _log_beta_quantiles(first: Floats, second: Floats) -> Floats:
    """log x and log(1 - x), (2, B, LEVEL_NODES), for the quantiles x of Beta(first, second), (B,), at `_LEVELS`.

    The logit y of x is interpolated in the logit z of the level by cubics (Hermite) with the exact slope
    dy/dz = u (1 - u) / (x (1 - x) density(x)), between nodes equally spaced in y.
    """
    first, second = first[:, None], second[:, None]
    lowest = betaincinv(first, second, _SMALLEST)
    highest = betaincinv(second, first, _SMALLEST)  # one minus the largest quantile
    low, high = np.log(lowest) - np.log1p(-lowest), np.log1p(-highest) - np.log(highest)
    rise = (high - low) / (QUANTILE_NODES - 1)
    y = low + rise * np.arange(QUANTILE_NODES)
    log_below, log_above = np.log(betainc(first, second, expit(y))), np.log(betainc(second, first, expit(-y)))
    z = log_below - log_above
    log_x = -np.log1p(np.exp(-y))
    slope = np.exp(log_below + log_above + betaln(first, second) - first * log_x - second * (log_x - y))
    left = np.stack([np.searchsorted(of_one, _LEVELS) for of_one in z])
    left = np.clip(left - 1, 0, QUANTILE_NODES - 2)
    below, width, slope_below, slope_above = (
        np.take_along_axis(nodes, left, axis=1) for nodes in (z, np.diff(z), slope[:, :-1], slope[:, 1:])
    )
    t = (_LEVELS - below) / width
    curvature = t * (1 - t) * ((1 - t) * (slope_below * width - rise) - t * (slope_above * width - rise))
    quantiles = low + (left + t) * rise + curvature
    log_quantiles = -np.log1p(np.exp(-quantiles))
    return np.stack([log_quantiles, log_quantiles - quantiles])
