"""COMET (Rei et al. 2020): a multilingual encoder that was trained to give the score people would give a translation.

By the package unbabel-comet, and a checkpoint that it can read; of several references the best counts. `comet-qe` needs
no reference.
"""

from __future__ import annotations

import math
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
    extra: str = ""

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
        if "references" not in self.needs:
            rows = zip(batch.outputs, batch.inputs, strict=True)
            return np.round(self._scores([{"src": source, "mt": output} for output, source in rows]), _DIGITS)
        inputs = [given for given, own in zip(batch.inputs, batch.references, strict=True) for _ in own]
        pairs = zip(inputs, batch.pairs, strict=True)
        triples = [{"src": source, "mt": output, "ref": reference} for source, (output, reference) in pairs]
        return np.round(batch.best(self._scores(triples)), _DIGITS)

    def _scores(self, rows: list[dict[str, str]]) -> Floats:
        import torch

        model, gpus = _loaded(checkpoint_in(self.files)), int(torch.cuda.is_available())
        found = model.predict(rows, batch_size=_PAIRS_AT_ONCE, gpus=gpus, progress_bar=False)
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
