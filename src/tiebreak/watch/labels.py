"""Which labels of an item count, and what they amount to: the first k of each item, whenever they came.

Of several that one look saw, chance chooses: nothing says in which order they were given.
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
from tiebreak.watch.ledger import Ledger
from tiebreak.watch.looks import Pair

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Hashes = NDArray[np.uint64]

NEVER = np.iinfo(np.intp).max
"""The look of what no look has seen."""


@dataclass(frozen=True, slots=True)
class PairLabels:
    """Comparisons (m,) of one pair, one of each item and person: number of the item, hash of the person, value, and the
    look that saw it first. Preferences are 1, 0, -1 for system_a; ratings, the difference of the two.
    """

    items: Indices
    people: Hashes
    values: Floats
    looks: Indices
    from_ratings: bool

    def where(self, chosen: NDArray[np.bool_]) -> PairLabels:
        """Those of them that are chosen (m,)."""
        if chosen.all():
            return self
        items, people = self.items[chosen], self.people[chosen]
        return PairLabels(items, people, self.values[chosen], self.looks[chosen], self.from_ratings)


@dataclass(frozen=True, slots=True)
class ItemValues:
    """What the labels of the items (n_items,) amount to. `looks`: the one that completed each item, `NEVER` before;
    `values`: of the complete ones, else 0; `waiting`, `beyond`: labels on items that lack some, and labels that are
    more than count.
    """

    looks: Indices
    values: Floats
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
        seed = self.ledger.begun.seed
        tables = {name: _numbered(frame, self.items, seed) for name, frame in tables.items()}
        keys = ["criterion", "system_a", "system_b"]
        parted = tables["preferences"].partition_by(keys, as_dict=True)
        self._preferences = {(key[0], str(key[1]), str(key[2])): frame for key, frame in parted.items()}
        rated = tables["ratings"].partition_by(["criterion", "system"], as_dict=True)
        self._ratings = {(str(key[0]), str(key[1])): frame for key, frame in rated.items()}

    @cached_property
    def hashes(self) -> Hashes:
        """A hash (n_items,) of each item, which puts those of one look into an order."""
        return hashed(self.items, self.ledger.begun.seed)

    def of_pair(self, pair: Pair) -> PairLabels:
        """All comparisons of a pair: preferences, or else ratings of both outputs by one person."""
        criterion, first, second = pair
        a, b = sorted((first, second))
        found = self._preferences.get((criterion, a, b))
        if found is not None:
            return _labels(found, "outcome", -1.0 if first != a else 1.0, from_ratings=False)
        if criterion is None or (criterion, a) not in self._ratings or (criterion, b) not in self._ratings:
            nothing = np.empty(0, np.intp)
            return PairLabels(nothing, np.empty(0, np.uint64), np.empty(0), nothing, from_ratings=False)
        of_first, of_second = self._ratings[criterion, first], self._ratings[criterion, second]
        both = of_first.join(of_second, on=["number", "person"], how="inner", suffix="_b", maintain_order="left")
        both = both.with_columns(pl.col("value") - pl.col("value_b"), pl.max_horizontal("look", "look_b").alias("look"))
        return _labels(both, "value", 1.0, from_ratings=True)


def hashed(names: Sequence[str], seed: str) -> Hashes:
    """64 bits of each name that nobody can foretell who does not know the seed."""
    digests = (hashlib.sha256(f"{seed}\x1f{name}".encode("utf-8", "surrogatepass")).digest()[:8] for name in names)
    return np.frombuffer(b"".join(digests), dtype=np.uint64)


def item_values(labels: PairLabels, hashes: Hashes, per_item: int, several: str, tie_threshold: float) -> ItemValues:
    """The value of every item with `per_item` labels or more, by the first of them."""
    draw = _mixed(hashes[labels.items] ^ labels.people)
    order = np.lexsort((draw, labels.looks, labels.items))
    items, values, looks = labels.items[order], labels.values[order], labels.looks[order]
    counts = np.bincount(items, minlength=hashes.size)
    ends = np.cumsum(counts)
    rank = np.arange(items.size) - (ends - counts)[items]
    complete = counts >= per_item
    used = (rank < per_item) & complete[items]
    found = np.zeros(hashes.size)
    table = values[used].reshape(-1, per_item)
    found[complete] = _value(table, several, tie_threshold, from_ratings=labels.from_ratings)
    last = np.full(hashes.size, NEVER, dtype=np.intp)
    last[complete] = looks[(ends - counts)[complete] + per_item - 1]
    return ItemValues(last, found, int(counts[~complete].sum()), int((counts - per_item)[complete].sum()))


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
        frame["person"].to_numpy().astype(np.uint64),
        sign * frame[value].to_numpy().astype(np.float64),
        frame["look"].to_numpy().astype(np.intp),
        from_ratings,
    )


def _numbered(frame: pl.DataFrame, items: Sequence[str], seed: str) -> pl.DataFrame:
    """With the number of each item and a hash of each person in place of their names."""
    people = frame["annotator"].unique(maintain_order=True)
    person = pl.Series(hashed(people.to_list(), seed), dtype=pl.UInt64)
    return frame.with_columns(
        number=pl.Series(name_numbers(frame["item"], items), dtype=pl.Int64),
        person=frame["annotator"].replace_strict(people, person, return_dtype=pl.UInt64),
    )


def _mixed(words: Hashes) -> Hashes:
    """Bits well mixed (splitmix64 of Steele, Lea and Flood, 2014): neighbours of a word are no neighbours here."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))
