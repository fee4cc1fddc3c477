"""What an evaluator was trained on, as hashes: so that a study can be asked whether its labels were among that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tiebreak.data.trained_on import context_hash, words_of
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.pairs import OfTexts, Pairs


def pair_hashes(corpus: Corpus, parts: Sequence[Pairs]) -> list[str]:
    """One per pair of texts of one context, sorted, each once."""
    rows = [row for pairs in parts for row in zip(pairs.a, pairs.b, strict=True)]
    found = {
        context_hash(corpus.contexts[corpus.context[a]], (corpus.texts[a], corpus.texts[b]))
        for a, b in rows
        if corpus.context[a] == corpus.context[b]
    }
    return sorted(found)


def text_hashes(corpus: Corpus, parts: Sequence[OfTexts]) -> list[str]:
    """One per text that a row has, with its context: sorted, each once."""
    used = _used(parts)
    return sorted({context_hash(corpus.contexts[corpus.context[number]], (corpus.texts[number],)) for number in used})


def words_hashes(corpus: Corpus, parts: Sequence[OfTexts]) -> list[str]:
    """The same of long texts alone, of those that the corpus has in one context only."""
    every = zip(corpus.context.tolist(), corpus.texts, strict=True)
    words = words_of((corpus.contexts[context] or f"\0{context}", text) for context, text in every)
    return sorted(set[str]().union(*(words.get(corpus.texts[number], ()) for number in _used(parts))))


def _used(parts: Sequence[OfTexts]) -> set[int]:
    return {number for rows in parts for number in np.unique(rows.texts).tolist()}
