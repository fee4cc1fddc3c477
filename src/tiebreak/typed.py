"""Documents (JSON, TOML) as records: the annotations of a frozen dataclass say what is allowed, msgspec converts single
values, and every value that does not fit is named with its place and what is allowed there.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from typing import Any, Final, Literal, TypeVar

import msgspec

from tiebreak.errors import Flaw, InputError, KeyedError, Problem, UsageError, did_you_mean

R = TypeVar("R")
Path = tuple[str | int, ...]
"""The keys that lead to a value in a document; places in a list count from 0."""

_LONGEST: Final = 60
_PLAIN: Final = {
    str: ("text", "texts"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    bool: ("true or false", "values true or false"),
    type(None): ("null", "nulls"),
}


def typed(document: object, kind: type[R], file: str) -> R:
    """The document as a record of `kind`, a frozen dataclass whose annotations say what is allowed.

    Keys that the record does not have are passed over.

    Raises:
        InputError: all keys that are missing or wrong, each with its value and what is allowed there.
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        reader = RecordReader()
        reader.value(kind, document, ())
        if not reader.flaws:
            raise InputError([Problem(file, str(error))]) from error
        raise InputError([Problem(file, _sentence(flaw)) for flaw in reader.flaws]) from error


class RecordReader:
    """Turns tables into records, and collects the flaws of all of them."""

    def __init__(self, *, strict: bool = False) -> None:
        """`strict`, as in TOML that people write: a key that a record does not have is a flaw."""
        self.strict = strict
        self._table_word = "table" if strict else "object"
        self.flaws: list[Flaw] = []

    def value(self, annotation: Any, value: object, path: Path) -> Any:
        """The value as its annotation wants it; None, and a flaw, where it does not fit."""
        annotation = _without_none(annotation) if value is not None else annotation
        if is_dataclass(annotation):
            return self._table(annotation, value, path)
        inner = _records_inside(annotation)
        if inner is not None and isinstance(value, list) and _is_list(annotation):
            return self._container(annotation)(
                self.value(inner, entry, (*path, number)) for number, entry in enumerate(value)
            )
        if inner is not None and isinstance(value, Mapping) and not _is_list(annotation):
            return {name: self.value(inner, entry, (*path, name)) for name, entry in value.items()}
        try:
            return msgspec.convert(value, annotation)
        except (msgspec.ValidationError, OverflowError):
            self._name_flaws(annotation, value, path)
            return None

    def _name_flaws(self, annotation: Any, value: object, path: Path) -> None:
        """Of a table of values by name, those that do not fit; else the value as a whole."""
        if isinstance(value, Mapping) and _is_mapping(annotation):
            of = typing.get_args(annotation)[1]
            for name, entry in value.items():
                self.value(of, entry, (*path, name))
            return
        hint = " (a name with a dot needs quotes)" if isinstance(value, Mapping) and len(path) > 1 else ""
        if self.strict and _is_list(annotation) and _records_inside(annotation):
            hint = f", each below [[{written_path(path)}]]"
        self.flaws.append(Flaw(path, value, f"must be {allowed(annotation, self._table_word)}{hint}"))

    def _table(self, kind: Any, value: object, path: Path) -> Any:
        if not isinstance(value, Mapping):
            self.flaws.append(Flaw(path, value, f"must be {allowed(kind, self._table_word)}"))
            return None
        before = len(self.flaws)
        values = self._fields(kind, value, path)
        return None if len(self.flaws) > before else self._made(kind, values, path)

    def _fields(self, kind: Any, table: Mapping[str, Any], path: Path) -> dict[str, Any]:
        hints, known = _hints(kind), fields(kind)
        for key in table if self.strict else ():
            if key not in hints:
                self.unknown(key, table[key], path, list(hints))
        values: dict[str, Any] = {}
        for field in known:
            at = (*path, field.name)
            if field.name in table:
                values[field.name] = self.value(hints[field.name], table[field.name], at)
            elif field.default is MISSING and field.default_factory is MISSING:
                self.flaws.append(Flaw(at, None, "is missing", hidden=True))
        return values

    def _made(self, kind: Any, values: dict[str, Any], path: Path) -> Any:
        try:
            return kind(**values)
        except KeyedError as error:
            self.flaws += [replace(flaw, path=(*path, *flaw.path)) for flaw in error.flaws]
        except UsageError as error:
            self.flaws.append(Flaw(path, None, str(error), hidden=True))
        return None

    def unknown(self, key: str, value: object, path: Path, known: Sequence[str]) -> None:  # noqa: ARG002 (TomlReader)
        """One more flaw: a key that no record has. Its value is not shown: it may be a secret."""
        hint = did_you_mean(key, known) or f"; known are {', '.join(known)}"
        self.flaws.append(Flaw((*path, key), None, f"unknown key{hint}", hidden=True))

    @staticmethod
    def _container(annotation: Any) -> type[Any]:
        return list if typing.get_origin(annotation) is list else tuple


