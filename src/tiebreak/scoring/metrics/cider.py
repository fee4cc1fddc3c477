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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice
from typing import Final, NamedTuple, Self

from tiebreak.errors import UsageError
from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Metric, Need, Settings
from tiebreak.scoring.metrics.plain import WORDS, ngrams, words_of

Ngram = tuple[str, ...]

_ORDERS: Final = (1, 2, 3, 4)
_SIGMA: Final = 6.0
_SCALE: Final = 10.0
_ITEMS_AT_ONCE: Final = 5_000


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
        """What its signature says of it, the references behind the weights among that."""
        return {"n": len(_ORDERS), "stem": "no", "tok": WORDS, "items": self.items, "idf": self.corpus, "v": 1}

    def fitted(self, references: Iterable[Sequence[str]]) -> Self:
        """This metric with the weights of n-grams that follow from these references, those of an item together.

        Raises:
            UsageError: fewer than two items have references.
        """
        documents: Counter[Ngram] = Counter()
        items, seen, left = 0, sha256(), iter(references)
        while part := [each for each in islice(left, _ITEMS_AT_ONCE) if each]:
            words = iter(_words([text for each in part for text in each]))
            for each in part:
                own = list(islice(words, len(each)))
                documents.update({ngram for one in own for n in _ORDERS for ngram in ngrams(one, n)})
                seen.update("\x1f".join((*each, "\x1e")).encode())
            items += len(part)
        if items < 2:
            raise UsageError(
                f"{self.name} weighs n-grams by how few items have them in their references, and {items} "
                f"item{'' if items == 1 else 's'} with references cannot say that: take another metric, such as rougeL"
            )
        return replace(self, items=items, corpus=seen.hexdigest()[:12], documents=dict(documents))

    def score(self, batch: Batch) -> Floats:
        """CIDEr (n,) of the outputs beside their references, from 0 to 10; NaN where either has no word."""
        texts = batch.texts
        words = zip(texts, _words(texts), strict=True)
        weights = {text: self._weights(own) for text, own in words if own}  # none of marks alone
        return batch.scored(weights, self._mean)

    def _mean(self, output: _Weights, references: Sequence[_Weights]) -> float:
        alike = sum(self._similarity(output, reference, k) for reference in references for k in range(len(_ORDERS)))
        return _SCALE * alike / len(_ORDERS) / len(references)

    def _weights(self, words: Sequence[str]) -> _Weights:
        logs = math.log(self.items)
        weights = [
            {ngram: count * (logs - math.log(max(self.documents.get(ngram, 0), 1))) for ngram, count in counts.items()}
            for counts in (Counter(ngrams(words, n)) for n in _ORDERS)
        ]
        norms = [math.sqrt(sum(weight**2 for weight in order.values())) for order in weights]
        return _Weights(weights, norms, max(len(words) - 1, 0))

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
