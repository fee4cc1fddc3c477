"""How the evidence of a pair grew with its labels: the paths behind its verdict, thinned for drawing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.results.curves import EvidenceCurve, looks
from tiebreak.rules.anytime import EvidencePaths
from tiebreak.rules.family import EvidenceVerdict

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def evidence_curve(pair: PairEvidence, paths: EvidencePaths, verdict: EvidenceVerdict) -> EvidenceCurve:
    """The curve of one pair, from the paths that gave the verdict: it crosses its threshold where the pair stopped."""
    units, stop = len(pair.sequence), verdict.stopped_at
    seen = looks(units, stop)
    if pair.clusters is None:
        items, labels = seen, np.cumsum(pair.labels[pair.in_sequence])
    else:  # a cluster stands for the mean number of items
        items, labels = np.rint(seen * pair.items.size / max(units, 1)).astype(np.int64), np.cumsum(pair.labels)
    return EvidenceCurve(
        criterion=pair.criterion,
        system_a=pair.system_a,
        system_b=pair.system_b,
        items=items,
        labels=np.concatenate([[0], labels]).astype(np.int64)[items],
        log_e_a=_at(paths.for_a, seen),
        log_e_b=_at(paths.for_b, seen),
        log_e_equivalent=_equivalent(paths, seen),
        log_threshold=verdict.log_threshold,
        log_threshold_equivalent=verdict.log_threshold_equivalent,
        stopped_at=None if stop is None else int(items[np.searchsorted(seen, stop)]),
    )


def _at(path: Floats, seen: Integers) -> Floats:
    return np.concatenate([[0.0], path])[seen]


def _equivalent(paths: EvidencePaths, seen: Integers) -> Floats | None:
    """Either side of an equivalence may have been reached earlier: what was rejected stays rejected."""
    if paths.equivalent_low is None or paths.equivalent_high is None:
        return None
    best = np.minimum(np.maximum.accumulate(paths.equivalent_low), np.maximum.accumulate(paths.equivalent_high))
    return _at(best, seen)
