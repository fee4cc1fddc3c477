"""JSON as people and programs write tables: one object per line, a list of objects, or an object of them."""

from __future__ import annotations

from typing import Final

from tiebreak.errors import InputError, Problem, Unit
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.tabular.delimited import decode
from tiebreak.tabular.grid import Grid, is_too_sparse
from tiebreak.tabular.nested import flat

_SPACE: Final = " \t\r\n\ufeff"
_KEY: Final = "key"
"""The column of the names of records, where a file is an object of records."""

_ADVICE: Final = (
    "; write one object per line (pandas: to_json(FILE, orient='records', lines=True)), one list of objects, "
    "or a CSV file"
)


def looks_like_json(content: bytes) -> bool:
    """Whether the first character that is no space opens an object or a list: no header of a table does."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def read_json(content: bytes, *, source: str) -> Grid:
    """The objects as rows under all their keys, in the order in which the keys first appear; a missing key or null is a
    blank cell, numbers stand as in the file, and what is nested has its path for a name (`turns.0.text`).

    Raises:
        InputError: a line that is no object, a document without records, or a record that is nested too deeply.
    """
    text = decode(content, source=source)
    whole = _whole(text, source)
    records = _by_line(text, source) if whole is None else _of_document(whole, source)
    rows: list[tuple[int, dict[str, str]]] = []
    problems: list[Problem] = []
    unit: Unit = "line" if whole is None else "record"
    for number, record in records:
        try:
            rows.append((number, flat(record)))
        except ValueError as error:
            problems.append(Problem(source, f"{error}; keep the parts that matter", line=number, unit=unit))
    if problems:
        raise InputError(problems)
    header = list(dict.fromkeys(key for _, row in rows for key in row))
    if is_too_sparse(len(rows), len(header), sum(len(row) for _, row in rows)):
        message = (
            f"{len(rows):,} objects have {len(header):,} different keys, and each has few of them; the keys are "
            "the columns of all, so write what differs as a value"
        )
        raise InputError([Problem(source, message)])
    body = tuple((number, tuple(row.get(key, "") for key in header)) for number, row in rows)
    return Grid(rows=((0, tuple(header)), *body), unit=unit)


_read: Final = json_reader(numbers_as_text=True)


def _whole(text: str, source: str) -> object:
    """The document, if the file is one; None for JSON Lines, also of a single line, and for what is no JSON.

    Raises InputError for a document that is none of ours: a key twice in one object, or too deeply nested.
    """
    plain = text.strip(_SPACE)
    if plain.startswith("{") and "\n" not in plain:
        found = _parse_or_none(plain)
        return found if _records(found) else None
    first = plain.split("\n", 1)[0].strip(_SPACE)
    if plain.startswith("{") and isinstance(_parse_or_none(first), dict):
        return None
    try:
        return _read(plain)
    except ParsingError as error:
        if error.character is None and _parse_or_none(first) is None:
            raise InputError([Problem(source, f"{error}", line=error.line)]) from error
        return None


def _parse_or_none(text: str) -> object:
    try:
        return _read(text)
    except ParsingError:
        return None


def _by_line(text: str, source: str) -> list[tuple[int, dict[str, object]]]:
    records: list[tuple[int, dict[str, object]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        plain = line.strip(_SPACE)
        if not plain:
            continue
        try:
            found = _read(plain)
        except ParsingError as error:
            advice = _ADVICE if error.character is not None else ""
            message = f"no JSON object on a line of its own ({error}){advice}"
            raise InputError([Problem(source, message, line=number)]) from error
        if not isinstance(found, dict):
            raise InputError([Problem(source, f"no JSON object on a line of its own{_ADVICE}", line=number)])
        records.append((number, found))
    return records


def _of_document(document: object, source: str) -> list[tuple[int, dict[str, object]]]:
    records = _records(document)
    if not records:
        raise InputError([Problem(source, f"the document holds no list of objects{_ADVICE}")])
    return list(enumerate(records, 1))


def _records(document: object) -> list[dict[str, object]]:
    """The objects of a list, of an object's only list of objects, of an object of objects (with their names), or of an
    object of columns, as pandas writes a table.
    """
    if isinstance(document, list):
        objects = [part for part in document if isinstance(part, dict)]
        return objects if len(objects) == len(document) else []
    if not isinstance(document, dict):
        return []
    lists = [part for part in document.values() if isinstance(part, list) and _records(part)]
    if len(lists) == 1:
        return _records(lists[0])
    values = list(document.values())
    if len(values) > 1 and all(isinstance(part, dict) and part for part in values):
        if len({tuple(part) for part in values}) == 1 and all(key.isdigit() for key in values[0]):
            return [{name: part[key] for name, part in document.items()} for key in values[0]]
        return [{_KEY: name, **part} for name, part in document.items()]
    return []
