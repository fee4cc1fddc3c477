"""BERTScore (Zhang et al. 2020): each token goes with the most similar one of the other text; F1 of these cosines.

Without weights of rare words and without rescaling, as the authors' package computes it by default; of several
references the best counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Need, Settings
from tiebreak.scoring.metrics.encoders import TokenStates, encoder, normed
from tiebreak.scoring.metrics.models import ModelMetric
from tiebreak.scoring.metrics.texts import texts_of

_LAYERS: Final[Mapping[str, int]] = {
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "bert-base-cased": 10,
    "bert-base-multilingual-cased": 9,
    "distilbert-base-uncased": 5,
    "roberta-base": 10,
    "roberta-large": 17,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
    "deberta-large-mnli": 18,
    "deberta-xlarge-mnli": 40,
}
"""The authors' choices, by the last part of a model's name; of another model three quarters of its depth."""

_DIGITS: Final = 6


@dataclass(frozen=True, kw_only=True)
class BertScore(ModelMetric):
    """The F1 of the best reference."""

    name: str = "bertscore"
    words: str = "tokens alike in an encoder's eyes, with the best reference (F1)"
    model: str = "roberta-large"
    range: tuple[float, float] = (-1.0, 1.0)
    needs: frozenset[Need] = REFERENCES
    packages: tuple[str, ...] = ("torch", "transformers")
    extra: str = "evaluator"
    one_process: bool = True

    def settings(self) -> Settings:
        return {"model": self.identity, "layer": self._layer, "f": 1, "idf": "no", "refs": "best", "v": 1}

    @property
    def _layer(self) -> int:
        depth = encoder(self.files).depth
        return min(_LAYERS.get(Path(self.model).name, round(0.75 * depth)), depth)

    def score(self, batch: Batch) -> Floats:
        texts = texts_of(batch)
        found = encoder(self.files).states(texts, self._layer)
        states = {texts[row]: TokenStates(normed(of.states), of.own) for row, of in found}
        rows = zip(batch.outputs, batch.references, strict=True)
        best = [max(_f1(states[output], states[one]) for one in references) for output, references in rows]
        return np.clip(np.round(np.array(best), _DIGITS), -1.0, 1.0)


def _f1(output: TokenStates, reference: TokenStates) -> float:
    if not output.own.any() or not reference.own.any():
        return float("nan")
    alike = output.states @ reference.states.T
    precision = float(alike.max(axis=1)[output.own].mean())
    recall = float(alike.max(axis=0)[reference.own].mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


METRICS: Final = (BertScore(),)
