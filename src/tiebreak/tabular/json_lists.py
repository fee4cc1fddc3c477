"""Lists within JSON records: what they hold, and a record with one as several records.

Nested JSON objects as one flat row: every value under its path, such as `turns.0.text`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tiebreak.tabular.cells import whole_characters
from tiebreak.tabular.headers import MOST_COLUMNS

DEEPEST: Final = 12
"""Objects and lists within each other; data about texts has two or three."""

FIRST_MESSAGE: Final = ".0.content"
"""How the first message of a conversation is called, after the conversation."""

ASSISTANTS: Final = frozenset({"assistant", "gpt", "chatgpt", "model", "bot", "chatbot", "ai"})
"""Speakers that answer."""

_USERS: Final = frozenset({"user", "human", "prompter"})


def flat(record: dict[str, object]) -> dict[str, str]:
    """The values of a record by their paths: texts as they are, null as "", numbers as in the file.

    A conversation (a list of messages with `role` and `content`) is two values: its first message under
    `PATH.0.content`, and under `PATH` what follows, with the speaker before every message after the first answer. One
    that ends with the user has no answer: all of it is `PATH.0.content`; and an answer alone is `PATH`. A system's
    prompt before them is `PATH.system_prompt`.

    Raises ValueError, with the path, for what is nested too deeply, has too many parts, or two values under one path.
    """
    row: dict[str, str] = {}
    for path, value in _values_nested("", record, 0):
        if path in row:
            raise ValueError(f"two values are called {path}, as a key has a point in it; give one of them another key")
        if len(row) >= MOST_COLUMNS:
            raise ValueError(f"more than {MOST_COLUMNS:,} values in one record (at {path})")
        row[path] = value
    return row


def is_conversation(value: object) -> bool:
    """Whether this is a list of messages, each with its speaker."""
    return bool(_messages(value))


def _values_nested(path: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    if depth > DEEPEST:
        raise ValueError(f"lists and objects within each other deeper than {DEEPEST} (at {path})")
    messages = _messages(value)
    if messages:
        if messages[0][0] == "system" and len(messages) > 1:
            yield f"{path}.system_prompt", messages.pop(0)[1]
        yield from _question_and_answer(path, messages)
    elif isinstance(value, dict) and value:
        for key, part in value.items():
            yield from _values_nested(f"{path}.{key}" if path else str(key), part, depth + 1)
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from _values_nested(f"{path}.{number}", part, depth + 1)
    else:
        yield path, text_of(value)


def _question_and_answer(path: str, messages: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    asked, answered = messages[:1], messages[1:]
    if messages[-1][0].casefold() in _USERS:
        asked, answered = messages, []
    elif len(messages) == 1 and messages[0][0].casefold() in ASSISTANTS:
        asked, answered = [], messages
    if asked:
        yield path + FIRST_MESSAGE, _dialogue(asked)
    yield path, _dialogue(answered)


def whole_texts(record: dict[str, object]) -> dict[str, object]:
    """The record with � for halves of characters: texts cut by their length have them, and no file can hold them."""
    return {whole_characters(key): _whole(value) for key, value in record.items()}


def _whole(value: object) -> object:
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, list):
        return [_whole(part) for part in value]
    return whole_texts(value) if isinstance(value, dict) else value


def text_of(value: object) -> str:
    """A single value as text; null, and a list or an object without parts, are blank."""
    if value is None or value == [] or value == {}:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _messages(value: object) -> list[tuple[str, str]]:
    """Speaker and text of every message, if this is a conversation."""
    if not isinstance(value, list) or not value:
        return []
    found = []
    for part in value:
        if not isinstance(part, dict):
            return []
        speaker = part.get("role", part.get("from"))
        text = next((part[key] for key in ("content", "value", "text") if key in part), None)
        if not isinstance(speaker, str) or not isinstance(text, str):
            return []
        found.append((speaker, text))
    return found


def _dialogue(messages: list[tuple[str, str]]) -> str:
    first = [messages[0][1]] if messages else []
    return "\n\n".join([*first, *(f"{speaker}: {text}" for speaker, text in messages[1:])])


Record = dict[str, object]
Keys = tuple[str, ...]
"""The keys that lead to a value, from the record to the objects within it."""


@dataclass(frozen=True, slots=True)
class Records:
    """`rows`: objects, each with the number of the line or record that it is from; `unread`: lists that are not in
    them; `part`: the key under which each names the list that it is from, if there are several; `beside`: keys of what
    stands beside the list of them, or above it; `elements`: of lists within objects whose elements are rows.
    """

    rows: Sequence[tuple[int, Record]]
    unread: tuple[ListShape, ...] = ()
    part: str = ""
    beside: frozenset[Keys] = frozenset()
    elements: frozenset[Keys] = frozenset()


@dataclass(frozen=True, slots=True)
class ListShape:
    """A list that records have under these keys. `names`: the paths of the values in its elements, without the numbers
    of further lists; none if the elements are no objects. `lengths`: of each record's, 0 where it has none.
    """

    keys: Keys
    names: tuple[str, ...]
    lengths: tuple[int, ...]

    @property
    def path(self) -> str:
        """What its columns begin with."""
        return path_of(self.keys)

    @property
    def most(self) -> int:
        return max(self.lengths)

    @property
    def is_pair(self) -> bool:
        """Whether it has two elements in every record that has it."""
        return set(self.lengths) <= {0, 2}


@dataclass(frozen=True, slots=True)
class Nested:
    """The lists of records, and the paths of what is in no list."""

    lists: tuple[ListShape, ...]
    beside: tuple[str, ...]


class SeveralTablesError(ValueError):
    """Lists that are not one table, by their paths; the text says what they are."""

    def __init__(self, paths: Sequence[str], why: str) -> None:
        super().__init__(why)
        self.paths = tuple(paths)


class NoSuchListError(ValueError):
    """A path that leads to no list; `known` are those of the lists that there are."""

    def __init__(self, path: str, known: tuple[str, ...]) -> None:
        super().__init__(path)
        self.path, self.known = path, known


class UnevenListsError(ValueError):
    """Lists of a record that cannot be taken side by side. `number`: the record's."""

    def __init__(self, number: int, counts: str) -> None:
        super().__init__(f"lists that belong together have different lengths ({counts})")
        self.number = number


