"""How the evidence of each pair grew with its labels: the paths behind the verdicts of `compare`, for drawing.

The result of `compare` keeps only maxima. The paths are computed again from the study, by the same processes and the
same rule, so that a curve crosses its threshold exactly where the result says that the pair stopped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.analysis.evidence import EvidenceSettings, PairEvidence, study_evidence
from tiebreak.analysis.settings import CompareSettings
from tiebreak.data.study import Study
from tiebreak.decisions.anytime import AnytimeProcess, EvidencePaths, Priors, evidence_paths
from tiebreak.decisions.family import EvidenceVerdict, FamilyRule, decide_family

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

POINTS = 200
"""Points of a curve unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class EvidenceCurve:
    """Natural log E of one pair after some of its items, in the order in which they were labelled.

    `items`, `labels` (k,): items and human labels seen, both starting at 0. `log_e_a`, `log_e_b` (k,): evidence that
    a, that b is better. `log_e_equivalent` (k,): evidence that the difference is inside the margin, the smaller of
    the best that either side has reached so far; None without a margin. `log_threshold`, `log_threshold_equivalent`:
    what the evidence must reach (infinite: nothing in this family would do). `stopped_at`: items after which there
    was a verdict, None if there is none; it is among `items`.
    """

    criterion: str | None
    system_a: str
    system_b: str
    items: Integers
    labels: Integers
    log_e_a: Floats
    log_e_b: Floats
    log_e_equivalent: Floats | None
    log_threshold: float
    log_threshold_equivalent: float | None
    stopped_at: int | None


def has_evidence_curves(settings: CompareSettings) -> bool:
    """Whether these settings decide by evidence from human labels that can be drawn against their number."""
    return settings.method == "anytime" and settings.human and not (settings.metrics or settings.judges)


def evidence_curves(study: Study, settings: CompareSettings, points: int = POINTS) -> tuple[EvidenceCurve, ...]:
    """One curve per criterion and pair, in the order of `compare`; none where the method has no such evidence.

    `points` >= 3 bounds the points of a curve; the first, the last and the one where the pair stopped are kept.

    Raises:
        ValueError: fewer than 3 points.
        UsageError: a system or annotator that the study does not have.
    """
    if points < 3:
        raise ValueError(f"a curve needs at least 3 points, not {points}")
    if not has_evidence_curves(settings):
        return ()
    chosen = study
    if settings.systems is not None or settings.annotators is not None:
        chosen = study.select(systems=settings.systems, annotators=settings.annotators)
    criteria = chosen.criteria if settings.criteria is None else tuple(dict.fromkeys(settings.criteria))
    rules = EvidenceSettings(settings.labels, settings.tie_threshold, settings.target, settings.seed, settings.baseline)
    evidence = study_evidence(chosen, criteria, rules)
    pairs = [pair for criterion in evidence.criteria for pair in criterion.pairs]
    priors = Priors.default()
    paths = [evidence_paths(AnytimeProcess(pair.sequence, priors), settings.margin) for pair in pairs]
    rule = FamilyRule(settings.alpha, settings.multiplicity, independent_stops=evidence.order == "exchangeable")
    verdicts = decide_family(paths, rule)
    return tuple(_curve(*found, points) for found in zip(pairs, paths, verdicts, strict=True))


def _curve(pair: PairEvidence, paths: EvidencePaths, verdict: EvidenceVerdict, points: int) -> EvidenceCurve:
    units = len(pair.sequence)
    looks = _looks(units, verdict.stopped_at, points)
    items = np.rint(looks * pair.items.size / max(units, 1)).astype(np.int64)
    labels = np.concatenate([[0], np.cumsum(pair.labels)]).astype(np.int64)
    return EvidenceCurve(
        criterion=pair.criterion,
        system_a=pair.system_a,
        system_b=pair.system_b,
        items=items,
        labels=labels[items],
        log_e_a=_at(paths.for_a, looks),
        log_e_b=_at(paths.for_b, looks),
        log_e_equivalent=_equivalent(paths, looks),
        log_threshold=verdict.log_threshold,
        log_threshold_equivalent=verdict.log_threshold_equivalent,
        stopped_at=None if verdict.stopped_at is None else round(verdict.stopped_at * pair.items.size / units),
    )


def _looks(units: int, stopped_at: int | None, points: int) -> Integers:
    """At most `points` numbers of units from 0 to all of them, with the one where the pair stopped among them."""
    if units + 1 <= points:
        return np.arange(units + 1)
    looks = np.linspace(0, units, points - 1).round().astype(np.int64)
    return looks if stopped_at is None else np.union1d(looks, [stopped_at])


def _at(path: Floats, looks: Integers) -> Floats:
    return np.concatenate([[0.0], path])[looks]


def _equivalent(paths: EvidencePaths, looks: Integers) -> Floats | None:
    """Either side of an equivalence may have been reached earlier: what was rejected stays rejected."""
    if paths.equivalent_low is None or paths.equivalent_high is None:
        return None
    best = np.minimum(np.maximum.accumulate(paths.equivalent_low), np.maximum.accumulate(paths.equivalent_high))
    return _at(best, looks)
