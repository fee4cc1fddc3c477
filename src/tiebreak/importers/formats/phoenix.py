"""Phoenix: annotations of spans (CSV of the data frame, or JSON); by people where the kind of annotator is HUMAN."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.importers.entries import Entry
from tiebreak.importers.formats.format import Format, have, of_records, says, text
from tiebreak.tabular.documents import Record
from tiebreak.tabular.headers import Place
from tiebreak.tabular.source import Source


def _say(record: Record, place: Place) -> Iterable[Entry]:
    about = {"item": text(record, "span_id"), "system": "application"}
    name, value = text(record, "annotation_name") or text(record, "name"), text(record, "result.score")
    if text(record, "annotator_kind") == "HUMAN":
        who = text(record, "identifier") or text(record, "user_id") or None
        yield says(place, **about, annotator=who, criterion=name, value=value)
    else:
        yield says(place, **about, metric=name, score=value)


def _fits(source: Source) -> bool:
    return have(source, "span_id", "annotator_kind") and (have(source, "annotation_name") or have(source, "name"))


FORMAT: Final = Format("phoenix", "Phoenix annotations", _fits, of_records(_say))
