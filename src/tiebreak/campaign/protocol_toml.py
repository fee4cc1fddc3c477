"""A protocol as a TOML file that people write and read; errors name the line, the key and the value.

Tables of a TOML file against the fields of records: all problems at once, each with its line, key and value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, asdict, fields
from typing import Any, Final, TypeVar

from tiebreak.campaign.protocol import Protocol, ProtocolError
from tiebreak.errors import InputError, Problem, UsageError, did_you_mean
from tiebreak.parsing import ParsingError, parse_toml
from tiebreak.settings.protocol import PROTOCOL_TABLES, GoldTask, RatedCriterion

R = TypeVar("R")

Kind = tuple[Callable[[Any], Any], str]
"""A converter that raises TypeError for what it cannot read, and what it reads in words."""

_HEADER: Final = re.compile(r"\s*\[\[?([^\[\]=,]+)\]\]?\s*(?:#.*)?$")


def parsed_toml(text: str, file: str) -> dict[str, Any]:
    """What a TOML text says.

    Raises:
        InputError: invalid TOML.
    """
    try:
        return parse_toml(text)
    except ParsingError as error:
        at = "" if error.character is None else f", character {error.character} of the line"
        raise InputError([Problem(file, f"invalid TOML{at}: {error}", error.line)]) from error


class TomlReader:
    """Checks tables against the fields of records, and collects problems with their lines."""

    def __init__(self, text: str, file: str, nested: Mapping[str, type[Any]] | None = None) -> None:
        """`nested`: record classes by the annotation of the fields that hold a list of them."""
        self._lines, self._file, self._nested = text.split("\n"), file, nested or {}
        self.problems: list[Problem] = []

    def wrong(self, key: str, value: object, message: str) -> None:
        """One more problem, at the line of the key."""
        shown = None if value is None else json.dumps(value, default=str, ensure_ascii=False)
        self.problems.append(Problem(self._file, message, self._line(key), key, shown, part="key"))

    def table(self, name: str, value: object) -> Mapping[str, Any] | None:
        """The value if it is a table; else None, and a problem."""
        if isinstance(value, dict):
            return value
        self.wrong(name, value, f"must be a table: write [{name}] and its settings below it")
        return None

    def record(
        self, kind: type[Any], table: Mapping[str, Any], prefix: str, tables: Collection[str] = ()
    ) -> dict[str, Any]:
        """The values of a table, checked against the record's fields; `tables`: fields that have a table of their own
        in the file, and are read elsewhere.
        """
        known = {field.name: field for field in fields(kind) if field.name not in tables}
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key not in known:
                self.unknown(prefix + key, key, (*known, *tables))
            elif (checked := self._value(prefix + key, str(known[key].type), value)) is not None:
                values[key] = checked
        for name, field in known.items():
            if _required(field) and name not in table:
                self.wrong(prefix + name, None, "is missing")
        return values

    def records(self, kind: type[R], key: str, value: object) -> tuple[R, ...]:
        """A list of tables, each written below [[key]], as records; those with problems are left out, also those that
        the record itself refuses by a `UsageError`.
        """
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            names = [field.name for field in fields(kind) if _required(field)]  # type: ignore[arg-type]
            named = f" with {', '.join(names)}" if names else f", each below [[{key}]]"
            self.wrong(key, value, f"must be a list of tables{named}")
            return ()
        found = []
        for number, entry in enumerate(value, 1):
            before = len(self.problems)
            values = self.record(kind, entry, f"{key}[{number}].")
            if len(self.problems) > before:
                continue
            try:
                found.append(kind(**values))
            except UsageError as error:
                self.wrong(f"{key}[{number}]", None, str(error))
        return tuple(found)

    def unknown(self, key: str, name: str, known: Collection[str]) -> None:
        """One more problem: a key that nobody reads."""
        hint = did_you_mean(name, known) or f"; known are {', '.join(known)}"
        self.wrong(key, None, f"unknown key{hint}")

    def _value(self, key: str, kind: str, value: object) -> Any:
        if kind in self._nested:
            return self.records(self._nested[kind], key, value)
        read, meaning = _KINDS.get(kind, _TEXT)
        try:
            return read(value)
        except (TypeError, OverflowError):
            self.wrong(key, value, f"must be {meaning}")
            return None

    def _line(self, key: str) -> int | None:
        """The line where `table.key` is set: below the header of its table, or else that header; None if neither is
        there. `people.gold[2].item` looks below the second [[people.gold]], which `people.gold[2]` is.
        """
        table, _, name = (f"{key}." if key.endswith("]") else key).rpartition(".")
        table, _, which = table.rstrip("]").partition("[")
        wanted, current, header = int(which or 1), "", None
        seen: dict[str, int] = {}
        for number, line in enumerate(self._lines, 1):
            found = _HEADER.match(line)
            if found is not None:
                current = found[1].replace(" ", "").replace('"', "")
                seen[current] = seen.get(current, 0) + 1
                if current == key:
                    return number
                if current == table and seen[current] == wanted:
                    header = number
                continue
            setting = line.split("=")[0].replace(" ", "").strip("\t\"'")
            if name and current == table and seen.get(table, 1) == wanted and setting == name:
                return number
            if not current and setting == key:  # decision.alpha = 0.05, without a header
                return number
        return header


def _required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _number(value: object) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError
    return float(value)


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(map(_text, value))


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        raise TypeError
    return tuple((_text(one), _text(other)) for one, other in value)


def _interval(value: object) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise TypeError
    return _number(value[0]), _number(value[1])


def _rows(value: object) -> tuple[tuple[float, ...], ...]:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise TypeError
    return tuple(tuple(map(_number, row)) for row in value)


def _by_name(value: object) -> tuple[tuple[str, float], ...]:
    if not isinstance(value, dict):
        raise TypeError
    return tuple((name, _number(number)) for name, number in value.items())


_TEXT: Final[Kind] = (_text, "text in quotes")
_WHOLE: Final[Kind] = (_whole, "a whole number")
_NUMBER: Final[Kind] = (_number, "a number")
_KINDS: Final[dict[str, Kind]] = {
    "str": _TEXT,
    "str | None": _TEXT,
    "int": _WHOLE,
    "int | None": _WHOLE,
    "float": _NUMBER,
    "float | None": _NUMBER,
    "bool": (_flag, "true or false"),
    "tuple[str, ...]": (_names, 'a list of names, such as ["a", "b"]'),
    "tuple[tuple[str, str], ...]": (_pairs, 'a list of pairs of names, such as [["a", "b"], ["a", "c"]]'),
    "tuple[float, float]": (_interval, "a list of two numbers, such as [0.8, 1.0]"),
    "tuple[tuple[float, ...], ...]": (_rows, "a list of rows of numbers"),
    "tuple[tuple[str, float], ...]": (_by_name, "numbers by name, such as { a = 0.1 }"),
}
"""By annotation of a record's field; any other annotation is text."""


