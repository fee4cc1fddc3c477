"""Records as TOML files that people write: read with all mistakes at once, each with its line; written to be read back.

Every file of settings goes this way: study.toml, protocols, worlds, tutorials, recipes, judges.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, Final, TypeVar

from tiebreak.errors import Flaw, InputError, Problem, did_you_mean
from tiebreak.parsing import ParsingError, parse_toml
from tiebreak.typed import Path, RecordReader, written_path

R = TypeVar("R")

_NAME: Final = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_NAMES: Final = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_HEADER: Final = re.compile(rf"\s*\[\s*(?P<list>\[\s*)?(?P<names>{_NAMES})\s*\]")
_SET: Final = re.compile(rf"\s*(?P<names>{_NAMES})\s*=")
_LARGEST_WHOLE: Final = 1e15
_SECRET: Final = ("key", "token", "secret", "password")


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


def read_toml(kind: type[R], text: str, file: str) -> R:
    """The record that a TOML text describes; what it does not say has its default.

    Raises:
        InputError: invalid TOML; or all unknown keys and values that cannot be, each with its line.
    """
    reader = TomlReader(text, file)
    found: R = reader.value(kind, parsed_toml(text, file), ())
    reader.raise_if_any()
    return found


class TomlReader(RecordReader):
    """Reads the tables of a TOML text as records; with all that is wrong with them."""

    def __init__(self, text: str, file: str) -> None:
        super().__init__(strict=True)
        self._text, self._file = text, file

    def unknown(self, key: str, value: object, path: Path, known: Any) -> None:
        """One more flaw: a key that nobody reads, or a name with a dot, which TOML takes for two tables."""
        names = [step for step in path if isinstance(step, str)]
        if isinstance(value, Mapping) and len(names) > 1 and not did_you_mean(key, known):
            header, name = ".".join(names[:-1]), ".".join([names[-1], key, *_only_tables(value, known)])
            message = f"TOML takes the dot of {name} for a table within another: write [{header}.{toml_text(name)}]"
            self.flaws.append(Flaw((*path, key), None, message, hidden=True))
        elif any(word in key.casefold() for word in _SECRET) and "key_from" in known:
            message = "unknown key; keys come from the environment, and key_from names the variable that holds one"
            self.flaws.append(Flaw((*path, key), None, message, hidden=True))
        else:
            super().unknown(key, value, path, known)

    def problems(self) -> list[Problem]:
        """All flaws, at their lines and in the order of these."""
        places = list(_places(self._text))
        return sorted((self._problem(flaw, places) for flaw in self.flaws), key=lambda one: one.line or 0)

    def raise_if_any(self) -> None:
        """Raises `InputError` with all flaws, where there is one."""
        if self.flaws:
            raise InputError(self.problems())

    def _problem(self, flaw: Flaw, places: list[tuple[Path, int]]) -> Problem:
        hidden = flaw.hidden or "key_from" in flaw.path  # nobody's key in a message
        text = flaw.value if isinstance(flaw.value, str) else json.dumps(flaw.value, default=str, ensure_ascii=False)
        key = written_path(flaw.path, first=1) or None
        return Problem(self._file, flaw.message, _line_of(flaw.path, places), key, None if hidden else text, part="key")


def to_toml(record: Any, *, defaults: bool, without: Collection[str] = ()) -> str:
    """The TOML text that reads back as this record; None is left out, as is what has its default, unless `defaults` are
    wanted. Records within it, and records and values by name, are tables of their own; those `without` are left out.
    """
    lines = _table("", record, defaults=defaults, without=without)
    return "".join(f"{line}\n" for line in lines).lstrip("\n")


def table_lines(name: str, record: Any) -> list[str]:
    """A record as a table below its header, without what has its default."""
    return ["", f"[{name}]", *_table(name, record, defaults=False)]


def toml_key(name: str) -> str:
    """A key as TOML writes it."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def toml_text(value: object) -> str:
    """A value as TOML writes it; texts as JSON does, which escapes all but DEL that TOML wants escaped."""
    if isinstance(value, bool):
        return str(value).lower()
    if is_dataclass(value):
        value = {of.name: getattr(value, of.name) for of in fields(value)}
    if isinstance(value, Mapping):
        inner = (f"{toml_key(name)} = {toml_text(entry)}" for name, entry in value.items() if entry is not None)
        return f"{{ {', '.join(inner)} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_text, value))}]"
    if isinstance(value, str):
        whole = value.encode("utf-8", "replace").decode("utf-8")  # half a character is none in any file
        return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return repr(int(value))
    return repr(value)


def _table(name: str, record: Any, *, defaults: bool, without: Collection[str] = ()) -> Iterator[str]:
    """The lines of a record: its values first, then its tables, each with a blank line and its header."""
    values = {of.name: getattr(record, of.name) for of in fields(record)}
    left = {of.name: values[of.name] for of in fields(record) if defaults or values[of.name] != _default(of)}
    left = {key: value for key, value in left.items() if key not in without}
    tables = {
        key: value for key, value in left.items() if is_dataclass(value) or (isinstance(value, Mapping) and not name)
    }
    yield from (f"{key} = {toml_text(value)}" for key, value in left.items() if value is not None and key not in tables)
    for key, value in tables.items():
        if is_dataclass(value):
            yield from ("", f"[{key}]", *_table(key, value, defaults=defaults))
            continue
        records = {one: of for one, of in value.items() if is_dataclass(of)}
        for one, of in records.items():
            yield from table_lines(f"{key}.{toml_key(one)}", of)
        if value and not records:
            yield from ("", f"[{key}]", *(f"{toml_key(one)} = {toml_text(of)}" for one, of in value.items()))


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _only_tables(value: Mapping[str, Any], known: Any) -> Iterator[str]:
    """The names of tables that hold nothing but the next one."""
    while len(value) == 1:
        ((name, below),) = value.items()
        if name in known or not isinstance(below, Mapping):
            return
        yield name
        value = below


def _places(text: str) -> Iterator[tuple[Path, int]]:
    """Every table and key of a TOML text with its line, from 1; the tables of a list count from 0."""
    table: Path = ()
    seen: dict[Path, int] = {}
    quotes = ""  # those of a text of several lines that has begun
    for number, line in enumerate(text.split("\n"), 1):
        within, quotes = quotes, _open_quotes(line, quotes)
        if within:
            continue
        if header := _HEADER.match(line):
            table = _steps(header["names"])
            if header["list"]:
                seen[table] = seen.get(table, -1) + 1
                table = (*table, seen[table])
            yield table, number
        elif found := _SET.match(line):
            yield (*table, *_steps(found["names"])), number


def _open_quotes(line: str, quotes: str) -> str:
    """The quotes of a text of several lines that is open after a line; `quotes`: before it."""
    for found in re.findall(r'"""|\'\'\'', line):
        quotes = "" if found == quotes else quotes or found
    return quotes


def _steps(names: str) -> Path:
    return tuple(_unquoted(name) for name in re.findall(_NAME, names))


def _unquoted(name: str) -> str:
    if not name.startswith('"'):
        return name.strip("'")
    return next(iter(parse_toml(f"{name} = 0")))


def _line_of(path: Path, places: list[tuple[Path, int]]) -> int | None:
    """The line of the innermost table or key that a path leads through, else of the first entry of its table."""
    for length in range(len(path), 0, -1):
        for place, line in places:
            if place[:length] == path[:length]:
                return line
    return None
