"""Rows as text, the same for equal content whatever its format."""

from __future__ import annotations

import json
from typing import Any

import polars as pl


def row_texts(frame: pl.DataFrame) -> pl.Series:
    """One text per row; rows have the same text if and only if they are equal in every column.

    A missing text equals an empty one, and -0 equals 0. The separators cannot occur unescaped in a value.
    """
    columns = [_as_text(frame[name]) for name in frame.columns]
    return frame.select(pl.concat_str(columns, separator="\x1f").alias("row"))["row"]


def _as_text(series: pl.Series) -> pl.Series:
    if series.dtype.is_float():
        # The bits, since how a float prints may change; -0 equals 0 but has other bits.
        return series.set(series == 0.0, 0.0).reinterpret(signed=False).cast(pl.String).fill_null("")
    if series.dtype != pl.String:
        return pl.Series(series.name, [_canonical(value) for value in series.to_list()], dtype=pl.String)
    text = series.fill_null("")
    for character, escape in (("\\", "\\\\"), ("\x1e", "\\e"), ("\x1f", "\\f")):
        text = text.str.replace_all(character, escape, literal=True)
    return text


def _canonical(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        value = {key: inner for key, inner in value.items() if inner is not None}
    return json.dumps(value, sort_keys=True, ensure_ascii=True)
