"""The lines of a log file: how a batch is written, and how much of a file is whole batches.

One event per line, `{"n": 12, "more": 2, "event": {...}}`: `n` is the number of the line from 1, `more` how many lines
of its batch follow. A batch counts once its last line (`more` 0) is there. Since a batch is one write at the end of
the file, a process that is killed can leave only the beginning of a batch: a tail that ends without a newline or in
the middle of its batch, which is no event and is cut off by the next writer. Anything else that is not as written has
been changed by somebody, or by a bad disk, and is an error: it may be a label.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.store.event_store import StoredEvent

_KEYS: Final = {"n", "more", "event"}
_decode: Final = json.JSONDecoder().decode  # (json.loads looks for other encodings in each line)


@dataclass(frozen=True, slots=True)
class WholeBatches:
    """What a piece of a log file holds. `end`: bytes of it that are whole batches; `missing_newline`: its last line
    lacks the newline (an editor took it away), and the next writer has to write it first.
    """

    events: tuple[StoredEvent, ...]
    end: int
    missing_newline: bool = False


def batch_to_bytes(events: Sequence[StoredEvent], length: int) -> bytes:
    """The lines of a batch that follows `length` events.

    Lone surrogates become JSON escapes, which is what `backslashreplace` writes for them: text from anywhere can be
    stored, and comes back as it was.
    """
    lines = []
    for place, event in enumerate(events):
        record = {"n": length + place + 1, "more": len(events) - place - 1, "event": dict(event)}
        lines.append(json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
    return ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace") if lines else b""


def whole_batches(data: bytes, length: int, file: str) -> WholeBatches:
    """The events in `data`, the bytes of `file` that follow its first `length` events.

    Raises:
        InputError: a line that no interrupted writer can have left; nothing of the file is to be trusted then.
    """
    events: list[StoredEvent] = []
    batch: list[StoredEvent] = []
    end = position = 0
    expected_more: int | None = None
    while position < len(data):
        newline = data.find(b"\n", position)
        terminated = newline >= 0
        line = data[position : newline if terminated else len(data)]
        number = length + len(events) + len(batch) + 1
        record = _record(line, number, expected_more)
        if record is None:
            if terminated:
                raise InputError([_damage(file, number, line)])
            break
        more, event = record
        batch.append(event)
        position = newline + 1 if terminated else len(data)
        expected_more = more - 1 if more else None
        if not more:
            events += batch
            batch = []
            end = position
            if not terminated:
                return WholeBatches(tuple(events), end, missing_newline=True)
    return WholeBatches(tuple(events), end)


def _record(line: bytes, number: int, expected_more: int | None) -> tuple[int, StoredEvent] | None:
    """(`more`, event) of a line that is as it was written; None for any other."""
    try:
        record = _decode(line.decode("utf-8", "surrogatepass"))
    except ValueError:  # not JSON, or not UTF-8
        return None
    if not isinstance(record, dict) or record.keys() != _KEYS or record["n"] != number:
        return None
    more, event = record["more"], record["event"]
    if not isinstance(more, int) or more < 0 or not isinstance(event, dict):
        return None
    if expected_more is not None and more != expected_more:
        return None
    return more, event


def _damage(file: str, number: int, line: bytes) -> Problem:
    return Problem(
        file,
        "this line of the log is not as it was written (changed by hand, lost lines, or a bad disk); nothing was "
        "changed: put the file back from a backup, or the line as it was",
        line=number,
        value=line.decode("utf-8", "replace"),
    )
