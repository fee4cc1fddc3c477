"""What became of each done item of a comparison, as bytes: the values of all units, for when one of them is withdrawn.

Two bytes for each pair that a label tells of. From the lowest bit: two for the outcome as the labels came (loss, tie,
win, none), one for withdrawn, the others for the number of answers.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from tiebreak.records import TIE, UnitValue

_NO_OUTCOME: Final = 3
_WITHDRAWN: Final = 4
_WHAT: Final = 7  # all of this
_ANSWERS: Final = 3  # bits before their number
_BYTES: Final = 2
_ONE: Final = struct.Struct("<H")

KNOWN_TIE: Final = TIE + 1
"""The mark of an item that nobody is asked about."""


class Tally(NamedTuple):
    """Done items: `wins`, `ties` and `losses` of the first of two systems; those that are `abandoned` or withdrawn; or
    `rated` outputs.
    """

    wins: int = 0
    ties: int = 0
    losses: int = 0
    abandoned: int = 0
    rated: int = 0


def pairs_among(systems: int) -> int:
    """The number of pairs of so many systems: marks of an item."""
    return systems * (systems - 1) // 2


def mark(outcome: int | None, answers: int, *, withdrawn: bool) -> int:
    """Of one item and pair; `outcome` None where labels are missing."""
    code = _NO_OUTCOME if outcome is None else outcome + 1
    return code | withdrawn * _WITHDRAWN | answers << _ANSWERS


def written(marks: Sequence[int]) -> bytes:
    """As `TrackState.marks` keeps them."""
    return _ONE.pack(marks[0]) if len(marks) == 1 else struct.pack(f"<{len(marks)}H", *marks)


def outcome_counts(marks: bytes, pair: int, pairs: int) -> Tally:
    """Of all done items, for one of so many pairs."""
    of_pair = np.frombuffer(marks, dtype="<u2")[pair::pairs] & _WHAT
    losses, ties, wins, *gone = np.bincount(of_pair, minlength=_WHAT + 1).tolist()
    return Tally(wins, ties, losses, sum(gone))


def unit_values(marks: bytes, begin: int, end: int, pair: int, pairs: int) -> list[UnitValue]:
    """Of the items from one place of the order to another, for one of so many pairs."""
    step = _BYTES * pairs
    return [_VALUES[mark & _WHAT] for mark in marks[step * begin + _BYTES * pair : step * end : step]]


_VALUES: Final = (
    *(UnitValue(outcome, outcome, outcome) for outcome in (-1.0, 0.0, 1.0)),
    UnitValue(-1.0, 1.0, None),
    *(UnitValue(-1.0, 1.0, outcome) for outcome in (-1.0, 0.0, 1.0)),
    UnitValue(-1.0, 1.0, None),
)
"""Of one item, by the lowest three bits of its mark."""


def withdraw(marks: bytes, place: int, pairs: int) -> tuple[bytes, int] | None:
    """The marks with the item at a place withdrawn, and its number of answers; None where it is withdrawn already."""
    begin = _BYTES * pairs * place
    end = begin + _BYTES * pairs
    before = struct.unpack(f"<{pairs}H", marks[begin:end])
    if before[0] & _WITHDRAWN:
        return None
    after = written([mark | _WITHDRAWN for mark in before])
    return marks[:begin] + after + marks[end:], before[0] >> _ANSWERS
