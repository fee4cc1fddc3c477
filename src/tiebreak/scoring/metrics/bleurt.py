"""BLEURT (Sellam, Das & Parikh 2020): a BERT that was trained to give the score people would give.

By a checkpoint that transformers can read, with one output; of several references the best counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from tiebreak.errors import TiebreakError
from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Need, Settings
from tiebreak.scoring.metrics.models import LONGEST, LoadedModel, ModelMetric, load, rows_by_length

_PAIRS_AT_ONCE: Final = 32
_DIGITS: Final = 6


@dataclass(frozen=True, kw_only=True)
class Bleurt(ModelMetric):
    """The score beside the best reference."""

    name: str = "bleurt"
    words: str = "what a trained BERT thinks of output and best reference"
    model: str = "Elron/bleurt-base-512"
    range: tuple[float, float] = (-math.inf, math.inf)
    needs: frozenset[Need] = REFERENCES

    def settings(self) -> Settings:
        return {"model": self.identity, "refs": "best", "max": LONGEST, "v": 1}

    def score(self, batch: Batch) -> Floats:
        torch, tokenizer, model, device = _loaded(self.files)
        pairs = batch.pairs
        found = np.empty(len(pairs))
        for rows in rows_by_length([len(output) + len(reference) for output, reference in pairs], _PAIRS_AT_ONCE):
            outputs, references = zip(*(pairs[row] for row in rows), strict=True)
            encoded = tokenizer(
                list(references), list(outputs), padding=True, truncation=True, max_length=LONGEST, return_tensors="pt"
            )
            with torch.inference_mode():
                found[rows] = model(**encoded.to(device)).logits[:, 0].cpu().numpy()
        return np.round(batch.best(found), _DIGITS)


@lru_cache(maxsize=1)
def _loaded(folder: Path) -> LoadedModel:
    """A model that gives a pair of texts a number, loaded once."""
    loaded = load(folder, "AutoModelForSequenceClassification")
    outputs = loaded.model.config.num_labels
    if outputs != 1:
        raise TiebreakError(f"the model in {folder} has {outputs} outputs, and a checkpoint of BLEURT has one")
    return loaded


METRICS: Final = (Bleurt(),)
