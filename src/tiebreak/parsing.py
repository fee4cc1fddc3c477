"""JSON and TOML as strictly as labels want it: what would be read as something else, or never end, is an error."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from typing import Any, Final, NoReturn

DEEPEST: Final = 50
"""Lists, objects and tables within one another."""

_MOST_BITS: Final = 10_000
_LONG_NUMBER: Final = re.compile(r"(?:0[xob])?[0-9a-fA-F_]{250,}")
_TOML_NAME: Final = re.compile(r"\s*(?:\[\s*([A-Za-z0-9_-]+)\.([^\"'\[\]]+)\]|([^\"'\[\]={}#]+)=(?!=)).*")
"""A line of TOML with a name that is in no quotes: that of a table within another, or that of a value."""
_TOML_BARE: Final = re.compile(r"[A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*")
_TOML_PLACE: Final = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


class ParsingError(ValueError):
    """A text that cannot be read. `message`: why; `line`, `character`: from 1, None where that is not known."""

    def __init__(self, message: str, line: int | None = None, character: int | None = None) -> None:
        super().__init__(message)
        self.message, self.line, self.character = message, line, character


def json_reader(*, numbers_as_text: bool = False) -> Callable[[str], Any]:
    """A function that reads one JSON document; `numbers_as_text`: numbers, NaN too, as they are written.

    It raises ParsingError for what is no JSON, for an object with one key twice (of which others take the last), for
    numbers of more digits than Python reads, and for more than `DEEPEST` lists and objects within one another. NaN and
    Infinity, which are no JSON, are refused unless numbers are texts.
    """
    if numbers_as_text:
        decoder = json.JSONDecoder(object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=str)
    else:
        decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)

    def read(text: str) -> Any:
        """The value of a document; ParsingError says where it is none."""
        try:
            found = decoder.decode(text)
        except json.JSONDecodeError as error:
            raise ParsingError(error.msg, error.lineno, error.colno) from error
        except ParsingError:
            raise
        except RecursionError as error:
            raise _too_deep() from error
        except ValueError as error:  # an integer of thousands of digits
            raise ParsingError(_too_long(text)) from error
        if text.count("[") + text.count("{") > DEEPEST:
            _check_depth(found)
        return found

    return read


def parse_toml(text: str) -> dict[str, Any]:
    """What a TOML text says.

    Raises:
        ParsingError: invalid TOML, a number of more than 3,000 digits, or more than `DEEPEST` lists and tables in one
            another.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _toml_error(str(error), text) from error
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise ParsingError(_too_long(text), _line_of_long_number(text)) from error
    _check_depth(found)
    if _has_long_number(found):
        raise ParsingError(_too_long(text), _line_of_long_number(text))
    return found


def _toml_error(said: str, text: str) -> ParsingError:
    place = _TOML_PLACE.fullmatch(said)
    if place is None:
        return ParsingError(said)
    if place[2] is None:
        return ParsingError(place[1], max(len(text.splitlines()), 1))
    line = int(place[2])
    return ParsingError(place[1] + _quotes_hint(text.splitlines()[line - 1 : line]), line, int(place[3]))


def _quotes_hint(lines: list[str]) -> str:
    """How to write the name in the line, where it has characters that take quotes; "" where it has none."""
    found = _TOML_NAME.fullmatch(lines[0]) if lines else None
    if found is None:
        return ""
    table, inner, key = found.groups()
    name = (inner or key).strip()
    if not name or _TOML_BARE.fullmatch(name):
        return ""
    written = json.dumps(name, ensure_ascii=False)
    written = f"[{table}.{written}]" if inner else f"{written} ="
    return f"; a name with anything but letters, digits, - and _ stands in quotes: {written}"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ParsingError(f"the key {twice!r} is there twice in one object; remove one of the two")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ParsingError(f"{name} is no JSON number; leave the value out or write a number")


def _too_deep() -> ParsingError:
    return ParsingError(f"more than {DEEPEST} lists or objects within one another")


def _too_long(text: str) -> str:
    longest = max((len(found[0]) for found in _LONG_NUMBER.finditer(text)), default=0)
    return f"a number of {longest:,} digits, which is more than can be read"


def _line_of_long_number(text: str) -> int | None:
    found = _LONG_NUMBER.search(text)
    return None if found is None else text.count("\n", 0, found.start()) + 1


def _check_depth(found: object) -> None:
    """Looks level by level: a function that calls itself would fail where this is to say so."""
    level = [found]
    for _ in range(DEEPEST):
        level = [inner for value in level if isinstance(value, dict | list) for inner in _inside(value)]
    if any(isinstance(value, dict | list) for value in level):
        raise _too_deep()


def _has_long_number(found: object) -> bool:
    level = [found]
    while level:
        if any(isinstance(value, int) and value.bit_length() > _MOST_BITS for value in level):
            return True
        level = [inner for value in level if isinstance(value, dict | list) for inner in _inside(value)]
    return False


def _inside(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value
