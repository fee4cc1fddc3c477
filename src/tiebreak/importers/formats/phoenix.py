"""Phoenix: annotations of spans (CSV of the data frame, or JSON); by people where the kind of annotator is HUMAN."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, have, placed, says, text
from tiebreak.tabular.source import Record, Source, Sources


def _read(sources: Sources) -> Entries:
    """Annotations of a name that never has a score are words, which the user has to explain."""
    records = list(placed(sources))
    scored = {_name(record) for _, record in records if text(record, "result.score")}
    for place, record in records:
        about = {"item": text(record, "span_id"), "system": "application"}
        value = text(record, "result.score" if _name(record) in scored else "result.label")
        if text(record, "annotator_kind") == "HUMAN":
            who = text(record, "identifier", "user_id") or None
            yield says(place, **about, annotator=who, criterion=_name(record), value=value)
        else:
            yield says(place, **about, metric=_name(record), score=value)


def _name(record: Record) -> str:
    return text(record, "annotation_name", "name")


def _fits(source: Source) -> bool:
    return have(source, "span_id", "annotator_kind") and (have(source, "annotation_name") or have(source, "name"))


FORMAT: Final = Format("phoenix", "Phoenix annotations", _fits, _read)
