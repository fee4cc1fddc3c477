"""JSON as people and programs write tables: one object per line, or a document that holds them.

JSON documents as records: the forms in which programs write tables, and the lists in an object.

What stands beside the list of records, or above it, is said of all of them: `{"model": "gpt", "outputs": [...]}` are
outputs of gpt.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tiebreak.errors import InputError, Problem, Unit, UsageError, did_you_mean
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.tabular.delimited import decode
from tiebreak.tabular.headers import Grid, is_too_sparse
from tiebreak.tabular.json_lists import (
    ChooseLists,
    Keys,
    NoSuchListError,
    Record,
    Records,
    SeveralTablesError,
    UnevenListsError,
    begins,
    elements_at,
    flat,
    is_conversation,
    nested_in,
    numbered,
    path_of,
    unfolded,
    value_at,
    whole_texts,
    without_lists,
)

KEY: Final = "key"
"""The column of the names of records, where a file is an object of records."""

LIST: Final = "list"
"""The column of the names of lists, where a file has several that are one table."""

SPLIT: Final = "split"
"""The same, where the lists are the parts that data sets have."""

_PARTS: Final = frozenset({"train", "test", "validation", "valid", "val", "dev", "eval"})

_PANDAS_SPLIT: Final = frozenset({"columns", "data", "index", "index_names", "column_names"})
_DESCRIBED: Final = frozenset({"schema", "data"})
"""A table of pandas with the types of its columns."""


def records_of(document: object) -> Records:
    """The records of a document; none if it has none.

    Raises:
        SeveralTablesError: it has several lists, and they are not one table.
    """
    if isinstance(document, list):
        return numbered(_of_list(document))
    if not isinstance(document, dict):
        return numbered(())
    if document.keys() == _DESCRIBED:
        document = {"data": document["data"]}
    table = _of_columns(document) or _by_key(document)
    if table:
        return numbered(table)
    lists = dict(_lists_of_objects(document))
    if not lists:
        return _of_columns_beside_values(document)
    if len({frozenset(key for record in found for key in record) for found in lists.values()}) > 1:
        raise SeveralTablesError(
            list(map(path_of, lists)), "the document has several lists of objects, with different keys"
        )
    return _joined(document, lists)


def records_at(document: Record, path: str) -> tuple[Records, str | None] | None:
    """The records of the list of objects to which a path leads, and what of the path leads on within them."""
    for keys, found in _lists_of_objects(document):
        if begins(path, keys):
            return _joined(document, {keys: found}), path.removeprefix(path_of(keys)).removeprefix(".") or None
    return None


def _lists_of_objects(document: Record, keys: Keys = ()) -> Iterator[tuple[Keys, list[Record]]]:
    """The lists of objects in a document's objects, by their keys."""
    for key, value in document.items():
        if isinstance(value, dict):
            yield from _lists_of_objects(value, (*keys, key))
        elif isinstance(value, list) and value and not is_conversation(value) and _all_objects(value):
            yield (*keys, key), value


def _all_objects(value: Sequence[object]) -> bool:
    return all(isinstance(part, dict) for part in value)


def _of_list(document: list[object]) -> list[Record]:
    """The objects of a list, or the rows of one whose first row is a header."""
    if _all_objects(document):
        return [part for part in document if isinstance(part, dict)]
    rows = [part for part in document if isinstance(part, list)]
    if len(rows) < max(len(document), 2):
        return []
    return _of_rows(rows[0], rows[1:])


def _of_rows(header: object, rows: object) -> list[Record]:
    """Rows of values under a header of names; nothing if they are none."""
    if not isinstance(header, list) or not isinstance(rows, list) or not header or not rows:
        return []
    names = [name for name in header if isinstance(name, str) and name.strip()]
    if len(set(names)) < len(header) or any(not isinstance(row, list) or len(row) != len(header) for row in rows):
        return []
    return [dict(zip(names, row, strict=True)) for row in rows]


