"""The items of a study as integers: names, clusters, and where two systems wrote the same text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.data.tables import distinct, row_texts

FEW_ROWS: Final = 1_000
"""Up to so many rows Python is faster, which needs no query: one takes half a millisecond however little it does."""

MOST_REPEATS: Final = 20
MOST_SHARE: Final = 0.05
"""An input on more items than both, the number and the share of all items, is an instruction and not a repeat; so is
one that all items have, however few they are."""


_ALL: Final = slice(None)


@dataclass(frozen=True, slots=True)
class SharedInput:
    """An input that `items` items share, too many to be repeats of one another."""

    text: str
    items: int


@dataclass(frozen=True)
class ItemIndex:
    """`items`: all item names, sorted. `clusters` (n_items,): items with the same number are not independent.

    `texts` (n_systems, n_items): the same number means the same text, -1 no output; None without outputs. Several
    samples have the number of their text if all of them are the same, else one that no other output has.
    `clustered_by`: "cluster" (the column), "input" (items that repeat an input), or None. `shared_inputs`: inputs that
    so many items share that they say what to do, not what to do it with: these items are not made one cluster.
    `scored` (n_systems, n_items): which outputs have a score, of the systems in `score_row`; None without scores.
    """

    items: tuple[str, ...]
    clusters: NDArray[np.intp]
    clustered_by: str | None
    texts: NDArray[np.int32] | None
    text_row: dict[str, int]
    listed: int
    shared_inputs: tuple[SharedInput, ...] = ()
    scored: NDArray[np.bool_] | None = None
    score_row: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Study) -> ItemIndex:
        """The index over every item that any table of the study names."""
        names = _sorted_names([frame["item"] for frame in study.tables.values()])
        clusters, clustered_by, shared = _clusters(study.items, names)
        texts, text_row = _text_numbers(study.outputs, names)
        listed = study.items.height if study.items is not None else 0
        return cls(tuple(names), clusters, clustered_by, texts, text_row, listed, shared, *_scored(study.scores, names))

    @cached_property
    def position(self) -> dict[str, int]:
        """Of each name in `items`."""
        return {name: k for k, name in enumerate(self.items)}

    @cached_property
    def _last_numbered(self) -> list[tuple[pl.Series, NDArray[np.intp]]]:
        """The names that were last looked up with their positions, as only entry; several checks look at one table."""
        return []

    @cached_property
    def _names(self) -> pl.Enum:
        return pl.Enum(self.items)

    def numbers(self, items: pl.Series) -> NDArray[np.intp]:
        """Positions of item names."""
        if len(items) < len(self.items):  # a table of all names costs more than a few look-ups
            return np.array([self.position[name] for name in items], dtype=np.intp)
        for known, numbers in self._last_numbered:
            if known.equals(items):
                return numbers
        numbers = _numbers_in(items, self._names)
        numbers.flags.writeable = False
        self._last_numbered[:] = [(items, numbers)]
        return numbers

    def _texts_of(self, system_a: str, system_b: str) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
        """The texts (n_items,) of two systems, by their numbers; None where either has none."""
        row_a, row_b = self.text_row.get(system_a), self.text_row.get(system_b)
        if self.texts is None or row_a is None or row_b is None:
            return None
        return self.texts[row_a], self.texts[row_b]

    def pool(self, system_a: str, system_b: str) -> NDArray[np.intp]:
        """Items with texts of both systems, to label; without texts of both, every item that the study names."""
        texts = self._texts_of(system_a, system_b)
        if texts is None:
            return np.arange(len(self.items), dtype=np.intp)
        return np.flatnonzero((texts[0] >= 0) & (texts[1] >= 0))

    def has_output(self, system: str) -> NDArray[np.bool_] | None:
        """On which items (n_items,) an output of the system is known, by its text or a score of it; None on none."""
        found, row = None, self.text_row.get(system)
        if self.texts is not None and row is not None:
            found = self.texts[row] >= 0
        row = self.score_row.get(system)
        if self.scored is not None and row is not None:
            found = self.scored[row].copy() if found is None else found | self.scored[row]
        return found

    def in_pool(self, system_a: str, system_b: str) -> NDArray[np.bool_]:
        """Which items (n_items,) have an output of both systems; all of them where one system has no outputs."""
        of_a, of_b = self.has_output(system_a), self.has_output(system_b)
        if of_a is None or of_b is None:
            return np.ones(len(self.items), dtype=np.bool_)
        return np.asarray(of_a & of_b)

    def identical_outputs(
        self, system_a: str, system_b: str, labelled: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], int]:
        """Items on which both systems wrote the same text, and the size of the pair's pool.

        The pool: items with an output of both systems, by their texts or scores; where one has none, all listed items
        (or, if the study lists none, those labelled). Labelled items always belong to the pool.
        """
        same = np.flatnonzero(self.have_identical_outputs(system_a, system_b))
        of_a, of_b = self.has_output(system_a), self.has_output(system_b)
        if of_a is None or of_b is None:
            return same, max(self.listed, labelled.size)
        present = of_a & of_b
        return same, int(present.sum()) + int((~present[labelled]).sum())

    def have_identical_outputs(
        self, system_a: str, system_b: str, items: NDArray[np.intp] | slice = _ALL
    ) -> NDArray[np.bool_]:
        """On which of these items (n,), or of all, both systems wrote the same text."""
        texts = self._texts_of(system_a, system_b)
        if texts is None:
            return np.zeros(len(self.items), dtype=np.bool_)[items]
        texts_a, texts_b = texts[0][items], texts[1][items]
        return np.asarray((texts_a >= 0) & (texts_a == texts_b))


def _clusters(
    items: pl.DataFrame | None, names: Sequence[str]
) -> tuple[NDArray[np.intp], str | None, tuple[SharedInput, ...]]:
    """The cluster column where it is filled, else repeated non-blank inputs; every other item stands alone.

    Items repeat one another where input, context and references are all the same. Where any item has a cluster, nothing
    is read from inputs: who gives every item a cluster of its own says that they are independent.
    """
    numbers = np.arange(len(names), dtype=np.intp)
    if items is None:
        return numbers, None, ()
    if filled(items, "cluster").any():
        by_column = _repeated(items, ("cluster",))
        return _numbered(numbers, by_column, names), "cluster" if by_column.height else None, ()
    repeated = _repeated(items, ("input", "context", "reference", "references"))
    sizes = repeated.group_by("key", maintain_order=True).agg(pl.col("input").first(), size=pl.len())
    many = (pl.col("size") > MOST_REPEATS) & (pl.col("size") > MOST_SHARE * items.height)
    shared = sizes.filter(many | (pl.col("size") == items.height))
    repeats = repeated.join(shared, on="key", how="anti", maintain_order="left")
    found = tuple(SharedInput(text, size) for text, size in shared.sort("size", "input").select("input", "size").rows())
    return _numbered(numbers, repeats, names), "input" if repeats.height else None, found[::-1]


def _repeated(items: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """`item`, the first of the columns as text, and a `key` that more than one item has; blank ones have none."""
    known = [name for name in columns if name in items.columns]
    if known[:1] != list(columns[:1]):
        return pl.DataFrame(schema={"item": pl.String, columns[0]: pl.String, "key": pl.String})
    named = items.filter(filled(items, columns[0]))
    first = pl.col(columns[0]).cast(pl.String)
    keyed = named.select("item", first, row_texts(named.select(known)).alias("key"))
    return keyed.filter(pl.len().over("key") > 1)


def filled(items: pl.DataFrame, column: str) -> pl.Series:
    """Which items have something in a column, if there is one."""
    if column not in items.columns:
        return pl.Series([False] * items.height, dtype=pl.Boolean)
    text = items[column].cast(pl.String)
    return text.is_not_null() & (text.str.strip_chars() != "").fill_null(False)


def _sorted_names(columns: Sequence[pl.Series]) -> list[str]:
    """All names of some columns, in the order in which Python sorts them, which is that of their bytes."""
    if sum(map(len, columns)) <= FEW_ROWS:
        return sorted(set().union(*(column.to_list() for column in columns)))
    found = pl.concat([column.unique().rename("item") for column in columns], how="vertical")
    names: list[str] = found.unique().sort().to_list()
    return names


def _numbered(numbers: NDArray[np.intp], groups: pl.DataFrame, names: Sequence[str]) -> NDArray[np.intp]:
    if not groups.height:
        return numbers
    position, first = {name: k for k, name in enumerate(names)}, dict[str, int]()
    for item, key in groups.select("item", "key").iter_rows():
        numbers[position[item]] = first.setdefault(key, position[item])
    return numbers


def name_numbers(names: pl.Series, known: Sequence[str] | pl.Series) -> NDArray[np.intp]:
    """The place of each name in `known`, which holds every one of them, once."""
    return _numbers_in(names, pl.Enum(known))


def _numbers_in(names: pl.Series, known: pl.Enum) -> NDArray[np.intp]:
    return names.cast(known).to_physical().to_numpy().astype(np.intp)


def _scored(scores: pl.DataFrame | None, items: Sequence[str]) -> tuple[NDArray[np.bool_] | None, dict[str, int]]:
    """Which outputs have a score by any metric (n_systems, n_items), and the row of each system."""
    if scores is None:
        return None, {}
    known = scores.filter(pl.col("value").is_not_null())
    systems = sorted(distinct(known["system"]))
    found = np.zeros((len(systems), len(items)), dtype=np.bool_)
    found[name_numbers(known["system"], systems), name_numbers(known["item"], items)] = True
    return found, {name: k for k, name in enumerate(systems)}


def _text_numbers(
    outputs: pl.DataFrame | None, items: Sequence[str]
) -> tuple[NDArray[np.int32] | None, dict[str, int]]:
    if outputs is None:
        return None, {}
    systems = sorted(distinct(outputs["system"]))
    texts = np.full((len(systems), len(items)), -1, dtype=np.int32)
    text, system, item = outputs.select(
        pl.col("text").fill_null("").rank("dense"),
        pl.col("system").cast(pl.Enum(systems)).to_physical(),
        pl.col("item").cast(pl.Enum(items)).to_physical(),
    )
    rows, columns, numbers = (of.to_numpy().astype(np.intp) for of in (system, item, text))
    texts[rows, columns] = numbers
    if outputs["sample"].null_count() < outputs.height:
        differ = texts[rows, columns] != numbers  # from the last sample of the same output
        cells = np.unique(rows[differ] * len(items) + columns[differ])
        texts.ravel()[cells] = texts.max() + 1 + np.arange(cells.size)
    return texts, {name: k for k, name in enumerate(systems)}
