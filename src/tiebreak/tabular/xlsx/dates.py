"""Which numbers of a workbook are dates, and which dates they are."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final, Literal

from tiebreak.tabular.xlsx.archive import Archive
from tiebreak.tabular.xlsx.xml_stream import Attributes, stream

DateKind = Literal["date", "duration"]

EPOCH_1900: Final = dt.datetime(1899, 12, 30)
EPOCH_1904: Final = dt.datetime(1904, 1, 1)

_BUILT_IN: Final[dict[int, DateKind]] = (
    dict.fromkeys((*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), "date") | {46: "duration"}  # type: ignore[assignment]
)
_DURATION: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_NO_CODE: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|general', re.IGNORECASE)
_MILLISECONDS_A_DAY: Final = 86_400_000
_DAY_THAT_NEVER_WAS: Final = 60  # 29 February 1900, in Excel


def date_styles(archive: Archive, part: str | None) -> dict[str, DateKind]:
    """The styles, by their number as text, whose numbers are dates or durations; none without such a part.

    Raises:
        WorkbookError: the part is damaged.
    """
    if part is None or part not in archive:
        return {}
    codes: dict[str, str] = {}
    formats: list[str] = []
    inside = False

    def start(tag: str, attributes: Attributes) -> None:
        nonlocal inside
        if tag == "cellXfs":
            inside = True
        elif tag == "numFmt":
            codes.setdefault(attributes.get("numFmtId", ""), attributes.get("formatCode", ""))
        elif tag == "xf" and inside:
            formats.append(attributes.get("numFmtId", "0"))

    def end(tag: str) -> None:
        nonlocal inside
        inside = inside and tag != "cellXfs"

    stream(archive.pieces(part), part, start=start, end=end)
    kinds = {number: _kind(number, codes) for number in set(formats)}
    return {str(place): kind for place, number in enumerate(formats) if (kind := kinds[number]) is not None}


def _kind(number: str, codes: dict[str, str]) -> DateKind | None:
    code = codes.get(number)
    if code is None:
        return _BUILT_IN.get(int(number)) if number.isdecimal() and len(number) < 4 else None
    first = code.partition(";")[0]
    if _DURATION.search(first):
        return "duration"
    return "date" if re.search("[dmhys]", _NO_CODE.sub("", first), re.IGNORECASE) else None


def moment(days: float, kind: DateKind, epoch: dt.datetime) -> dt.datetime | dt.time | dt.timedelta | None:
    """The date that a number stands for, to the millisecond; below one day a time. None if there is no such date."""
    try:
        span = dt.timedelta(milliseconds=round(days * _MILLISECONDS_A_DAY))
        if kind == "duration":
            return span
        if dt.timedelta(0) <= span < dt.timedelta(days=1):
            return (dt.datetime.min + span).time()
        if epoch == EPOCH_1900 and 0 < days < _DAY_THAT_NEVER_WAS:
            span += dt.timedelta(days=1)
        return epoch + span
    except (OverflowError, ValueError):
        return None
