"""MQM: a row for each marked error of a translation, with its severity, as ratings of the whole.

The rating is minus the sum of the weights that Marot, the viewer of these files, gives: those of Freitag et al. (2021,
"Experts, Errors, and Context"), with 5 for a critical error, and nothing for errors of the source and for freedoms that
a translator takes.
"""

from __future__ import annotations

import re
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, have, says, text
from tiebreak.tabular.source import Place, Source, Sources

_WEIGHTS: Final = (
    (r"trivial:|minor:.*punctuation", 0.1),
    (r"[^:]*:(source|.*reinterpretation)", 0.0),
    (r"[^:]*:nontranslation", 25.0),
    (r"minor:", 1.0),
    (r"(major|critical):", 5.0),
    (r"(neutral|noerror):", 0.0),
)
"""By severity and category; the first that fits counts."""
_NO_LABEL: Final = ("hotwtest", "unrateable")
"""Severities of tests of a rater's attention, and of texts that cannot be judged."""
_MARK: Final = re.compile(r"</?v>")
_DOCUMENT: Final = ("doc", "document_id", "doc_id", "docId")
_SEGMENT: Final = ("docSegId", "doc_seg_id", "doc_segment_id", "seg_id", "globalSegId", "segmentId")
"""The global number of a segment may be 0 for all."""


def _plain(word: str) -> str:
    return "".join(char for char in word.casefold() if char.isalnum())


def _read(sources: Sources) -> Entries:
    for source in sources:
        weights: dict[tuple[str, str, str], tuple[Place, float]] = {}
        for place, record in source.placed():
            severity = _plain(text(record, "severity"))
            if severity in _NO_LABEL:
                yield says(place)
                continue
            document, segment = text(record, *_DOCUMENT), text(record, *_SEGMENT)
            item = f"{document}/{segment}" if document else segment
            system, rater = text(record, "system", "system_id"), text(record, "rater", "rater_id")
            yield says(
                place, item=item, cluster=document or None, input=_MARK.sub("", text(record, "source")),
                reference=text(record, "reference") or None, system=system,
                text=_MARK.sub("", text(record, "target", "candidate")),
            )  # fmt: skip
            if not severity and not rater:
                continue  # a row that only holds a text
            error = f"{severity}:{_plain(text(record, 'category'))}"
            weight = next((weight for form, weight in _WEIGHTS if re.match(form, error)), None)
            if weight is None:
                message = "no severity of MQM; these are critical, major, minor, trivial, neutral, no-error"
                raise InputError([Problem(source.file, message, place.line, "severity", text(record, "severity"))])
            first, sum_ = weights.get((item, system, rater), (place, 0.0))
            weights[item, system, rater] = (first, sum_ + weight)
        for (item, system, rater), (place, sum_) in weights.items():
            value = -round(sum_, 6) if sum_ else 0.0
            yield says(place, item=item, system=system, annotator=rater, criterion="mqm", value=value)


def _fits(source: Source) -> bool:
    names = ("system", "rater", "target"), ("system_id", "rater_id", "candidate")
    return have(source, "source", "category", "severity") and any(have(source, *three) for three in names)


FORMAT: Final = Format("mqm", "MQM annotations (TSV)", _fits, _read)