def written_path(path: Path, *, first: int = 0) -> str:
    """`questions[0].texts`; `first`: the number of the first entry of a list."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step + first}]"
        else:
            plain = step.replace("_", "").replace("-", "").isalnum()
            text += ("." if text else "") + (step if plain else json.dumps(step, ensure_ascii=False))
    return text


def shown(value: object) -> str:
    """A value of a document in few words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def allowed(annotation: Any, table: str, *, many: bool = False) -> str:
    """What an annotation allows, in words; `table`: what the language of the document calls values by name; `many`: of
    several values.
    """
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    tables = f"{table}s" if many else f"{'an' if table == 'object' else 'a'} {table}"
    if annotation in _PLAIN:
        return _PLAIN[annotation][many]
    if origin is typing.Annotated:
        return f"{allowed(inner[0], table, many=many)}{_limits(inner[1])}"
    if origin is Literal:
        return f"one of {', '.join(one if one[:1].isalnum() else repr(one) for one in inner)}"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(allowed(part, table, many=many) for part in inner)
    if _is_list(annotation):
        number = f"{len(inner)} " if origin is tuple and inner[-1] is not Ellipsis else ""
        return f"{'lists' if many else 'a list'} of {number}{allowed(inner[0], table, many=True)}"
    if _is_mapping(annotation):
        return f"{tables} of {allowed(inner[1], table, many=True)}"
    if is_dataclass(annotation):
        required = [field.name for field in fields(annotation) if field.default is field.default_factory]
        return tables + (f" with {', '.join(required)}" if required else "")
    return "something else"


def _limits(meta: msgspec.Meta) -> str:
    if meta.ge is not None and meta.le is not None:
        return f" from {meta.ge:g} to {meta.le:g}"
    if meta.min_length is not None:
        return f" of at least {meta.min_length} characters" if meta.min_length > 1 else " that is not empty"
    return "" if meta.ge is None else f" of at least {meta.ge:g}"


def _sentence(flaw: Flaw) -> str:
    where = f"key {written_path(flaw.path)} " if flaw.path else ""
    if flaw.hidden:
        return f"{where}{flaw.message}" if flaw.message.startswith("is ") else f"{where.rstrip()}: {flaw.message}"
    return f"{where}is {shown(flaw.value)}, but {flaw.message}"


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind, include_extras=True)


def _without_none(annotation: Any) -> Any:
    """Of `X | None` X; anything else as it is."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        parts = [part for part in typing.get_args(annotation) if part is not type(None)]
        return parts[0] if len(parts) == 1 else annotation
    return annotation


def _is_list(annotation: Any) -> bool:
    return typing.get_origin(annotation) in (list, tuple, Sequence)


def _is_mapping(annotation: Any) -> bool:
    return typing.get_origin(annotation) in (dict, Mapping)


def _records_inside(annotation: Any) -> Any:
    """The record class whose records a list or a table holds; None for other values."""
    inner = typing.get_args(annotation)
    if not inner or not (_is_list(annotation) or _is_mapping(annotation)):
        return None
    of = inner[1] if _is_mapping(annotation) else inner[0]
    return of if is_dataclass(of) else None
