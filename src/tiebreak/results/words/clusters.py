"""How many clusters the items of a pair are in, and how many of equal size they are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.results.records import PairResult

_AS_GOOD_AS: Final = 0.9  # of their number: clusters of nearly equal size need no word


def clusters_words(pairs: Sequence[PairResult]) -> str:
    """ "20 clusters", "12 to 20 clusters (of unequal size: worth 7.3 to 11 of equal size)"; "" without any."""
    if all(pair.clusters is None for pair in pairs):
        return ""
    counts = [pair.items if pair.clusters is None else pair.clusters for pair in pairs]
    worth = [
        count if pair.effective_clusters is None else pair.effective_clusters
        for pair, count in zip(pairs, counts, strict=True)
    ]
    return f"{_spread(counts)} cluster{'' if max(counts) == 1 else 's'}{worth_words(counts, worth)}"


def worth_words(counts: Sequence[int], worth: Sequence[float]) -> str:
    """ " (of unequal size: worth 7.3 of equal size)", or "" where all sizes are about equal."""
    if all(equal >= _AS_GOOD_AS * count for count, equal in zip(counts, worth, strict=True)):
        return ""
    return f" (of unequal size: worth {_spread([round(equal, 1) for equal in worth])} of equal size)"


def _spread(numbers: Sequence[float]) -> str:
    least, most = f"{min(numbers):,.12g}", f"{max(numbers):,.12g}"
    return most if least == most else f"{least} to {most}"
