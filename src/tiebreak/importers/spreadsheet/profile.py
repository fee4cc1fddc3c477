"""What the cells of a column look like: the evidence beside its name."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass

from tiebreak.tabular.spreadsheet import Sheet


@dataclass(frozen=True, slots=True)
class Profile:
    """`filled`: cells that are not blank; `distinct`: different ones; `numeric`, `timelike`: share of the filled cells
    in [0, 1]; `whole`: all numbers are whole; `mean_length`: characters per filled cell."""

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
    def is_unique(self) -> bool:
        return len(self.distinct) == self.filled


def profile(sheet: Sheet, column: str) -> Profile:
    """Look at all cells of a column."""
    cells = [cell.strip() for cell in sheet.values(column) if cell.strip()]
    numbers = [number for cell in cells if (number := parse_number(cell, sheet.decimal_comma)) is not None]
    count = max(len(cells), 1)
    return Profile(
        filled=len(cells),
        distinct=frozenset(cells),
        numeric=len(numbers) / count,
        timelike=sum(parse_time(cell) is not None for cell in cells) / count,
        whole=all(number.is_integer() for number in numbers),
        mean_length=sum(map(len, cells)) / count,
    )


def parse_number(cell: str, decimal_comma: bool = False) -> float | None:
    """A finite number, or None. With `decimal_comma`, `3,5` is 3.5."""
    text = cell.strip()
    if decimal_comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    if "_" in text:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def parse_time(cell: str) -> str | None:
    """ISO 8601 in its usual spelling; Unix seconds or milliseconds (after 2001) as ISO 8601 in UTC; anything else None.

    Dates such as 3/4/2024 stay unread: whether the day or the month comes first is not in the cell.
    """
    text = cell.strip()
    number = parse_number(text)
    if number is not None:
        if 1e12 <= number < 1e13:
            number /= 1000
        return dt.datetime.fromtimestamp(number, tz=dt.UTC).isoformat() if 1e9 <= number < 1e10 else None
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return text if len(text) == len("2024-05-17") else moment.isoformat()
