"""Verdicts from counts by the three reproduced rules: sign test, Hoeffding rule, Dirichlet posterior.

None of them may be looked at repeatedly; `methods.RULES` says what each one promises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import multiplicity as kernel
from tiebreak.kernels.difference_interval import adjusted_wald
from tiebreak.kernels.dirichlet import dirichlet_posterior
from tiebreak.kernels.hoeffding import first_crossing, hoeffding_threshold
from tiebreak.kernels.sign import sign_test
from tiebreak.records import Verdict
from tiebreak.rules.family import FamilyRule

Counts = tuple[int, int, int]
"""wins, ties, losses of a, in units (items)."""


@dataclass(frozen=True, slots=True)
class FixedVerdict:
    """`theta`: posterior probability that a is better (Dirichlet only); `p_value`: two-sided (sign test only)."""

    verdict: Verdict
    low: float
    high: float
    stopped_at: int | None = None
    theta: float | None = None
    p_value: float | None = None


def sign_verdicts(counts: Sequence[Counts], rule: FamilyRule) -> list[FixedVerdict]:
    """Sign tests of all pairs; Bonferroni, Holm or Benjamini-Yekutieli over the 2K one-sided nulls.

    The intervals are adjusted Wald intervals for P(a) - P(b), simultaneous over the family (per pair for `fdr` and
    `none`).
    """
    if not counts:
        return []
    wins, ties, losses = (np.array(column, dtype=np.float64) for column in zip(*counts, strict=True))
    test = sign_test(wins, losses)
    p_values = np.column_stack([test.p_a, test.p_b])
    pairs = len(counts)
    if rule.multiplicity == "holm":
        found = kernel.holm_p(p_values, rule.alpha).found
    elif rule.by_discoveries:
        found = kernel.benjamini_yekutieli(p_values.ravel(), rule.alpha).reshape(pairs, 2)
    else:
        found = p_values <= rule.alpha / (2 * (pairs if rule.multiplicity == "bonferroni" else 1))
    family = pairs if rule.multiplicity in ("holm", "bonferroni") else 1
    _, low, high = adjusted_wald(wins, ties, losses, 1 - rule.alpha / family)
    return [
        FixedVerdict(
            verdict=_direction(bool(found[k, 0]), bool(found[k, 1])),
            low=float(low[k]),
            high=float(high[k]),
            p_value=float(test.p_two_sided[k]),
        )
        for k in range(pairs)
    ]


def hoeffding_verdict(values: NDArray[np.float64], d: float) -> FixedVerdict:
    """First crossing on values in [-1, 1] mapped to shares of a; the interval is the rule's own bound, twice."""
    decision = first_crossing((values + 1) / 2, d)
    if values.size == 0:
        return FixedVerdict("undecided", -1.0, 1.0)
    half = 2 * float(hoeffding_threshold(values.size, d))
    mean = float(values.mean())
    verdict = _direction(decision.direction > 0, decision.direction < 0)
    return FixedVerdict(verdict, max(-1.0, mean - half), min(1.0, mean + half), stopped_at=decision.stopped_at)


def dirichlet_verdict(counts: Counts, alpha: float) -> FixedVerdict:
    """a if theta > 1 - alpha/2, b if theta < alpha/2; credible interval of P(a) - P(b) at 1 - alpha."""
    posterior = dirichlet_posterior(*counts, credibility=1 - alpha)
    verdict = _direction(posterior.theta > 1 - alpha / 2, posterior.theta < alpha / 2)
    return FixedVerdict(verdict, posterior.difference_low, posterior.difference_high, theta=posterior.theta)


def _direction(for_a: bool, for_b: bool) -> Verdict:
    """Both or neither: undecided."""
    if for_a == for_b:
        return "undecided"
    return "a" if for_a else "b"
