"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004): F1 of shared words, pairs of words, or the longest common subsequence.

Against a source, which is longer than any summary of it, F1 mostly says how long a summary is; precision says how much
of the summary stands in the source.

Words are those of the package rouge-score, with Porter's stems (`-m` of ROUGE-1.5.5); scores are its scores. Of several
references the best counts, as there. Its words are runs of a-z and 0-9: a text without any has no score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, Final, Literal

from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Metric, Need, Settings

Kind = Literal["1", "2", "L"]
Words = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Rouge(Metric):
    """The F1, or the precision, of what `kind` counts."""

    kind: Kind
    precision: bool = False
    needs: frozenset[Need] = REFERENCES
    packages: tuple[str, ...] = ("rouge_score", "nltk")
    extra: str = "metrics"

    def settings(self) -> Settings:
        return {
            "part": "precision" if self.precision else "f1",
            "stem": "porter",
            "refs": "best",
            "tok": "rouge-score",
            "version": version("rouge-score"),
        }

    def score(self, batch: Batch) -> Floats:
        stems = ((text, stemmed_words(text)) for text in batch.texts)
        return batch.scored({text: self._counted(words) for text, words in stems if words}, self._best)

    def _best(self, output: Any, references: Sequence[Any]) -> float:
        return max(self._share(output, reference) for reference in references)

    def _counted(self, words: Words) -> Any:
        """What is compared: all words, or how often each n-gram stands."""
        if self.kind == "L":
            return words
        order = int(self.kind)
        return Counter(zip(*(words[start:] for start in range(order)), strict=False))

    def _share(self, output: Any, reference: Any) -> float:
        if self.kind == "L":
            from rapidfuzz.distance import LCSseq

            shared, sizes = LCSseq.similarity(output, reference), (len(output), len(reference))
        else:
            shared = sum(min(count, reference[ngram]) for ngram, count in output.items() if ngram in reference)
            sizes = (output.total(), reference.total())
        precision, recall = (shared / max(size, 1) for size in sizes)
        if self.precision:
            return float(precision)
        return 2 * precision * recall / (precision + recall) if shared else 0.0


@cache
def porter() -> SimpleNamespace:
    """The stemmer of this process, which remembers words, since texts repeat theirs; nltk, whose it is, comes with
    rouge-score.
    """
    from nltk.stem.porter import PorterStemmer

    return SimpleNamespace(stem=lru_cache(maxsize=200_000)(PorterStemmer().stem))


def stemmed_words(text: str) -> Words:
    """The words of rouge-score."""
    from rouge_score import tokenize

    return tuple(tokenize.tokenize(text, porter()))


METRICS: Final = (
    Rouge(name="rouge1", words="words shared with the best reference (F1, stems)", kind="1"),
    Rouge(name="rouge2", words="pairs of words shared with the best reference", kind="2"),
    Rouge(name="rougeL", words="longest common subsequence of words with the best reference", kind="L"),
    Rouge(
        name="rougeL-precision",
        words="share of its words in the longest common subsequence",
        kind="L",
        precision=True,
    ),
)
