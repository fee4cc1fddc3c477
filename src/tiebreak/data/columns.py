"""Turns columns of Python or Arrow values into the types of the tables, and says which values do not fit.

Points in time as people and tools write them: ISO 8601, with or without a zone.

Rows about pairs of systems, all the same way round: what is said of a and b is then said of b and a.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final

import numpy as np
import polars as pl

from tiebreak.data.schema import NUMBERS, TABLES, Kind, TableName

Misfit = tuple[int, str, str]
"""(row, value as text, what is wrong and allowed)"""

_REFERENCE: Final = "a reference is text, a list of texts or texts by name, the same kind in every row"
_INT64: Final = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column of the right type (null where a value did not fit) and the values that did not fit."""

    series: pl.Series
    misfits: list[Misfit] = field(default_factory=list)
    kept_as_json: bool = False


def from_values(name: str, values: Sequence[Any], kind: Kind | None) -> TypedColumn:
    """A column from Python objects; `kind` None keeps what they are, as JSON text if their types differ."""
    if any(isinstance(value, np.generic) for value in values):
        values = [value.item() if isinstance(value, np.generic) else value for value in values]
    if kind is None:
        return _kept(name, values)
    if kind == "reference":
        return _references(name, values)
    is_number = kind in NUMBERS
    plain: set[type] = {int, float, type(None)} if is_number else {str, type(None)}
    dtype: type[pl.DataType] = pl.Float64 if is_number else pl.String
    if set(map(type, values)) <= plain:
        with suppress(UnicodeEncodeError, OverflowError, TypeError):  # else the value that does not fit is named
            return TypedColumn(pl.Series(name, values, dtype=dtype))
    fitted: list[Any] = []
    misfits: list[Misfit] = []
    for row, value in enumerate(values):
        try:
            fitted.append(_number(value) if is_number else _text(value))
        except ValueError as error:
            fitted.append(None)
            misfits.append((row, _shown(value), str(error)))
    return TypedColumn(pl.Series(name, fitted, dtype=dtype), misfits)


def from_series(series: pl.Series, kind: Kind | None) -> TypedColumn:
    """A column from a polars series, as Parquet and Arrow tables give it."""
    dtype, name = series.dtype, series.name
    if dtype == pl.Object:
        return from_values(name, series.to_list(), kind)
    if isinstance(dtype, (pl.Categorical, pl.Enum)):
        series, dtype = series.cast(pl.String), pl.String()
    if kind is None:
        return TypedColumn(series)
    if dtype == pl.Null:
        return TypedColumn(series.cast(pl.Float64 if kind in NUMBERS else pl.String))
    if kind == "reference":
        fits = dtype == pl.String or isinstance(dtype, (pl.List, pl.Array, pl.Struct))
        return TypedColumn(series) if fits else from_values(name, series.to_list(), kind)
    if dtype == pl.String:
        return TypedColumn(series)
    if kind in NUMBERS and dtype.is_numeric():
        return TypedColumn(series.cast(pl.Float64))
    if kind not in NUMBERS and dtype.is_integer():
        return TypedColumn(series.cast(pl.String))
    return from_values(name, series.to_list(), kind)


def completed(frame: pl.DataFrame, table: TableName) -> pl.DataFrame:
    """The rows with all known columns of their table, in its order; optional ones that are absent are empty."""
    known = TABLES[table].columns
    absent = [column for column in known if column.name not in frame.columns and not column.required]
    if absent:
        kinds = {column.name: pl.Float64 if column.kind in NUMBERS else pl.String for column in absent}
        frame = frame.with_columns(pl.lit(None, dtype=kind).alias(name) for name, kind in kinds.items())
    first = [column.name for column in known if column.name in frame.columns]
    return pl.DataFrame([frame[name] for name in (*first, *(name for name in frame.columns if name not in first))])


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            raise ValueError("half of a surrogate pair, which is not valid Unicode")
        return str(value)
    if isinstance(value, bool):
        raise ValueError("a truth value, where text is needed")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if value.is_integer():
            return str(int(value))
        raise ValueError("a number that is not whole, where text is needed; write it as text")
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    raise ValueError(f"{_type_name(value)}, where text is needed")


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{_type_name(value)}, where a number is needed")
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError("too large for a number") from error


def _references(name: str, values: Sequence[Any]) -> TypedColumn:
    """Text, lists or objects, but one of them throughout: which is told by the first that is there."""
    first = next((value for value in values if value is not None), None)
    expected = type(first) if isinstance(first, (list, dict)) else str
    fits = [value is None or (isinstance(value, expected) and _are_texts(value)) for value in values]
    fitted = [value if fit else None for value, fit in zip(values, fits, strict=True)]
    misfits = [
        (row, _shown(value), f"{_type_name(value)}; {_REFERENCE}")
        for row, (value, fit) in enumerate(zip(values, fits, strict=True))
        if not fit
    ]
    if expected is str:
        return TypedColumn(pl.Series(name, fitted, dtype=pl.String), misfits)
    if not any(fitted):
        empty: list[list[str] | None] = [None if value is None else [] for value in fitted]
        return TypedColumn(pl.Series(name, empty, dtype=pl.List(pl.String)), misfits)
    return TypedColumn(_nested(name, fitted, _common_type(fitted)), misfits)


