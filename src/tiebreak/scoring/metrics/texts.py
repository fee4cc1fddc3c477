"""The texts of a batch, and their words as our own metrics count them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final

import polars as pl

from tiebreak.evidence.derived.criteria import as_read, words
from tiebreak.scoring.metric import Batch

WORDS: Final = "tiebreak-words-1"
"""In signatures: runs of letters and digits, and single marks; in scripts without blanks single characters."""


def texts_of(batch: Batch) -> list[str]:
    """All texts that differ, references among them: systems share these, and what is made of a text is made once."""
    return list(dict.fromkeys((*batch.outputs, *chain.from_iterable(batch.references))))


def words_of(texts: Sequence[str], *, lower: bool = False) -> list[list[str]]:
    """The words of each text, punctuation marks among them."""
    read = as_read(pl.Series(texts, dtype=pl.String))
    return words(read.str.to_lowercase() if lower else read)


def ngrams(of: Sequence[str], order: int) -> list[tuple[str, ...]]:
    """All runs of so many words."""
    return list(zip(*(of[start:] for start in range(order)), strict=False))
