"""Weighted points of the metric-error posterior: importance sampling by metric rows with randomised Sobol points.

Model (metric-error-correction, section 3): p ~ Dir(1) are the shares of the human classes; a metric answers class k
where a human would answer c with probability mu_kc, each column of mu ~ Dir(1); items are independent. With n_kc items
that have both labels, m_k with a metric label only and h_c with a human label only, the posterior density with
respect to p and the columns of mu is

    prod_kc (mu_kc p_c)^n_kc  prod_c p_c^h_c  prod_k (sum_c mu_kc p_c)^m_k.

For the joint shares q_kc = mu_kc p_c, dq = prod_c p_c^(K-1) dp dmu: a column of mu has K - 1 free entries and each is
stretched by p_c. So the density of q is

    prod_kc q_kc^n_kc  prod_k q_k.^m_k  prod_c p_c^(-s_c),    s_c = (K - 1) - h_c,    p_c = q_.c.

By metric rows, q_kc = r_k w_kc with dq = prod_k r_k^(C-1) dr dw, all but the last factor are conjugate:
r ~ Dir(b_k. + m_k) and w_k ~ Dir(b_k.) with b = n + 1. However many metric labels there are, what is left is a smooth
weight prod_c p_c^(-s_c), and most of that can be absorbed (`proposal_concentration`).

Randomised quasi-Monte Carlo points of Dirichlet distributions.

Sobol points with the direction numbers of Joe & Kuo (2008), scrambled by random lower-triangular bit matrices and a
digital shift (Matoušek 1998), mapped to Dirichlet points by stick-breaking: Beta quantiles from a table by the level.
Between logits a Beta quantile function is smooth and its tails are straight lines, so that a table is accurate (to
about 1e-4 in logarithms); and nothing under- or overflows, because points stay logarithms.

How heavy is the tail of importance weights? The shape k of a generalised Pareto distribution fitted to it.

Vehtari, Simpson, Gelman, Yao & Gabry (2024), "Pareto smoothed importance sampling": with k > 0.7 no feasible number
of points makes an importance-sampling estimate reliable, and its standard error is not to be believed. The
fit is the one of Zhang & Stephens (2009), weakly regularised towards 0.5 as in the former paper.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, betaln, expit

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


Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

SCRAMBLES = 8
SIZES = (2_048, 3_072, 4_096, 6_144, 8_192, 12_288, 16_384, 24_576, 32_768)  # points of each scramble, in turn
BLOCK = 1_024  # points of each scramble made at a time: few enough to stay in a processor's cache
SMALLEST_CONCENTRATION = 0.2
FIXED_POINT_PASSES = 6


@dataclass(frozen=True, slots=True)
class Counts:
    """Items with both labels (K, C), with a metric label only (K,) and with a human label only (C,)."""

    paired: Floats
    metric_only: Floats
    human_only: Floats

    @property
    def human(self) -> Floats:
        """Human labels of each class, (C,)."""
        return np.asarray(self.paired.sum(axis=0) + self.human_only)


@dataclass(frozen=True, slots=True)
class PosteriorSample:
    """Joint shares q (K, C, S) with weights (S,) that sum to one, and theta with its standard error."""

    q: Singles
    weights: Singles
    theta: float
    theta_se: float


@dataclass(frozen=True, slots=True)
class _Proposal:
    """b' (K, C) and the tables of its Dirichlet distributions: of r and of each w_k."""

    concentration: Floats
    r: Singles
    w: Singles


@dataclass(frozen=True, slots=True)
class _Block:
    """q (K, C, S) and log weights (S,) of the next points of every scramble, and what theta needs of them.

    Relative to exp(`largest`), per scramble: the weights' sum `mass`, that of the points with p_a > p_b `mass_for_a`,
    both (scrambles,), and the sum of all squared weights.
    """

    q: Singles
    log_weights: Singles
    largest: float
    mass: Floats
    mass_for_a: Floats
    squares: float


def sample_posterior(counts: Counts, seed: int, accuracy: float) -> PosteriorSample:
    """Adds points until the standard error of theta is below `accuracy`, or at 8 x 32,768 points."""
    proposal = _proposal(counts)
    blocks: list[_Block] = []
    for size in SIZES:
        blocks += [_weighted_block(counts, proposal, start, seed) for start in range(len(blocks) * BLOCK, size, BLOCK)]
        theta, error = _theta(blocks)
        if error < accuracy:
            break
    log_weights = np.concatenate([block.log_weights for block in blocks])
    weights = np.exp(log_weights - log_weights.max())
    return PosteriorSample(np.concatenate([block.q for block in blocks], axis=2), weights / weights.sum(), theta, error)


