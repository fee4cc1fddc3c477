"""SummEval: summaries with the ratings of experts and crowd workers (`model_annotations.aligned.jsonl`)."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, at, have, objects, of_records, points, says, text
from tiebreak.tabular.source import Place, Record


def _say(record: Record, place: Place) -> Entries:
    about = {"item": text(record, "id"), "system": text(record, "model_id")}
    yield says(
        place, **about, input=text(record, "text") or None, reference=at(record, "references"),
        text=text(record, "decoded"),
    )  # fmt: skip
    for kind in ("expert", "turker"):
        for person, ratings in enumerate(objects(record, f"{kind}_annotations"), 1):
            for criterion, value in ratings.items():
                yield says(place, **about, annotator=f"{kind}{person}", criterion=criterion, value=points(value))


FORMAT: Final = Format(
    "summeval",
    "SummEval annotations",
    lambda source: have(source, "id", "model_id", "decoded", "expert_annotations"),
    of_records(_say),
)
