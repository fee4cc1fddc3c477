"""The lines of a log file: how a batch is written, and how much of a file is whole batches.

One event per line, `{"n": 12, "after": "5e0c...", "more": 2, "event": {...}}`: `n` is the number of the line from 1,
`after` the seal of the line before (`seal`), `more` how many lines of its batch follow. A batch counts once its last
line (`more` 0) is there. Since a batch is one write at the end of the file, a process that is killed can leave only the
beginning of a batch: a tail that ends in the middle of a line or of its batch, which is no event; the next writer puts
it aside. Anything else that is not as written has been changed by somebody, or by a bad disk, and is an error: it may
be a label.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.store.event_store import Head, StoredEvent, seal_of

_KEYS: Final = {"n", "after", "more", "event"}
_decode: Final = json.JSONDecoder().decode  # (json.loads looks for other encodings in each line)

_NOT_AS_WRITTEN: Final = (
    "this line of the log is not as it was written (changed by hand, lost or added lines, or a bad disk); nothing was "
    "changed: put the file back from a backup, or the line as it was"
)
_NOT_THE_SAME: Final = (
    "this line of the log is not the one that the next line was written after (one of the two was changed or added by "
    "hand, or lines between them are lost); nothing was changed: put the file back from a backup, or the lines as they "
    "were"
)


@dataclass(frozen=True, slots=True)
class WholeBatches:
    """What a piece of a log file holds.

    `seals`: of the lines of `events`; `batches`: the number of lines in the log before each batch of the piece. `end`:
    bytes of it that are whole batches; `torn`: whole lines after these, of a batch that is not; `missing_newline`: its
    last line lacks the newline (an editor took it away), and the next writer has to write it first.
    """

    events: tuple[StoredEvent, ...]
    seals: tuple[str, ...]
    batches: tuple[int, ...]
    end: int
    missing_newline: bool = False
    torn: int = 0


def batch_to_bytes(events: Sequence[StoredEvent], head: Head) -> tuple[bytes, Head]:
    """The lines of a batch that follows `head`, and the head after it.

    Lone surrogates become JSON escapes, which is what `backslashreplace` writes for them: text from anywhere can be
    stored, and comes back as it was.
    """
    lines = []
    for place, event in enumerate(events):
        record = {"n": head.lines + 1, "after": head.seal, "more": len(events) - place - 1, "event": dict(event)}
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        line = text.encode("utf-8", "backslashreplace")
        lines.append(line + b"\n")
        head = Head(head.lines + 1, seal_of(line))
    return b"".join(lines), head


def whole_batches(data: bytes, head: Head, file: str) -> WholeBatches:
    """The events in `data`, the bytes of `file` that follow the lines of `head`.

    Raises:
        InputError: a line that no interrupted writer can have left; nothing of the file is to be trusted then.
    """
    events: list[StoredEvent] = []
    seals: list[str] = []
    batches: list[int] = []
    whole = end = position = 0  # lines, and bytes, of whole batches; bytes that were read
    expected_more: int | None = None
    before = b""
    while position < len(data):
        newline = data.find(b"\n", position)
        line = data[position : newline if newline >= 0 else len(data)]
        number, after = head.lines + len(events) + 1, seals[-1] if seals else head.seal
        document = _document(line)
        if document is None and newline < 0:
            break  # torn
        record = _record(document, number, expected_more)
        if record is None:
            raise InputError([_problem(file, number, line, _NOT_AS_WRITTEN)])
        sealed_after, more, event = record
        if sealed_after != after:
            damaged = (number, line) if number == 1 else (number - 1, before)
            raise InputError([_problem(file, *damaged, _NOT_AS_WRITTEN if number == 1 else _NOT_THE_SAME)])
        events.append(event)
        seals.append(seal_of(line))
        position = newline + 1 if newline >= 0 else len(data)
        expected_more, before = more - 1 if more else None, line
        if not more:
            batches.append(head.lines + whole)
            whole, end = len(events), position
            if newline < 0:
                break
    missing_newline = end == len(data) > 0 and not data.endswith(b"\n")
    torn = len(events) - whole
    return WholeBatches(tuple(events[:whole]), tuple(seals[:whole]), tuple(batches), end, missing_newline, torn)


def _document(line: bytes) -> object | None:
    """The JSON value of a line; None where it is none, or no UTF-8."""
    try:
        document: object = _decode(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return document


def _record(document: object, number: int, expected_more: int | None) -> tuple[str, int, StoredEvent] | None:
    """(`after`, `more`, event) of a line that has the form in which lines are written; None for any other."""
    if not isinstance(document, dict) or document.keys() != _KEYS or document["n"] != number:
        return None
    after, more, event = document["after"], document["more"], document["event"]
    if not isinstance(after, str) or not isinstance(event, dict) or not isinstance(more, int) or more < 0:
        return None
    if expected_more is not None and more != expected_more:
        return None
    return after, more, event


def _problem(file: str, number: int, line: bytes, message: str) -> Problem:
    return Problem(file, message, line=number, value=line.decode("utf-8", "replace") or None)
