"""MQM: a row for each marked error of a translation, with its severity, as ratings of the whole.

The rating is minus the sum of the weights of Freitag et al. (2021, "Experts, Errors, and Context"): 25 for what is no
translation, 5 for a major error, 1 for a minor one, 0.1 for a minor one of punctuation, 0 without an error. A critical
error, which they do not have, weighs as much as no translation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.importers.entries import Entry
from tiebreak.importers.formats.format import Format, have, says, text
from tiebreak.tabular.headers import Place
from tiebreak.tabular.source import Source

_WEIGHTS: Final = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "noerror": 0.0, "critical": 25.0}
_MARK: Final = re.compile(r"</?v>")
_SEGMENT: Final = ("globalSegId", "seg_id", "doc_seg_id", "docSegId", "segmentId")


def _plain(word: str) -> str:
    return "".join(char for char in word.casefold() if char.isalnum())


def _read(sources: Sequence[Source]) -> Iterator[Entry]:
    for source in sources:
        weights: dict[tuple[str, str, str], tuple[Place, float]] = {}
        for place, record in source.placed():
            severity = _plain(text(record, "severity"))
            document = text(record, "doc") or text(record, "doc_id") or text(record, "docId")
            segment = next((segment_id for name in _SEGMENT if (segment_id := text(record, name))), "")
            item = f"{document}/{segment}" if document else segment
            yield says(
                place, item=item, cluster=document or None, input=_MARK.sub("", text(record, "source")),
                system=text(record, "system"), text=_MARK.sub("", text(record, "target")),
            )  # fmt: skip
            if severity not in _WEIGHTS:
                message = f"no severity of MQM; these are {', '.join(_WEIGHTS)}"
                raise InputError([Problem(source.file, message, place.line, "severity", text(record, "severity"))])
            key = (item, text(record, "system"), text(record, "rater"))
            first, sum_ = weights.get(key, (place, 0.0))
            weights[key] = (first, sum_ + _weight(_WEIGHTS[severity], _plain(text(record, "category"))))
        for (item, system, rater), (place, sum_) in weights.items():
            value = -round(sum_, 6) if sum_ else 0.0
            yield says(place, item=item, system=system, annotator=rater, criterion="mqm", value=value)


def _weight(weight: float, category: str) -> float:
    if category.startswith("nontranslation"):
        return 25.0
    return 0.1 if weight == 1.0 and "punctuation" in category else weight


FORMAT: Final = Format(
    "mqm",
    "MQM annotations (TSV)",
    lambda source: have(source, "system", "rater", "source", "target", "category", "severity"),
    _read,
)
