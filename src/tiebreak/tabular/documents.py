"""JSON files: an object a line, or one document that holds a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.tabular.cells import whole_characters
from tiebreak.tabular.delimited import decode
from tiebreak.tabular.nested import messages_in

LISTS_SHOWN: Final = 4
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""What may be half of a character, written as an escape."""
_SPACE: Final = " \t\r\n\ufeff"
_LONGEST_LINE: Final = 64 * 1024 * 1024
_ADVICE: Final = (
    "; write one object per line (pandas: to_json(FILE, orient='records', lines=True)), one list of objects, "
    "or a CSV file"
)

Objects = list[dict[str, object]]

_parse: Final = json_reader(numbers_as_text=True)


def looks_like_json(head: bytes) -> bool:
    """Whether the first character that is no space opens an object or a list: no header of a table does."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def is_by_line(path: Path) -> bool:
    """Whether a JSON file has an object on each line, and more than one."""
    with path.open("rb") as stream:
        first = b""
        while not first.strip(b"\xef\xbb\xbf \t\r\n"):
            first = stream.readline(_LONGEST_LINE)
            if not first:
                return False
        more = any(line.strip() for line in iter(lambda: stream.readline(_LONGEST_LINE), b""))
    try:
        return more and isinstance(_parse(first.decode("utf-8-sig").strip(_SPACE)), dict)
    except (ParsingError, UnicodeDecodeError):
        return False


def lines_of(path: Path, source: str) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects of a file with one a line, with the numbers of their lines; one line is in memory at a time.

    Raises:
        InputError: a line that is no object, or no UTF-8.
    """
    with path.open("rb") as stream:
        for number, content in enumerate(stream, 1):
            try:
                line = content.decode("utf-8").strip(_SPACE)
            except UnicodeDecodeError:
                (problem,) = _undecodable(content, source)
                raise InputError([Problem(source, problem.message, line=number)]) from None
            if not line:
                continue
            try:
                found = _parse(line)
            except ParsingError as error:
                advice = _ADVICE if error.character is not None else ""
                message = f"no JSON object on a line of its own ({error}){advice}"
                raise InputError([Problem(source, message, line=number)]) from error
            if not isinstance(found, dict):
                raise InputError([Problem(source, f"no JSON object on a line of its own{_ADVICE}", line=number)])
            yield number, whole_texts(found) if _HALF.search(line) else found


def _undecodable(content: bytes, source: str) -> Sequence[Problem]:
    try:
        decode(content, source=source)
    except InputError as error:
        return error.problems
    return (Problem(source, "no UTF-8"),)


def document_of(content: bytes, source: str) -> object:
    """The document of a file; numbers are texts, as they stand in it.

    Raises:
        InputError: no JSON, or no UTF-8.
    """
    text = decode(content, source=source)
    try:
        found = _parse(text.strip(_SPACE))
    except ParsingError as error:
        raise InputError([Problem(source, f"no JSON document ({error}){_ADVICE}", line=error.line)]) from error
    return whole_texts({"": found})[""] if _HALF.search(text) else found


def records_in(document: object, source: str, path: str | None = None) -> Objects:
    """The records of a document: a list of objects, the one list of objects within an object, or a table of pandas.

    What stands beside the list, or above it, is said of all its records. `path`: the keys that lead to the list.

    Raises:
        InputError: there is no list of objects, several and no `path`, or none at the path.
    """
    if isinstance(document, list):
        if document and all(isinstance(part, dict) for part in document):
            return document
        raise InputError([Problem(source, f"the document holds no list of objects{_ADVICE}")])
    if not isinstance(document, dict):
        raise InputError([Problem(source, f"the document holds no list of objects{_ADVICE}")])
    if path is None and (table := _of_columns(document)):
        return table
    lists = dict(_lists(document))
    if path is None and len(lists) == 1:
        (path,) = lists
    if path is None:
        if not lists:
            return [document]
        named = " ".join(f"'{source}#{name}'" for name in list(lists)[:LISTS_SHOWN])
        message = f"the document has several lists of objects; name the one to read: {named}"
        raise InputError([Problem(source, message)])
    if path not in lists:
        has = ", ".join(lists) or "none"
        raise InputError([Problem(source, f"there is no list of objects {path!r}; the document has: {has}")])
    return [{**_beside(document, path.split("."), record), **record} for record in lists[path]]


def _lists(document: dict[str, object], above: str = "") -> Iterator[tuple[str, Objects]]:
    for key, value in document.items():
        if isinstance(value, dict):
            yield from _lists(value, f"{above}{key}.")
        elif isinstance(value, list) and value and not messages_in(value):
            objects = [part for part in value if isinstance(part, dict)]
            if len(objects) == len(value):
                yield f"{above}{key}", objects


def _beside(document: dict[str, object], keys: Sequence[str], record: dict[str, object]) -> dict[str, object]:
    """The single values of the objects that hold a list, but for those that the record has itself."""
    found: dict[str, object] = {}
    holder: object = document
    for key in keys:
        if isinstance(holder, dict):
            single = {k: v for k, v in holder.items() if not isinstance(v, list | dict) or messages_in(v)}
            found |= {name: value for name, value in single.items() if name not in record}
            holder = holder.get(key)
    return found


def _of_columns(document: dict[str, object]) -> Objects:
    """A table by its columns: lists of equal length, or values by the numbers of their rows, as pandas writes them."""
    lists = {name: part for name, part in document.items() if isinstance(part, list) and part}
    objects = any(isinstance(one, dict) for part in lists.values() for one in part)
    if len(lists) == len(document) > 1 and len({len(part) for part in lists.values()}) == 1 and not objects:
        return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    names, data = document.get("columns"), document.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        return [dict(zip(map(str, names), row, strict=True)) for row in data if len(row) == len(names)]
    columns = {name: part for name, part in document.items() if isinstance(part, dict) and part}
    if len(columns) == len(document) > 1 and all(key.isdigit() for key in columns):
        return list(columns.values())
    rows = {tuple(part) for part in columns.values()}
    if len(columns) == len(document) > 1 and len(rows) == 1 and all(key.isdigit() for key in next(iter(rows))):
        return [{name: part[key] for name, part in columns.items()} for key in next(iter(rows))]
    return []


def whole_texts(record: dict[str, object]) -> dict[str, object]:
    """The record with � for halves of characters: texts cut by their length have them, and no file can hold them."""
    return {whole_characters(key): _whole(value) for key, value in record.items()}


def _whole(value: object) -> object:
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, list):
        return [_whole(part) for part in value]
    return whole_texts(value) if isinstance(value, dict) else value
