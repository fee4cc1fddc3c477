"""How the evidence of each pair grew with its labels: the paths behind the verdicts of `compare`, for drawing.

The result of `compare` keeps only maxima. The paths are computed again from the study, by the same processes and the
same rule, so that a curve crosses its threshold exactly where the result says that the pair stopped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.processes import evidence_settings, family_rule, pair_processes
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.evidence.automatic import automatic_pairs, chosen_values
from tiebreak.evidence.study_evidence import PairEvidence, StudyEvidence, study_evidence
from tiebreak.results.records import CompareResult
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.anytime import EvidencePaths, EvidenceProcess, Priors, evidence_paths
from tiebreak.rules.family import EvidenceVerdict, decide_family

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
    """Whether these settings decide by evidence that can be drawn against the number of items."""
    return settings.rule == "anytime"


def evidence_curves(study: Study, result: CompareResult, points: int = POINTS) -> tuple[EvidenceCurve, ...]:
    """One curve per criterion and pair, in the order of `result`; none where its method has no such evidence.

    `study`: the one that was compared. `points` >= 3 bounds the points of a curve; the first, the last and the one
    where the pair stopped are kept.

    Raises:
        ValueError: fewer than 3 points.
        UsageError: the study does not hold the labels that the result was made from.
    """
    if points < 3:
        raise ValueError(f"a curve needs at least 3 points, not {points}")
    settings = result.settings
    if settings is None or not has_evidence_curves(settings):
        return ()
    chosen = compared_part(study, result)
    evidence = study_evidence(chosen, [found.criterion for found in result.results], evidence_settings(settings))
    pairs = [pair for criterion in evidence.criteria for pair in criterion.pairs]
    processes = _processes(chosen, evidence, settings)
    paths = [evidence_paths(process, settings.margin) for process in processes]
    verdicts = decide_family(paths, family_rule(settings, evidence.order))
    return tuple(_curve(*found, points) for found in zip(pairs, paths, verdicts, strict=True))


def compared_part(study: Study, result: CompareResult) -> Study:
    """The systems and annotators of the study that the result compares.

    Raises:
        UsageError: the study does not hold the labels that the result was made from.
    """
    terms, chosen = result.terms, study
    if terms.systems is not None or terms.annotators is not None:
        chosen = study.select(systems=terms.systems, annotators=terms.annotators)
    if chosen.label_fingerprint != result.study["fingerprint"]:
        raise UsageError(
            f"the study {study.name} does not hold the labels of this result (of study {result.study['name']}): give "
            "the study that was compared, or none"
        )
    return chosen


def _processes(study: Study, evidence: StudyEvidence, settings: CompareSettings) -> list[EvidenceProcess]:
    """The process of every pair, with the help of metrics and judges where they were asked for and can help."""
    pairs = [pair for criterion in evidence.criteria for pair in criterion.pairs]
    values = [
        chosen_values(study, criterion.criterion, evidence.index, settings.metrics, settings.judges)
        for criterion in (evidence.criteria if settings.metrics or settings.judges else ())
    ]
    automatic = automatic_pairs(evidence, values, settings.seed)
    return [found.used for found in pair_processes(pairs, automatic, settings, evidence.order, Priors.default())]


def _curve(pair: PairEvidence, paths: EvidencePaths, verdict: EvidenceVerdict, points: int) -> EvidenceCurve:
    units = len(pair.sequence)
    looks = _looks(units, verdict.stopped_at, points)
    if pair.clusters is None:
        items, labels = looks, np.cumsum(pair.labels[pair.in_sequence])
    else:  # a cluster stands for the mean number of items
        items, labels = np.rint(looks * pair.items.size / max(units, 1)).astype(np.int64), np.cumsum(pair.labels)
    stop = verdict.stopped_at
    return EvidenceCurve(
        criterion=pair.criterion,
        system_a=pair.system_a,
        system_b=pair.system_b,
        items=items,
        labels=np.concatenate([[0], labels]).astype(np.int64)[items],
        log_e_a=_at(paths.for_a, looks),
        log_e_b=_at(paths.for_b, looks),
        log_e_equivalent=_equivalent(paths, looks),
        log_threshold=verdict.log_threshold,
        log_threshold_equivalent=verdict.log_threshold_equivalent,
        stopped_at=None if stop is None else int(items[np.searchsorted(looks, stop)]),
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
