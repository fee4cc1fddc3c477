"""Langfuse: scores of traces (CSV, JSON or JSON Lines); by people where the source is an annotation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.importers.entries import Entry
from tiebreak.importers.formats.format import Format, have, of_records, says, text
from tiebreak.tabular.documents import Record
from tiebreak.tabular.headers import Place

_GRADES: Final = ("NUMERIC", "BOOLEAN", "CATEGORICAL")
"""Kinds of scores whose value is one; of others, such as CORRECTION, it is always 0."""


def _say(record: Record, place: Place) -> Iterable[Entry]:
    trace, part = text(record, "traceId"), text(record, "observationId")
    if not trace or text(record, "dataType") not in _GRADES:
        yield says(place)  # of a session or of a whole run; or words
        return
    about = {
        "item": f"{trace}/{part}" if part else trace,
        "cluster": trace if part else None,
        "system": text(record, "traceName") or "application",
    }
    name, value = text(record, "name"), text(record, "value")
    if text(record, "source") == "ANNOTATION":
        who = text(record, "authorUserName") or text(record, "authorUserId") or None
        when = text(record, "timestamp") or None
        yield says(place, **about, annotator=who, criterion=name, value=value, decided_at=when)
    else:
        yield says(place, **about, metric=name, score=value)


FORMAT: Final = Format(
    "langfuse",
    "Langfuse scores",
    lambda source: have(source, "traceId", "traceName", "name", "source", "dataType", "value"),
    of_records(_say),
)
