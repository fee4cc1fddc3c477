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
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.sobol_dirichlet import Places, dirichlet_table, log_dirichlet, sobol_places

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
class Sample:
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


def sample_posterior(counts: Counts, seed: int, accuracy: float) -> Sample:
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
    return Sample(np.concatenate([block.q for block in blocks], axis=2), weights / weights.sum(), theta, error)


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
