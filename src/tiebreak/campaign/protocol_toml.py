"""A protocol as a TOML file that people write and read; errors name the line, the key and the value."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from typing import Any, Final

from tiebreak.campaign.protocol import Protocol, ProtocolError
from tiebreak.campaign.settings import (
    Budget,
    DecisionSettings,
    GoldTask,
    LabelSettings,
    OrderSettings,
    PairSettings,
    PeopleSettings,
)
from tiebreak.errors import InputError, Problem, did_you_mean

_TABLES: Final[dict[str, type[Any]]] = {
    "labels": LabelSettings,
    "pairs": PairSettings,
    "budget": Budget,
    "decision": DecisionSettings,
    "order": OrderSettings,
    "people": PeopleSettings,
}

_KINDS: Final[dict[str, tuple[tuple[type, ...], str]]] = {
    "str": ((str,), "text in quotes"),
    "str | None": ((str,), "text in quotes"),
    "int": ((int,), "a whole number"),
    "int | None": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "float | None": ((int, float), "a number"),
    "bool": ((bool,), "true or false"),
    "tuple[str, ...]": ((list,), 'a list of names, such as ["a", "b"]'),
    "tuple[GoldTask, ...]": ((list,), "a list of tables with item, system_a, system_b and outcome"),
}

_HEADER: Final = re.compile(r"\s*\[\[?([^\[\]=,]+)\]\]?\s*(?:#.*)?$")


def protocol_from_toml(text: str, file: str = "protocol.toml") -> Protocol:
    """The protocol that a TOML text describes; what it does not say has its default.

    Raises:
        InputError: invalid TOML; or all unknown keys and values of the wrong kind at once; or, where there are none,
            all reasons why the protocol cannot be.
    """
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError([Problem(file, f"invalid TOML: {error}")]) from error
    reader = _Reader(text, file)
    values: dict[str, Any] = reader.record(Protocol, {k: v for k, v in parsed.items() if k not in _TABLES}, "")
    for name, kind in _TABLES.items():
        table = parsed.get(name, {})
        if not isinstance(table, dict):
            reader.wrong(name, table, f"must be a table: write [{name}] and its settings below it")
            continue
        values[name] = reader.record(kind, table, f"{name}.")
    if reader.problems:
        raise InputError(reader.problems)
    try:
        parts = {name: kind(**values[name]) for name, kind in _TABLES.items()}
        return Protocol(**values | parts)
    except ProtocolError as error:
        for problem in (error, *error.others):
            reader.wrong(problem.key, problem.value, problem.message)
        raise InputError(reader.problems) from error


def protocol_to_toml(protocol: Protocol) -> str:
    """The TOML text that reads back as this protocol; settings that are None are left out."""
    document = asdict(protocol)
    lines = [
        f"{key} = {_written(value)}" for key, value in document.items() if key not in _TABLES and value is not None
    ]
    for name in _TABLES:
        table = {key: value for key, value in document[name].items() if value is not None}
        if table:
            lines += ["", f"[{name}]", *(f"{key} = {_written(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


class _Reader:
    """Checks tables against the fields of records, and collects problems with their lines."""

    def __init__(self, text: str, file: str) -> None:
        self._lines, self._file = text.split("\n"), file
        self.problems: list[Problem] = []

    def wrong(self, key: str, value: object, message: str) -> None:
        """One more problem, at the line of the key."""
        shown = None if value is None else json.dumps(value, default=str, ensure_ascii=False)
        self.problems.append(Problem(self._file, message, self._line(key), key, shown))

    def record(self, kind: type[Any], table: Mapping[str, Any], prefix: str) -> dict[str, Any]:
        """The values of a table, checked against the record's fields."""
        known = {field.name: field for field in fields(kind) if field.name not in _TABLES or prefix}
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key not in known:
                names = (*known, *(() if prefix else _TABLES))
                hint = did_you_mean(key, names) or f"; known are {', '.join(names)}"
                self.wrong(prefix + key, None, f"unknown key{hint}")
                continue
            checked = self._value(prefix + key, str(known[key].type), value)
            if checked is not None:
                values[key] = checked
        for name, field in known.items():
            required = field.default is MISSING and field.default_factory is MISSING
            if required and name not in table:
                self.wrong(prefix + name, None, "is missing")
        return values

    def _value(self, key: str, kind: str, value: object) -> Any:
        allowed, meaning = _KINDS.get(kind, ((str,), "text in quotes"))
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            self.wrong(key, value, f"must be {meaning}")
            return None
        if kind == "tuple[GoldTask, ...]" and isinstance(value, list):
            found = [self._gold(key, number, entry) for number, entry in enumerate(value)]
            return tuple(task for task in found if task is not None)
        if isinstance(value, list):
            if not all(isinstance(entry, str) for entry in value):
                self.wrong(key, value, f"must be {meaning}")
                return None
            return tuple(value)
        if kind.startswith("float") and isinstance(value, int):
            try:
                return float(value)
            except OverflowError:
                self.wrong(key, value, f"must be {meaning}")
                return None
        return value

    def _gold(self, key: str, number: int, entry: object) -> GoldTask | None:
        before = len(self.problems)
        if not isinstance(entry, dict):
            self.wrong(key, entry, "must be tables with item, system_a, system_b and outcome")
            return None
        values = self.record(GoldTask, entry, f"{key}[{number + 1}].")
        return GoldTask(**values) if len(self.problems) == before else None

    def _line(self, key: str) -> int | None:
        """The line where `table.key` is set: below the header of its table, or else that header; None if neither is
        there. `people.gold[2].item` looks below the second [[people.gold]].
        """
        table, _, name = key.rpartition(".")
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
            if current == table and seen.get(table, 1) == wanted and setting == name:
                return number
            if not current and setting == key:  # decision.alpha = 0.05, without a header
                return number
        return header


def _written(value: object) -> str:
    """A value in TOML; strings as JSON writes them, which TOML reads too (except DEL)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_written(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_written(entry) for entry in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
