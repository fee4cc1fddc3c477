"""Langfuse: scores of traces (CSV, JSON or JSON Lines); by people where the source is an annotation."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.entries import Entries, Entry
from tiebreak.importers.formats.format import Format, have, number, placed, says, text
from tiebreak.tabular.source import Place, Record, Sources

_GRADES: Final = ("NUMERIC", "BOOLEAN", "CATEGORICAL")
"""Kinds of scores whose value is one; of others, such as CORRECTION, it is always 0."""


def _read(sources: Sources) -> Entries:
    """A category has a number only where a configuration gives it one; else its value is always 0, and its word counts,
    which the user has to explain.
    """
    records = list(placed(sources))
    numbered = {text(record, "name") for _, record in records if number(record.get("value"))}
    for place, record in records:
        in_words = text(record, "dataType") == "CATEGORICAL" and text(record, "name") not in numbered
        yield _say(record, place, text(record, "stringValue" if in_words else "value"))


def _say(record: Record, place: Place, value: str) -> Entry:
    trace, part = text(record, "traceId"), text(record, "observationId")
    if not trace or text(record, "dataType") not in _GRADES:
        return says(place)  # of a session or of a whole run; or words
    item, cluster = (f"{trace}/{part}", trace) if part else (trace, None)
    about = {"item": item, "cluster": cluster, "system": text(record, "traceName") or "application"}
    if text(record, "source") == "ANNOTATION":
        who = text(record, "authorUserName", "authorUserId") or None
        when = text(record, "timestamp") or None
        return says(place, **about, annotator=who, criterion=text(record, "name"), value=value, decided_at=when)
    return says(place, **about, metric=text(record, "name"), score=value)


FORMAT: Final = Format(
    "langfuse", "Langfuse scores", lambda source: have(source, "traceId", "name", "source", "dataType", "value"), _read
)