def _are_texts(value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return all(isinstance(part, str) or part is None for part in parts)


def _kept(name: str, values: Sequence[Any]) -> TypedColumn:
    dtype = _common_type(values)
    if dtype is not None:
        try:
            return TypedColumn(_nested(name, values, dtype))
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            dtype = None  # types that polars cannot hold together: kept as text below
    texts = [None if value is None else json.dumps(value, ensure_ascii=True, default=str) for value in values]
    return TypedColumn(pl.Series(name, texts, dtype=pl.String), kept_as_json=True)


def _nested(name: str, values: Sequence[Any], dtype: pl.DataType | None) -> pl.Series:
    return pl.Series(name, [_filled(value, dtype) for value in values], dtype=dtype)


def _filled(value: Any, dtype: pl.DataType | None) -> Any:
    """Objects with every field of their type: polars drops a field that the first row lacks."""
    if isinstance(dtype, pl.Struct) and isinstance(value, Mapping):
        return {inner.name: _filled(value.get(inner.name), _instance(inner.dtype)) for inner in dtype.fields}
    if isinstance(dtype, pl.List) and value is not None:
        return [_filled(part, _instance(dtype.inner)) for part in value]
    return value


def _instance(dtype: Any) -> pl.DataType:
    made: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return made


def _common_type(values: Iterable[Any]) -> pl.DataType | None:
    """The polars type that holds all values without changing any of them, or None."""
    present = [value for value in values if value is not None]
    types = set(map(type, present))
    if types <= {str}:
        return pl.String()
    if types == {bool}:
        return pl.Boolean()
    if types == {int}:
        return pl.Int64() if all(value in _INT64 for value in present) else None
    if types <= {int, float}:
        return pl.Float64() if all(float(value) == value or value != value for value in present) else None
    if types == {list}:
        inner = _common_type([part for value in present for part in value])
        return None if inner is None else pl.List(inner)
    if types == {dict} and any(present):
        names = list(dict.fromkeys(key for value in present for key in value))
        fields = {key: _common_type([value.get(key) for value in present]) for key in names}
        known = {key: inner for key, inner in fields.items() if inner is not None}
        return pl.Struct(known) if len(known) == len(fields) else None
    if types == {datetime} and all(value.tzinfo is None for value in present):
        return pl.Datetime("us")
    return pl.Date() if types == {date} else None


def _type_name(value: Any) -> str:
    names: dict[type, str] = {bool: "a truth value", dict: "an object", list: "a list", str: "text", bytes: "bytes"}
    known = "a number" if isinstance(value, (int, float)) else f"a {type(value).__name__}"
    return names.get(type(value), known)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value.encode("ascii", "backslashreplace").decode("ascii") if not value.isprintable() else value
    if isinstance(value, (bool, dict, list)):
        return json.dumps(value, ensure_ascii=True, default=str)
    return str(value)


# Date; time of day; its seconds and their fraction; zone. The calendar itself is checked by parsing.
_ISO: Final = (
    r"^(?P<day>\d{4}-\d{2}-\d{2})"
    r"(?:[T ](?P<minute>\d{2}:\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?:(?P<zulu>[Zz])|(?P<sign>[+-])(?P<hours>[01]\d|2[0-3])(?::?(?P<minutes>[0-5]\d))?)?)?$"
)


def parse_times(written: pl.Series) -> pl.DataFrame:
    """Columns `utc` (Datetime[us, UTC]; null: missing or not ISO 8601) and `aware` (had a zone) for a text series.

    A time without a zone is taken to be UTC; a date alone is its midnight; digits beyond microseconds are cut.
    """
    if written.null_count() == len(written):  # many studies have no times, and ask for them several times
        nothing = pl.repeat(None, len(written), dtype=pl.Datetime("us", "UTC"), eager=True)
        return pl.DataFrame({"utc": nothing, "aware": pl.repeat(False, len(written), eager=True)})
    parts = written.str.extract_groups(_ISO).struct.unnest()
    naive = pl.concat_str(
        "day",
        pl.lit("T"),
        pl.col("minute").fill_null("00:00"),
        pl.lit(":"),
        pl.col("second").fill_null("00"),
        pl.lit("."),
        pl.col("fraction").fill_null("0").str.slice(0, 6).str.pad_end(6, "0"),
    ).str.to_datetime("%Y-%m-%dT%H:%M:%S%.6f", time_unit="us", strict=False)
    offset = pl.duration(
        hours=pl.col("hours").cast(pl.Int64).fill_null(0),
        minutes=pl.col("minutes").cast(pl.Int64).fill_null(0),
    ) * pl.when(pl.col("sign") == "-").then(-1).otherwise(1)
    return parts.select(
        (naive - offset).dt.replace_time_zone("UTC").alias("utc"),
        (pl.col("zulu").is_not_null() | pl.col("sign").is_not_null()).alias("aware"),
    )


def decision_times(frame: pl.DataFrame) -> pl.Series:
    """When each preference was given: series `decided_at_utc`, Datetime[us, UTC], null where it is missing.

    Times without a zone are taken to be UTC. A frame without the column `decided_at` gives nulls throughout.
    """
    if "decided_at" not in frame.columns:
        return pl.Series("decided_at_utc", [None] * frame.height, dtype=pl.Datetime("us", "UTC"))
    return parse_times(frame["decided_at"])["utc"].alias("decided_at_utc")


_MIRRORED: Final = {"a": "b", "tie": "tie", "b": "a"}
_SIDES: Final = (("system_a", "system_b"), ("sample_a", "sample_b"), ("p_a", "p_b"))


def one_way_round(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with system_a before system_b by name; samples, probabilities and the outcome turn with them."""
    turned = pl.col("system_a") > pl.col("system_b")
    sides = [pair for pair in _SIDES if set(pair) <= set(frame.columns)]
    changed = [
        pl.when(turned).then(pl.col(other)).otherwise(pl.col(own)).alias(own)
        for pair in sides
        for own, other in (pair, pair[::-1])
    ]
    if "outcome" in frame.columns:
        outcome = pl.col("outcome").cast(pl.String)
        changed.append(pl.when(turned).then(outcome.replace(_MIRRORED)).otherwise(outcome).alias("outcome"))
    return frame.with_columns(changed)
