"""What sacrebleu does: sentence BLEU, chrF and TER, with its own signatures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Metric, Need, Settings
from tiebreak.scoring.metrics.by_references import scored_by_references


class Score(Protocol):
    """What sacrebleu says of a text."""

    score: float


class Scorer(Protocol):
    """A metric of sacrebleu that holds the references of one item."""

    def corpus_score(self, hypotheses: Sequence[str], references: None) -> Any:
        """The score of texts against them."""


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
        scorer: Any = self.scorer(["text"])
        parts = (part.split(":", 1) for part in str(scorer.get_signature()).split("|"))
        return {key: value for key, value in parts if key != "nrefs"}

    def score(self, batch: Batch) -> Floats:
        return scored_by_references(batch, self._of)

    def _of(self, references: Sequence[str]) -> Callable[[str], float]:
        scorer = self.scorer(references)
        return lambda output: self.value(scorer.corpus_score([output], None))

    def value(self, found: Any) -> float:
        """The score in what sacrebleu found of one text."""
        return float(found.score)

    def scorer(self, references: Sequence[str]) -> Scorer:
        """Sacrebleu's metric with what it makes of references, once for all outputs of an item."""
        import sacrebleu.metrics

        made: Scorer = getattr(sacrebleu.metrics, self.kind)(
            references=[[one] for one in references], **dict(self.options)
        )
        return made
