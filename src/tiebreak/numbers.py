"""How numbers and lists of names are written, the same in every output: 0.05, -0.12, 5%, 1,200, $2.80.

Names and other words of the data as they are shown: in one line, with nothing in them that steers a terminal.

Commands to be copied into a shell.
"""

from __future__ import annotations

import math
import re
import shlex
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

MINUS: Final = "−"
"""The minus sign of set type; what may be copied into a program or a table has a hyphen."""

_DECADE: Final = math.log(10)
_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_DIGITS: Final = 6
_POINT: Final = 1e-6
_ROUNDING: Final = 1e-12  # of a sum
_EXACT: Final = 100  # of money: below it cents are said of a projection too


def number(value: float, digits: int = 2) -> str:
    """A number with so many digits behind the point, never minus nothing: 0.05, -0.12, 1.00."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def known_number(value: float | None) -> str:
    """`number`, or "-" where there is too little evidence for one."""
    return "-" if value is None else number(value)


def significant(value: float) -> str:
    """A size with two digits behind the point, or as many as show two that are not 0: 1.25, 0.36, 0.0042."""
    digits = 2 if not value else 1 - math.floor(math.log10(abs(value)))
    return number(value, min(max(digits, 2), _MOST_DIGITS))


def signed(value: float, digits: int = 2) -> str:
    """A difference with its sign, as set type has it: +0.05, −0.12, 0.00."""
    text = number(abs(value), digits)
    return text if float(text) == 0 else ("+" if value > 0 else MINUS) + text


def signed_plain(value: float) -> str:
    """A round number with its sign, as the scale of a picture has it: +0.5, −0.25, 0."""
    text = f"{abs(value):.3g}"
    return text if float(text) == 0 else ("+" if value > 0 else MINUS) + text


def interval(low: float, high: float) -> str:
    """`"[-0.12, 0.30]"`; an end near 0 keeps the digits that tell its side, and ends that differ those that tell them
    apart: `"[0.003, 0.30]"`, `"[0.031, 0.034]"`.
    """
    low, high = _off_zero(low, high)
    of_low, of_high = _digits_of_both(low, high)
    return f"[{number(low, of_low)}, {number(high, of_high)}]"


def signed_interval(low: float, high: float) -> str:
    """The same as set type has it: −0.12 to +0.30."""
    low, high = _off_zero(low, high)
    of_low, of_high = _digits_of_both(low, high)
    return f"{signed(low, of_low)} to {signed(high, of_high)}"


def _off_zero(low: float, high: float) -> tuple[float, float]:
    """Where 0 is not between the ends, the one next to it is told from 0: it is at least what the most digits tell."""
    least = math.pow(10, -_MOST_DIGITS)
    return max(low, least) if low > _ROUNDING else low, min(high, -least) if high < -_ROUNDING else high


def _digits_of_both(low: float, high: float) -> tuple[int, int]:
    """Digits of both ends; a point, to within the search for its ends, needs no more."""
    of_low, of_high = _digits(low), _digits(high)
    if high - low > _POINT:
        while max(of_low, of_high) < _MOST_DIGITS and number(low, of_low) == number(high, of_high):
            of_low, of_high = of_low + 1, of_high + 1
    return of_low, of_high


def _digits(end: float) -> int:
    """Digits behind the point that do not show 0 for what is not 0, as far as six."""
    return next((digits for digits in range(2, _MOST_DIGITS + 1) if float(f"{end:.{digits}f}")), 2)


def plain(value: float) -> str:
    """A setting as the user gave it: 0.05, 0.1, 0.001."""
    return f"{value:g}"


def points(rating: float) -> str:
    """A rating on the Elo scale: 1500, without a comma."""
    return number(rating, 0)


def percent(share: float) -> str:
    """A share that is a setting, with all of its digits: `"95%"`, `"99.9%"`."""
    return f"{100 * share:.12g}%"


def in_percent(share: float) -> str:
    """A share that was found, never minus nothing: `"62%"`. What would round to 0 or 100 without being it keeps a
    digit: `"0.4%"`.
    """
    whole = round(100 * share)
    if whole in (0, 100) and share not in (0.0, 1.0):
        return f"{number(100 * share, 1)}%"
    return f"{whole}%"


def rounded(count: float, above: int = 0) -> str:
    """Two significant digits, a whole number: a projection is not known better.

    All digits where two would not tell that it is more than the number `above`, which there is already.
    """
    return f"{_rounded(count, above):,}"


def _rounded(count: float, above: int = 0) -> int:
    whole = round(count)
    scale: int = 10 ** max(0, len(str(whole)) - 2)
    shortened = round(count / scale) * scale
    return whole if shortened <= above < whole else shortened


_PLURALS: Final = {"person": "people", "reply": "replies"}


def counted(count: int, noun: str) -> str:
    """`"1 label"`, `"1,200 labels"`, `"2 people"`."""
    return f"{count:,} {noun if count == 1 else _PLURALS.get(noun, noun + 's')}"


def counted_range(counts: Sequence[int], noun: str) -> str:
    """`"40 items"` where all counts are the same, `"12 to 40 items"` where they differ."""
    low, high = min(counts), max(counts)
    return counted(high, noun) if low == high else f"{low:,} to {counted(high, noun)}"


def about(count: int, noun: str, above: int = 0) -> str:
    """A projected count: `"1 label"`, `"1,200 labels"` of 1,234; `above`: as of `rounded`."""
    return f"{rounded(count, above)} {noun}{'' if count == 1 else 's'}"


def money(amount: float, currency: str) -> str:
    """To the cent: `"$2.80"`, `"EUR 1,600.00"`."""
    return f"{_before_amounts(currency)}{amount:,.2f}"


def about_money(amount: float, currency: str) -> str:
    """Projected: `"$2.80"`, `"$1,600"`."""
    return money(amount, currency) if amount < _EXACT else f"{_before_amounts(currency)}{rounded(amount)}"


def _before_amounts(currency: str) -> str:
    """A letter and a digit need a blank between them."""
    return f"{currency} " if currency[-1:].isalpha() else currency


def price_of_about(labels: float, price: float, currency: str) -> str:
    """Of a projected number of labels, as many as are printed: `"$28.00"` for 279 at 0.10."""
    return about_money(_rounded(labels) * price, currency)


def about_labels(labels: int, cost: float | None, currency: str, above: int = 0) -> str:
    """Projected labels, and the price of as many as are printed, if their `cost` is known: `"280 labels, $28.00"`.

    `above`: as of `rounded`.
    """
    words = about(labels, "label", above)
    if cost is None:
        return words
    # Only counts from 100 on are rounded, whose cost to the cent tells a price of up to four digits exactly.
    if _rounded(labels, above) == labels:
        return f"{words}, {about_money(cost, currency)}"
    return f"{words}, {price_of_about(labels, round(cost / labels, 4), currency)}"


def e_number(log_e: float) -> str:
    """An e-value from its logarithm, in few characters: 0.08, 3.1, 240, 12,000, 3.0 × 10¹²."""
    if not math.isfinite(log_e):
        return "∞" if log_e > 0 else "0"
    decades = log_e / _DECADE
    if decades < -3:
        return "below 0.001"
    if decades >= 6:
        power = math.floor(decades)
        digits = f"{10 ** (decades - power):.1f}"
        if digits == "10.0":  # 9.96 is rounded up into the next decade
            digits, power = "1.0", power + 1
        return f"{digits} × 10" + str(power).translate(_RAISED)
    value = math.exp(log_e)
    if value >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}" if value >= 1 else f"{value:.2g}"


def listed_names(names: Iterable[str]) -> str:
    """Names in a row, as people read them: one with a comma in it stands in quotes, or it would look like two."""
    return ", ".join(f'"{name}"' if "," in name else name for name in names)


def some_names(names: Sequence[str], most: int = 6) -> str:
    """The first names, the others counted."""
    return some_parts([listed_names([name]) for name in names], most)


def some_parts(parts: Sequence[str], most: int = 6) -> str:
    """The first parts of a list as they are, the others counted."""
    more = len(parts) - most
    return ", ".join(parts[:most]) + (f" and {more:,} more" if more > 0 else "")


def natural_key(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Sorts names as people do: M2 before M10, small letters beside capitals."""
    parts = [part for part in re.split(r"(\d+)", name.casefold()) if part]
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts), name


_JOINERS: Final = "\u200c\u200d"  # parts of words in Persian and Hindi, and of many emoji


def printable(text: str) -> str:
    r"""The text in one line: `"two\\nlines"` of a text with a line break.

    Blanks of any width become a blank. Line breaks, tabs, control characters and marks that turn the direction of
    writing become their escapes, so that names that differ still look different.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    if unicodedata.category(char) == "Zs":
        return " "
    return char.encode("unicode_escape").decode("ascii")


def command_words(*parts: str | Path) -> list[str]:
    r"""`tiebreak` and these words, each quoted where a shell needs it; control characters as in `$'a\x1bb'`."""
    return [quoted(str(part)) for part in ("tiebreak", *parts)]


def quoted(word: str) -> str:
    """One word as a shell reads it."""
    if printable(word) == word:
        return shlex.quote(word)
    return "$'" + "".join(map(_escaped, word)) + "'"


def _escaped(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    if printable(char) == char:
        return char
    return f"\\x{ord(char):02x}" if ord(char) < 128 else f"\\U{ord(char):08x}"


def command(*parts: str | Path) -> str:
    """The same in one line."""
    return " ".join(command_words(*parts))
