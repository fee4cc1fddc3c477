"""What became of each done output, in a record of a fixed size: two bytes, and a number for each criterion.

Of the two bytes the lowest bit says that its ratings do not count any more, the others are the number of its answers.
The numbers are the means of its ratings as they came, on [-1, 1]; NaN where they are missing.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Final

from tiebreak.campaign.state import Tally, TrackState
from tiebreak.records import UnitValue

_WITHDRAWN: Final = 1
_ANSWERS: Final = 1  # bits before their number
_HEAD: Final = struct.Struct("<H")
_NUMBER: Final = 8  # bytes


def size(criteria: int) -> int:
    """Bytes of one output."""
    return _HEAD.size + _NUMBER * criteria


def mark(means: Sequence[float] | None, criteria: int, answers: int, *, withdrawn: bool) -> bytes:
    """Of one output; `means` (criteria,), None where labels are missing."""
    numbers = means if means is not None else (math.nan,) * criteria
    return struct.pack(f"<H{criteria}d", withdrawn * _WITHDRAWN | answers << _ANSWERS, *numbers)


def value(marks: bytes, place: int, criterion: int, criteria: int) -> UnitValue:
    """The output at a place of the sealed order; without a rating that counts it is the worst for either side."""
    begin = place * size(criteria)
    (head,) = _HEAD.unpack_from(marks, begin)
    (mean,) = struct.unpack_from("<d", marks, begin + _HEAD.size + _NUMBER * criterion)
    if math.isnan(mean):
        return UnitValue(-1.0, 1.0, None)
    return UnitValue(-1.0, 1.0, mean) if head & _WITHDRAWN else UnitValue.labelled(mean)


def difference(one: UnitValue, other: UnitValue) -> UnitValue:
    """Half of the first minus the second, which lies in [-1, 1]: what is missing is the worst for either side."""
    known = one.taught is not None and other.taught is not None
    taught = (one.taught - other.taught) / 2 if known else None  # type: ignore[operator]
    return UnitValue((one.for_a - other.for_b) / 2, (one.for_b - other.for_a) / 2, taught)


def mean(values: Sequence[UnitValue]) -> UnitValue:
    """Of the items of a unit."""
    count = len(values)
    if count == 1:
        return values[0]
    taught = [of.taught for of in values if of.taught is not None]
    return UnitValue(
        sum([of.for_a for of in values]) / count,
        sum([of.for_b for of in values]) / count,
        sum(taught) / count if len(taught) == count else None,
    )


def tally(marks: bytes, criteria: int) -> Tally:
    """Outputs that are rated, and those whose ratings are missing or do not count."""
    each = size(criteria)
    values = [value(marks, place, 0, criteria) for place in range(len(marks) // each)]
    rated = sum(of.for_a == of.for_b for of in values)
    return Tally(rated=rated, abandoned=len(values) - rated)


def is_withdrawn(track: TrackState, place: int, criteria: int) -> bool:
    """Whether the done output at a place of the sealed order is withdrawn."""
    (head,) = _HEAD.unpack_from(track.marks, place * size(criteria))
    return bool(head & _WITHDRAWN)


def withdraw(track: TrackState, place: int, criteria: int) -> TrackState:
    """The track with the done output at a place of the sealed order withdrawn."""
    begin, counted = place * size(criteria), value(track.marks, place, 0, criteria)
    was_rated = counted.for_a == counted.for_b
    (head,) = _HEAD.unpack_from(track.marks, begin)
    answers = head >> _ANSWERS
    return track._replace(
        marks=track.marks[:begin] + _HEAD.pack(head | _WITHDRAWN) + track.marks[begin + _HEAD.size :],
        rated=track.rated - was_rated,
        abandoned=track.abandoned + was_rated,
        done_labels=track.done_labels - answers,
        withdrawn=track.withdrawn + answers,
    )
