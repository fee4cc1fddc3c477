"""Edit distance to the nearest reference, as a share of the longer text: 0 for the same text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import polars as pl

from tiebreak.evidence.derived.criteria import kept_characters, kept_words
from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Metric, Need, Settings


@dataclass(frozen=True, kw_only=True)
class EditDistance(Metric):
    """Levenshtein's, over `unit`s: words and punctuation marks, or characters (as in the criteria of edits)."""

    unit: Literal["words", "characters"]
    higher_is_better: bool | None = False
    needs: frozenset[Need] = REFERENCES

    def settings(self) -> Settings:
        return {"unit": self.unit, "norm": "longer", "refs": "nearest", "v": 1}

    def score(self, batch: Batch) -> Floats:
        counts = np.array([len(references) for references in batch.references])
        outputs = pl.Series(np.repeat(np.array(batch.outputs, dtype=object), counts), dtype=pl.String)
        references = pl.Series([one for each in batch.references for one in each], dtype=pl.String)
        kept = (kept_words if self.unit == "words" else kept_characters)(outputs, references)
        return 1.0 - np.maximum.reduceat(kept, np.concatenate([[0], np.cumsum(counts)[:-1]]))


METRICS: Final = (
    EditDistance(name="edit-distance", words="share of words to change into the nearest reference", unit="words"),
    EditDistance(
        name="edit-distance-characters",
        words="share of characters to change into the nearest reference",
        unit="characters",
    ),
)
