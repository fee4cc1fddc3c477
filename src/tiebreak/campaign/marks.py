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
from tiebreak.campaign.state import OpenUnit, PairState
from tiebreak.records import TIE, UnitValue

_NO_OUTCOME: Final = 3
_WITHDRAWN: Final = 4
_ANSWERS: Final = 3  # bits before their number
_BYTES: Final = 2

Marks = Sequence[int]


def known_marks(items: int) -> Marks:
    """Those of a unit that nobody is asked about."""
    return (TIE + 1,) * items


def unit_marks(items: OpenUnit, protocol: Protocol) -> Marks:
    """Those of a complete unit."""
    found = []
    for item in items:
        outcome = item.outcome(protocol)
        code = _NO_OUTCOME if outcome is None else outcome + 1
        found.append(code | (_WITHDRAWN if item.withdrawn else 0) | len(item.answers) << _ANSWERS)
    return found


def written(marks: Marks) -> bytes:
    """As `PairState.marks` keeps them."""
    return struct.pack(f"<{len(marks)}H", *marks)


def unit_value(marks: Marks) -> UnitValue:
    """The mean over the unit's items; withdrawn ones, and those without an outcome, are the worst for either side."""
    outcomes = [None if mark & 3 == _NO_OUTCOME else (mark & 3) - 1 for mark in marks]
    counted = [None if mark & _WITHDRAWN else outcome for mark, outcome in zip(marks, outcomes, strict=True)]
    items = len(marks)
    for_a = sum([-1 if outcome is None else outcome for outcome in counted]) / items
    for_b = sum([1 if outcome is None else outcome for outcome in counted]) / items
    known = [outcome for outcome in outcomes if outcome is not None]
    return UnitValue(for_a, for_b, sum(known) / items if len(known) == items else None)


def counts(marks: Marks) -> tuple[int, int, int, int]:
    """Items won, tied, lost, and without an outcome that counts."""
    codes = [_NO_OUTCOME if mark & _WITHDRAWN else mark & 3 for mark in marks]
    return codes.count(2), codes.count(1), codes.count(0), codes.count(_NO_OUTCOME)


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