def _of_columns(document: Record) -> list[Record]:
    """A table as pandas and others write it: `columns` and `data`, an object of lists of equal length, or an object of
    columns whose values are named by their rows' numbers.
    """
    values = list(document.values())
    if _PANDAS_SPLIT >= document.keys() >= {"columns", "data"}:
        if not (rows := _of_rows(document["columns"], document["data"])):
            raise SeveralTablesError((), "columns and data are no table: not every row has a value for each column")
        return rows
    if values and all(isinstance(part, list) and part for part in values):
        columns: dict[str, list[object]] = {name: part for name, part in document.items() if isinstance(part, list)}
        same = len({len(column) for column in columns.values()}) == 1
        return _rows(columns) if same and not all(map(_all_objects, columns.values())) else []
    rows = [part for part in values if isinstance(part, dict) and part]
    numbered = len(rows) == len(values) > 1 and all(key.isdigit() for key in rows[0])
    if numbered and len({tuple(part) for part in rows}) == 1:
        return [{name: part[number] for name, part in zip(document, rows, strict=True)} for number in rows[0]]
    return []


def _by_key(document: Record) -> list[Record]:
    """An object of records, with their names: objects that share most of their keys."""
    rows = {name: part for name, part in document.items() if isinstance(part, dict) and part}
    if len(rows) < max(len(document), 2):
        return []
    shared = set.intersection(*map(set, rows.values()))
    every = set.union(*map(set, rows.values()))
    return [{KEY: name, **part} for name, part in rows.items()] if 2 * len(shared) >= len(every) else []


def _joined(document: Record, lists: Mapping[Keys, Sequence[Record]]) -> Records:
    """The records of lists of the same keys, one list after the other: each with its name if there are several, and
    with the values that stand beside it and above.
    """
    found: list[Record] = []
    beside: set[str] = set()
    called = SPLIT if all(keys[-1] in _PARTS for keys in lists) else LIST
    for keys, records in lists.items():
        named: Record = {called: path_of(keys)} if len(lists) > 1 else {}
        own = {key for record in records for key in record}
        above = {key: value for key, value in (named | _above(document, keys, set(lists))).items() if key not in own}
        found += [record | above for record in records]
        beside |= above.keys()
    unread = (shape for shape in nested_in(numbered([document])).lists if shape.keys not in lists)
    return replace(
        numbered(found),
        unread=tuple(unread),
        part=called if len(lists) > 1 else "",
        beside=frozenset((key,) for key in beside),
    )


def _above(document: Record, keys: Keys, lists: set[Keys]) -> Record:
    """The values of the objects that hold a list: of each its own, but no lists, and nothing of other branches with a
    table.
    """
    found: Record = {}
    for depth in range(len(keys)):
        holder = value_at(document, keys[:depth]) if depth else document
        if isinstance(holder, dict):
            found |= {k: v for k, v in without_lists(holder).items() if not _leads_to(lists, (*keys[:depth], k))}
    return found


def _leads_to(lists: set[Keys], keys: Keys) -> bool:
    return any(found[: len(keys)] == keys for found in lists)


def _of_columns_beside_values(document: Record) -> Records:
    """Lists of equal length, with at most as many values beside them, as columns.

    Raises:
        SeveralTablesError: the lists have different lengths.
    """
    lists = {
        name: value
        for name, value in document.items()
        if isinstance(value, list) and value and not is_conversation(value)
    }
    others = {name: value for name, value in document.items() if name not in lists}
    if not lists or len(others) > len(lists) or any(isinstance(value, dict | list) for value in others.values()):
        return numbered(())
    if len({len(column) for column in lists.values()}) > 1:
        counts = ", ".join(f"{name} {len(column):,}" for name, column in lists.items())
        raise SeveralTablesError(
            (),
            f"its lists have different lengths, so they are no columns of one table ({counts}); make them equally long",
        )
    return replace(numbered(row | others for row in _rows(lists)), beside=frozenset((name,) for name in others))


def _rows(columns: Mapping[str, Sequence[object]]) -> list[Record]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


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
