"""Ratings of one criterion, compared pair by pair, with who gave them.

People are unequally strict. Where one of them rated an output and another one the other output, their difference is
part of the difference between the outputs; and where the strict person saw more of one system, it does not average out.
So by default only ratings of the same person are compared. Which ones these are depends on who rated what alone, never
on the ratings: two systems that nobody can tell apart stay so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.evidence.label_draws import Draws, label_hashes

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class RatingsOfPair:
    """What can be compared of two systems' ratings.

    `items` (m,): numbers of items, ascending; `people` (m,): of the person who rated both outputs; `differences` (m,):
    first system minus second. `apart`: items on which both outputs were rated, but by nobody both. `partly`: items on
    which somebody rated both, and somebody else one of them only.
    """

    items: Places
    people: Places
    differences: Floats
    apart: int
    partly: int


@dataclass(frozen=True, slots=True)
class _OfSystem:
    """One system's ratings (m,), sorted by `keys` (item and person in one number); `counts` (n_items,): per item."""

    keys: NDArray[np.int64]
    values: Floats
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class CriterionRatings:
    """All ratings on one criterion. `items`, `people`, `systems`: names, sorted, to which numbers refer."""

    items: tuple[str, ...]
    people: tuple[str, ...]
    systems: tuple[str, ...]
    of_systems: Sequence[_OfSystem]

    @classmethod
    def of(cls, study: Study, criterion: str | None) -> CriterionRatings | None:
        """The ratings of a study on a criterion; None without any."""
        if study.ratings is None or criterion is None:
            return None
        frame = study.ratings.filter(pl.col("criterion") == criterion)
        if frame.height == 0:
            return None
        names = {column: sorted(set(frame[column])) for column in ("item", "annotator", "system")}
        number = {
            column: frame[column].cast(pl.Enum(known)).to_physical().to_numpy().astype(np.int64)
            for column, known in names.items()
        }
        keys, values = number["item"] * len(names["annotator"]) + number["annotator"], frame["value"].to_numpy()
        order = np.lexsort((keys, number["system"]))
        ends = np.cumsum(np.bincount(number["system"], minlength=len(names["system"])))[:-1]
        of_systems = [
            _OfSystem(
                keys[rows],
                values[rows],
                np.bincount(number["item"][rows], minlength=len(names["item"])).astype(np.int64),
            )
            for rows in np.split(order, ends)
        ]
        return cls(tuple(names["item"]), tuple(names["annotator"]), tuple(names["system"]), of_systems)

    def same_person(self, first: int, second: int) -> RatingsOfPair:
        """Every person's two ratings of an item, of the systems with these numbers."""
        a, b = self.of_systems[first], self.of_systems[second]
        if np.array_equal(a.keys, b.keys):
            keys, differences = a.keys, a.values - b.values
        else:
            keys, of_a, of_b = np.intersect1d(a.keys, b.keys, assume_unique=True, return_indices=True)
            differences = a.values[of_a] - b.values[of_b]
        items = keys // len(self.people)
        both = np.bincount(items, minlength=len(self.items))
        apart = (a.counts > 0) & (b.counts > 0) & (both == 0)
        partly = (both > 0) & ((a.counts > both) | (b.counts > both))
        return RatingsOfPair(items, keys % len(self.people), differences, int(apart.sum()), int(partly.sum()))

    def means(self, first: int, second: int) -> tuple[Places, Floats, NDArray[np.int64]]:
        """Items (m,) on which both systems were rated, differences (m,) of the means over whoever rated, and ratings.

        People of unequal severity bend them, unless chance decided who rated what.
        """
        a, b = self.of_systems[first], self.of_systems[second]
        items = np.flatnonzero((a.counts > 0) & (b.counts > 0))
        mean_a, mean_b = (
            np.bincount(own.keys // len(self.people), own.values, len(self.items))[items] / own.counts[items]
            for own in (a, b)
        )
        return items, mean_a - mean_b, (a.counts + b.counts)[items]

    def hashes(self, pair: RatingsOfPair) -> Draws:
        """A number (m,) that belongs to each item and person of a pair."""
        keys, hashes = self._hashes
        return hashes[np.searchsorted(keys, pair.items * len(self.people) + pair.people)]

    @cached_property
    def _hashes(self) -> tuple[NDArray[np.int64], Draws]:
        keys = np.unique(np.concatenate([own.keys for own in self.of_systems]))
        named = ((self.items[key // len(self.people)], self.people[key % len(self.people)]) for key in keys.tolist())
        return keys, label_hashes(named)
