"""CIDEr and CIDEr-D (Vedantam, Zitnick & Parikh 2015): n-grams shared with the references, rare ones weighing more.

The weight of an n-gram is its count times log(items / items in whose references it stands). CIDEr is the cosine of the
weights of output and reference, mean over references and orders 1 to 4. CIDEr-D counts of each n-gram no more than the
reference has, and exp(-(difference of lengths)²/72). Both times 10, as their authors' program has it; like that, over
words in small letters without marks and without stems. What is rare, the references of all items of the study say: the
signature names them, and one item alone says nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final, NamedTuple, Self

from tiebreak.errors import UsageError
from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Metric, Need, Settings
from tiebreak.scoring.metrics.by_references import scored_by_references
from tiebreak.scoring.metrics.words import WORDS, ngrams, words_of

Ngram = tuple[str, ...]

_ORDERS: Final = (1, 2, 3, 4)
_SIGMA: Final = 6.0
_SCALE: Final = 10.0


class _Weights(NamedTuple):
    """Of a text: per order the weight of each n-gram and their norm, and its length as CIDEr-D has it."""

    of: list[dict[Ngram, float]]
    norms: list[float]
    length: int


@dataclass(frozen=True, kw_only=True)
class Cider(Metric):
    """`clipped`: CIDEr-D. `corpus`: what the references of the study are, in a word; `documents`: in how many items'
    references each n-gram stands, `items` of them.
    """

    clipped: bool
    range: tuple[float, float] = (0.0, _SCALE)
    needs: frozenset[Need] = REFERENCES
    corpus: str = ""
    items: int = 0
    documents: Mapping[Ngram, int] = field(default_factory=dict, compare=False, repr=False)

    def settings(self) -> Settings:
        return {"n": len(_ORDERS), "stem": "no", "tok": WORDS, "items": self.items, "idf": self.corpus, "v": 1}

    def fitted(self, references: Iterable[Sequence[str]]) -> Self:
        documents: Counter[Ngram] = Counter()
        items, seen = 0, sha256()
        for each in references:
            if each:
                items += 1
                found = {ngram for words in _words(each) for n in _ORDERS for ngram in ngrams(words, n)}
                documents.update(found)
                seen.update("\x1f".join((*each, "\x1e")).encode())
        if items < 2:
            raise UsageError(
                f"{self.name} weighs n-grams by how few items have them in their references, and {items} "
                f"item{'' if items == 1 else 's'} with references cannot say that: take another metric, such as rougeL"
            )
        return replace(self, items=items, corpus=seen.hexdigest()[:12], documents=dict(documents))

    def score(self, batch: Batch) -> Floats:
        return scored_by_references(batch, self._of)

    def _of(self, references: Sequence[str]) -> Callable[[str], float]:
        weights = [self._weights(words) for words in _words(references) if words]

        def score(output: str) -> float:
            words = _words([output])[0]
            if not words or not weights:
                return float("nan")  # marks alone
            own = self._weights(words)
            alike = sum(self._similarity(own, of, k) for of in weights for k in range(len(_ORDERS)))
            return _SCALE * alike / len(_ORDERS) / len(weights)

        return score

    def _weights(self, words: Sequence[str]) -> _Weights:
        logs = math.log(self.items)
        of = [
            {ngram: count * (logs - math.log(max(self.documents.get(ngram, 0), 1))) for ngram, count in found.items()}
            for found in (Counter(ngrams(words, n)) for n in _ORDERS)
        ]
        norms = [math.sqrt(sum(weight**2 for weight in each.values())) for each in of]
        return _Weights(of, norms, max(len(words) - 1, 0))

    def _similarity(self, output: _Weights, reference: _Weights, order: int) -> float:
        own, other = output.of[order], reference.of[order]
        norms = output.norms[order] * reference.norms[order]
        if not norms:
            return 0.0
        if not self.clipped:
            return sum(weight * other[ngram] for ngram, weight in own.items() if ngram in other) / norms
        shared = sum(min(weight, other[ngram]) * other[ngram] for ngram, weight in own.items() if ngram in other)
        return shared / norms * math.exp(-((output.length - reference.length) ** 2) / (2 * _SIGMA**2))


def _words(texts: Sequence[str]) -> list[list[str]]:
    """In small letters, without punctuation marks."""
    return [[word for word in words if any(map(str.isalnum, word))] for words in words_of(texts, lower=True)]


METRICS: Final = (
    Cider(name="cider", words="n-grams shared with the references, rare ones weighing more", clipped=False),
    Cider(name="cider-d", words="CIDEr that repetition and length hardly raise", clipped=True),
)
