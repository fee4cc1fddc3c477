"""What sacrebleu does: sentence BLEU, chrF and TER, with its own signatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Metric, Need, Settings
from tiebreak.scoring.metrics.by_references import by_references

_SHARED: Final = 3
"""Outputs with the same references from which it pays to prepare these once for all."""


@dataclass(frozen=True, kw_only=True)
class SacrebleuMetric(Metric):
    """A metric of sacrebleu; `kind`: its class there, `options`: other than the defaults."""

    kind: str
    options: tuple[tuple[str, int | bool], ...] = ()
    range: tuple[float, float] = (0.0, 100.0)
    needs: frozenset[Need] = REFERENCES
    packages: tuple[str, ...] = ("sacrebleu",)
    extra: str = "metrics"

    def settings(self) -> Settings:
        """Those of sacrebleu's signature, but for the number of references, which differs between items."""
        parts = (part.split(":", 1) for part in str(self._scorer(["text"]).get_signature()).split("|"))
        return {key: value for key, value in parts if key != "nrefs"}

    def score(self, batch: Batch) -> Floats:
        plain, scores = self._scorer(None), np.full(len(batch.outputs), np.nan)
        for references, rows in by_references(batch):
            shared = self._scorer(references) if len(rows) >= _SHARED else None
            for row in rows:
                output = batch.outputs[row]
                found = (
                    plain.sentence_score(output, references) if shared is None else shared.corpus_score([output], None)
                )
                scores[row] = self.value(found)
        return scores

    def value(self, found: Any) -> float:
        """The score in what sacrebleu found of one text."""
        return float(found.score)

    def _scorer(self, references: Sequence[str] | None) -> Any:
        """Sacrebleu's metric; with references, it holds what it makes of these for all outputs of an item."""
        import sacrebleu.metrics

        held = None if references is None else [[one] for one in references]
        return getattr(sacrebleu.metrics, self.kind)(references=held, **dict(self.options))
