"""How much of a text stayed as it was: edit distance by words and by characters, and the translation edit rate.

Texts are compared as a reader sees them: composed characters (NFC), and any run of blanks as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.errors import ExtraMissingError

Floats = NDArray[np.float64]

_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER: Final = rf"[\p{{L}}\p{{M}}\p{{N}}--[{_UNSPACED}]]"
_WORD: Final = rf"[{_UNSPACED}]|{_LETTER}+(?:['’-]{_LETTER}+|[.,]\p{{N}}+)*|\S"


def as_read(texts: pl.Series) -> pl.Series:
    """The texts with composed characters and single blanks, none at the ends."""
    return texts.str.normalize("NFC").str.replace_all(r"[\s\p{Z}]+", " ").str.strip_chars(" ")


def words(texts: pl.Series) -> list[list[str]]:
    """The words of each text; punctuation marks are words, and so are characters of scripts without blanks.

    Apostrophes and hyphens inside a word belong to it (`don't`, `well-known`), points and commas to a number (`3.5`).
    """
    return texts.str.extract_all(_WORD).to_list()


def kept_words(outputs: pl.Series, edits: pl.Series) -> Floats:
    """1 - edit distance / longer length (n,), in words; 1 for two empty texts."""
    return _kept(words(as_read(outputs)), words(as_read(edits)))


def kept_characters(outputs: pl.Series, edits: pl.Series) -> Floats:
    """The same in characters (Unicode code points)."""
    return _kept(as_read(outputs).to_list(), as_read(edits).to_list())


def _kept(before: Iterable[Sequence[str]], after: Iterable[Sequence[str]]) -> Floats:
    from rapidfuzz.distance import Levenshtein  # only studies with edits wait for it

    pairs = zip(before, after, strict=True)
    return np.array([Levenshtein.normalized_similarity(one, other) for one, other in pairs], dtype=np.float64)


def minus_hter(outputs: pl.Series, edits: pl.Series) -> Floats:
    """Minus sacrebleu's TER (n,) with its default settings, as a share: 0 for what was left as it was.

    An output of which nothing was left counts -1.

    Raises:
        ExtraMissingError: sacrebleu is not installed.
    """
    rate, pairs = _edit_rate(), zip(as_read(outputs).to_list(), as_read(edits).to_list(), strict=True)
    return np.array([0.0 - (rate(one, other) if one != other else 0.0) for one, other in pairs], dtype=np.float64)


def _edit_rate() -> Callable[[str, str], float]:
    try:
        from sacrebleu.metrics.ter import TER
    except ImportError:
        instead = ". EditWords and EditCharacters do without it"
        raise ExtraMissingError("HTER", "sacrebleu", "metrics", instead) from None
    ter = TER()
    return lambda output, edit: float(ter.sentence_score(output, [edit]).score) / 100
