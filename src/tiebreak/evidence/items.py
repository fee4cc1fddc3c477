"""The items of a study as integers: names, clusters, and where two systems wrote the same text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study


@dataclass(frozen=True, slots=True)
class ItemIndex:
    """`items`: all item names, sorted. `clusters` (n_items,): items with the same number are not independent.

    `texts` (n_systems, n_items): the same number means the same text, -1 no output; None without outputs.
    `clustered_by`: "cluster" (the column), "input" (items that repeat an input), or None.
    """

    items: tuple[str, ...]
    position: dict[str, int]
    clusters: NDArray[np.intp]
    clustered_by: str | None
    texts: NDArray[np.int32] | None
    text_row: dict[str, int]
    listed: int

    @classmethod
    def of(cls, study: Study) -> ItemIndex:
        """The index over every item that any table of the study names."""
        names = sorted(set().union(*(frame["item"].unique().to_list() for frame in study.tables.values())))
        position = {name: k for k, name in enumerate(names)}
        clusters, clustered_by = _clusters(study.items, position)
        texts, text_row = _text_numbers(study.outputs, names)
        listed = study.items.height if study.items is not None else 0
        return cls(tuple(names), position, clusters, clustered_by, texts, text_row, listed)

    def numbers(self, items: pl.Series) -> NDArray[np.intp]:
        """Positions of item names."""
        if len(items) < len(self.items):  # a table of all names costs more than a few look-ups
            return np.array([self.position[name] for name in items], dtype=np.intp)
        return name_numbers(items, self.items)

    def pool(self, system_a: str, system_b: str) -> NDArray[np.intp]:
        """Items with an output of both systems; without outputs of both, every item that the study names."""
        return np.flatnonzero(self.in_pool(system_a, system_b))

    def in_pool(self, system_a: str, system_b: str) -> NDArray[np.bool_]:
        """Which items (n_items,) have an output of both systems; all of them where there are no outputs of both."""
        row_a, row_b = self.text_row.get(system_a), self.text_row.get(system_b)
        if self.texts is None or row_a is None or row_b is None:
            return np.ones(len(self.items), dtype=np.bool_)
        return np.asarray((self.texts[row_a] >= 0) & (self.texts[row_b] >= 0))

    def identical_outputs(
        self, system_a: str, system_b: str, labelled: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], int]:
        """Items on which both systems wrote the same text, and the size of the pair's pool.

        The pool: items with an output of both systems; without outputs of both, all listed items (or, if the study
        lists none, those labelled). Labelled items always belong to the pool.
        """
        row_a, row_b = self.text_row.get(system_a), self.text_row.get(system_b)
        if self.texts is None or row_a is None or row_b is None:
            return np.empty(0, dtype=np.intp), max(self.listed, labelled.size)
        texts_a, texts_b = self.texts[row_a], self.texts[row_b]
        present = (texts_a >= 0) & (texts_b >= 0)
        same = np.flatnonzero(present & (texts_a == texts_b))
        without_text = int((~present[labelled]).sum())
        return same, int(present.sum()) + without_text


def _clusters(items: pl.DataFrame | None, position: dict[str, int]) -> tuple[NDArray[np.intp], str | None]:
    """The cluster column where it is filled, else repeated non-blank inputs; every other item stands alone."""
    numbers = np.arange(len(position), dtype=np.intp)
    if items is None:
        return numbers, None
    for column in ("cluster", "input"):
        if column not in items.columns:
            continue
        key = pl.col(column).cast(pl.String)
        named = items.filter(key.is_not_null() & (key.str.strip_chars() != "")).select("item", key.alias("key"))
        repeated = named.filter(pl.len().over("key") > 1)
        if repeated.height == 0:
            continue
        first: dict[str, int] = {}
        for item, value in repeated.iter_rows():
            numbers[position[item]] = first.setdefault(value, position[item])
        return numbers, column
    return numbers, None


def name_numbers(names: pl.Series, known: Sequence[str]) -> NDArray[np.intp]:
    """The place of each name in `known`, which holds every one of them, once."""
    return names.cast(pl.Enum(known)).to_physical().to_numpy().astype(np.intp)


def _text_numbers(
    outputs: pl.DataFrame | None, items: Sequence[str]
) -> tuple[NDArray[np.int32] | None, dict[str, int]]:
    if outputs is None:
        return None, {}
    systems = sorted(outputs["system"].unique().to_list())
    texts = np.full((len(systems), len(items)), -1, dtype=np.int32)
    numbers = outputs["text"].fill_null("").rank("dense").to_numpy()
    texts[name_numbers(outputs["system"], systems), name_numbers(outputs["item"], items)] = numbers
    return texts, {name: k for k, name in enumerate(systems)}
