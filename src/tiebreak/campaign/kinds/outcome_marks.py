"""What became of each done item of a pair, in two bytes of a string: the values of all units, for when one of them is
withdrawn.

From the lowest bit: two for its outcome as its labels came (loss, tie, win, none), one for withdrawn, the others for
the number of its answers.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from tiebreak.campaign.state import Tally, TrackState
from tiebreak.records import TIE, UnitValue

_NO_OUTCOME: Final = 3
_WITHDRAWN: Final = 4
_WHAT: Final = 7  # all of this
_ANSWERS: Final = 3  # bits before their number
_BYTES: Final = 2
_ONE: Final = struct.Struct("<H")


def mark(outcome: int | None, answers: int, *, withdrawn: bool) -> int:
    """Of one item; `outcome` None where labels are missing."""
    code = _NO_OUTCOME if outcome is None else outcome + 1
    return code | withdrawn * _WITHDRAWN | answers << _ANSWERS


KNOWN_TIE: Final = TIE + 1
"""Of an item that nobody is asked about."""


def written(marks: Sequence[int]) -> bytes:
    """As `TrackState.marks` keeps them."""
    return _ONE.pack(marks[0]) if len(marks) == 1 else struct.pack(f"<{len(marks)}H", *marks)


def unit_value(marks: bytes, begin: int, end: int) -> UnitValue:
    """The mean over the items from one place to another."""
    if end - begin == 1:
        return _VALUES[marks[_BYTES * begin] & _WHAT]
    values = [_VALUES[mark & _WHAT] for mark in marks[_BYTES * begin : _BYTES * end : _BYTES]]
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


def tally(marks: bytes) -> Tally:
    """Items won, tied, lost, and without an outcome that counts."""
    if len(marks) == _BYTES:
        return _TALLIES[marks[0] & _WHAT]
    wins, ties, losses, _, gone = (
        sum(of) for of in zip(*(_TALLIES[mark & _WHAT] for mark in marks[::_BYTES]), strict=True)
    )
    return Tally(wins, ties, losses, 0, gone)


_GONE: Final = Tally(abandoned=1)
_TALLIES: Final = (Tally(losses=1), Tally(ties=1), Tally(wins=1), _GONE, _GONE, _GONE, _GONE, _GONE)


def is_withdrawn(track: TrackState, place: int) -> bool:
    """Whether the done item at a place of the sealed order is withdrawn."""
    return bool(_at(track, place) & _WITHDRAWN)


def withdraw(track: TrackState, place: int) -> TrackState:
    """The track with the done item at a place of the sealed order withdrawn."""
    before = _at(track, place)
    answers, was = before >> _ANSWERS, _TALLIES[before & _WHAT]
    begin = _BYTES * place
    return track._replace(
        marks=track.marks[:begin] + _ONE.pack(before | _WITHDRAWN) + track.marks[begin + _BYTES :],
        wins=track.wins - was.wins,
        ties=track.ties - was.ties,
        losses=track.losses - was.losses,
        abandoned=track.abandoned + 1 - was.abandoned,
        done_labels=track.done_labels - answers,
        withdrawn=track.withdrawn + answers,
    )


def _at(track: TrackState, place: int) -> int:
    (found,) = _ONE.unpack_from(track.marks, _BYTES * place)
    return int(found)
