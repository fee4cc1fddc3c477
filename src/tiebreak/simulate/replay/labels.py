"""Labels that exist, as label matrices: what a campaign on them would have cost.

A run of a replay asks people who did answer: for every item a number of its annotators at random, without replacement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.evidence.human_labels import oriented_preferences

Codes = NDArray[np.int8]

_CELLS = 2_000_000  # random numbers at a time


@dataclass(frozen=True, slots=True)
class Votes:
    """All labels of one pair. `items` (n,) in their order; `outcomes` (n, most) relative to `system_a`, the first
    `counts[i]` of row i; the rest is 0 and means nothing.
    """

    system_a: str
    system_b: str
    items: tuple[str, ...]
    outcomes: Codes
    counts: NDArray[np.int64]

    def draw(self, runs: int, people: int, rng: np.random.Generator) -> Codes:
        """Labels (runs, items, people) of different annotators, every choice and order of them equally likely.

        Raises `UsageError` where an item has fewer annotators.
        """
        few = np.flatnonzero(self.counts < people)
        if few.size:
            raise UsageError(
                f"{people} people an item cannot be replayed: item {self.items[few[0]]!r} has "
                f"{self.counts[few[0]]} labels, and {few.size:,} items have too few"
            )
        size, most = self.outcomes.shape
        missing = np.arange(most) >= self.counts[:, None]
        labels = np.empty((people, runs, size), dtype=np.int8)
        step = max(1, _CELLS // max(size * most, 1))
        for start in range(0, runs, step):
            part = slice(start, min(start + step, runs))
            keys = rng.random((part.stop - start, size, most))
            keys[:, missing] = 2.0  # behind all others
            chosen = np.argsort(keys, axis=2)[:, :, :people]
            labels[:, part] = np.moveaxis(np.take_along_axis(self.outcomes[None], chosen, axis=2), 2, 0)
        return np.moveaxis(labels, 0, 2)


def votes_of(study: Study, system_a: str, system_b: str, criterion: str | None = None) -> Votes:
    """The preferences of a pair, items in the natural order of their names (2 before 10).

    Raises `UsageError` if there are none.
    """
    first, second = sorted((system_a, system_b))
    frame = oriented_preferences(study, criterion)
    rows = [
        (item, value)
        for a, b, item, value in frame.select("system_a", "system_b", "item", "value").iter_rows()
        if (a, b) == (first, second)
    ]
    if not rows:
        raise UsageError(f"the study {study.name} has no preferences between {system_a} and {system_b}")
    sign = 1 if first == system_a else -1
    cast: dict[str, list[int]] = {}
    for item, value in rows:
        cast.setdefault(item, []).append(sign * value)
    items = tuple(sorted(cast, key=_natural))
    counts = np.array([len(cast[item]) for item in items])
    outcomes = np.zeros((len(items), int(counts.max())), dtype=np.int8)
    for row, item in enumerate(items):
        outcomes[row, : counts[row]] = cast[item]
    return Votes(system_a, system_b, items, outcomes, counts)


def _natural(name: str) -> tuple[list[tuple[int, int, str]], str]:
    parts = re.findall(r"\d+|\D+", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts], name
