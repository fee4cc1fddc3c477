"""Words of texts, as our own metrics count them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from tiebreak.evidence.derived.criteria import as_read, words

WORDS: Final = "tiebreak-words-1"
"""In signatures: runs of letters and digits, and single marks; in scripts without blanks single characters."""


def words_of(texts: Sequence[str], *, lower: bool = False) -> list[list[str]]:
    """The words of each text, punctuation marks among them."""
    read = as_read(pl.Series(texts, dtype=pl.String))
    return words(read.str.to_lowercase() if lower else read)


def ngrams(of: Sequence[str], order: int) -> list[tuple[str, ...]]:
    """All runs of so many words."""
    return list(zip(*(of[start:] for start in range(order)), strict=False))
