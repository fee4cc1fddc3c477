"""What became of each done item, in two bytes of a string: the values of all units, for when one of them is withdrawn.

From the lowest bit: two for its outcome as its labels came (loss, tie, win, none), one for withdrawn, the others for
the number of its answers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from tiebreak.campaign.plan import PairPlan
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.state import OpenItem, OpenUnit, PairState
from tiebreak.records import TIE, UnitValue

_NO_OUTCOME: Final = 3
_WITHDRAWN: Final = 4
_WHAT: Final = 7  # all of this
_ANSWERS: Final = 3  # bits before their number
_BYTES: Final = 2
_ONE: Final = struct.Struct("<H")

Marks = Sequence[int]


def known_marks(items: int) -> Marks:
    """Those of a unit that nobody is asked about."""
    return (TIE + 1,) * items


def unit_marks(items: OpenUnit, protocol: Protocol) -> Marks:
    """Those of a complete unit."""
    return [_mark(item, protocol) for item in items]


def _mark(item: OpenItem, protocol: Protocol) -> int:
    outcome = item.outcome(protocol)
    code = _NO_OUTCOME if outcome is None else outcome + 1
    return code | item.withdrawn * _WITHDRAWN | len(item.answers) << _ANSWERS


def written(marks: Marks) -> bytes:
    """As `PairState.marks` keeps them."""
    return _ONE.pack(marks[0]) if len(marks) == 1 else struct.pack(f"<{len(marks)}H", *marks)


def unit_value(marks: Marks) -> UnitValue:
    """The mean over the unit's items; withdrawn ones, and those without an outcome, are the worst for either side."""
    if len(marks) == 1:
        return _VALUES[marks[0] & _WHAT]
    values = [_VALUES[mark & _WHAT] for mark in marks]
    taught = [value.taught for value in values if value.taught is not None]
    items = len(values)
    return UnitValue(
        sum([value.for_a for value in values]) / items,
        sum([value.for_b for value in values]) / items,
        sum(taught) / items if len(taught) == items else None,
    )


_VALUES: Final = (
    *(UnitValue(outcome, outcome, outcome) for outcome in (-1.0, 0.0, 1.0)),
    UnitValue(-1.0, 1.0, None),
    *(UnitValue(-1.0, 1.0, outcome) for outcome in (-1.0, 0.0, 1.0)),
    UnitValue(-1.0, 1.0, None),
)
"""Of one item, by the lowest three bits of its mark."""


def counts(marks: Marks) -> tuple[int, int, int, int]:
    """Items won, tied, lost, and without an outcome that counts."""
    if len(marks) == 1:
        return _COUNTS[marks[0] & _WHAT]
    won, tied, lost, gone = (sum(of) for of in zip(*(_COUNTS[mark & _WHAT] for mark in marks), strict=True))
    return won, tied, lost, gone


_GONE: Final = (0, 0, 0, 1)
_COUNTS: Final = ((0, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0), _GONE, _GONE, _GONE, _GONE, _GONE)


def values_of(plan: PairPlan, pair: PairState) -> Iterator[UnitValue]:
    """The value of each done unit, in the sealed order."""
    marks = _read(pair.marks)
    starts = plan.starts[: pair.done + 1].tolist()
    return (unit_value(marks[begin:end]) for begin, end in pairwise(starts))


def is_withdrawn(pair: PairState, place: int) -> bool:
    """Whether the done item at a place of the sealed order is withdrawn."""
    return bool(_read(pair.marks)[place] & _WITHDRAWN)


def withdraw(pair: PairState, place: int) -> PairState:
    """The pair with the done item at a place of the sealed order withdrawn; its evidence is still the one before."""
    marks = list(_read(pair.marks))
    mark = marks[place]
    before = counts([mark])
    marks[place] = mark | _WITHDRAWN
    answers = mark >> _ANSWERS
    return pair._replace(
        marks=written(marks),
        wins=pair.wins - before[0],
        ties=pair.ties - before[1],
        losses=pair.losses - before[2],
        abandoned=pair.abandoned + 1 - before[3],
        done_labels=pair.done_labels - answers,
        withdrawn=pair.withdrawn + answers,
    )


def _read(marks: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(marks) // _BYTES}H", marks)
