"""Seeded outcomes of equal and of different systems, and figures about many runs: shared by benchmarks and tests."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from tiebreak.records import Multiplicity, Target
from tiebreak.settings.protocol import DecisionSettings
from tiebreak.simulate.engines.stops import SimulatedRule

Codes = NDArray[np.int8]
Floats = NDArray[np.float64]
Rng = np.random.Generator


def iid_outcomes(rng: Rng, runs: int, size: int, difference: float, tie_share: float) -> Codes:
    """Independent outcomes (runs, size) with P(win) - P(loss) = difference and P(tie) = tie_share."""
    p_win = (1 - tie_share + difference) / 2
    uniform = rng.random((runs, size))
    return (uniform < p_win).astype(np.int8) - (uniform >= p_win + tie_share).astype(np.int8)


def pool_outcomes(
    rng: Rng, runs: int, pool_size: int, difference: float, tie_share: float, size: int | None = None
) -> Codes:
    """The first `size` outcomes of a pool whose difference is exactly the given one, in random order (runs, size)."""
    ties = round(pool_size * tie_share)
    wins = round((pool_size - ties + pool_size * difference) / 2)
    losses = pool_size - ties - wins
    if not math.isclose(wins - losses, pool_size * difference, abs_tol=1e-9):
        raise ValueError(f"no pool of {pool_size} has {ties} ties and a difference of exactly {difference}")
    pool = np.repeat(np.array([1, 0, -1], dtype=np.int8), [wins, ties, losses])
    if size is None:
        return rng.permuted(np.tile(pool, (runs, 1)), axis=1)
    return np.array([rng.choice(pool, size=size, replace=False, shuffle=True) for _ in range(runs)])


def mean_labels(rng: Rng, runs: int, size: int, annotators: int = 3) -> Floats:
    """Mean labels (runs, size) of several annotators who disagree at random about items; true difference 0."""
    lean = rng.uniform(-0.7, 0.7, size=(runs, size, 1))
    uniform = rng.random((runs, size, annotators))
    votes = (uniform < 0.4 * (1 + lean)).astype(float) - (uniform > 1 - 0.4 * (1 - lean)).astype(float)
    return np.asarray(votes.mean(axis=2))


def label_bound(alpha: float, mu: float) -> float:
    """log(1/alpha)/KL: no test of level alpha decides with fewer non-ties on average; P(win | no tie) = (1 + mu)/2."""
    divergence = (xlogy(1 + mu, 1 + mu) + xlogy(1 - mu, 1 - mu)) / 2
    return math.log(1 / alpha) / float(divergence)


def largest_rate(alpha: float, runs: int) -> float:
    """alpha plus three binomial standard errors."""
    return alpha + 3 * math.sqrt(alpha * (1 - alpha) / runs)


def chunks(total: int, size: int) -> Iterator[int]:
    """Sizes that sum to `total`, none above `size`: large simulations in little memory."""
    while total > 0:
        yield min(total, size)
        total -= size


def wilson_interval(hits: int, runs: int) -> tuple[float, float]:
    """95% interval for a share."""
    z = 1.959964
    share = hits / runs
    centre = (share + z**2 / (2 * runs)) / (1 + z**2 / runs)
    half = z / (1 + z**2 / runs) * math.sqrt(share * (1 - share) / runs + z**2 / (4 * runs**2))
    return max(centre - half, 0.0), min(centre + half, 1.0)


def simulated_rule(
    name: str,
    items: int,
    alpha: float = 0.05,
    *,
    margin: float | None = None,
    pool: int | None = None,
    batch: int = 10,
    pairs: int = 1,
    multiplicity: Multiplicity = "none",
) -> SimulatedRule:
    """A rule for so many items of a pair; with a `pool`, for a claim about its items."""
    target: Target = "inputs" if pool is None else "items"
    return SimulatedRule(DecisionSettings(name, alpha, multiplicity, margin, target), items, pairs, pool, batch)