ChooseLists = Callable[[Nested], Sequence[Keys]]
"""Of the lists of records those whose elements, side by side, are rows of their own. Raises SeveralTablesError where
there are several, and not side by side.
"""


def path_of(keys: Keys) -> str:
    """The keys as the name of a column."""
    return ".".join(keys)


def numbered(records: Iterable[Record]) -> Records:
    """The records of a document, counted from 1."""
    return Records(tuple(enumerate(records, 1)))


def nested_in(records: Records) -> Nested:
    """The lists of the records, but for empty ones and conversations, in the order in which they first appear."""
    lengths: dict[Keys, list[int]] = {}
    names: dict[Keys, dict[str, None]] = {}
    beside: dict[str, None] = {}
    for place, (_, record) in enumerate(records.rows):
        for keys, value in _values((), record):
            if not isinstance(value, list) or is_conversation(value):
                beside[path_of(keys)] = None
            elif value:
                lengths.setdefault(keys, [0] * len(records.rows))[place] = len(value)
                names.setdefault(keys, {}).update(dict.fromkeys(_names_in(value)))
    lists = tuple(ListShape(keys, tuple(names[keys]), tuple(found)) for keys, found in lengths.items())
    return Nested(lists, tuple(beside))


def _values(keys: Keys, value: object) -> Iterator[tuple[Keys, object]]:
    if isinstance(value, dict) and (value or not keys):
        for key, part in value.items():
            yield from _values((*keys, str(key)), part)
    else:
        yield keys, value


def _names_in(elements: Sequence[object]) -> Iterator[str]:
    for element in elements:
        if isinstance(element, dict):
            for keys, value in _values((), element):
                further = list(_names_in(value)) if isinstance(value, list) and not is_conversation(value) else []
                yield from [path_of((*keys, name)) for name in further] or [path_of(keys)]


def unfolded(records: Records, lists: Sequence[Keys]) -> Records:
    """For every element of these lists, taken side by side, a record that has it in place of the list.

    Raises:
        UnevenListsError: those of a record have different lengths.
    """
    found: list[tuple[int, Record]] = []
    for number, record in records.rows:
        columns = {keys: part for keys in lists if isinstance(part := value_at(record, keys), list)}
        heights = {len(column) for column in columns.values()} or {0}
        if len(heights) > 1:
            counts = ", ".join(f"{path_of(keys)} {len(column)}" for keys, column in columns.items())
            raise UnevenListsError(number, counts)
        (height,) = heights
        rows = [record] * max(height, 1)
        for keys, column in columns.items():
            if column:
                rows = [_with(row, keys, part) for row, part in zip(rows, column, strict=True)]
            else:
                rows = [_without(row, keys) for row in rows]
        found += [(number, row) for row in rows]
    return replace(records, rows=found, elements=frozenset(lists))


def elements_at(records: Records, path: str) -> Records:
    """For every element of the list at this path a record, with what is beside it in no list.

    Raises:
        NoSuchListError: there is none.
    """
    while True:
        lists = nested_in(records).lists
        keys = next((found.keys for found in lists if begins(path, found.keys)), None)
        if keys is None:
            raise NoSuchListError(path, tuple(found.path for found in lists))
        rows = [(number, without_lists(record, keys)) for number, record in unfolded(records, [keys]).rows]
        records = replace(records, rows=rows)
        if path_of(keys) == path:
            return records


def begins(path: str, keys: Keys) -> bool:
    """Whether the path is that of these keys, or leads on from there."""
    return f"{path}.".startswith(f"{path_of(keys)}.")


def value_at(record: Record, keys: Keys) -> object:
    """The value under these keys; None if there is none."""
    value: object = record
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _with(record: Record, keys: Keys, value: object) -> Record:
    first, *others = keys
    if not others:
        return {**record, first: value}
    inner = record.get(first)
    return {**record, first: _with(inner, tuple(others), value)} if isinstance(inner, dict) else record


def _without(record: Record, keys: Keys) -> Record:
    first, *others = keys
    inner = record.get(first)
    rest = {key: value for key, value in record.items() if key != first}
    return {**rest, first: _without(inner, tuple(others))} if others and isinstance(inner, dict) else rest


def without_lists(record: Record, keep: Keys = ()) -> Record:
    """The record without its lists, those in its objects too; conversations, and all that is under `keep`, stay."""
    kept: Record = {}
    for key, value in record.items():
        within = keep[1:] if keep[:1] == (key,) else ()
        if keep == (key,) or is_conversation(value):
            kept[key] = value
        elif isinstance(value, dict):
            if inner := without_lists(value, within):
                kept[key] = inner
        elif not isinstance(value, list):
            kept[key] = value
    return kept
