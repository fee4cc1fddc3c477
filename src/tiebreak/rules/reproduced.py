"""Verdicts by two reproduced rules: the Hoeffding rule and the Dirichlet posterior of the counts.

Neither may be looked at repeatedly; `registry.RULES` says what each one promises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.reproduced import dirichlet_posterior, first_crossing, hoeffding_threshold
from tiebreak.records import Verdict

Counts = tuple[int, int, int]
"""wins, ties, losses of a, in units (items)."""


@dataclass(frozen=True, slots=True)
class ReproducedVerdict:
    """`theta`: posterior probability that a is better (Dirichlet only)."""

    verdict: Verdict
    low: float
    high: float
    stopped_at: int | None = None
    theta: float | None = None


def hoeffding_verdict(values: NDArray[np.float64], d: float) -> ReproducedVerdict:
    """First crossing on values in [-1, 1] mapped to shares of a; the interval is the rule's own bound, twice."""
    decision = first_crossing((values + 1) / 2, d)
    if values.size == 0:
        return ReproducedVerdict("undecided", -1.0, 1.0)
    half = 2 * float(hoeffding_threshold(values.size, d))
    mean = float(values.mean())
    verdict = _direction(decision.direction > 0, decision.direction < 0)
    return ReproducedVerdict(verdict, max(-1.0, mean - half), min(1.0, mean + half), stopped_at=decision.stopped_at)


def dirichlet_verdict(counts: Counts, alpha: float) -> ReproducedVerdict:
    """a if theta > 1 - alpha/2, b if theta < alpha/2; credible interval of P(a) - P(b) at 1 - alpha."""
    posterior = dirichlet_posterior(*counts, credibility=1 - alpha)
    verdict = _direction(posterior.theta > 1 - alpha / 2, posterior.theta < alpha / 2)
    return ReproducedVerdict(verdict, posterior.difference_low, posterior.difference_high, theta=posterior.theta)


def _direction(for_a: bool, for_b: bool) -> Verdict:
    """Both or neither: undecided."""
    if for_a == for_b:
        return "undecided"
    return "a" if for_a else "b"
