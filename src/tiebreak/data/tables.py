"""Reads one table, from a file of any of the three formats or from memory, into a `RawTable`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tiebreak.data.columns import from_series, from_values
from tiebreak.data.csv_files import check_text, read_csv
from tiebreak.data.jsonl_files import from_records, log_misfits, read_jsonl
from tiebreak.data.problems import ProblemLog, RawTable
from tiebreak.data.schema import TableSpec
from tiebreak.errors import Problem, UsageError


def read_table(path: Path, spec: TableSpec, log: ProblemLog) -> RawTable | None:
    """The table in a .csv, .jsonl or .parquet file; None, and problems in the log, if it cannot be read."""
    file = str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        log.add(Problem(file, f"cannot be read: {error.strerror or error}"))
        return None
    if path.suffix.lower() == ".parquet":
        return _read_parquet(data, file, spec, log)
    text = check_text(data, file, log)
    if text is None:
        return None
    return read_csv(text, file, log) if path.suffix.lower() == ".csv" else read_jsonl(text, file, spec, log)


def table_from_memory(source: object, spec: TableSpec, log: ProblemLog) -> RawTable | None:
    """The table in a polars, pandas or Arrow object, in a list of dicts or in a dict of columns."""
    file = f"{spec.name} (table)"
    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    if isinstance(source, pl.DataFrame):
        return _from_frame(source, file, spec, log)
    if type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "columns"):
        return _from_pandas(source, file, spec, log)
    if hasattr(source, "__arrow_c_stream__"):
        try:
            frame = pl.DataFrame(source)
        except pl.exceptions.PolarsError as error:  # two columns of one name, a type that polars does not know
            log.add(Problem(file, f"cannot be taken as a table: {error}"))
            return None
        return _from_frame(frame, file, spec, log)
    if isinstance(source, Mapping):
        return _from_columns({str(name): list(values) for name, values in source.items()}, file, spec, log)
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        raw = from_records(source, file, spec, log)
        if raw is not None and raw.frame.height == 0:
            log.add(Problem(file, "no rows; leave the table out, or give at least one"))
            return None
        return raw
    raise UsageError(
        f"{spec.name} must be a polars, pandas or Arrow table or a list of dicts, not {type(source).__name__}"
    )


def _read_parquet(data: bytes, file: str, spec: TableSpec, log: ProblemLog) -> RawTable | None:
    if not data:
        log.add(Problem(file, "the file is empty (0 bytes); delete it, or write it again"))
        return None
    if not (data.startswith(b"PAR1") and data.endswith(b"PAR1")):
        what = "truncated" if data.startswith(b"PAR1") else "no Parquet file"
        log.add(Problem(file, f"not readable: the file is {what}; write it again"))
        return None
    try:
        frame = pl.read_parquet(data)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        first = str(error).partition("\n")[0]
        log.add(Problem(file, f"not readable, the Parquet file is damaged ({first}); write it again"))
        return None
    return _from_frame(frame, file, spec, log)


def _from_frame(frame: pl.DataFrame, file: str, spec: TableSpec, log: ProblemLog) -> RawTable | None:
    if frame.height == 0:
        log.add(Problem(file, "no rows; leave the table out, or give at least one"))
        return None
    raw = RawTable(file, frame, _row_numbers, header_line=None)
    columns = []
    for series in frame.get_columns():
        column = from_series(series, spec.kind_of(series.name))
        log_misfits(raw, series.name, column, 0, log)
        columns.append(column.series)
    return RawTable(file, pl.DataFrame(columns), _row_numbers, None, raw.misfits)


def _from_pandas(source: Any, file: str, spec: TableSpec, log: ProblemLog) -> RawTable | None:
    """Column by column through Python objects: pandas' conversion to Arrow refuses what we want to explain."""
    labels = list(source.columns)
    if len(set(map(str, labels))) < len(labels):
        log.add(Problem(file, "two columns have the same name; rename or remove one"))
        return None
    columns = {}
    for position, label in enumerate(labels):
        column = source.iloc[:, position]
        missing = column.isna().tolist()
        # NaN is "missing" in pandas: no text, but no number either, which the check of the content reports.
        columns[str(label)] = [None if gone else v for v, gone in zip(column.tolist(), missing, strict=True)]
    return _from_columns(columns, file, spec, log)


def _from_columns(columns: Mapping[str, Sequence[Any]], file: str, spec: TableSpec, log: ProblemLog) -> RawTable | None:
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        log.add(Problem(file, f"columns of different lengths: {lengths}"))
        return None
    if not any(lengths.values()):
        log.add(Problem(file, "no rows; leave the table out, or give at least one"))
        return None
    raw = RawTable(file, pl.DataFrame(), _row_numbers, header_line=None)
    made = []
    for name, values in columns.items():
        column = from_values(name, values, spec.kind_of(name))
        log_misfits(raw, name, column, 0, log)
        made.append(column.series)
    return RawTable(file, pl.DataFrame(made), _row_numbers, None, raw.misfits)


def _row_numbers(rows: Sequence[int]) -> list[int]:
    return [row + 1 for row in rows]
