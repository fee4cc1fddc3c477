"""Rows as text, the same for equal content whatever its format."""

from __future__ import annotations

import json
from typing import Any, Final

import polars as pl

FEW_ROWS: Final = 1_000
"""Up to so many rows Python is faster, which needs no query: one takes half a millisecond however little it does."""

_SEPARATOR: Final = "\x1f"
_ESCAPES: Final = (("\\", "\\\\"), ("\x1e", "\\e"), ("\x1f", "\\f"))


def distinct(column: pl.Series) -> set[Any]:
    """The different values of a column, None among them where one is missing."""
    return set((column if len(column) <= FEW_ROWS else column.unique()).to_list())


def row_texts(frame: pl.DataFrame) -> pl.Series:
    """One text per row; rows have the same text if and only if they are equal in every column.

    A missing text equals an empty one, and -0 equals 0. The separators cannot occur unescaped in a value.
    """
    if 0 < frame.height <= FEW_ROWS:
        return pl.Series("row", map(_SEPARATOR.join, zip(*map(_texts, frame.get_columns()), strict=True)), pl.String)
    columns = [_as_text(frame, place) for place in range(frame.width)]
    return frame.select(pl.concat_str(columns, separator=_SEPARATOR).alias("row")).to_series()


def _texts(column: pl.Series) -> list[str]:
    """What `_as_text` makes of the cells of a short column."""
    if column.null_count() == len(column):
        return [""] * len(column)
    if column.dtype != pl.String:
        frame = column.to_frame()
        return frame.select(_as_text(frame, 0)).to_series().to_list()
    cells = [cell or "" for cell in column.to_list()]
    together = "".join(cells)
    for character, escape in _ESCAPES:
        if character in together:
            cells = [cell.replace(character, escape) for cell in cells]
    return cells


def _as_text(frame: pl.DataFrame, place: int) -> pl.Expr | pl.Series:
    dtype, value = frame.dtypes[place], pl.nth(place)  # by place: a name such as "*" or "^a$" would mean more columns
    if dtype.is_float():
        # The bits, since how a float prints may change; -0 equals 0 but has other bits.
        bits = pl.when(value == 0.0).then(pl.lit(0.0, dtype=dtype)).otherwise(value).reinterpret(signed=False)
        return bits.cast(pl.String).fill_null("")
    if dtype != pl.String:
        return pl.Series([_canonical(cell) for cell in frame.to_series(place).to_list()], dtype=pl.String)
    text = value.fill_null("")
    for character, escape in _ESCAPES:
        text = text.str.replace_all(character, escape, literal=True)
    return text


def _canonical(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        value = {key: inner for key, inner in value.items() if inner is not None}
    return json.dumps(value, sort_keys=True, ensure_ascii=True)
