"""Reads JSON Lines and lists of dicts: one object a row, numbered by line, types checked value by value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import polars as pl

from tiebreak.data.columns import TypedColumn, from_values
from tiebreak.data.problems import ProblemLog, RawTable
from tiebreak.data.schema import TableSpec
from tiebreak.errors import Problem
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.records import Notice

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
        table = RawTable(self._file, pl.DataFrame(), self._lines, None)
        columns: list[pl.Series] = []
        for name in self._names:
            if name in self._other:
                pieces = [from_values(name, self._other[name], self._spec.kind_of(name))]
            else:
                pieces = self._typed[name]
            offset = 0
            for piece in pieces:
                log_misfits(table, name, piece, offset, log)
                offset += len(piece.series)
            columns.append(pl.concat([piece.series for piece in pieces]))
        return RawTable(self._file, pl.DataFrame(columns), self._lines, None, table.misfits)


def log_misfits(table: RawTable, name: str, column: TypedColumn, offset: int, log: ProblemLog) -> None:
    """Reports the values that did not fit their column, and notes their rows in `table.misfits`."""
    if column.kept_as_json:
        text = f"{table.file}: the column {name} holds values of different types; it is kept as JSON text"
        log.notices.append(Notice("mixed-column", text, {"table": table.file, "column": name}))
    found = {row + offset: (value, message) for row, value, message in column.misfits}
    if not found:
        return
    table.misfits.setdefault(name, []).extend(found)
    for row, line in zip(list(found)[:1000], table.lines(list(found)[:1000]), strict=True):
        value, message = found[row]
        log.add(Problem(table.file, message, line, name, value))
    log.total += max(len(found) - 1000, 0)