_NESTED: Final = {"tuple[GoldTask, ...]": GoldTask, "tuple[RatedCriterion, ...]": RatedCriterion}


def protocol_from_toml(text: str, file: str = "protocol.toml") -> Protocol:
    """The protocol that a TOML text describes; what it does not say has its default.

    Raises:
        InputError: invalid TOML; or all unknown keys and values of the wrong kind at once; or, where there are none,
            all reasons why the protocol cannot be.
    """
    parsed = parsed_toml(text, file)
    reader = TomlReader(text, file, _NESTED)
    outside = {key: value for key, value in parsed.items() if key not in PROTOCOL_TABLES}
    values: dict[str, Any] = reader.record(Protocol, outside, "", PROTOCOL_TABLES)
    for name, kind in PROTOCOL_TABLES.items():
        table = reader.table(name, parsed.get(name, {}))
        if table is not None:
            values[name] = reader.record(kind, table, f"{name}.")
    if reader.problems:
        raise InputError(reader.problems)
    try:
        parts = {name: kind(**values[name]) for name, kind in PROTOCOL_TABLES.items()}
        return Protocol(**values | parts)
    except ProtocolError as error:
        for problem in (error, *error.others):
            reader.wrong(problem.key, problem.value, problem.message)
        raise InputError(reader.problems) from error


def protocol_to_toml(protocol: Protocol) -> str:
    """The TOML text that reads back as this protocol; settings that are None are left out."""
    document = asdict(protocol)
    lines = [
        f"{key} = {_written(value)}"
        for key, value in document.items()
        if key not in PROTOCOL_TABLES and value is not None
    ]
    for name in PROTOCOL_TABLES:
        table = {key: value for key, value in document[name].items() if value is not None}
        if table and (name != "ratings" or protocol.rates):
            lines += ["", f"[{name}]", *(f"{key} = {_written(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _written(value: object) -> str:
    """A value in TOML; strings as JSON writes them, which TOML reads too (except DEL)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{key} = {_written(entry)}" for key, entry in value.items() if entry is not None) + " }"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_written(entry) for entry in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
