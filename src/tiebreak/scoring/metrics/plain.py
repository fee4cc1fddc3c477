"""What is counted in a text alone: its length, and how varied its words are.

Neither more nor less length is better, but people and judges may lean to one side. Distinct-n (Li et al. 2016) and the
share of n-grams that repeat earlier ones are those of a single text; one too short to have an n-gram has no score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from tiebreak.scoring.metric import Batch, Floats, Metric, Settings
from tiebreak.scoring.metrics.texts import WORDS, ngrams, words_of


@dataclass(frozen=True, kw_only=True)
class Length(Metric):
    """Units between blanks, or characters (Unicode code points), those at the ends left out."""

    unit: Literal["words", "characters"]
    higher_is_better: bool | None = None
    range: tuple[float, float] = (0.0, math.inf)

    def settings(self) -> Settings:
        return {"unit": self.unit, "v": 1}

    def score(self, batch: Batch) -> Floats:
        if self.unit == "words":
            return np.array([len(text.split()) for text in batch.outputs], dtype=np.float64)
        return np.array([len(text.strip()) for text in batch.outputs], dtype=np.float64)


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


METRICS: Final = (
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
