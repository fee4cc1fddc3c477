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
from tiebreak.evidence.items import name_numbers
from tiebreak.records import Raters

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class RatingsOfPair:
    """What can be compared of two systems' ratings.

    `keys` (m,): numbers of item and person, ascending, of the people who rated both outputs of an item; `differences`
    (m,): first system minus second; `given` (m,): ratings behind them, two unless systems have several samples.
    `both` (n_items,): how many rated both, per item. `apart`: items on which both
    outputs were rated, but by nobody both. `partly`: items on which somebody rated both, and somebody else one of them
    only.
    """

    keys: Places
    differences: Floats
    given: Places
    both: Places
    apart: int
    partly: int

    def means(self) -> tuple[Places, Floats, Places]:
        """Items (n,) that somebody compared, mean differences (n,), and the ratings behind each (n,)."""
        items = np.flatnonzero(self.both)
        counts = self.both[items]
        if counts.size == self.differences.size:  # one person each: nothing to average
            return items, self.differences, self.given
        starts = np.cumsum(counts) - counts
        return items, np.add.reduceat(self.differences, starts) / counts, np.add.reduceat(self.given, starts)


@dataclass(frozen=True, slots=True)
class _OfSystem:
    """One system's ratings, a mean over its samples for each item and person (m,), sorted by `keys` (numbers of both).

    `given` (m,): ratings behind each; `counts` (n_items,): people per item.
    """

    keys: Places
    values: Floats
    given: Places
    counts: Places

    @classmethod
    def of(cls, keys: Places, values: Floats, item_of: Places, items: int) -> _OfSystem:
        """From ratings sorted by key."""
        own, start, given = np.unique(keys, return_index=True, return_counts=True)
        if own.size < keys.size:
            values = np.add.reduceat(values, start) / given
        return cls(own, values, given, np.bincount(item_of[own], minlength=items))


@dataclass(frozen=True)
class CriterionRatings:
    """All ratings on one criterion. `items`, `people`, `systems`: names, sorted, to which numbers refer.

    `item_of`, `person_of` (n_keys,): of each item and person that rated any output of it, sorted by item and person.
    """

    items: tuple[str, ...]
    people: tuple[str, ...]
    systems: tuple[str, ...]
    item_of: Places
    person_of: Places
    of_systems: Sequence[_OfSystem]

    @classmethod
    def of(cls, study: Study, criterion: str | None) -> CriterionRatings | None:
        """The ratings of a study on a criterion; None without any."""
        if study.ratings is None or criterion is None:
            return None
        frame = study.ratings.filter(pl.col("criterion") == criterion)
        if frame.height == 0:
            return None
        names = {column: tuple(sorted(frame[column].unique())) for column in ("item", "annotator", "system")}
        number = {column: name_numbers(frame[column], known) for column, known in names.items()}
        people = len(names["annotator"])
        both, keys = np.unique(number["item"] * people + number["annotator"], return_inverse=True)
        values = frame["value"].to_numpy()
        order = np.lexsort((values, keys, number["system"]))  # by values too: sums must not depend on the order of rows
        keys, values = keys[order], values[order]
        ends = np.cumsum(np.bincount(number["system"], minlength=len(names["system"])))[:-1]
        item_of, size = both // people, len(names["item"])
        of_systems = [
            _OfSystem.of(own, of_own, item_of, size)
            for own, of_own in zip(np.split(keys, ends), np.split(values, ends), strict=True)
        ]
        return cls(names["item"], names["annotator"], names["system"], item_of, both % people, of_systems)

    def same_person(self, first: int, second: int) -> RatingsOfPair:
        """Every person's two ratings of an item, of the systems with these numbers."""
        a, b = self.of_systems[first], self.of_systems[second]
        if np.array_equal(a.keys, b.keys):
            return RatingsOfPair(a.keys, a.values - b.values, a.given + b.given, a.counts, apart=0, partly=0)
        rows = self._rows(first)[b.keys]
        of_b = np.flatnonzero(rows >= 0)
        keys, differences = b.keys[of_b], a.values[rows[of_b]] - b.values[of_b]
        given = a.given[rows[of_b]] + b.given[of_b]
        both = np.bincount(self.item_of[keys], minlength=len(self.items))
        apart = (a.counts > 0) & (b.counts > 0) & (both == 0)
        partly = (both > 0) & ((a.counts > both) | (b.counts > both))
        return RatingsOfPair(keys, differences, given, both, int(apart.sum()), int(partly.sum()))

    def means(self, first: int, second: int) -> tuple[Places, Floats, Places]:
        """Items (m,) on which both systems were rated, differences (m,) of the means over whoever rated, and ratings.

        People of unequal severity bend them, unless chance decided who rated what.
        """
        a, b = self.of_systems[first], self.of_systems[second]
        items = np.flatnonzero((a.counts > 0) & (b.counts > 0))
        mean_a, mean_b = (
            np.bincount(self.item_of[own.keys], own.values, len(self.items))[items] / own.counts[items]
            for own in (a, b)
        )
        given = np.bincount(self.item_of[a.keys], a.given, len(self.items)) + np.bincount(
            self.item_of[b.keys], b.given, len(self.items)
        )
        return items, mean_a - mean_b, given[items].astype(np.intp)

    def beside_the_others(self, first: int, second: int, raters: Raters) -> tuple[Places, Floats, Floats]:
        """Of every person who rated both systems on an item that others rated too: the item (m,), that person's
        difference (m,), and the others' mean difference (m,), as `raters` have it: that of others who rated both, or
        of the means over whoever else rated either.
        """
        same = self.same_person(first, second)
        item, own = self.item_of[same.keys], same.differences
        if raters == "same":
            several = same.both[item] > 1
            item, own = item[several], own[several]
            sums = np.bincount(item, weights=own, minlength=len(self.items))
            return item, own, (sums[item] - own) / (same.both[item] - 1)
        a, b = (self.of_systems[number] for number in (first, second))
        several = (a.counts[item] > 1) & (b.counts[item] > 1)
        keys, item, own = same.keys[several], item[several], own[several]
        rest_a, rest_b = (self._without(of, keys, item) for of in (a, b))
        return item, own, rest_a - rest_b

    def _without(self, of: _OfSystem, keys: Places, item: Places) -> Floats:
        """The mean rating (m,) of a system on each item without the person of the key (m,), who rated it."""
        sums = np.bincount(self.item_of[of.keys], weights=of.values, minlength=len(self.items))
        own = of.values[np.searchsorted(of.keys, keys)]
        return np.asarray((sums[item] - own) / (of.counts[item] - 1))

    def _rows(self, system: int) -> Places:
        """The row (n_keys,) of each item and person in the ratings of a system, -1 where it has none.

        Those of the last system asked for are kept: pairs are asked for system by system.
        """
        if system not in self._last_rows:
            self._last_rows.clear()
            keys = self.of_systems[system].keys
            rows = np.full(self.item_of.size, -1, dtype=np.intp)
            rows[keys] = np.arange(keys.size)
            self._last_rows[system] = rows
        return self._last_rows[system]

    @cached_property
    def _last_rows(self) -> dict[int, Places]:
        return {}
