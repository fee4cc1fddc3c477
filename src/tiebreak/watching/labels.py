"""Which labels of an item count, and what they amount to: the first k of each item, whenever they came.

Where one look saw more of them than count, nothing says which came first, and the others may be there because of what
these said. So evidence for a takes the lowest values for the first, and evidence for b the highest: whichever they
were, they said no less.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.evidence.human_labels import compared
from tiebreak.evidence.items import name_numbers
from tiebreak.watching.ledger import Ledger, Pair

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Hashes = NDArray[np.uint64]

_SIMPLE = 3  # labels of which the lowest give the lowest majority

NEVER = np.iinfo(np.intp).max
"""The look of what no look has seen."""


@dataclass(frozen=True, slots=True)
class PairLabels:
    """Comparisons (m,) of one pair, one of each item and person: number of the item, value, and the look that saw it
    first. Preferences are 1, 0, -1 for system_a; ratings, the difference of the two.
    """

    items: Indices
    values: Floats
    looks: Indices
    from_ratings: bool

    def where(self, chosen: NDArray[np.bool_]) -> PairLabels:
        """Those of them that are chosen (m,)."""
        if chosen.all():
            return self
        return PairLabels(self.items[chosen], self.values[chosen], self.looks[chosen], self.from_ratings)


@dataclass(frozen=True, slots=True)
class ItemValues:
    """What the labels of the items (n_items,) amount to. `looks`: the one that completed each item, `NEVER` before;
    `for_a`, `for_b`: what evidence for either side may take for the value of the complete ones, else 0; they differ
    only where one look saw more labels than count. `waiting`, `beyond`: labels on items that lack some, and labels
    that are more than count.
    """

    looks: Indices
    for_a: Floats
    for_b: Floats
    waiting: int
    beyond: int


@dataclass
class LabelSource:
    """The comparisons of a ledger, pair by pair. `items`: names, to which numbers refer."""

    ledger: Ledger
    items: Sequence[str]
    _preferences: dict[Pair, pl.DataFrame] = field(init=False)
    _ratings: dict[tuple[str, str], pl.DataFrame] = field(init=False)

    def __post_init__(self) -> None:
        tables = {name: self.ledger.tables[name].filter(pl.col("counts")) for name in ("preferences", "ratings")}
        tables = {name: _numbered(frame, self.items) for name, frame in tables.items()}
        keys = ["criterion", "system_a", "system_b"]
        parted = tables["preferences"].partition_by(keys, as_dict=True)
        self._preferences = {(key[0], str(key[1]), str(key[2])): frame for key, frame in parted.items()}
        rated = tables["ratings"].partition_by(["criterion", "system"], as_dict=True)
        self._ratings = {(str(key[0]), str(key[1])): frame for key, frame in rated.items()}

    @cached_property
    def hashes(self) -> Hashes:
        """64 bits (n_items,) of each item, which put those of one look into an order that nobody can foretell who does
        not know the seed.
        """
        texts = (f"{self.ledger.begun.seed}\x1f{name}".encode("utf-8", "surrogatepass") for name in self.items)
        return np.frombuffer(b"".join(hashlib.sha256(text).digest()[:8] for text in texts), dtype=np.uint64)

    def of_pair(self, pair: Pair) -> PairLabels:
        """All comparisons of a pair: of preferences and of ratings of both outputs by one person those that were seen
        first, preferences if one look saw both. What comes later does not replace what was evidence."""
        criterion, first, second = pair
        a, b = sorted((first, second))
        found, rated = self._preferences.get((criterion, a, b)), self._rated(criterion, first, second)
        if found is not None and (not rated.looks.size or found["look"].min() <= rated.looks.min()):
            return _labels(found, "outcome", -1.0 if first != a else 1.0, from_ratings=False)
        return rated

    def _rated(self, criterion: str | None, first: str, second: str) -> PairLabels:
        """The compared ratings of two systems."""
        if criterion is None or (criterion, first) not in self._ratings or (criterion, second) not in self._ratings:
            nothing = np.empty(0, np.intp)
            return PairLabels(nothing, np.empty(0), nothing, from_ratings=False)
        of_first, of_second = self._ratings[criterion, first], self._ratings[criterion, second]
        both = of_first.join(of_second, on=["number", "annotator"], how="inner", suffix="_b", maintain_order="left")
        both = both.with_columns(pl.col("value") - pl.col("value_b"), pl.max_horizontal("look", "look_b").alias("look"))
        return _labels(both, "value", 1.0, from_ratings=True)


def item_values(labels: PairLabels, items: int, per_item: int, several: str, tie_threshold: float) -> ItemValues:
    """The value of every item, of so many, with `per_item` labels or more, by the first of them."""
    lowest, last, counts = _first(labels, items, per_item, 1)
    highest, _, _ = _first(labels, items, per_item, -1)
    complete = counts >= per_item
    found = np.zeros((2, items))
    for place, table in enumerate((lowest, highest)):
        found[place, complete] = _value(table, several, tie_threshold, from_ratings=labels.from_ratings)
    if several == "majority" and per_item > _SIMPLE:
        # The lowest labels need not give the lowest majority: where there was a choice, either side loses the item.
        chosen = complete & (_by_look(labels, items, last, complete) > per_item)
        found[0, chosen], found[1, chosen] = -1.0, 1.0
    looks = np.full(items, NEVER, dtype=np.intp)
    looks[complete] = last
    waiting, beyond = counts[~complete].sum(), (counts - per_item)[complete].sum()
    return ItemValues(looks, found[0], found[1], int(waiting), int(beyond))


def _by_look(labels: PairLabels, items: int, last: Indices, complete: NDArray[np.bool_]) -> Indices:
    """Labels of each item (n_items,) that were there at the look that completed it."""
    looks = np.full(items, -1, dtype=np.intp)
    looks[complete] = last
    return np.bincount(labels.items[labels.looks <= looks[labels.items]], minlength=items)


def _first(labels: PairLabels, items: int, per_item: int, sign: int) -> tuple[Floats, Indices, Indices]:
    """Of the complete items (n,) the first labels (n, k) and the look of the last of these; labels of each item.

    Of one look's labels of an item those that are the lowest (sign 1) or highest (-1) are taken for the first.
    """
    order = np.lexsort((sign * labels.values, labels.looks, labels.items))
    item, values, looks = labels.items[order], labels.values[order], labels.looks[order]
    counts = np.bincount(item, minlength=items)
    starts = np.cumsum(counts) - counts
    used = (np.arange(item.size) - starts[item] < per_item) & (counts >= per_item)[item]
    last = looks[starts[counts >= per_item] + per_item - 1]
    return values[used].reshape(-1, per_item), last, counts


def _value(table: Floats, several: str, tie_threshold: float, *, from_ratings: bool) -> Floats:
    """The value (n,) of items with k labels each (n, k)."""
    if several == "mean":
        means = table.mean(axis=1)
        return compared(means, tie_threshold) if from_ratings else means
    outcomes = compared(table, tie_threshold) if from_ratings else table
    wins, ties, losses = ((outcomes == code).sum(axis=1) for code in (1, 0, -1))
    return np.where((wins > losses) & (wins > ties), 1.0, np.where((losses > wins) & (losses > ties), -1.0, 0.0))


def _labels(frame: pl.DataFrame, value: str, sign: float, *, from_ratings: bool) -> PairLabels:
    return PairLabels(
        frame["number"].to_numpy().astype(np.intp),
        sign * frame[value].to_numpy().astype(np.float64),
        frame["look"].to_numpy().astype(np.intp),
        from_ratings,
    )


def _numbered(frame: pl.DataFrame, items: Sequence[str]) -> pl.DataFrame:
    """With the number of each item."""
    return frame.with_columns(number=pl.Series(name_numbers(frame["item"], items), dtype=pl.Int64))
