"""Pearmut: scores of the outputs of several systems on one page (JSON Lines, or the JSON of its dashboard)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, at, have, number, objects, placed, says, text
from tiebreak.tabular.source import Place, Record, Source, Sources

_RESET: Final = "__RESET__"


def _fits(source: Source) -> bool:
    return have(source, "user_id", "item_i", "annotation") and any("item" in record for record in source.first)


def _read(sources: Sources) -> Entries:
    """The last answer of a person to each page counts; a reset takes back all that the person answered before.

    Pages with a name instead of a number (`welcome_0`, `random_1`) train or test people, and are no labels.
    """
    for source in sources:
        last: dict[tuple[str, str], tuple[Place, Record]] = {}
        pages: dict[str, str] = {}
        for place, record in source.placed():
            who, page = text(record, "user_id"), text(record, "item_i")
            if record.get("annotation") == _RESET:
                last = {key: answer for key, answer in last.items() if key[0] != who}
            elif page.isdecimal():
                last[who, page] = (place, record)
        for place, record in last.values():
            yield from _page(record, place, pages)


def _page(record: Record, place: Place, pages: dict[str, str]) -> Entries:
    """What a page says: a document, whose segments are items. `pages`: by item the page on which it stood first."""
    who, answers = text(record, "user_id"), record.get("annotation")
    cluster = ""
    for order, item in enumerate(objects(record, "item")):
        outputs = at(item, "tgt")
        answer = answers[order] if isinstance(answers, list) and order < len(answers) else None
        name = text(item, "item_id", "doc_id")
        source = text(item, "src")
        cluster = cluster or name or source
        if item.get("validation") or not isinstance(outputs, Mapping) or not isinstance(answer, Mapping):
            continue  # a check of the person's attention, a form, or a segment that was not answered
        if not name and not source:
            name = f"{who}/{text(record, 'item_i')}/{order}"
        about = {"item": name or None, "input": source or None}
        beside = {"reference": text(item, "ref") or None, "cluster": pages.setdefault(name or source, cluster or name)}
        for system, output in outputs.items():
            yield says(place, **about, **beside, system=system, text=output or None)
            grades = at(answer, system)
            sliders = at(grades, "sliders")
            scores = [(None, at(grades, "score")), *(sliders.items() if isinstance(sliders, Mapping) else ())]
            for criterion, score in scores:
                if (value := number(score)) is not None:
                    yield says(place, **about, system=system, annotator=who, criterion=criterion, value=value)


def _remark(sources: Sources) -> str:
    answers = (answer for _, record in placed(sources) for answer in objects(record, "annotation"))
    grades = (grade for answer in answers for grade in answer.values() if isinstance(grade, Mapping))
    if any(grade.get("error_spans") or grade.get("textfield") for grade in grades):
        return "Only scores and sliders are read: error spans and text fields (comments, or corrections) are not."
    return ""


FORMAT: Final = Format("pearmut", "Pearmut annotations", _fits, _read, remark=_remark)
