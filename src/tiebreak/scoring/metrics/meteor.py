"""METEOR (Banerjee & Lavie 2005): words aligned exactly, then by stem, then, if asked for, by WordNet's synonyms.

With m aligned words in c unbroken runs, precision P and recall R: F = PR / (.9 P + .1 R), less the share .5 (c/m)^3.
The parameters are the original ones, and words are unweighted; METEOR 1.5 has others. Of several references the best
counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Metric, Need, Settings
from tiebreak.scoring.metrics.alignment import Alignment
from tiebreak.scoring.metrics.by_references import texts_of
from tiebreak.scoring.metrics.rouge import porter
from tiebreak.scoring.metrics.wordnet import Meaning, wordnet, wordnet_folder
from tiebreak.scoring.metrics.words import WORDS, words_of

_ALPHA: Final = 0.9
_BETA: Final = 3
_GAMMA: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Text:
    """A text's words, their stems and their meanings; meanings are empty where they are not looked at."""

    words: list[str]
    stems: list[str]
    meanings: list[frozenset[Meaning]]


@dataclass(frozen=True, kw_only=True)
class Meteor(Metric):
    """The score of the best reference; `synonyms`: WordNet's count, too."""

    synonyms: bool = False
    needs: frozenset[Need] = REFERENCES
    packages: tuple[str, ...] = ("nltk",)
    extra: str = "metrics"

    def check(self) -> None:
        super().check()
        if self.synonyms:
            wordnet_folder()

    def settings(self) -> Settings:
        matched = f"exact,stem,wordnet-{wordnet().version}" if self.synonyms else "exact,stem"
        return {"match": matched, "par": f"{_ALPHA},{_BETA},{_GAMMA}", "align": "runs", "tok": WORDS, "v": 1}

    def score(self, batch: Batch) -> Floats:
        texts = texts_of(batch)
        read = {text: self._read(words) for text, words in zip(texts, words_of(texts, lower=True), strict=True)}
        rows = zip(batch.outputs, batch.references, strict=True)
        return np.array([max(_score(read[output], read[one]) for one in each) for output, each in rows])

    def _read(self, words: list[str]) -> _Text:
        meanings = [wordnet().meanings(word) for word in words] if self.synonyms else []
        return _Text(words, [porter().stem(word) for word in words], meanings)


def _score(output: _Text, reference: _Text) -> float:
    aligned = Alignment()
    aligned.extend(output.words, reference.words)
    aligned.extend(output.stems, reference.stems)
    if output.meanings:
        aligned.extend_by(_synonyms(aligned, output, reference))
    matches = len(aligned.pairs)
    if not matches:
        return 0.0
    precision, recall = matches / len(output.words), matches / len(reference.words)
    mean = precision * recall / (_ALPHA * precision + (1 - _ALPHA) * recall)
    return float(mean * (1 - _GAMMA * (aligned.chunks / matches) ** _BETA))


def _synonyms(aligned: Alignment, output: _Text, reference: _Text) -> set[tuple[int, int]]:
    """Places left whose words share a meaning."""
    return {
        (i, j)
        for i, meanings in enumerate(output.meanings)
        if meanings and i not in aligned.pairs
        for j, others in enumerate(reference.meanings)
        if j not in aligned.taken and not meanings.isdisjoint(others)
    }


METRICS: Final = (
    Meteor(name="meteor", words="words and stems aligned with the best reference, in few runs"),
    Meteor(name="meteor-wordnet", words="words, stems and WordNet's synonyms aligned, in few runs", synonyms=True),
)
