"""JSON files: an object a line, or one document that holds a table.

Nested records (JSON, Parquet) as flat ones: every value under its path, such as `turns.0.text`; lists as rows.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from tiebreak.errors import InputError, Problem
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.tabular.cells import whole_characters
from tiebreak.tabular.delimited import decode
from tiebreak.tabular.headers import MOST_COLUMNS

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
    """Whether a JSON file has an object on each line, and more than one unless it is named .jsonl."""
    with path.open("rb") as stream:
        lines = iter(lambda: stream.readline(_LONGEST_LINE), b"")
        first = next((line for line in lines if line.strip(b"\xef\xbb\xbf \t\r\n")), b"")
        more = path.suffix.casefold() == ".jsonl" or any(line.strip() for line in lines)
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
                line = decode(content, source=source).strip(_SPACE)
            except InputError as error:
                raise InputError([replace(error.problems[0], line=number)]) from None
            if not line:
                continue
            try:
                parsed = _parse(line)
            except ParsingError as error:
                advice = _ADVICE if error.character is not None else ""
                message = f"no JSON object on a line of its own ({error}){advice}"
                raise InputError([Problem(source, message, line=number)]) from error
            if not isinstance(parsed, dict):
                raise InputError([Problem(source, f"no JSON object on a line of its own{_ADVICE}", line=number)])
            yield number, _whole(parsed) if _HALF.search(line) else parsed


def document_of(content: bytes, source: str) -> object:
    """The document of a file; numbers are texts, as they stand in it.

    Raises:
        InputError: no JSON, or no UTF-8.
    """
    text = decode(content, source=source)
    try:
        parsed = _parse(text.strip(_SPACE))
    except ParsingError as error:
        raise InputError([Problem(source, f"no JSON document ({error}){_ADVICE}", line=error.line)]) from error
    return _whole(parsed) if _HALF.search(text) else parsed


def records_in(document: object, source: str, path: str | None = None) -> Objects:
    """The records of a document: a list of objects, the one list of objects within an object, or a table of pandas.

    What stands beside the list, or above it, is said of all its records. `path`: the keys that lead to the list.

    Raises:
        InputError: there is no list of objects, several and no `path`, or none at the path.
    """
    if isinstance(document, list) and document and all(isinstance(part, dict) for part in document):
        return document
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
    singles: dict[str, object] = {}
    holder: object = document
    for key in keys:
        if isinstance(holder, dict):
            single = {k: v for k, v in holder.items() if not isinstance(v, list | dict) or messages_in(v)}
            singles |= {name: value for name, value in single.items() if name not in record}
            holder = holder.get(key)
    return singles


def _of_columns(document: dict[str, object]) -> Objects:
    """A table by its columns: lists of equal length, or values by the numbers of their rows, as pandas writes them."""
    lists = {name: part for name, part in document.items() if isinstance(part, list) and part}
    objects = any(isinstance(cell, dict) for part in lists.values() for cell in part)
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


def _whole(value: Any) -> Any:
    """The value with � for halves of characters: texts cut by their length have them, and no file can hold them."""
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, list):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return {whole_characters(key): _whole(part) for key, part in value.items()}
    return value


DEEPEST: Final = 12
"""Objects and lists within each other; data about texts has two or three."""

FIRST_MESSAGE: Final = ".0.content"
"""How the first message of a conversation is called, after the conversation."""

ASSISTANTS: Final = frozenset({"assistant", "gpt", "chatgpt", "model", "bot", "chatbot", "ai"})
"""Speakers that answer."""

_USERS: Final = frozenset({"user", "human", "prompter"})
VALUE: Final = "value"
"""How a number or text is called to which only names of keys lead."""
_STEP: Final = re.compile(r"(?P<key>[^.\[\]]+)(?P<list>\[\*?\])?")
_NAMED: Final = re.compile(r"\{(\w+)\}")


def flat(record: Mapping[str, object]) -> dict[str, str]:
    """The values of a record by their paths: texts as they are, null as "", numbers as in the file.

    A conversation (a list of messages with `role` and `content`) is two values: its first message under
    `PATH.0.content`, and under `PATH` what follows, with the speaker before every message after the first answer. One
    that ends with the user has no answer: all of it is `PATH.0.content`; and an answer alone is `PATH`. A system's
    prompt before them is `PATH.system_prompt`.

    Raises ValueError, with the path, for what is nested too deeply, has too many parts, or two values under one path.
    """
    row: dict[str, str] = {}
    for path, value in _values("", record, 0):
        if path in row:
            raise ValueError(f"two values are called {path}, as a key has a point in it; give one of them another key")
        if len(row) >= MOST_COLUMNS:
            raise ValueError(f"more than {MOST_COLUMNS:,} values in one record (at {path})")
        row[path] = value
    return row


def _values(path: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    if depth > DEEPEST:
        raise ValueError(f"lists and objects within each other deeper than {DEEPEST} (at {path})")
    messages = messages_in(value)
    if messages:
        if messages[0][0] == "system" and len(messages) > 1:
            yield f"{path}.system_prompt", messages.pop(0)[1]
        yield from _question_and_answer(path, messages)
    elif isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from _values(f"{path}.{key}" if path else str(key), part, depth + 1)
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from _values(f"{path}.{number}", part, depth + 1)
    else:
        yield path, text_of(value)


def _question_and_answer(path: str, messages: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    asked, answered = messages[:1], messages[1:]
    if messages[-1][0].casefold() in _USERS:
        asked, answered = messages, []
    elif len(messages) == 1 and messages[0][0].casefold() in ASSISTANTS:
        asked, answered = [], messages
    if asked:
        yield path + FIRST_MESSAGE, dialogue(asked)
    yield path, dialogue(answered)


def text_of(value: object) -> str:
    """A single value as text; null, and a list or an object without parts, are blank."""
    if value is None or value == [] or value == {}:
        return ""
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str | Decimal | dt.timedelta):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def messages_in(value: object) -> list[tuple[str, str]]:
    """Speaker and text of every message, if this is a conversation; a text may be a list of parts."""
    if not isinstance(value, list) or not value:
        return []
    messages = []
    for part in value:
        if not isinstance(part, dict):
            return []
        speaker = part.get("role", part.get("from"))
        text = next((part[key] or "" for key in ("content", "value", "text") if key in part), None)
        if isinstance(text, list):
            text = "\n".join(str(piece.get("text") or "") for piece in text if isinstance(piece, dict))
        if not isinstance(speaker, str) or not isinstance(text, str):
            return []
        messages.append((speaker, text))
    return messages


def dialogue(messages: Sequence[tuple[str, str]]) -> str:
    """The messages as one text, each after the first with its speaker."""
    first = [messages[0][1]] if messages else []
    return "\n\n".join([*first, *(f"{speaker}: {text}" for speaker, text in messages[1:])])


def unfolded(record: Mapping[str, object], path: str) -> Iterator[dict[str, object]]:
    """The elements of the list to which a path leads, each with the rest of the record.

    A step of the path is a key, `*` (each key of an object) or `{name}` (the same, and the key is the column `name`); a
    list is gone through at each step. What an element holds is called after the last key: `votes.user`.
    """
    elements = list(_elements(dict(record), [step.group("key") for step in _STEP.finditer(path)], {}, ""))
    yield from elements or [dict(record)]  # what the record says without any element is not lost


def _elements(
    value: object, steps: Sequence[str], beside: dict[str, object], name: str, bare: str = VALUE
) -> Iterator[dict[str, object]]:
    """`name`: the last key; `bare`: what a number or text is called, `value` where the path names the key above it."""
    if isinstance(value, list) and not messages_in(value):
        for part in value:
            yield from _elements(part, steps, beside, name, bare)
    elif not steps:
        below = f"{name}." if name else ""
        own = {below + key: part for key, part in value.items()} if isinstance(value, dict) else {bare: value}
        yield {**beside, **own}
    elif isinstance(value, dict):
        step, *rest = steps
        named = _NAMED.fullmatch(step)
        keys = list(value) if step == "*" or named else [step] * (step in value)
        if not (step == "*" or named):
            others = {key: part for key, part in value.items() if key != step}
            beside = {**beside, **(others if not name else {f"{name}.{key}": part for key, part in others.items()})}
        for key in keys:
            named_beside = {**beside, named[1]: key} if named else beside
            called = (name, VALUE) if step == "*" or named else (step, step)
            yield from _elements(value[key], rest, named_beside, *called)
