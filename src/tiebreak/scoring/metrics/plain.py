"""What is counted in texts without any package: length, varied words, edits; and words as our metrics have them.

Neither more nor less length is better, but people and judges may lean to one side. Distinct-n (Li et al. 2016) and the
share of n-grams that repeat earlier ones are those of a single text; one too short to have an n-gram has no score.

Edit distance is that to the nearest reference, as a share of the longer text: 0 for the same text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import polars as pl

from tiebreak.evidence.derived import as_read, kept_characters, kept_words, words
from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Metric, Need, Settings

WORDS: Final = "tiebreak-words-1"
"""In signatures: runs of letters and digits, and single marks; in scripts without blanks single characters."""


def words_of(texts: Sequence[str], *, lower: bool = False) -> list[list[str]]:
    """The words of each text, punctuation marks among them."""
    read = as_read(pl.Series(texts, dtype=pl.String))
    return words(read.str.to_lowercase() if lower else read)


def ngrams(of: Sequence[str], order: int) -> list[tuple[str, ...]]:
    """All runs of so many words."""
    return list(zip(*(of[start:] for start in range(order)), strict=False))


@dataclass(frozen=True, kw_only=True)
class Length(Metric):
    """Units between blanks, or characters (Unicode code points), those at the ends left out."""

    unit: Literal["words", "characters"]
    higher_is_better: bool | None = None
    range: tuple[float, float] = (0.0, math.inf)

    def settings(self) -> Settings:
        return {"unit": self.unit, "v": 1}

    def score(self, batch: Batch) -> Floats:
        sizes = [len(text.split() if self.unit == "words" else text.strip()) for text in batch.outputs]
        return np.array(sizes, dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Distinct(Metric):
    """The number of different n-grams over that of all; `repeated`: what is missing to 1."""

    order: int
    repeated: bool = False

    def settings(self) -> Settings:
        return {"n": self.order, "tok": WORDS, "case": "lower", "v": 1}

    def score(self, batch: Batch) -> Floats:
        distinct = np.array([_distinct(ngrams(words, self.order)) for words in words_of(batch.outputs, lower=True)])
        return 1.0 - distinct if self.repeated else distinct


def _distinct(found: list[tuple[str, ...]]) -> float:
    return len(set(found)) / len(found) if found else float("nan")


@dataclass(frozen=True, kw_only=True)
class EditDistance(Metric):
    """Levenshtein's, over `unit`s: words and punctuation marks, or characters (as in the criteria of edits)."""

    unit: Literal["words", "characters"]
    higher_is_better: bool | None = False
    needs: frozenset[Need] = REFERENCES

    def settings(self) -> Settings:
        return {"unit": self.unit, "norm": "longer", "refs": "nearest", "v": 1}

    def score(self, batch: Batch) -> Floats:
        pairs = batch.pairs
        outputs, references = (pl.Series([pair[k] for pair in pairs], dtype=pl.String) for k in (0, 1))
        return 1.0 - batch.best((kept_words if self.unit == "words" else kept_characters)(outputs, references))


METRICS: Final = (
    EditDistance(name="edit-distance", words="share of words to change into the nearest reference", unit="words"),
    EditDistance(
        name="edit-distance-characters",
        words="share of characters to change into the nearest reference",
        unit="characters",
    ),
    Length(name="length", words="number of words", unit="words"),
    Length(name="length-characters", words="number of characters", unit="characters"),
    Distinct(name="distinct-1", words="different words per word", order=1),
    Distinct(name="distinct-2", words="different pairs of words per pair", order=2),
    Distinct(name="distinct-3", words="different runs of 3 words per run", order=3),
    Distinct(
        name="repetition",
        words="share of runs of 4 words that repeat an earlier one",
        order=4,
        repeated=True,
        higher_is_better=False,
    ),
)
