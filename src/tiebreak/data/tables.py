"""Reads one table, from a file of any of the three formats or from memory, into a `RawTable`.

Reads JSON Lines and lists of dicts: one object a row, numbered by line, types checked value by value.

Rows as text, the same for equal content whatever its format.

One hash for the content of tables, whatever the order of their rows and columns and whatever their format.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from tiebreak.data.columns import TypedColumn, from_series, from_values, one_way_round
from tiebreak.data.csv_files import check_text, read_csv
from tiebreak.data.problems import MAX_PROBLEMS, ProblemLog, RawTable
from tiebreak.data.schema import TABLES, TableName, TableSpec
from tiebreak.errors import Problem, UsageError
from tiebreak.messages.tables import mixed_column
from tiebreak.parsing import ParsingError, json_reader

_ROWS_AT_ONCE: Final = 100_000


def read_jsonl(data: bytes, file: str, spec: TableSpec, log: ProblemLog) -> RawTable | None:
    """A table from JSON Lines (UTF-8, already checked).

    Lines that are no JSON object go to the log; the table then holds the others, so that they are checked too.
    """
    before = log.total
    lines: list[int] = []
    builder = _Builder(file, spec, lambda rows: [lines[row] for row in rows])
    decode = json_reader()
    for number, raw in enumerate(data.split(b"\n"), start=1):
        if raw.isspace() or not raw:
            continue
        try:
            record = decode(raw.decode("utf-8"))
        except ParsingError as error:
            at = f"invalid JSON at character {error.character} of the line: " if error.character is not None else ""
            log.add(Problem(file, f"{at}{error}", number))
            continue
        if not isinstance(record, dict):
            message = 'every line must be one JSON object, such as {"item": "1", ...}'
            log.add(Problem(file, message, number, value=raw.decode("utf-8").strip()))
            continue
        lines.append(number)
        builder.add(record)
    if not lines and log.total == before:
        log.add(Problem(file, "no rows; delete the file, or write at least one"))
    return builder.finish(log) if lines else None


def from_records(records: Iterable[Any], file: str, spec: TableSpec, log: ProblemLog) -> RawTable | None:
    """A table from dicts; "lines" are 1-based positions."""
    before = log.total
    builder = _Builder(file, spec, lambda rows: [row + 1 for row in rows])
    for number, record in enumerate(records, start=1):
        if isinstance(record, Mapping):
            builder.add(record)
        else:
            log.add(Problem(file, f"every row must be a dict, not {type(record).__name__}", number))
    return None if log.total > before else builder.finish(log)


class _Builder:
    """Collects records; known columns are converted in pieces, so that their Python objects do not pile up."""

    def __init__(self, file: str, spec: TableSpec, lines: Callable[[Sequence[int]], list[int]]) -> None:
        self._file, self._spec, self._lines = file, spec, lines
        self._pending: list[Mapping[str, Any]] = []
        self._height = 0
        self._names: dict[str, None] = {}
        self._typed: dict[str, list[TypedColumn]] = {}
        self._offsets: list[int] = []
        self._other: dict[str, list[Any]] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        self._pending.append(record)
        if len(self._pending) == _ROWS_AT_ONCE:
            self._convert()

    def _convert(self) -> None:
        for record in self._pending:
            if record.keys() - self._names.keys():
                self._names.update(dict.fromkeys(map(str, record)))
        for name in self._names:
            kind = self._spec.kind_of(name)
            values = [record.get(name) for record in self._pending]
            if kind is None or kind == "reference":  # their type shows only when all rows are known
                self._other.setdefault(name, [None] * self._height).extend(values)
            else:
                pieces = self._typed.setdefault(name, [])
                if not pieces and self._height:
                    pieces.append(from_values(name, [None] * self._height, kind))
                pieces.append(from_values(name, values, kind))
        self._offsets.append(self._height)
        self._height += len(self._pending)
        self._pending = []

    def finish(self, log: ProblemLog) -> RawTable:
        """The table of all rows taken so far; problems with whole columns go to the log."""
        self._convert()
        other = {name: [from_values(name, self._other[name], self._spec.kind_of(name))] for name in self._other}
        pieces = self._typed | other
        return _table(self._file, {name: pieces[name] for name in self._names}, self._lines, log)


def _table(
    file: str,
    columns: Mapping[str, Sequence[TypedColumn]],
    lines: Callable[[Sequence[int]], list[int]],
    log: ProblemLog,
) -> RawTable:
    """A table of columns that came in pieces. The values that did not fit their column go to the log, and their rows
    are noted in the table.
    """
    misfits: dict[str, list[int]] = {}
    for name, pieces in columns.items():
        offset = 0
        for piece in pieces:
            if piece.kept_as_json:
                log.notices.append(mixed_column(file, name))
            if piece.misfits:
                rows = [row + offset for row, _, _ in piece.misfits]
                misfits.setdefault(name, []).extend(rows)
                shown = zip(lines(rows[:MAX_PROBLEMS]), piece.misfits, strict=False)
                for line, (_, value, message) in shown:
                    log.add(Problem(file, message, line, name, value))
                log.total += max(len(rows) - MAX_PROBLEMS, 0)
            offset += len(piece.series)
    frame = pl.DataFrame([pl.concat([piece.series for piece in pieces]) for pieces in columns.values()])
    return RawTable(file, frame, lines, None, misfits)


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
        return _with_rows(from_records(source, file, spec, log), log)
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
    columns = {series.name: [from_series(series, spec.kind_of(series.name))] for series in frame.get_columns()}
    return _with_rows(_table(file, columns, _row_numbers, log), log)


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
    typed = {name: [from_values(name, values, spec.kind_of(name))] for name, values in columns.items()}
    return _with_rows(_table(file, typed, _row_numbers, log), log)


def _with_rows(table: RawTable | None, log: ProblemLog) -> RawTable | None:
    if table is None or table.frame.height:
        return table
    log.add(Problem(table.file, "no rows; leave the table out, or give at least one"))
    return None


def _row_numbers(rows: Sequence[int]) -> list[int]:
    return [row + 1 for row in rows]


_SEPARATOR: Final = "\x1f"
_ESCAPES: Final = (("\\", "\\\\"), ("\x1e", "\\e"), ("\x1f", "\\f"))


def distinct(column: pl.Series) -> set[Any]:
    """The different values of a column, None among them where one is missing."""
    return set(column.unique().to_list())


def row_texts(frame: pl.DataFrame) -> pl.Series:
    """One text per row; rows have the same text if and only if they are equal in every column.

    A missing text equals an empty one, and -0 equals 0. The separators cannot occur unescaped in a value.
    """
    columns = [_as_text(frame, place) for place in range(frame.width)]
    return frame.select(pl.concat_str(columns, separator=_SEPARATOR).alias("row")).to_series()


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


def fingerprint_of(tables: Mapping[TableName, pl.DataFrame]) -> str:
    """SHA-256 (hex) over the known columns of the tables; a missing text counts as an empty one, -0 as 0.

    Columns that the schema does not know are left out, and so are settings: what is asked of the data must not
    change what is drawn from them.
    """
    total = hashlib.sha256()
    for name in sorted(tables):
        total.update(f"{name}:{_hash_table(tables[name], name)}\n".encode())
    return total.hexdigest()


def fingerprint_of_labels(
    preferences: pl.DataFrame | None,
    ratings: pl.DataFrame | None,
    edits: pl.DataFrame | None = None,
    spans: pl.DataFrame | None = None,
) -> str:
    """SHA-256 (hex) over what human labels say: item, systems, criterion and outcome or value of each, texts of edits,
    and what passages support.

    Who gave them, when, and which system is named first make no difference: the labels of a campaign, of its export
    with people renamed, and of a study made of it have one fingerprint.
    """
    tables: dict[TableName, pl.DataFrame] = {}
    if preferences is not None:
        judged = preferences.select("item", "system_a", "system_b", "criterion", "outcome", "sample_a", "sample_b")
        tables["preferences"] = one_way_round(judged)
    if ratings is not None:
        tables["ratings"] = ratings.select("item", "system", "criterion", "value", "sample")
    if edits is not None:
        tables["edits"] = edits.select("item", "system", "text", "sample")
    if spans is not None:
        tables["spans"] = spans.select("item", "system", "passage", "support", "sample")
    return fingerprint_of(tables)


def _hash_table(frame: pl.DataFrame, name: TableName) -> str:
    spec = TABLES[name]
    present = [column for column in spec.columns if column.name in frame.columns]
    used = [column for column in present if not column.later or frame[column.name].null_count() < frame.height]
    # Within a table the columns come in a fixed order.
    rows = row_texts(frame.select(column.name for column in used)).sort()
    digest = hashlib.sha256("\x1f".join(column.name for column in used).encode())
    for start in range(0, len(rows), 100_000):
        digest.update(("\x1e" + "\x1e".join(rows.slice(start, 100_000).to_list())).encode())
    return digest.hexdigest()
