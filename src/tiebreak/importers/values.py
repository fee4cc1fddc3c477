"""What single cells say: numbers, times, yes or no, and whether a passage supports an answer."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Final

from tiebreak.records import Support

NOTHING: Final = frozenset(["nan", "none", "null", "na", "n/a", "n.a.", "undefined", "#n/a", "-", "--", "–", "—"])
"""What programs and people write for a number that is not there."""

_GROUPED: Final = re.compile(r"[+-]?\d{1,3}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})")
_ONE_COMMA: Final = re.compile(r"[+-]?\d+,\d+")
_GRADED: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*(?:[:=)]\s*|[-–—.]\s+)(?P<said>[^\W\d].*)")
_NOT_SAID: Final = ("n/a", "na", "none", "no answer", "not ", "don't", "do not", "cannot", "can't", "unknown")
_CLOCK: Final = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d(?:\.\d+)?)")
_UNIT: Final = re.compile(
    r"(?<![a-z])(?:(?P<ms>ms|millis(?:econds)?)|min(?:ute)?s?|h(?:ou)?rs?|h)(?![a-z])", re.IGNORECASE
)
_YES: Final = frozenset({"yes", "true", "y", "1", "1.0"})
_NO: Final = frozenset({"no", "false", "n", "0", "0.0"})
_SUPPORTS: Final[dict[str, Support]] = {
    "supports": "supports", "support": "supports", "supported": "supports", "yes": "supports", "true": "supports",
    "1": "supports", "contradicts": "contradicts", "contradict": "contradicts", "refutes": "contradicts",
    "contradicted": "contradicts", "neither": "neither", "no": "neither", "none": "neither", "neutral": "neither",
    "false": "neither", "0": "neither", "unrelated": "neither",
}  # fmt: skip


def may_be_two_numbers(cell: str) -> bool:
    """Whether a comma is in a number that may part thousands, or be a decimal comma: `1,500`, and beside it `3,5`."""
    return _ONE_COMMA.fullmatch(cell.strip()) is not None


def parse_number(cell: str, decimal_comma: bool = False) -> float | None:
    """A finite number, or None. `1,234,567` and `1,234.5` part thousands. With `decimal_comma`, `3,5` is 3.5; without,
    `1,500` may be two numbers. Of `4 - good`, as surveys export grades, it is the 4; yes and true are 1, no and false
    are 0.
    """
    text = cell.strip()
    if decimal_comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    elif _GROUPED.fullmatch(text):
        text = text.replace(",", "")
    if "_" in text:
        return None
    graded = _GRADED.fullmatch(text)
    if graded is not None and graded["said"].casefold().startswith(_NOT_SAID):
        return None
    answer = yes_in(text)
    try:
        number = float(graded[1] if graded else text) if graded or answer is None else float(answer)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def yes_in(cell: str) -> bool | None:
    """Whether a cell says yes or no; None where it says neither."""
    plain = cell.strip().casefold()
    return True if plain in _YES else False if plain in _NO else None


def support_in(cell: str) -> Support | None:
    """What a cell says of a passage; None where that is not clear."""
    return _SUPPORTS.get(cell.strip().casefold())


def parse_clock(cell: str) -> float | None:
    """Seconds of a duration as clocks show it: `1:35` is a minute and 35 seconds, `1:02:35` has hours; else None."""
    found = _CLOCK.fullmatch(cell.strip())
    return None if found is None else 3600 * int(found[1] or 0) + 60 * int(found[2]) + float(found[3])


def seconds_in(column: str) -> float:
    """How many seconds the unit is that the name of a column says, such as `Time (min)`: one where it says none."""
    found = None if "sec" in column.casefold() and "milli" not in column.casefold() else _UNIT.search(column)
    return 1.0 if found is None else {"ms": 0.001, "m": 60.0, "h": 3600.0}["ms" if found["ms"] else found[0][0].lower()]


def parse_time(cell: str) -> str | None:
    """ISO 8601 in its usual spelling; Unix seconds or milliseconds (after 2001) as ISO 8601 in UTC; a time as
    Mechanical Turk writes it ("Mon Jun 21 09:26:33 PDT 2021"); anything else None.

    Dates such as 3/4/2024 stay unread: whether the day or the month comes first is not in the cell.
    """
    text = cell.strip()
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isfinite(number):
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
