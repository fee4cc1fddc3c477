"""Outputs with the same references, together: what is made of references is made once for all systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tiebreak.scoring.metric import Batch, Floats


def by_references(batch: Batch) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """Each set of references, and the rows of the batch that have it."""
    rows: dict[tuple[str, ...], list[int]] = {}
    for row, references in enumerate(batch.references):
        rows.setdefault(tuple(references), []).append(row)
    yield from rows.items()


def scored_by_references(batch: Batch, scorer: Callable[[Sequence[str]], Callable[[str], float]]) -> Floats:
    """Scores (n,): `scorer` makes of references a function that scores one output."""
    scores = np.full(len(batch.outputs), np.nan)
    for references, rows in by_references(batch):
        score = scorer(references)
        for row in rows:
            scores[row] = score(batch.outputs[row])
    return scores
