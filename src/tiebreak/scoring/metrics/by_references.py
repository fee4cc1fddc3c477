"""What is made of a text or of references is made once in a batch: systems share their references."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tiebreak.scoring.metric import Batch


def by_references(batch: Batch) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """Each set of references, and the rows of the batch that have it."""
    rows: dict[tuple[str, ...], list[int]] = {}
    for row, references in enumerate(batch.references):
        rows.setdefault(tuple(references), []).append(row)
    yield from rows.items()


def texts_of(batch: Batch) -> list[str]:
    """All texts that differ, references among them."""
    return list(dict.fromkeys((*batch.outputs, *chain.from_iterable(batch.references))))
