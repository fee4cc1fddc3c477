"""BLEURT (Sellam, Das & Parikh 2020): a BERT that was trained to give the score people would give.

By a checkpoint that transformers can read, with one output; of several references the best counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from tiebreak.errors import TiebreakError
from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Need, Settings
from tiebreak.scoring.metrics.models import ModelMetric, device_of, quietly, torch_and_transformers

_PAIRS_AT_ONCE: Final = 32
_LONGEST: Final = 512
_DIGITS: Final = 6


@dataclass(frozen=True, kw_only=True)
class Bleurt(ModelMetric):
    """The score beside the best reference."""

    name: str = "bleurt"
    words: str = "what a trained BERT thinks of output and best reference"
    model: str = "Elron/bleurt-base-512"
    range: tuple[float, float] = (-math.inf, math.inf)
    needs: frozenset[Need] = REFERENCES
    packages: tuple[str, ...] = ("torch", "transformers")
    extra: str = "evaluator"
    one_process: bool = True

    def settings(self) -> Settings:
        return {"model": self.identity, "refs": "best", "max": _LONGEST, "v": 1}

    def score(self, batch: Batch) -> Floats:
        rows = zip(batch.outputs, batch.references, strict=True)
        pairs = [(one, output) for output, references in rows for one in references]
        counts = np.cumsum([0, *(len(references) for references in batch.references)])[:-1]
        scores = regressor(self.files).scores(pairs)
        best: Floats = np.maximum.reduceat(scores, counts)
        return np.round(best, _DIGITS)


class BleurtRegressor:
    """A model that gives a pair of texts a number."""

    def __init__(self, folder: Path) -> None:
        self._torch, transformers = torch_and_transformers()
        self._device = device_of(self._torch)
        with quietly(transformers):
            self._tokens = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = transformers.AutoModelForSequenceClassification.from_pretrained(folder, local_files_only=True)
        if model.config.num_labels != 1:
            raise TiebreakError(
                f"the model in {folder} has {model.config.num_labels} outputs, and a checkpoint of BLEURT has one"
            )
        self._model = model.float().to(self._device).eval()

    def scores(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Of each (reference, output) (n,)."""
        order = sorted(range(len(pairs)), key=lambda k: len(pairs[k][0]) + len(pairs[k][1]))
        found = np.empty(len(pairs))
        for start in range(0, len(order), _PAIRS_AT_ONCE):
            rows = order[start : start + _PAIRS_AT_ONCE]
            first, second = zip(*(pairs[row] for row in rows), strict=True)
            encoded = self._tokens(
                list(first), list(second), padding=True, truncation=True, max_length=_LONGEST, return_tensors="pt"
            )
            with self._torch.inference_mode():
                found[rows] = self._model(**encoded.to(self._device)).logits[:, 0].cpu().numpy()
        return found


@lru_cache(maxsize=1)
def regressor(folder: Path) -> BleurtRegressor:
    """A model, loaded once."""
    return BleurtRegressor(folder)


METRICS: Final = (Bleurt(),)
