"""Numbers as people write them in options: what cannot be read gets a plain answer that says what to write."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tiebreak.errors import UsageError

_DIGITS: Final = re.compile(r"[+-]?[\d,.]+")


def whole(option: str) -> Callable[[str | int], int]:
    """A parser of whole numbers for the option of this name, such as "--seed"."""

    def parse(text: str | int) -> int:
        try:
            return int(text)
        except ValueError:
            raise UsageError(f"{option} {text}: {_advice(str(text), whole=True, share=False)}") from None

    return parse


def number(option: str, *, share: bool = False) -> Callable[[str | float], float]:
    """A parser of numbers; `share`: of such between 0 and 1."""

    def parse(text: str | float) -> float:
        try:
            return float(text)
        except ValueError:
            raise UsageError(f"{option} {text}: {_advice(str(text), whole=False, share=share)}") from None

    return parse


def _advice(text: str, *, whole: bool, share: bool) -> str:
    """What to write instead of `text`."""
    kind = "a whole number" if whole else "a share between 0 and 1" if share else "a number"
    plain = text.strip().removesuffix("%").strip()
    such_as = "20" if whole else "0.05" if share else "1.5"
    if not _DIGITS.fullmatch(plain):
        return f"write {kind}, such as {such_as}"
    thousands = re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", plain)
    read = plain.replace(",", "") if thousands else plain.replace(",", ".")
    try:
        value = float(read)
    except ValueError:
        return f"write {kind}, such as {such_as}"
    if text.strip().endswith("%"):
        return f"write {kind}, such as {f'{value / 100:.12g}' if share else such_as}"
    if whole:
        return f"write {value:.0f}" if value.is_integer() else f"write {kind}, such as {value:.0f}"
    both = f" or {plain.replace(',', '.')}" if thousands and plain.count(",") == 1 and "." not in plain else ""
    return f"write {value:.12g}{both}"
