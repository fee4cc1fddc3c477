"""The fast CSV path must read what Python's csv module reads, and errors must name the physical line."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tiebreak.data import csv_files
from tiebreak.data.csv_files import scan
from tiebreak.data.problems import ProblemLog

# Few characters, so that quotes, commas and line ends meet often.
FIELD = st.text(alphabet='",\n\rab é\u00a0\u200b', max_size=6)
QUOTINGS = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])


def _written(rows: list[list[str]], quoting: int, end: str) -> str:
    stream = io.StringIO(newline="")
    # The writer of Python 3.11 leaves a bare carriage return unquoted where lines end in LF, and then refuses to
    # read it back.
    cleaned = [[field.replace("\r", "") if quoting == csv.QUOTE_MINIMAL else field for field in row] for row in rows]
    csv.writer(stream, quoting=quoting, lineterminator=end).writerows([["x", "y"], *cleaned])
    return stream.getvalue()


def _oracle(text: str) -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(text, newline="\n"), strict=True) if row][1:]


def _starts(text: str) -> list[int]:
    """Physical first lines of the records, as Python's reader counts them, without the header and blank lines."""
    reader = csv.reader(io.StringIO(text, newline="\n"), strict=True)
    starts, line = [], 1
    for row in reader:
        if row:
            starts.append(line)
        line = reader.line_num + 1
    return starts[1:]


def _rows(frame: pl.DataFrame) -> list[list[str]]:
    return [["" if value is None else value for value in row] for row in frame.iter_rows()]


@settings(max_examples=300, deadline=None)
@given(
    rows=st.lists(st.lists(FIELD, min_size=2, max_size=2), min_size=1, max_size=6), quoting=QUOTINGS, crlf=st.booleans()
)
@example(rows=[["", '"'], ["\n", ","]], quoting=csv.QUOTE_MINIMAL, crlf=True)
@example(rows=[["a\r", '""'], ["\r\n", "é"]], quoting=csv.QUOTE_ALL, crlf=False)
def test_reads_what_the_csv_module_reads(rows: list[list[str]], quoting: int, crlf: bool) -> None:
    text = _written(rows, quoting, "\r\n" if crlf else "\n")
    log = ProblemLog()
    table = csv_files.read_csv(text.encode(), "x.csv", log)
    assert log.problems == []
    assert table is not None
    assert _rows(table.frame) == _oracle(text)
    assert table.lines(range(len(rows))) == _starts(text)


@settings(max_examples=500, deadline=None)
@given(body=st.text(alphabet='",\n\rab', max_size=14))
@example(body='a"b,c\n')
@example(body='"a"b,c\n')
@example(body='a,b\n\n\nc,"\n"\n')
@example(body='"",""""\n')
def test_any_text_gives_the_rows_of_the_csv_module_or_a_problem(body: str) -> None:
    text = "x,y\n" + body
    log = ProblemLog()
    table = csv_files.read_csv(text.encode(), "x.csv", log)
    try:
        expected = _oracle(text)
    except csv.Error:
        assert log.total > 0
        return
    if not expected or any(len(row) != 2 for row in expected):
        assert log.total > 0
        return
    assert log.problems == []
    assert table is not None
    assert _rows(table.frame) == expected
    assert table.lines(range(len(expected))) == _starts(text)


def test_a_regular_file_does_not_need_the_csv_module(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the slow path was taken")

    monkeypatch.setattr(csv_files, "_read_carefully", refuse)
    table = csv_files.read_csv(b'x,y\r\n"a\r\n""b""",\r\n\r\n"","c,d"\r\n', "x.csv", ProblemLog())
    assert table is not None
    # Quoted and empty is empty text; nothing at all is missing.
    assert table.frame.rows() == [('a\r\n"b"', None), ("", "c,d")]
    assert table.lines([0, 1]) == [2, 5]


def test_the_layout_is_the_same_in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b'x,y\n"a,\n""",b\r\n\n"c",d"\ne,"f\n\ng"'
    whole = scan(data)
    monkeypatch.setattr("tiebreak.data.csv_files._CHUNK", 3)
    pieces = scan(data)
    assert pieces.starts.tolist() == whole.starts.tolist()
    assert pieces.ends.tolist() == whole.ends.tolist()
    assert pieces.fields.tolist() == whole.fields.tolist()
    assert pieces.regular is whole.regular is False  # the quote after d


def test_a_field_of_any_length_and_the_limit_of_the_csv_module_is_put_back() -> None:
    before = csv.field_size_limit()
    long = "z" * 200_000
    table = csv_files.read_csv(f'x,y\na"b,{long}\n'.encode(), "x.csv", ProblemLog())  # a stray quote: the slow path
    assert table is not None
    assert table.frame.row(0) == ('a"b', long)
    assert csv.field_size_limit() == before


def test_irregular_files_are_read_where_a_c_long_has_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = csv.field_size_limit

    def as_on_windows(limit: int) -> int:
        if limit > 2**31 - 1:
            raise OverflowError("Python int too large to convert to C long")
        return allowed(limit)

    monkeypatch.setattr(csv, "field_size_limit", as_on_windows)
    log = ProblemLog()
    assert csv_files.read_csv(b"item,system\n1\n", "x.csv", log) is None
    assert "expected 2 fields" in log.problems[0].message
