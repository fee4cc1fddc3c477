"""Reads a CSV file as text columns: fast where it is regular, with Python's csv module where it is not.

Where the records of a CSV file start, and whether its quoting can be trusted to a fast parser.

A fast parser flips between "inside quotes" and "outside" at every quote. That equals the CSV grammar exactly when
every opening quote starts a field and every closing quote ends one (a doubled quote is a closing quote right before
an opening one). This is checked here on the bytes, together with the number of fields of each record.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.problems import ProblemLog, RawTable
from tiebreak.errors import Problem

_CHUNK: Final = 1 << 23
_QUOTE, _COMMA, _LF, _CR = 34, 44, 10, 13


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """`starts` and `ends`: byte offsets of the records, header included, line ends excluded (a carriage return before
    the line feed still counts); `fields`: fields per record; `regular`: the fast parser can be trusted.
    """

    data: bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    fields: NDArray[np.int64]
    regular: bool

    def blank(self) -> NDArray[np.bool_]:
        """Records without a single character; they are not rows."""
        length = self.ends - self.starts
        blank: NDArray[np.bool_] = length == 0
        single = np.flatnonzero(length == 1)
        array = np.frombuffer(self.data, dtype=np.uint8)
        blank[single] = array[self.starts[single]] == _CR
        return blank

    def lines(self, records: Sequence[int]) -> list[int]:
        """The 1-based physical line on which each record starts; `records` ascending."""
        array = np.frombuffer(self.data, dtype=np.uint8)
        line, position, numbers = 1, 0, []
        for record in records:
            start = int(self.starts[record])
            line += int(np.count_nonzero(array[position:start] == _LF))
            position = start
            numbers.append(line)
        return numbers


def scan(data: bytes) -> CsvLayout:
    """One pass over the bytes of a CSV file, in pieces so that memory stays small."""
    array = np.frombuffer(data, dtype=np.uint8)
    ends: list[NDArray[np.int64]] = []
    commas_before: list[NDArray[np.int64]] = []
    inside, commas, regular = 0, 0, True
    for offset in range(0, len(data), _CHUNK):
        piece = array[offset : offset + _CHUNK]
        is_quote = piece == _QUOTE
        parity = (np.cumsum(is_quote, dtype=np.int32) + inside) & 1
        outside = parity == 0
        breaks = np.flatnonzero((piece == _LF) & outside)
        delimiters = np.flatnonzero((piece == _COMMA) & outside)
        ends.append(breaks + offset)
        commas_before.append(np.searchsorted(delimiters, breaks) + commas)
        quotes = np.flatnonzero(is_quote)
        opening = parity[quotes] == 1
        returns = np.flatnonzero((piece == _CR) & outside) + offset
        regular = (
            regular
            and _quotes_open_fields(array, quotes[opening] + offset)
            and _quotes_close_fields(array, quotes[~opening] + offset)
            and _returns_end_lines(array, returns)
        )
        commas += len(delimiters)
        if len(piece):
            inside = int(parity[-1])
    all_ends = np.concatenate([*ends, np.array([], dtype=np.int64)])
    all_commas = np.concatenate([*commas_before, np.array([], dtype=np.int64)])
    if len(data) and (len(all_ends) == 0 or all_ends[-1] != len(data) - 1):
        all_ends = np.append(all_ends, len(data))
        all_commas = np.append(all_commas, commas)
    starts = np.concatenate([np.zeros(min(len(all_ends), 1), dtype=np.int64), all_ends[:-1] + 1])
    fields = np.diff(all_commas, prepend=0) + 1
    return CsvLayout(data, starts, all_ends, fields, regular and inside == 0)


def _quotes_open_fields(array: NDArray[np.uint8], positions: NDArray[np.int64]) -> bool:
    before = array[positions[positions > 0] - 1]
    return bool(np.all((before == _COMMA) | (before == _LF) | (before == _QUOTE)))


def _quotes_close_fields(array: NDArray[np.uint8], positions: NDArray[np.int64]) -> bool:
    after = array[positions[positions < len(array) - 1] + 1]
    return bool(np.all((after == _COMMA) | (after == _LF) | (after == _QUOTE) | (after == _CR)))


def _returns_end_lines(array: NDArray[np.uint8], positions: NDArray[np.int64]) -> bool:
    if len(positions) and positions[-1] == len(array) - 1:
        return False
    return bool(np.all(array[positions + 1] == _LF))


_BOM: Final = b"\xef\xbb\xbf"
_WIDE_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")
_ROWS_AT_ONCE: Final = 100_000
_LONGEST_FIELD: Final = 2**31 - 1  # the csv module takes a C long, which has 32 bits on Windows


def check_text(data: bytes, file: str, log: ProblemLog) -> bytes | None:
    """The bytes without a byte order mark, or None (and a problem) if they are empty or not plain UTF-8."""
    if not data or data.isspace():
        log.add(Problem(file, "the file is empty; delete it, or write a header and at least one row"))
        return None
    if data.startswith(_WIDE_BOMS):
        advice = "the file is UTF-16, not UTF-8; convert it: iconv -f UTF-16 -t UTF-8"
        log.add(Problem(file, advice, line=1))
        return None
    data = data.removeprefix(_BOM)
    if not _is_utf8(data):
        log.add(_encoding_problem(data, file))
        return None
    nul = data.find(b"\0")
    if nul >= 0:
        message = f"a NUL byte (byte {nul + 1:,} of the file), which is not text; is the file whole?"
        log.add(Problem(file, message, line=data.count(b"\n", 0, nul) + 1))
        return None
    return data


def read_csv(data: bytes, file: str, log: ProblemLog) -> RawTable | None:
    """All columns as text; null where a field is empty and unquoted.

    A broken file adds problems to the log; what is then returned (None: nothing) serves only to check the rest.
    In a file with stray quotes a quoted empty field cannot be told from an empty one; both are null there.
    """
    layout = scan(data)
    if not layout.regular:
        return _read_carefully(data, file, log)
    rows = np.flatnonzero(~layout.blank())
    header = _header(data[layout.starts[rows[0]] : layout.ends[rows[0]]].decode("utf-8"))
    frame = None
    if len(rows) > 1 and bool(np.all(layout.fields[rows] == len(header))):
        frame = _parse_regular(data, layout, header)
    if frame is None:
        return _read_carefully(data, file, log)
    before = log.total
    _check_header(header, file, layout.lines([int(rows[0])])[0], log)
    if log.total > before:
        return None
    records = rows[1:]
    return RawTable(file, frame, lambda asked: layout.lines([int(records[row]) for row in asked]))


def _parse_regular(data: bytes, layout: CsvLayout, header: list[str]) -> pl.DataFrame | None:
    """The rows as polars reads them; None if it does not see the records that are there."""
    places = [str(position) for position in range(len(header))]
    try:
        frame = pl.read_csv(data, has_header=False, new_columns=places, infer_schema=False)
    except pl.exceptions.PolarsError:
        return None
    if frame.shape != (len(layout.starts), len(header)):
        return None
    frame = frame.filter(~pl.Series(layout.blank())).slice(1)
    if len(set(header)) < len(header):
        return frame  # the names cannot be given; the header is reported as wrong
    return frame.rename(dict(zip(places, header, strict=True)))


def _read_carefully(data: bytes, file: str, log: ProblemLog) -> RawTable | None:
    """The csv module decides what the file holds, and says where it is broken."""
    before = log.total
    pieces: list[pl.DataFrame] = []
    lines: list[int] = []
    header: list[str] | None = None
    rows: list[list[str]] = []
    for line, record in _records(data, file, log):
        if header is None:
            header = record
            _check_header(header, file, line, log)
            if log.total > before:
                return None
        elif len(record) != len(header):
            log.add(Problem(file, _ragged(len(header), len(record)), line))
        else:
            rows.append(record)
            lines.append(line)
        if header is not None and len(rows) == _ROWS_AT_ONCE:
            pieces.append(_frame(rows, header))
            rows = []
    if header is not None and not lines and log.total == before:
        log.add(Problem(file, "no rows, only a header; delete the file, or write at least one row"))
    if header is None or not lines:
        return None
    frame = pl.concat([*pieces, _frame(rows, header)])
    return RawTable(file, frame, lambda asked: [lines[row] for row in asked])


def _records(data: bytes, file: str, log: ProblemLog) -> Iterator[tuple[int, list[str]]]:
    """(first physical line, fields) of every record that is not blank; stops at the first broken one."""
    source = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n")
    reader = csv.reader(source, strict=True)
    limit = csv.field_size_limit(_LONGEST_FIELD)
    line = 1
    try:
        for record in reader:
            if record:
                yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        log.add(Problem(file, _explain(str(error)), line))
    finally:
        csv.field_size_limit(limit)


def _explain(error: str) -> str:
    if "unexpected end of data" in error:
        return "a quote opens here and is never closed; close it, and double the quotes inside a quoted field"
    if "expected after" in error:
        return 'text after a closing quote; write a quote inside a quoted field twice ("")'
    if "new-line character" in error:
        return "a carriage return outside quotes; end lines with LF or CRLF, and quote fields that hold one"
    return f"not readable as CSV ({error})"


def _frame(rows: list[list[str]], header: list[str]) -> pl.DataFrame:
    columns = zip(*rows, strict=True) if rows else ([] for _ in header)
    series = [pl.Series(name, values, dtype=pl.String) for name, values in zip(header, columns, strict=True)]
    return pl.DataFrame(series).with_columns(pl.all().replace("", None))


def _header(text: str) -> list[str]:
    return next(csv.reader(io.StringIO(text.removesuffix("\r"), newline="")))


def _check_header(header: Sequence[str], file: str, line: int, log: ProblemLog) -> None:
    seen: set[str] = set()
    for name in header:
        if name in seen:
            log.add(Problem(file, "this column is in the header twice; rename or remove one", line, name))
        seen.add(name)
    if "" in seen:
        message = "a column without a name; name it or remove it (a trailing comma in the header makes one)"
        log.add(Problem(file, message, line))


def _ragged(expected: int, count: int) -> str:
    more = "quote a field that holds a comma" if count > expected else "write the commas of empty fields too"
    return f"expected {expected} fields as in the header, found {count}; {more}"


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    source = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n")
    try:
        while source.read(1 << 22):
            pass
    except UnicodeDecodeError:
        return False
    return True


def _encoding_problem(data: bytes, file: str) -> Problem:
    try:
        data.decode("utf-8")
        position = 0
    except UnicodeDecodeError as error:
        position = error.start
    line = data.count(b"\n", 0, position) + 1
    column = position - (data.rfind(b"\n", 0, position) + 1) + 1
    message = (
        f"not UTF-8: byte 0x{data[position]:02x} at byte {column} of this line; convert the file, for instance "
        "(if it is Latin-1 or from Windows): iconv -f WINDOWS-1252 -t UTF-8"
    )
    return Problem(file, message, line)
