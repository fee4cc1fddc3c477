"""METEOR (Banerjee & Lavie 2005) by nltk: words aligned exactly, then by stem, then by WordNet's synonyms.

With nltk's parameters; of several references the best counts. Synonyms count where nltk finds the data of WordNet when
a scoring begins, and the signature says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, Final, Self

from tiebreak.errors import TiebreakError
from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Metric, Need, Settings
from tiebreak.scoring.metrics.plain import WORDS, words_of
from tiebreak.scoring.metrics.rouge import porter


@dataclass(frozen=True, kw_only=True)
class Meteor(Metric):
    """The score of the best reference; `synonyms`: the version of WordNet whose synonyms count, "" for none."""

    name: str = "meteor"
    words: str = "words, stems and synonyms aligned with the best reference, in few runs"
    needs: frozenset[Need] = REFERENCES
    packages: tuple[str, ...] = ("nltk",)
    extra: str = "metrics"
    synonyms: str = ""

    def fitted(self, references: Iterable[Sequence[str]]) -> Self:  # noqa: ARG002
        """With the synonyms that are here: another computer that shares the work has to have them too."""
        return replace(self, synonyms=str(wordnet().get_version()) if wordnet() else "")

    def settings(self) -> Settings:
        synonyms = f",wordnet-{self.synonyms}" if self.synonyms else ""
        return {"match": f"exact,stem{synonyms}", "refs": "best", "tok": WORDS, "version": version("nltk")}

    def score(self, batch: Batch) -> Floats:
        from nltk.translate.meteor_score import meteor_score

        if self.synonyms and not wordnet():
            raise TiebreakError(
                "meteor counts WordNet's synonyms, whose data is not on the computer that has to score: python -m "
                "nltk.downloader wordnet"
            )
        words = dict(zip(batch.texts, words_of(batch.texts), strict=True))
        by: dict[str, Any] = {"stemmer": porter(), "wordnet": wordnet() if self.synonyms else _NO_SYNONYMS}
        return batch.scored(words, lambda output, references: meteor_score(references, output, **by))


_NO_SYNONYMS: Final = SimpleNamespace(synsets=lambda _: [])
"""Takes WordNet's place where its data is not installed."""


@cache
def wordnet() -> Any:
    """nltk's reader of WordNet; None where its data is not installed."""
    from nltk import corpus

    try:
        corpus.wordnet.ensure_loaded()
    except LookupError:
        return None
    return corpus.wordnet


METRICS: Final = (Meteor(),)
