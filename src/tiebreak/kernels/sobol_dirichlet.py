"""Randomised quasi-Monte Carlo points of Dirichlet distributions.

Sobol points with the direction numbers of Joe & Kuo (2008), scrambled by random lower-triangular bit matrices and a
digital shift (Matoušek 1998), mapped to Dirichlet points by stick-breaking: Beta quantiles from a table by the level.
Between logits a Beta quantile function is smooth and its tails are straight lines, so that a table is accurate (to
about 1e-4 in logarithms); and nothing under- or overflows, because points stay logarithms.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, betaln, expit

Floats = NDArray[np.float64]

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


@functools.lru_cache(maxsize=12)  # both models' blocks at their largest, for one seed: 25 MB
def scrambled_sobol_logits(dimension: int, start: int, stop: int, scrambles: int, seed: int) -> Floats:
    """Logits of the points number `start` to `stop` - 1 of independent scrambles; (dimension, scrambles, points).

    dimension 1 to 8; consecutive blocks continue one sequence, whose first 2^m points fill the cube evenly. The same
    arguments give the same points, read-only because they are kept for the next call.
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
    logits = np.log(uniform) - np.log1p(-uniform)
    logits.flags.writeable = False
    return logits


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


def dirichlet_table(concentration: Floats) -> Floats:
    """What `log_dirichlet` looks up for Dir(concentration): (J - 1, 2, LEVEL_NODES), made once for many points.

    concentration: shape (J,), J >= 2, each >= 0.1. Component j is a share, by its Beta marginal, of what the components
    before it left: the table holds the logarithms of the share taken and of the share left, by level.
    """
    rest = concentration.sum() - np.cumsum(concentration)
    pairs = zip(concentration[:-1], rest[:-1], strict=True)
    return np.stack([_log_beta_quantiles(float(first), float(second)) for first, second in pairs])


def log_dirichlet(logits: Floats, table: Floats) -> Floats:
    """Logarithms (J, points) of Dirichlet points from the logits (J - 1, points) of uniform ones.

    logits: of levels that 32 bits can tell from 0 and 1. table: see `dirichlet_table`.
    """
    remaining = np.zeros(logits.shape[1])
    parts = []
    for component, (taken, left) in zip(logits, table, strict=True):
        place = (component - _LEVELS[0]) * (1.0 / _LEVEL_STEP)
        node = place.astype(np.intp)
        place -= node
        parts.append(remaining + _between_nodes(taken, node, place))
        remaining = remaining + _between_nodes(left, node, place)
    return np.stack([*parts, remaining])


def _between_nodes(table: Floats, node: NDArray[np.intp], fraction: Floats) -> Floats:
    return np.asarray(table[node] + np.diff(table)[node] * fraction)


def _log_beta_quantiles(first: float, second: float) -> Floats:
    """log x and log(1 - x), (2, LEVEL_NODES), for the quantiles x of Beta(first, second) at the levels `_LEVELS`.

    The logit y of x is interpolated in the logit z of the level by cubics (Hermite) with the exact slope
    dy/dz = u (1 - u) / (x (1 - x) density(x)), between nodes equally spaced in y.
    """
    lowest = betaincinv(first, second, _SMALLEST)
    highest = betaincinv(second, first, _SMALLEST)  # one minus the largest quantile
    y = np.linspace(np.log(lowest) - np.log1p(-lowest), np.log1p(-highest) - np.log(highest), QUANTILE_NODES)
    log_below, log_above = np.log(betainc(first, second, expit(y))), np.log(betainc(second, first, expit(-y)))
    z = log_below - log_above
    log_x = -np.log1p(np.exp(-y))
    slope = np.exp(log_below + log_above + betaln(first, second) - first * log_x - second * (log_x - y))
    left = np.clip(np.searchsorted(z, _LEVELS) - 1, 0, QUANTILE_NODES - 2)
    width, rise = np.diff(z)[left], y[1] - y[0]
    t = (_LEVELS - z[left]) / width
    curvature = t * (1 - t) * ((1 - t) * (slope[left] * width - rise) - t * (slope[left + 1] * width - rise))
    quantiles = y[left] + t * rise + curvature
    log_quantiles = -np.log1p(np.exp(-quantiles))
    return np.stack([log_quantiles, log_quantiles - quantiles])
