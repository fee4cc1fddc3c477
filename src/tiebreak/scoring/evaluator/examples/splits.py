"""Which contexts and systems an evaluator does not see while it is trained."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.pairs import OfTexts

Mask = NDArray[np.bool_]


def share_of(text: str, seed: int) -> float:
    """A number in [0, 1) that depends on the text and the seed alone."""
    return int.from_bytes(hashlib.sha256(f"{seed}\0{text}".encode()).digest()[:7]) / 2**56


def fold_of(corpus: Corpus, folds: int, seed: int) -> NDArray[np.intp]:
    """The fold (C,) of each context: the one whose evaluator does not learn from it."""
    return np.array([int(folds * share_of(unit, seed)) for unit in corpus.units], dtype=np.intp)


def texts_of_systems(corpus: Corpus, systems: Sequence[str]) -> Mask:
    """Which texts (T,) are by these systems.

    Raises:
        UsageError: a name that no study knows.
    """
    known = [writer.name for writer in corpus.writers]
    for name in systems:
        if name not in known:
            raise UsageError(f"no system {name!r}{did_you_mean(name, known)}")
    return np.array([writer.name in systems for writer in corpus.writers], dtype=bool)[corpus.writer]


def within(rows: OfTexts, texts: Mask) -> Mask:
    """Which rows (n,) have all their texts among these (T,)."""
    return np.asarray(texts[rows.texts].all(axis=1))
