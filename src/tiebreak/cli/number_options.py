"""Numbers as people write them in options: what cannot be read gets a plain answer that says what to write."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

from tiebreak.errors import UsageError
from tiebreak.settings.checks import is_within, wrong_number
from tiebreak.settings.setting import Setting

_DIGITS: Final = re.compile(r"[+-]?[\d,.]+")
_EXAMPLES: Final = {"a whole number": (20, 100), "a share between 0 and 1": (0.05, 0.5), "a number": (1.5, 0.5, 100)}
_ANY: Final = Setting("Any number")
N = TypeVar("N", int, float)


def whole(option: str, what: Setting = _ANY) -> Callable[[str | int], int]:
    """A parser of whole numbers for the option of this name, such as "--seed"; `what`: their range."""

    def parse(text: str | int) -> int:
        try:
            return _in_range(option, what, int(text), str(text), whole=True)
        except ValueError:
            raise UsageError(f"{option} {text}: {_advice(str(text), what, 'a whole number')}") from None

    return parse


def number(option: str, what: Setting = _ANY) -> Callable[[str | float], float]:
    """A parser of numbers for the option of this name; `what`: their range."""
    kind = "a share between 0 and 1" if what.is_share else "a number"

    def parse(text: str | float) -> float:
        try:
            return _in_range(option, what, float(text), str(text), whole=False)
        except ValueError:
            raise UsageError(f"{option} {text}: {_advice(str(text), what, kind)}") from None

    return parse


def _in_range(option: str, what: Setting, value: N, text: str, *, whole: bool) -> N:
    """The number, where the setting may have it; what records of settings say of others."""
    if wrong := wrong_number(what, value, whole=whole):
        raise UsageError(f"{option} is {text}, but {wrong}")
    return value


def _advice(text: str, what: Setting, kind: str) -> str:
    """What to write instead of `text`, a number of this kind that the setting may have."""
    possible = [example for example in _EXAMPLES[kind] if is_within(what, example)]
    such_as = f"write {kind}" + (f", such as {possible[0]:g}" if possible else "")
    plain = text.strip().removesuffix("%").strip()
    thousands = re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", plain)
    try:
        value = float(plain.replace(",", "" if thousands else ".")) if _DIGITS.fullmatch(plain) else None
    except ValueError:
        value = None
    if value is not None and text.strip().endswith("%"):
        value = value / 100 if what.is_share else None
    if value is None or not is_within(what, value):
        return such_as
    if text.strip().endswith("%"):
        return f"write {kind}, such as {value:.12g}"
    if kind == "a whole number":
        return f"write {value:.0f}" if value.is_integer() else f"write {kind}, such as {value:.0f}"
    both = f" or {plain.replace(',', '.')}" if thousands and plain.count(",") == 1 and "." not in plain else ""
    return f"write {value:.12g}{both}"
