"""What the cells of a column look like: the evidence beside its name."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from tiebreak.tabular.spreadsheet import Sheet

SHORT_ANSWER: Final = 30
"""Characters."""

_LONGEST_NUMBER: Final = 100
"""Characters of a number or a time; what is longer is a text."""

NOTHING: Final = frozenset(["nan", "none", "null", "na", "n/a", "n.a.", "undefined", "#n/a", "-", "--", "–", "—"])
"""What programs and people write for a number that is not there."""


@dataclass(frozen=True, slots=True)
class Profile:
    """`filled`: cells that are not blank; `distinct`: different ones; `numeric`, `timelike`: share of the filled cells
    in [0, 1] (of numbers: of those that say something); `whole`: all numbers are whole; `mean_length`: characters per
    filled cell."""

    filled: int
    distinct: frozenset[str]
    numeric: float
    timelike: float
    whole: bool
    mean_length: float

    @property
    def is_number(self) -> bool:
        return self.filled > 0 and self.numeric >= 0.9

    @property
    def is_graded(self) -> bool:
        """Whether all answers are numbers with their meaning, or numbers alone."""
        said = [cell for cell in self.distinct if cell.casefold() not in NOTHING]
        return len(said) > 1 and all(graded(cell) is not None or parse_number(cell) is not None for cell in said)

    @property
    def clocklike(self) -> bool:
        """Whether all cells are durations as clocks show them."""
        said = [cell for cell in self.distinct if cell.casefold() not in NOTHING]
        return bool(said) and all(parse_clock(cell) is not None for cell in said)

    @property
    def is_unique(self) -> bool:
        return len(self.distinct) == self.filled

    @property
    def repeats_answers(self) -> bool:
        """Whether a few short answers come again and again, as no system's texts do."""
        few = self.filled >= 8 and len(self.distinct) <= max(2, self.filled / 8)
        return few and self.mean_length < SHORT_ANSWER


def profile(sheet: Sheet, column: str) -> Profile:
    """Look at all cells of a column, at those that are the same once."""
    counts: Counter[str] = Counter()
    for cell, times in Counter(sheet.values(column)).items():
        counts[cell.strip()] += times
    del counts[""]
    filled = counts.total()
    short = [cell for cell in counts if len(cell) <= _LONGEST_NUMBER]
    nothing = sum(counts[cell] for cell in short if cell.casefold() in NOTHING)
    numbers = {cell: number for cell in short if (number := parse_number(cell, sheet.decimal_comma)) is not None}
    moments = sum(counts[cell] for cell in short if parse_time(cell) is not None)
    return Profile(
        filled=filled,
        distinct=frozenset(counts),
        numeric=sum(counts[cell] for cell in numbers) / max(filled - nothing, 1),
        timelike=moments / max(filled, 1),
        whole=all(number.is_integer() for number in numbers.values()),
        mean_length=sum(len(cell) * times for cell, times in counts.items()) / max(filled, 1),
    )


_GROUPED: Final = re.compile(r"[+-]?\d{1,3}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})")
_ONE_COMMA: Final = re.compile(r"[+-]?\d+,\d+")


def may_be_two_numbers(cell: str) -> bool:
    """Whether a comma is in a number that may part thousands, or be a decimal comma: `1,500`, and beside it `3,5`."""
    return _ONE_COMMA.fullmatch(cell.strip()) is not None


def parse_number(cell: str, decimal_comma: bool = False) -> float | None:
    """A finite number, or None. `1,234,567` and `1,234.5` part thousands. With `decimal_comma`, `3,5` is 3.5; without,
    `1,500` may be two numbers.
    """
    text = cell.strip()
    if decimal_comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    elif _GROUPED.fullmatch(text):
        text = text.replace(",", "")
    if "_" in text:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


_GRADED: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*[-–—:=.)]+\s*[^\W\d].*")
_CLOCK: Final = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d(?:\.\d+)?)")


def graded(cell: str) -> float | None:
    """The number of an answer that says what it means, as surveys export them: `4 - good`, `1: bad`; else None."""
    found = _GRADED.fullmatch(cell.strip())
    return float(found[1]) if found else None


def parse_clock(cell: str) -> float | None:
    """Seconds of a duration as clocks show it: `1:35` is a minute and 35 seconds, `1:02:35` has hours; else None."""
    found = _CLOCK.fullmatch(cell.strip())
    return None if found is None else 3600 * int(found[1] or 0) + 60 * int(found[2]) + float(found[3])


def parse_time(cell: str) -> str | None:
    """ISO 8601 in its usual spelling; Unix seconds or milliseconds (after 2001) as ISO 8601 in UTC; a time as
    Mechanical Turk writes it ("Mon Jun 21 09:26:33 PDT 2021"); anything else None.

    Dates such as 3/4/2024 stay unread: whether the day or the month comes first is not in the cell.
    """
    text = cell.strip()
    number = parse_number(text)
    if number is not None:
        if 1e12 <= number < 1e13:
            number /= 1000
        return dt.datetime.fromtimestamp(number, tz=dt.UTC).isoformat() if 1e9 <= number < 1e10 else None
    try:
        moment = _spelt_out(text) or dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return text if len(text) == len("2024-05-17") else moment.isoformat()


_SPELT_OUT: Final = re.compile(
    r"[A-Z][a-z]{2} (?P<month>[A-Z][a-z]{2}) (?P<day>\d{1,2}) (?P<clock>\d\d:\d\d:\d\d) "
    r"(?P<zone>[A-Z]{3,4}) (?P<year>\d{4})"
)
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ZONES: Final = {
    "UTC": 0, "GMT": 0, "EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8,
    "CET": 1, "CEST": 2,
}  # fmt: skip
"""Hours east of Greenwich."""


def _spelt_out(text: str) -> dt.datetime | None:
    found = _SPELT_OUT.fullmatch(text)
    if found is None or found["month"] not in _MONTHS or found["zone"] not in _ZONES:
        return None
    month = _MONTHS.index(found["month"]) + 1
    clock = dt.time.fromisoformat(found["clock"])
    zone = dt.timezone(dt.timedelta(hours=_ZONES[found["zone"]]))
    return dt.datetime.combine(dt.date(int(found["year"]), month, int(found["day"])), clock, zone)
