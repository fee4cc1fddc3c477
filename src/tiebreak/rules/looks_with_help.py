"""The e-process of a pool whose labels come in looks, with a metric's help once the labels show that it predicts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import looks_help
from tiebreak.kernels.looks_help import HelpAtLooks
from tiebreak.rules.anytime import AnytimeProcess, EvidenceProcess, Priors, Times
from tiebreak.rules.sequence import ValueSequence

Floats = NDArray[np.float64]


class AssistedAtLooks(EvidenceProcess):
    """From human labels, and from the look at which it begins with the help of metrics whose values were sealed before.

    `assistance` was made from the same sequence, which has looks and a pool. `regression`: see `AssistedProcess`.
    """

    def __init__(
        self, sequence: ValueSequence, assistance: HelpAtLooks, priors: Priors, *, regression: bool = True
    ) -> None:
        if sequence.looks is None:
            raise ValueError("the sequence has no looks")
        self.sequence, self._ends, self._help = sequence, sequence.looks, assistance
        self._alone = AnytimeProcess(sequence, priors)
        self._prior = priors.assisted if regression else priors.bounded
        self._last_look = np.searchsorted(self._ends, np.arange(1, len(sequence) + 1), side="right")

    def log_e_path(self, side: int, null: float = 0.0, looks: Times = slice(None)) -> Floats:
        """As for every process: between looks it stays."""
        alone = self._alone.log_e_path(side, null)[self._ends - 1]
        values, unit_null = self.sequence.values(side, 0.0), self.sequence.unit_null(null)
        path = looks_help.log_e_at_looks(alone, values, self._ends, self._help, self._prior, side, unit_null)
        return np.concatenate([[0.0], path])[self._last_look][looks]
