"""CSV and TSV files as Excel, Google Sheets, pandas and people write them."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.tabular.cells import csv_text, western_text, what_it_may_be
from tiebreak.tabular.headers import Grid

DELIMITERS: Final = (",", ";", "\t", "|")
SNIFFED_RECORDS: Final = 50
EXAMPLES: Final = 3
_ODD_WORD: Final = re.compile(r"\w*[^\W\x00-\x7f]\w*")
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
# Longer than any prompt or document; the csv module's own limit (131,072) is not.
LONGEST_CELL: Final = 64 * 1024 * 1024


def read_delimited(content: bytes, *, source: str) -> Grid:
    """Decode, find the delimiter, split into cells. Rows are numbered as a spreadsheet program shows them.

    Tab-separated files of programs quote nothing: where every line has the cells of the header, and quotes would run
    over lines or break, they are characters like others. What is surely Windows-1252 is read as such, with a remark.
    Raises InputError naming file and line.
    """
    try:
        text, remark = decode(content, source=source), ""
    except InputError:
        western = western_text(content)
        if western is None:
            raise
        text, remark = western, f"{source}: no UTF-8, and read as Windows-1252{_examples(western)}."
    remarks = (remark,) if remark else ()
    delimiter, text, skipped = _declared_delimiter(text)
    if delimiter is None:
        if (aligned := _by_white_space(text)) is not None:
            return Grid(aligned, remarks=remarks)
        delimiter = sniff_delimiter(text)
    rows = _unquoted(text, delimiter) or _split(text, delimiter, source=source, first_line=1 + skipped)
    numbered = tuple((number + skipped, row) for number, row in enumerate(rows, 1))
    return Grid(numbered, decimal_comma=delimiter == ";", remarks=remarks)


def _examples(text: str) -> str:
    """Some words that would look odd in another encoding."""
    words = list(dict.fromkeys(_ODD_WORD.findall(text)))[:EXAMPLES]
    return f" ({', '.join(words)})" if words else ""


def _unquoted(text: str, delimiter: str) -> list[tuple[str, ...]] | None:
    """The rows of a tab-separated file without quoting; None if its quotes are quotes."""
    if delimiter != "\t" or '"' not in text:
        return None
    plain = [tuple(line.split(delimiter)) for line in _LINE_END.split(text.removesuffix("\n").removesuffix("\r"))]
    width = len(plain[0])
    if width < 2 or any(len(row) != width for row in plain if row != ("",)):
        return None
    quoted = [cell for row in plain for cell in row if cell.startswith('"')]
    closed = sum(len(cell) > 1 and cell.endswith('"') and _doubled(cell[1:-1]) for cell in quoted)
    return None if closed == len(quoted) else plain


def _doubled(inner: str) -> bool:
    return '"' not in inner.replace('""', "")


def _by_white_space(text: str) -> tuple[tuple[int, tuple[str, ...]], ...] | None:
    """Rows of words, as tools for metrics write them, tabs and blanks mixed.

    None unless every line has as many words as the header, at least three, and no delimiter is in the header.
    """
    lines = text.splitlines()
    if len(lines) < 2 or any(mark in lines[0] for mark in (",", ";", "|", '"')) or "\t" in lines[0]:
        return None
    words = [tuple(line.split()) for line in lines]
    width = len(words[0])
    if width < 3 or any(len(row) != width for row in words if row):
        return None
    return tuple(enumerate(words, 1))


def sniff_delimiter(text: str) -> str:
    """The delimiter under which the first records agree best with the first, on a width above one; a comma if none
    does. If none is as wide as the first, which is a title then, the records agree with each other.
    """
    first = {delimiter: list(islice(_widths(text, delimiter), SNIFFED_RECORDS)) for delimiter in DELIMITERS}
    widths = {delimiter: counts for delimiter, counts in first.items() if counts}
    titled = all(counts[0] == 1 or counts[0] not in counts[1:] for counts in widths.values())
    best, best_score = ",", (0.0, 0)
    for delimiter, counts in widths.items():
        times = Counter(counts)
        header = times.most_common(1)[0][0] if titled else counts[0]
        score = (times[header] / len(counts), header) if header > 1 else (0.0, 0)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _widths(text: str, delimiter: str) -> Iterator[int]:
    """How many cells each record has, until a cell is too long, as it may be under a wrong delimiter."""
    with suppress(csv.Error):
        yield from (len(record) for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if record)


def _declared_delimiter(text: str) -> tuple[str | None, str, int]:
    """Excel's own first line `sep=;` is an instruction, not a header."""
    first, newline, rest = text.partition("\n")
    declared = first.strip().lower()
    if newline and declared.startswith("sep=") and len(declared) <= len("sep=;"):
        return first.strip("\r\n")[len("sep=") :] or "\t", rest, 1
    return None, text, 0


def _split(text: str, delimiter: str, *, source: str, first_line: int) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    previous_limit = csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    start = first_line
    try:
        for record in reader:
            rows.append(tuple(record))
            start = first_line + reader.line_num
    except csv.Error as error:
        cure = "a cell that begins with a double quote must end with one, and quotes inside it must be doubled"
        raise InputError([Problem(source, f"the quoting is broken ({error}); {cure}", line=start)]) from error
    finally:
        csv.field_size_limit(previous_limit)
    return rows


def decode(content: bytes, *, source: str) -> str:
    """The text of a file in UTF-8, or in UTF-16 with a byte order mark.

    Raises:
        InputError: another encoding, with the line of the first byte that does not fit.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError as error:
            message = "the file starts as UTF-16 but is cut off or damaged; save it again as CSV UTF-8"
            raise InputError([Problem(source, message)]) from error
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        message = f"byte 0x{content[error.start]:02x} is not UTF-8{what_it_may_be(content)}"
        raise InputError([Problem(source, message, line=line)]) from error
    if "\x00" in text:
        message = (
            "there is a NUL byte, so this is no UTF-8 text; if it is UTF-16 without a byte order mark, run: "
            "iconv -f UTF-16LE -t UTF-8 FILE > NEW"
        )
        raise InputError([Problem(source, message, line=text[: text.index("\x00")].count("\n") + 1)])
    return text


def csv_for_spreadsheets(rows: Iterable[Iterable[object]]) -> bytes:
    """A CSV file that spreadsheet programs open as it is meant: UTF-8 with a byte order mark, which Excel needs to see
    that it is UTF-8; texts that no program takes for formulas; None as a blank cell.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    for row in rows:
        writer.writerow([csv_text(value) if isinstance(value, str) else value for value in row])
    return stream.getvalue().encode("utf-8-sig")
