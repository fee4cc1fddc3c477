"""Numbers as people write them in options and forms; what cannot be read gets an answer that says what to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from tiebreak.errors import UsageError
from tiebreak.settings.checks import is_within, wrong_number
from tiebreak.settings.setting import NamedSetting, Setting

_EXAMPLES: Final = {"a whole number": (20, 100), "a share between 0 and 1": (0.05, 0.5), "a number": (1.5, 0.5, 100)}
_ANY: Final = Setting("Any number")
N = TypeVar("N", int, float)


def _plain(text: object) -> str:
    """The text of a number, without what only Python reads: underscores, and digits of other scripts."""
    written = str(text)
    if "_" in written or not written.isascii():
        raise ValueError(written)
    return written


def whole(name: str, what: Setting = _ANY) -> Callable[[str | int], int]:
    """A parser of whole numbers for the option or field of this name, such as "--seed"; `what`: their range."""
    return _parser(name, what, int, "a whole number")


def number(name: str, what: Setting = _ANY) -> Callable[[str | float], float]:
    """A parser of numbers for the option or field of this name; `what`: their range."""
    return _parser(name, what, float, "a share between 0 and 1" if what.is_share else "a number")


def _parser(name: str, what: Setting, read: Callable[[str], N], kind: str) -> Callable[[object], N]:
    """Of a number of this `kind`, where the setting may have it; what records of settings say of others."""

    def parse(text: object) -> N:
        try:
            value = read(_plain(text))
        except ValueError:
            raise UsageError(f"{name} {text}: {_advice(what, kind)}") from None
        if wrong := wrong_number(what, value, whole=read is int):
            raise UsageError(f"{name} is {text}, but {wrong}")
        return value

    return parse


def _advice(what: Setting, kind: str) -> str:
    """What to write: a number of this kind that the setting may have."""
    possible = [example for example in _EXAMPLES[kind] if is_within(what, example)]
    point = "" if kind == "a whole number" else " with a point"
    return f"write {kind}{point}" + (f", such as {possible[0]:g}" if possible else "")


def default_words(named: NamedSetting) -> str:
    """The default of a setting as one would write it; "" without one."""
    if named.setting.default_words:
        return named.setting.default_words
    if named.kind == "flag":
        on, _, off = named.setting.flags.partition("/")
        return (on if named.default else off).removeprefix("--")
    if named.default is None or named.default in ((), ""):
        return ""
    if named.kind == "numbers":
        return ",".join(f"{part:g}" for part in named.default)
    if named.kind == "names":
        return ", ".join(named.default)
    return f"{named.default:g}" if named.kind == "number" else str(named.default)
