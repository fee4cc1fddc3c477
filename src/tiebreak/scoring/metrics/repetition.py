"""How varied the words of a text are: distinct-n (Li et al. 2016), and the share of n-grams that repeat earlier ones.

Of a single text. A text too short to have an n-gram has no score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tiebreak.scoring.metric import Batch, Floats, Metric, Settings
from tiebreak.scoring.metrics.words import WORDS, ngrams, words_of


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
