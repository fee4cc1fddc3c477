"""Where the records of a CSV file start, and whether its quoting can be trusted to a fast parser.

A fast parser flips between "inside quotes" and "outside" at every quote. That equals the CSV grammar exactly when
every opening quote starts a field and every closing quote ends one (a doubled quote is a closing quote right before
an opening one). This is checked here on the bytes, together with the number of fields of each record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_CHUNK: Final = 1 << 23
_QUOTE, _COMMA, _LF, _CR = 34, 44, 10, 13


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """`starts` and `ends`: byte offsets of the records, header included, line ends excluded (a carriage return before
    the line feed still counts); `fields`: fields per record; `regular`: the fast parser can be trusted.
    """

    data: bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    fields: NDArray[np.int64]
    regular: bool

    def blank(self) -> NDArray[np.bool_]:
        """Records without a single character; they are not rows."""
        length = self.ends - self.starts
        blank: NDArray[np.bool_] = length == 0
        single = np.flatnonzero(length == 1)
        array = np.frombuffer(self.data, dtype=np.uint8)
        blank[single] = array[self.starts[single]] == _CR
        return blank

    def lines(self, records: Sequence[int]) -> list[int]:
        """The 1-based physical line on which each record starts; `records` ascending."""
        array = np.frombuffer(self.data, dtype=np.uint8)
        line, position, found = 1, 0, []
        for record in records:
            start = int(self.starts[record])
            line += int(np.count_nonzero(array[position:start] == _LF))
            position = start
            found.append(line)
        return found


def scan(data: bytes) -> CsvLayout:
    """One pass over the bytes of a CSV file, in pieces so that memory stays small."""
    array = np.frombuffer(data, dtype=np.uint8)
    ends: list[NDArray[np.int64]] = []
    commas_before: list[NDArray[np.int64]] = []
    inside, commas, regular = 0, 0, True
    for offset in range(0, len(data), _CHUNK):
        piece = array[offset : offset + _CHUNK]
        is_quote = piece == _QUOTE
        parity = (np.cumsum(is_quote, dtype=np.int32) + inside) & 1
        outside = parity == 0
        breaks = np.flatnonzero((piece == _LF) & outside)
        delimiters = np.flatnonzero((piece == _COMMA) & outside)
        ends.append(breaks + offset)
        commas_before.append(np.searchsorted(delimiters, breaks) + commas)
        quotes = np.flatnonzero(is_quote)
        opening = parity[quotes] == 1
        returns = np.flatnonzero((piece == _CR) & outside) + offset
        regular = (
            regular
            and _quotes_open_fields(array, quotes[opening] + offset)
            and _quotes_close_fields(array, quotes[~opening] + offset)
            and _returns_end_lines(array, returns)
        )
        commas += len(delimiters)
        if len(piece):
            inside = int(parity[-1])
    all_ends = np.concatenate([*ends, np.array([], dtype=np.int64)])
    all_commas = np.concatenate([*commas_before, np.array([], dtype=np.int64)])
    if len(data) and (len(all_ends) == 0 or all_ends[-1] != len(data) - 1):
        all_ends = np.append(all_ends, len(data))
        all_commas = np.append(all_commas, commas)
    starts = np.concatenate([np.zeros(min(len(all_ends), 1), dtype=np.int64), all_ends[:-1] + 1])
    fields = np.diff(all_commas, prepend=0) + 1
    return CsvLayout(data, starts, all_ends, fields, regular and inside == 0)


def _quotes_open_fields(array: NDArray[np.uint8], positions: NDArray[np.int64]) -> bool:
    before = array[positions[positions > 0] - 1]
    return bool(np.all((before == _COMMA) | (before == _LF) | (before == _QUOTE)))


def _quotes_close_fields(array: NDArray[np.uint8], positions: NDArray[np.int64]) -> bool:
    after = array[positions[positions < len(array) - 1] + 1]
    return bool(np.all((after == _COMMA) | (after == _LF) | (after == _QUOTE) | (after == _CR)))


def _returns_end_lines(array: NDArray[np.uint8], positions: NDArray[np.int64]) -> bool:
    if len(positions) and positions[-1] == len(array) - 1:
        return False
    return bool(np.all(array[positions + 1] == _LF))
