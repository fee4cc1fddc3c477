"""doccano: labelled texts (JSON Lines, JSON or CSV), a file for each annotator, called after them."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.formats.format import Format, Rows, have, listed
from tiebreak.importers.recipe import Recipe
from tiebreak.tabular.documents import flat
from tiebreak.tabular.source import Sources

_SHARED: Final = "all"
"""The file of a project in which all annotators share their labels."""


def _rows(sources: Sources) -> Rows:
    for source in sources:
        for place, record in source.placed():
            row = flat({key: value for key, value in record.items() if key not in ("label", "Comments")})
            yield place, {**row, "labelled_by": source.stem, "label": listed(record.get("label"))}


def _remark(sources: Sources) -> str:
    if any(source.stem == _SHARED for source in sources):
        return f"Of labels in {_SHARED}.jsonl doccano does not say whose they are: they count as those of one person."
    return ""


FORMAT: Final = Format(
    "doccano",
    "doccano exports",
    lambda source: have(source, "id", "text", "label", "Comments"),
    remark=_remark,
    rows=_rows,
    recipe=Recipe(fields={"item": "id", "input": "text", "outcome": "label", "annotator": "labelled_by"}),
)
