"""From evidence paths of many pairs to verdicts, with the error controlled over the whole family.

Conventions: alpha bounds the chance of any wrong verdict. A single pair decides a direction at E >= 2/alpha and an
equivalence at 1/alpha on both of its sides; K pairs at 2K/alpha and K/alpha (Bonferroni), or by Holm's steps. A
reached verdict stands; a direction goes before an equivalence, and both are reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import multiplicity as kernel
from tiebreak.records import Verdict
from tiebreak.rules.anytime import EvidencePaths
from tiebreak.rules.registry import Multiplicity

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FamilyRule:
    """How the family's error is controlled.

    `independent_stops`: no pair stopped because of what other pairs showed (complete data, looked at once). e-BH
    then takes frozen e-values; otherwise the false discovery rate is controlled by Benjamini-Yekutieli on running
    maxima.
    """

    alpha: float
    multiplicity: Multiplicity
    independent_stops: bool = True

    @property
    def by_discoveries(self) -> bool:
        """Whether the false discovery rate is controlled, and not the chance of any error."""
        return self.multiplicity in ("fdr", "fdr-any")

    @property
    def by_e_bh(self) -> bool:
        """Whether that is done by e-BH, on frozen e-values."""
        return self.multiplicity == "fdr" and self.independent_stops


@dataclass(frozen=True, slots=True)
class EvidenceVerdict:
    """The verdict on one pair. `stopped_at`: units after which the first verdict was reached, None if undecided.

    `also`: a second verdict that was reached too. `log_e_*`: running maxima of log E (for equivalence of the smaller
    side). `log_threshold`: what a direction of this pair faces (or faced); `log_threshold_equivalent` likewise.
    """

    verdict: Verdict
    also: Verdict | None
    stopped_at: int | None
    log_e_a: float
    log_e_b: float
    log_e_equivalent: float | None
    log_threshold: float
    log_threshold_equivalent: float | None


def simultaneous_log_threshold(pairs: int, rule: FamilyRule) -> float:
    """One-sided threshold of the intervals: simultaneous over the family, except under `fdr` and `none`."""
    family = pairs if rule.multiplicity in ("holm", "bonferroni") else 1
    return float(np.log(2 * family / rule.alpha))


def decide_family(paths: Sequence[EvidencePaths], rule: FamilyRule) -> list[EvidenceVerdict]:
    """One verdict per pair. All pairs must have been given the same margin, or none."""
    if not paths:
        return []
    with_margin = paths[0].equivalent_low is not None
    directions = _direction_thresholds(paths, rule, with_margin)
    equivalence = _equivalence_threshold(paths, rule) if with_margin else None
    stops_at = None
    if rule.by_e_bh:
        stops_at = float(np.log(len(paths) * (3 if with_margin else 2) / rule.alpha))
    return [_verdict(path, float(directions[k]), equivalence, stops_at) for k, path in enumerate(paths)]


def _direction_thresholds(paths: Sequence[EvidencePaths], rule: FamilyRule, with_margin: bool) -> Floats:
    """(K,) log thresholds of the directions; infinite where the family's procedure rejects nothing."""
    pairs = len(paths)
    if rule.multiplicity == "holm" and not with_margin:
        sup = np.array([[_sup(path.for_a), _sup(path.for_b)] for path in paths])
        return kernel.holm_directions(sup, rule.alpha).log_threshold
    if rule.by_discoveries:
        return np.full(pairs, _fdr_threshold(paths, rule))
    family = 1 if rule.multiplicity == "none" else pairs
    return np.full(pairs, np.log(2 * family / rule.alpha))


def _equivalence_threshold(paths: Sequence[EvidencePaths], rule: FamilyRule) -> float:
    if rule.by_discoveries:
        return _fdr_threshold(paths, rule)
    family = 1 if rule.multiplicity == "none" else len(paths)
    return float(np.log(family / rule.alpha))


def _fdr_threshold(paths: Sequence[EvidencePaths], rule: FamilyRule) -> float:
    """The common log threshold that e-BH (or Benjamini-Yekutieli) arrives at; nothing rejected: that of one.

    With no rejection the threshold is what a first rejection would need.
    """
    candidates = [p for path in paths for p in (path.for_a, path.for_b, path.log_e_equivalent()) if p is not None]
    total = len(candidates)
    if rule.by_e_bh:
        alone = np.log(total / rule.alpha)
        found = int(kernel.e_bh(np.array([_frozen(path, alone) for path in candidates]), rule.alpha).sum())
        return float(alone - np.log(max(found, 1)))
    sup = np.array([_sup(path) for path in candidates])
    found = int(kernel.benjamini_yekutieli(kernel.p_from_sup(sup), rule.alpha).sum())
    harmonic = float(np.sum(1.0 / np.arange(1, total + 1)))
    return float(np.log(total * harmonic / rule.alpha) - np.log(max(found, 1)))


def _verdict(
    paths: EvidencePaths, direction: float, equivalence: float | None, stops_at: float | None
) -> EvidenceVerdict:
    """`stops_at`: under e-BH a path counts with its value where it reached this, else with its last; None: sup E."""

    def rejected(path: Floats | None, threshold: float) -> bool:
        return stops_at is None or (path is not None and _frozen(path, stops_at) >= threshold)

    at_a = _first(paths.for_a, direction) if rejected(paths.for_a, direction) else None
    at_b = _first(paths.for_b, direction) if rejected(paths.for_b, direction) else None
    at_equivalent = None
    log_e_equivalent = None
    if equivalence is not None and paths.equivalent_low is not None and paths.equivalent_high is not None:
        # Either side may have been reached earlier than the other: a rejected null stays rejected.
        both = np.minimum(np.maximum.accumulate(paths.equivalent_low), np.maximum.accumulate(paths.equivalent_high))
        at_equivalent = _first(both, equivalence) if rejected(paths.log_e_equivalent(), equivalence) else None
        log_e_equivalent = _sup(both)
    reached: list[tuple[int, Verdict]] = []
    if at_a is not None:
        reached.append((at_a, "a"))
    if at_b is not None:
        reached.append((at_b, "b"))
    reached.sort()
    if at_equivalent is not None:
        reached.append((at_equivalent, "equivalent"))
    return EvidenceVerdict(
        verdict=reached[0][1] if reached else "undecided",
        also=reached[1][1] if len(reached) > 1 else None,
        stopped_at=min(at for at, _ in reached) if reached else None,
        log_e_a=_sup(paths.for_a),
        log_e_b=_sup(paths.for_b),
        log_e_equivalent=log_e_equivalent,
        log_threshold=direction,
        log_threshold_equivalent=equivalence,
    )


def _sup(path: Floats) -> float:
    return float(path.max()) if path.size else 0.0


def _frozen(path: Floats, log_threshold: float) -> float:
    """log E at the first time it reaches the threshold of a family of one, where the pair stops; else the last."""
    at = _first(path, log_threshold)
    if at is not None:
        return float(path[at - 1])
    return float(path[-1]) if path.size else 0.0


def _first(path: Floats, log_threshold: float) -> int | None:
    reached = path >= log_threshold
    return int(np.argmax(reached)) + 1 if reached.any() else None
