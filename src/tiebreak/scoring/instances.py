"""The outputs of a study as what metrics are given: texts, references and inputs, with a key that tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import Final

import polars as pl

from tiebreak.data.study import Study
from tiebreak.data.validation import BLANK
from tiebreak.errors import InputError, Problem
from tiebreak.scoring.metric import Batch, Need
from tiebreak.scoring.settings import ReferenceSource

EMPTY_OUTPUT: Final = "empty output"
NO_REFERENCE: Final = "no reference"
NO_INPUT: Final = "no input"
NO_VALUE: Final = "no value"
"""Why an output has no score: the last is what the metric says of it."""

_ROWS_AT_ONCE: Final = 20_000

Texts = Callable[[pl.Series], pl.Series]
"""What is done to texts before a metric sees them."""


@dataclass(frozen=True)
class Instances:
    """All outputs of a study, those of one item side by side.

    `rows`: item, system, sample, text, and the `place` of the item in the others. `references`: lists of texts;
    `inputs`: texts; null where there is none.
    """

    rows: pl.DataFrame
    references: pl.Series
    inputs: pl.Series

    @classmethod
    def of(cls, study: Study, source: ReferenceSource, prepared: Texts | None = None) -> Instances:
        """Those of a study, with references from this source; `prepared`: what is done to references.

        Raises:
            InputError: the study has no outputs.
        """
        if study.outputs is None:
            message = "there is nothing to score: the study has no outputs (table outputs: item, system, text)"
            raise InputError([Problem(str(study.path or study.name), message)])
        rows = study.outputs.select("item", "system", "sample", "text")
        items = study.items
        if items is None:
            items = rows.select("item").unique(maintain_order=True)
        places = items.select("item").with_row_index("place")
        rows = rows.join(places, on="item", how="left", maintain_order="left").sort(
            "place", maintain_order=True, nulls_last=True
        )
        return cls(rows, _references(items, source, prepared), _text(items, "input"))

    def lacking(self, needs: frozenset[Need]) -> pl.Series:
        """Why each output (n,) cannot be scored by a metric that needs this; null where it can."""
        sources: dict[Need, tuple[pl.Series, str]] = {
            "references": (self.references, NO_REFERENCE),
            "input": (self.inputs, NO_INPUT),
        }
        why = [pl.when(pl.col("text").str.contains(BLANK)).then(pl.lit(EMPTY_OUTPUT))]
        for need, (series, reason) in sources.items():
            if need in needs:
                absent = series.gather(self.rows["place"]).is_null()
                why.append(pl.when(pl.lit(absent)).then(pl.lit(reason)))
        return self.rows.select(pl.coalesce(why).alias("lacking")).to_series()

    def keys(self, needs: frozenset[Need], lacking: pl.Series) -> pl.Series:
        """A key (n,) of all that the metric is given; null where an output cannot be scored."""
        able = lacking.is_null().arg_true()
        digests = chain.from_iterable(_keys(self.batch(part, needs)) for part in _slices(able))
        keys = pl.Series("key", list(digests), dtype=pl.Binary)
        return pl.Series("key", [None] * self.rows.height, dtype=pl.Binary).scatter(able, keys)

    def batch(self, rows: pl.Series, needs: frozenset[Need]) -> Batch:
        """What a metric is given of some rows."""
        chosen = self.rows[rows]
        places = chosen["place"]
        return Batch(
            chosen["text"].to_list(),
            self.references.gather(places).to_list() if "references" in needs else (),
            self.inputs.gather(places).to_list() if "input" in needs else (),
        )

    def reference_lists(self) -> Iterator[Sequence[str]]:
        """The references of each item that has some, one by one: as Python objects all would take far more room."""
        for part in _slices(self.references):
            yield from part.drop_nulls().to_list()


def _keys(batch: Batch) -> Iterator[bytes]:
    """128 bits over the texts, each after its length: no two rows that differ look alike."""
    references: Sequence[Sequence[str]] = batch.references or [()] * len(batch.outputs)
    inputs: Sequence[Sequence[str]] = [(text,) for text in batch.inputs] or [()] * len(batch.outputs)
    for output, own, given in zip(batch.outputs, references, inputs, strict=True):
        parts = "".join(f"{len(text)}:{text}" for text in (output, *own))
        yield blake2b(f"{len(own)};{parts};{''.join(given)}".encode(), digest_size=16).digest()


def _slices(series: pl.Series) -> Iterator[pl.Series]:
    for start in range(0, len(series), _ROWS_AT_ONCE):
        yield series.slice(start, _ROWS_AT_ONCE)


def _text(items: pl.DataFrame, column: str) -> pl.Series:
    """A column of texts; null where blank."""
    if column not in items.columns:
        return pl.Series(column, [None] * items.height, dtype=pl.String)
    return items.select(pl.when(~pl.col(column).str.contains(BLANK)).then(pl.col(column))).to_series()


def _references(items: pl.DataFrame, source: ReferenceSource, prepared: Texts | None) -> pl.Series:
    """Lists of texts that are not blank; null where there is none."""
    names = ("reference", "references") if source == "reference" else (source,)
    lists = [_as_lists(items[name]) for name in names if name in items.columns]
    if not lists:
        return pl.Series("references", [None] * items.height, dtype=pl.List(pl.String))
    rows = pl.concat([pl.DataFrame({"texts": column}).with_row_index("row") for column in lists])
    texts = rows.explode("texts").filter(pl.col("texts").is_not_null() & ~pl.col("texts").str.contains(BLANK))
    if prepared is not None and texts.height:
        texts = texts.with_columns(prepared(texts["texts"]).alias("texts"))
    gathered = texts.group_by("row", maintain_order=True).agg(pl.col("texts"))
    every = pl.DataFrame({"row": pl.arange(items.height, dtype=pl.UInt32, eager=True)})
    return every.join(gathered, on="row", how="left", maintain_order="left")["texts"].rename("references")


def _as_lists(column: pl.Series) -> pl.Series:
    """Text, lists of texts or texts by name, as lists."""
    if isinstance(column.dtype, (pl.List, pl.Array)):
        return column.cast(pl.List(pl.String))
    texts = column.struct.unnest().get_columns() if isinstance(column.dtype, pl.Struct) else [column.cast(pl.String)]
    return pl.select(pl.concat_list(texts).alias(column.name)).to_series()
