"""Nested JSON objects as one flat row: every value under its path, such as `turns.0.text`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from tiebreak.tabular.cells import whole_characters
from tiebreak.tabular.grid import MOST_COLUMNS

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
    for path, value in _values("", record, 0):
        if path in row:
            raise ValueError(f"two values are called {path}, as a key has a point in it; give one of them another key")
        if len(row) >= MOST_COLUMNS:
            raise ValueError(f"more than {MOST_COLUMNS:,} values in one record (at {path})")
        row[path] = value
    return row


def is_conversation(value: object) -> bool:
    """Whether this is a list of messages, each with its speaker."""
    return bool(_messages(value))


def _values(path: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    if depth > DEEPEST:
        raise ValueError(f"lists and objects within each other deeper than {DEEPEST} (at {path})")
    messages = _messages(value)
    if messages:
        if messages[0][0] == "system" and len(messages) > 1:
            yield f"{path}.system_prompt", messages.pop(0)[1]
        yield from _question_and_answer(path, messages)
    elif isinstance(value, dict) and value:
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