def proposal_concentration(counts: Counts) -> Floats:
    """Dirichlet parameters b' (K, C) of the proposal r ~ Dir(b'_k. + m_k), w_k ~ Dir(b'_k.).

    Near the posterior's centre mu*, prod_c p_c^(-s_c) varies like prod_kc q_kc^(-s_c mu*_kc), which is conjugate:
    b' = b - s mu*. The quotient prod_c exp(s_c sum_k mu*_kc log mu_kc) is bounded while s_c > 0. A negative s_c means
    human-only labels. Their quotient grows with the distance of mu from mu*, because they tell nothing about
    mu, so only a part of them is absorbed, n/(n + 2h): the better the paired items know mu, the more. (Hundreds of
    human-only labels beside few paired ones, or contradicting them, still leave a heavy tail, which is flagged.)
    The floor keeps the Betas from piling up at their ends. mu* is a fixed point, found in a few passes.
    """
    b = counts.paired + 1.0
    paired, human_only = counts.paired.sum(), counts.human_only.sum()
    absorbed = counts.human_only * (paired / (paired + 2.0 * human_only)) if human_only else counts.human_only
    exponents = b.shape[0] - 1.0 - absorbed
    centre = b / b.sum(axis=0)
    for _ in range(FIXED_POINT_PASSES):
        concentration = np.maximum(b - exponents * centre, SMALLEST_CONCENTRATION)
        rows = concentration.sum(axis=1)
        q = ((rows + counts.metric_only) / rows)[:, None] * concentration
        centre = q / q.sum(axis=0)
    return np.asarray(np.maximum(b - exponents * centre, SMALLEST_CONCENTRATION))


def _proposal(counts: Counts) -> _Proposal:
    concentration = proposal_concentration(counts)
    of_rows = concentration.sum(axis=1) + counts.metric_only
    table = dirichlet_table(np.concatenate([concentration, of_rows[None, :]]))  # K = C: all have the same length
    return _Proposal(concentration, table[-1], table[:-1])


def _weighted_block(counts: Counts, proposal: _Proposal, start: int, seed: int) -> _Block:
    """The points number `start` to `start` + BLOCK - 1 of every scramble."""
    rows, columns = proposal.concentration.shape
    places = sobol_places(rows * columns - 1, start, start + BLOCK, SCRAMBLES, seed)
    free = columns - 1
    log_q = np.empty((rows, columns, SCRAMBLES * BLOCK), dtype=np.float32)
    log_r = log_dirichlet(_part(places, rows * free, rows - 1), proposal.r)
    for k, table in enumerate(proposal.w):
        np.add(log_dirichlet(_part(places, k * free, free), table), log_r[k], out=log_q[k])
    q = np.exp(log_q)
    p = q.sum(axis=0)
    not_absorbed = (counts.paired + 1.0 - proposal.concentration).astype(np.float32)  # b - b'
    exponents = (rows - 1.0 - counts.human_only).astype(np.float32)
    log_weights = not_absorbed.ravel() @ log_q.reshape(rows * columns, -1) - exponents @ np.log(p)
    largest = float(log_weights.max())
    weights = np.exp(log_weights - largest).reshape(SCRAMBLES, BLOCK)
    for_a = (p[0] > p[-1]).reshape(SCRAMBLES, BLOCK)
    return _Block(
        q,
        log_weights,
        largest,
        mass=weights.sum(axis=1, dtype=np.float64),
        mass_for_a=(weights * for_a).sum(axis=1, dtype=np.float64),
        squares=float(np.square(weights).sum(dtype=np.float64)),
    )


def _part(places: Places, first: int, count: int) -> Places:
    return Places(places.node[first : first + count], places.fraction[first : first + count])


def _theta(blocks: list[_Block]) -> tuple[float, float]:
    """theta over all points; its standard error from the differences between scrambles.

    theta is a quotient of sums; the error is that of its linearisation, the spread of (sum w 1[..] - theta sum w).
    """
    scales = np.exp(np.array([block.largest for block in blocks]) - max(block.largest for block in blocks))
    mass = scales @ np.array([block.mass for block in blocks])
    mass_for_a = scales @ np.array([block.mass_for_a for block in blocks])
    squares = float(np.square(scales) @ np.array([block.squares for block in blocks]))
    theta = float(mass_for_a.sum() / mass.sum())
    residual = (mass_for_a - theta * mass) / mass.mean()
    error = float(np.sqrt(np.square(residual).sum() / (SCRAMBLES * (SCRAMBLES - 1))))
    # Points that agree have no spread, but a share below one effective point cannot be seen; with few of them, nothing.
    effective = mass.sum() ** 2 / squares
    return theta, max(error, float(1.0 / effective))


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
