"""JSON documents as records: the forms in which programs write tables, and the lists in an object.

What stands beside the list of records, or above it, is said of all of them: `{"model": "gpt", "outputs": [...]}` are
outputs of gpt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tiebreak.tabular.json_lists import (
    Keys,
    Record,
    Records,
    SeveralTablesError,
    begins,
    is_conversation,
    nested_in,
    numbered,
    path_of,
    value_at,
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
