"""COMET (Rei et al. 2020): a multilingual encoder that was trained to give the score people would give a translation.

By the package unbabel-comet, and a checkpoint that it can read; of several references the best counts. `comet-qe` needs
no reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from tiebreak.errors import TiebreakError
from tiebreak.scoring.metric import INPUT, REFERENCES, Batch, Floats, Need, Settings
from tiebreak.scoring.metrics.models import ModelMetric

_PAIRS_AT_ONCE: Final = 16
_DIGITS: Final = 6
_BOTH: Final[frozenset[Need]] = INPUT | REFERENCES


@dataclass(frozen=True, kw_only=True)
class Comet(ModelMetric):
    """The score of an output beside its input, and the best reference where the checkpoint takes one."""

    name: str = "comet"
    words: str = "what a trained encoder thinks of input, output and best reference"
    model: str = "Unbabel/wmt22-comet-da"
    range: tuple[float, float] = (-math.inf, math.inf)
    needs: frozenset[Need] = _BOTH
    packages: tuple[str, ...] = ("comet",)
    one_process: bool = True

    def check(self) -> None:
        if self.missing_package():
            raise TiebreakError(
                f"the metric {self.name} takes the package unbabel-comet, which is not installed: pip install "
                "unbabel-comet. Where its requirements do not go with tiebreak's, run it in an environment of its own, "
                "and bring the scores: tiebreak add STUDY scores.csv"
            )
        checkpoint_in(self.files)

    def settings(self) -> Settings:
        return {"model": self.identity, "refs": "best" if "references" in self.needs else "none", "v": 1}

    def score(self, batch: Batch) -> Floats:
        references = batch.references if "references" in self.needs else [("",)] * len(batch.outputs)
        pairs = [
            {"src": source, "mt": output} | ({"ref": one} if "references" in self.needs else {})
            for output, source, each in zip(batch.outputs, batch.inputs, references, strict=True)
            for one in each
        ]
        starts = np.cumsum([0, *(len(each) for each in references)])[:-1]
        best: Floats = np.maximum.reduceat(self._scores(pairs), starts)
        return np.round(best, _DIGITS)

    def _scores(self, pairs: Sequence[dict[str, str]]) -> Floats:
        model = _loaded(checkpoint_in(self.files))
        found = model.predict(list(pairs), batch_size=_PAIRS_AT_ONCE, gpus=_gpus(), progress_bar=False)
        return np.array(found.scores, dtype=np.float64)


def checkpoint_in(files: Path) -> Path:
    """The file with the weights, where COMET's own checkpoints have it.

    Raises:
        TiebreakError: there is none.
    """
    found = [files] if files.is_file() else sorted(files.rglob("*.ckpt"))
    if not found:
        raise TiebreakError(f"{files} holds no checkpoint of COMET (checkpoints/model.ckpt)")
    return found[0]


def _gpus() -> int:
    import torch

    return int(torch.cuda.is_available())


@lru_cache(maxsize=1)
def _loaded(checkpoint: Path) -> Any:
    import comet

    return comet.load_from_checkpoint(str(checkpoint))


METRICS: Final = (
    Comet(),
    Comet(
        name="comet-qe",
        words="what a trained encoder thinks of input and output",
        model="Unbabel/wmt20-comet-qe-da",
        needs=INPUT,
    ),
)
