"""JSON as people and programs write tables: one object per line, or a document that holds them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from tiebreak.errors import InputError, Problem, Unit, UsageError, did_you_mean
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.tabular.delimited import decode
from tiebreak.tabular.headers import Grid, is_too_sparse
from tiebreak.tabular.json_documents import records_at, records_of
from tiebreak.tabular.json_lists import (
    ChooseLists,
    Keys,
    NoSuchListError,
    Records,
    SeveralTablesError,
    UnevenListsError,
    begins,
    elements_at,
    flat,
    nested_in,
    numbered,
    unfolded,
    whole_texts,
)

LISTS_SHOWN: Final = 4
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""What may be half of a character, written as an escape."""

_SPACE: Final = " \t\r\n\ufeff"

_ADVICE: Final = (
    "; write one object per line (pandas: to_json(FILE, orient='records', lines=True)), one list of objects, "
    "or a CSV file"
)


def looks_like_json(content: bytes) -> bool:
    """Whether the first character that is no space opens an object or a list: no header of a table does."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def read_json(content: bytes, *, source: str, path: str | None = None, choose: ChooseLists | None = None) -> Grid:
    """The objects as rows under all their keys, in the order in which the keys first appear; a missing key or null is a
    blank cell, numbers stand as in the file, and what is nested has its path for a name (`turns.0.text`).

    `path`: the list whose elements are the rows; what is in no list is said of each of them. Without it, `choose` says
    of which lists within the records the elements are rows.

    Raises:
        InputError: a line that is no object, a document without records, or a record that is nested too deeply.
        UsageError: no such list.
    """
    text = decode(content, source=source)
    whole = _whole(text, source)
    unit: Unit = "line" if whole is None else "record"
    try:
        found, rest = (_by_line(text, source), path) if whole is None else _of_document(whole, source, path)
        if rest is not None:
            found = elements_at(found, rest)
        elif choose is not None:
            found = unfolded(found, choose(nested_in(found)))
        if path is not None:
            found = replace(found, unread=())  # what else there is was not asked for
    except UnevenListsError as error:
        raise InputError([Problem(source, f"{error}", line=error.number, unit=unit)]) from error
    except SeveralTablesError as error:
        raise InputError([Problem(source, f"{error}{_which(source, path, error.paths)}")]) from error
    except NoSuchListError as error:
        has = f"it has {', '.join(error.known)}" if error.known else "it has none"
        hint = did_you_mean(error.path, error.known)
        raise UsageError(f"{source}: there is no list {error.path!r}{hint} ({has})") from error
    if _HALF.search(text):
        found = replace(found, rows=[(number, whole_texts(record)) for number, record in found.rows])
    return _grid(found, source, unit)


def _which(source: str, path: str | None, paths: tuple[str, ...]) -> str:
    """What to do about several lists."""
    joint = "#" if path is None else "."
    named = " ".join(shlex.quote(f"{source}{joint}{part}") for part in paths[:LISTS_SHOWN])
    more = f" ... ({len(paths)} lists)" if len(paths) > LISTS_SHOWN else ""
    return f"; name the one to read, or several as files of their own: {named}{more}" if paths else ""


def _grid(found: Records, source: str, unit: Unit) -> Grid:
    rows: list[tuple[int, dict[str, str]]] = []
    problems: list[Problem] = []
    for number, record in found.rows:
        try:
            rows.append((number, flat(record)))
        except ValueError as error:
            problems.append(Problem(source, f"{error}", line=number, unit=unit))
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
    unread = tuple((f"the list {shape.path}", sum(shape.lengths)) for shape in found.unread)
    return Grid(
        rows=((0, tuple(header)), *body),
        unit=unit,
        unread=unread,
        part_column=found.part,
        beside=_under(found.beside, header),
        elements=_under(found.elements, header),
    )


def _under(keys: Iterable[Keys], header: Iterable[str]) -> frozenset[str]:
    """The columns of values under these keys."""
    known = tuple(keys)
    return frozenset(name for name in header if any(begins(name, one) for one in known))


_read: Final = json_reader(numbers_as_text=True)


def _whole(text: str, source: str) -> object:
    """The document, if the file is one; None for JSON Lines, also of a single line, and for what is no JSON.

    Raises InputError for a document that is none of ours: a key twice in one object, or too deeply nested.
    """
    plain = text.strip(_SPACE)
    if plain.startswith("{") and "\n" not in plain:
        found = _parse_or_none(plain)
        return found if _is_table(found) else None
    first = plain.split("\n", 1)[0].strip(_SPACE)
    if plain.startswith("{") and isinstance(_parse_or_none(first), dict):
        return None
    try:
        return _read(plain)
    except ParsingError as error:
        if error.character is None and _parse_or_none(first) is None:
            raise InputError([Problem(source, f"{error}", line=error.line)]) from error
        return None


def _is_table(document: object) -> bool:
    """Whether a line on its own is a table, or several, rather than one of its rows."""
    try:
        return bool(records_of(document).rows)
    except SeveralTablesError:
        return True


def _parse_or_none(text: str) -> object:
    try:
        return _read(text)
    except ParsingError:
        return None


def _by_line(text: str, source: str) -> Records:
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
    return Records(records)


def _of_document(document: object, source: str, path: str | None) -> tuple[Records, str | None]:
    """The records of a document, and what of the path is to be followed within them."""
    if path is not None and isinstance(document, dict):
        return records_at(document, path) or (numbered([document]), path)
    found = records_of(document)
    if not found.rows:
        raise InputError([Problem(source, f"the document holds no list of objects{_ADVICE}")])
    return found, path
