"""`--rule posterior`: a Bayesian model of a metric's mistakes (metric-error-correction, Algorithm 1), per pair."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from tiebreak.comparison.assistance import OUTCOME_CLASSES, confusion_counts
from tiebreak.evidence.automatic import PairAutomatic
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.kernels.metric_error import decide, metric_error_posterior
from tiebreak.records import Verdict

_UNRELIABLE: Final = frozenset({"no-labels", "few-labels", "heavy-tail", "not-converged"})
"""Flags of the kernel under which a pair stays undecided: too few labels, or theta not known well enough."""


@dataclass(frozen=True, slots=True)
class PosteriorVerdict:
    """`mean` and interval of the difference, `theta` = P(a better | data), and how well it was computed.

    `mean_p`, `p_interval`: mean and interval of the shares of (a, tie, b).
    """

    verdict: Verdict
    mean: float
    low: float
    high: float
    theta: float
    mean_p: tuple[float, float, float]
    p_interval: tuple[tuple[float, float], ...]
    k_hat: float | None
    flags: tuple[str, ...]


def is_forced_choice(pairs: Iterable[tuple[PairEvidence, PairAutomatic]], tie_threshold: float) -> bool:
    """Whether nobody and nothing ever ties: then the two-class model applies to all pairs."""
    for pair, automatic in pairs:
        metric, rest = automatic.outcomes(tie_threshold)
        if (pair.values == 0).any() or (metric == 0).any() or (rest == 0).any():
            return False
    return True


def posterior_verdict(
    pair: PairEvidence, automatic: PairAutomatic, tie_threshold: float, alpha: float, *, forced: bool
) -> PosteriorVerdict:
    """The verdict from human outcomes and metric outcomes together; alpha is the paper's gamma."""
    human = np.sign(pair.values)
    metric, rest = automatic.outcomes(tie_threshold)
    rest = rest[~np.isnan(rest)]
    classes = (1.0, -1.0) if forced else OUTCOME_CLASSES
    paired = confusion_counts(human, metric, classes)
    human_only = np.array([int((human[np.isnan(metric)] == c).sum()) for c in classes])
    found = metric_error_posterior(
        paired, np.array([int((rest == k).sum()) for k in classes]), human_only, credibility=1 - alpha
    )
    verdict: Verdict = "undecided"
    if not _UNRELIABLE & set(found.flags):
        verdict = {1: "a", -1: "b"}.get(decide(found.theta, alpha), "undecided")  # type: ignore[assignment]
    shares = found.mean_p.tolist()
    mean_p = (shares[0], 0.0, shares[1]) if forced else (shares[0], shares[1], shares[2])
    ends = list(zip(found.p_low.tolist(), found.p_high.tolist(), strict=True))
    intervals = (ends[0], (0.0, 0.0), ends[1]) if forced else tuple(ends)
    return PosteriorVerdict(
        verdict,
        found.difference_mean,
        found.difference_low,
        found.difference_high,
        found.theta,
        mean_p,
        intervals,
        found.k_hat if found.k_hat is not None and math.isfinite(found.k_hat) else None,
        found.flags,
    )
