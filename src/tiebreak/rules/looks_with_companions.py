"""The e-process of a claim about inputs like these whose labels come in looks, with a metric and companions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import companion_sets
from tiebreak.kernels.companion_sets import CompanionSets
from tiebreak.rules.anytime import EvidenceProcess, Times
from tiebreak.rules.sequence import ValueSequence

Floats = NDArray[np.float64]


class CompaniedAtLooks(EvidenceProcess):
    """From human labels of the first labelled items of sets, which were drawn before, and their rank by a metric.

    `companions`: of the units of the sequence, which has looks and no pool. Looks may be chosen by whatever is known,
    also of metric values and of the order of labels to come (`companion_sets` has why).

    Raises:
        ValueError: the sequence has no looks, or is of a pool or of clusters.
    """

    def __init__(self, sequence: ValueSequence, companions: CompanionSets) -> None:
        if sequence.looks is None or sequence.pool_size is not None or sequence.weights is not None:
            raise ValueError("companions need a sequence of single inputs with looks")
        self.sequence, self._ends, self._companions = sequence, sequence.looks, companions
        self._last_look = np.searchsorted(self._ends, np.arange(1, len(sequence) + 1), side="right")

    def log_e_path(self, side: int, null: float = 0.0, looks: Times = slice(None)) -> Floats:
        """As for every process: between looks it stays."""
        values, scores = self.sequence.values(side, 0.0), side * self._companions.scores
        null = self.sequence.unit_null(null)
        path = companion_sets.log_e_at_looks(values, scores, self._companions.sets, self._ends, null)
        return np.concatenate([[0.0], path])[self._last_look][looks]
