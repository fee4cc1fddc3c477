"""Rows of similar length together, so that little is read that is only padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def by_length(lengths: Sequence[int], at_once: int, most_rows: int | None = None) -> Iterator[NDArray[np.intp]]:
    """Numbers of rows, the longest first, in batches whose rows times their longest are at most `at_once` tokens, and
    of `most_rows` rows at most.

    The longest first: what does not fit into the memory fails at once. A row that is longer is a batch of its own.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.intp), kind="stable")
    start = 0
    while start < order.size:
        most = max(at_once // max(lengths[order[start]], 1), 1)
        most = most if most_rows is None else min(most, most_rows)
        yield order[start : start + most]
        start += most
