"""Nested records (JSON, Parquet) as flat ones: every value under its path, such as `turns.0.text`; lists as rows."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from tiebreak.tabular.headers import MOST_COLUMNS

Record = Mapping[str, object]

DEEPEST: Final = 12
"""Objects and lists within each other; data about texts has two or three."""

FIRST_MESSAGE: Final = ".0.content"
"""How the first message of a conversation is called, after the conversation."""

ASSISTANTS: Final = frozenset({"assistant", "gpt", "chatgpt", "model", "bot", "chatbot", "ai"})
"""Speakers that answer."""

_USERS: Final = frozenset({"user", "human", "prompter"})
_STEP: Final = re.compile(r"(?P<key>[^.\[\]]+)(?P<list>\[\*?\])?")
_NAMED: Final = re.compile(r"\{(\w+)\}")


def flat(record: Record) -> dict[str, str]:
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
    found = []
    for part in value:
        if not isinstance(part, dict):
            return []
        speaker = part.get("role", part.get("from"))
        text = next((part[key] for key in ("content", "value", "text") if key in part), None)
        if isinstance(text, list):
            text = "\n".join(str(one.get("text") or "") for one in text if isinstance(one, dict))
        if not isinstance(speaker, str) or not isinstance(text, str):
            return []
        found.append((speaker, text))
    return found


def dialogue(messages: Sequence[tuple[str, str]]) -> str:
    """The messages as one text, each after the first with its speaker."""
    first = [messages[0][1]] if messages else []
    return "\n\n".join([*first, *(f"{speaker}: {text}" for speaker, text in messages[1:])])


def unfolded(record: Record, path: str) -> Iterator[dict[str, object]]:
    """The elements of the list to which a path leads, each with the rest of the record.

    A step of the path is a key, `*` (each key of an object) or `{name}` (the same, and the key is the column `name`); a
    list is gone through at each step. What an element holds is called after the last key: `votes.user`.
    """
    found = list(_elements(dict(record), [step.group("key") for step in _STEP.finditer(path)], {}, ""))
    yield from found or [dict(record)]  # what the record says without any element is not lost


def _elements(value: object, steps: Sequence[str], beside: dict[str, object], name: str) -> Iterator[dict[str, object]]:
    if isinstance(value, list) and not messages_in(value):
        for part in value:
            yield from _elements(part, steps, beside, name)
    elif not steps:
        own = {f"{name}.{key}": part for key, part in value.items()} if isinstance(value, dict) else {name: value}
        yield {**beside, **own}
    elif isinstance(value, dict):
        step, *rest = steps
        named = _NAMED.fullmatch(step)
        keys = list(value) if step == "*" or named else [step] * (step in value)
        if not (step == "*" or named):
            others = {key: part for key, part in value.items() if key != step}
            beside = {**beside, **(others if not name else {f"{name}.{key}": part for key, part in others.items()})}
        for key in keys:
            told = {**beside, named[1]: key} if named else beside
            yield from _elements(value[key], rest, told, name if step == "*" or named else step)
