"""Documents (JSON, TOML) as records: msgspec checks them, and the error names file, key, value and what is allowed."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeVar

import msgspec

from tiebreak.errors import InputError, Problem

R = TypeVar("R")

_SAID: Final = re.compile(r"(?P<text>.*?)(?: - at `\$\.?(?P<key>.*)`)?", re.DOTALL)
_EXPECTED: Final = re.compile(
    r"Expected `(?P<kinds>[^`]*)`(?P<limit> (?:of length )?[<>]=? [-\d.]+)?(?:, got `[^`]*`)?"
)
_KINDS: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "null": "null",
    "object": "an object",
    "array": "a list",
}
_LONGEST: Final = 60


def typed(document: object, kind: type[R], file: str) -> R:
    """The document as a record of `kind`, a frozen dataclass whose annotations say what is allowed.

    Keys that the record does not have are passed over.

    Raises:
        InputError: the first key that is missing or wrong, with its value and what is allowed there.
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        found = _SAID.fullmatch(str(error))
        text, key = (str(error), "") if found is None else (found["text"], found["key"] or "")
        raise InputError([Problem(file, _message(text, key, document, kind))]) from error


def shown(value: object) -> str:
    """A value of a document in few words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _message(text: str, key: str, document: object, kind: Any) -> str:
    if missing := re.fullmatch(r"Object missing required field `(.*)`", text):
        return f"key {f'{key}.' if key else ''}{missing[1]} is missing"
    value, annotation = document, kind
    key, entry, _ = key.partition("[...]")  # of an object whose keys are anything
    for step in _steps(key):
        value = value[step]  # type: ignore[index]
        annotation = _inside(annotation, step)
    where = f"key {key} is {shown(value)}" if key else f"is {shown(value)}"
    if entry:
        where = f"a value in key {key} is of another kind"
    if text.startswith("Invalid enum value"):
        return f"{where}, but must be one of {', '.join(map(str, typing.get_args(annotation)))}"
    if expected := _EXPECTED.fullmatch(text):
        kinds = " or ".join(_KINDS.get(name, name) for name in expected["kinds"].split(" | "))
        return f"{where}, but must be {kinds}{expected['limit'] or ''}"
    return f"{where}: {text}"


def _steps(key: str) -> Iterator[str | int]:
    """`results[0].pairs` in steps."""
    for name, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", key):
        yield int(number) if number else name


def _inside(annotation: Any, step: str | int) -> Any:
    """The annotation of a field of a record, or of the members of a list."""
    if isinstance(step, int):
        return typing.get_args(annotation)[0]
    found = typing.get_type_hints(annotation)[step]
    return next((part for part in typing.get_args(found) if typing.get_origin(part) is Literal), found)
