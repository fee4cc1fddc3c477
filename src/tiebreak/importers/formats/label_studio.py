"""Label Studio: tasks with their annotations (JSON)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tiebreak.importers.formats.format import Format, Row, at, have, objects, text
from tiebreak.importers.recipe import Recipe
from tiebreak.tabular.documents import Record, flat, text_of
from tiebreak.tabular.headers import Place
from tiebreak.tabular.source import Source

_SIDES: Final = {"left": "a", "right": "b"}
_OTHER: Final = {"a": "b", "b": "a"}


def _fits(source: Source) -> bool:
    return have(source, "data", "annotations") and isinstance(source.first[0]["annotations"], list)


def _rows(sources: Sequence[Source]) -> Iterator[tuple[Place, Row]]:
    """A row for each annotation; for each of its choices between two, where the project has several."""
    controls = {
        text(result, "from_name")
        for source in sources
        for _, task in source.records()
        for annotation in objects(task, "annotations")
        for result in objects(annotation, "result")
        if text(result, "type") == "pairwise"
    }
    for source in sources:
        for place, task in source.placed():
            data = at(task, "data")
            shown = flat(data) if isinstance(data, Mapping) else {}
            for annotation in objects(task, "annotations"):
                who = at(annotation, "completed_by")
                about = {
                    **shown,
                    "task": text(task, "id"),
                    "completed_by": text(who, "email") or text(who, "id") if isinstance(who, Mapping) else text_of(who),
                    "lead_time": text(annotation, "lead_time"),
                    "created_at": text(annotation, "created_at"),
                    "was_cancelled": text(annotation, "was_cancelled"),
                }
                results = objects(annotation, "result")
                answers = {k: v for result in results for k, v in _answer(result).items()}
                pairs = [_pair(result) for result in results if text(result, "type") == "pairwise"]
                for number, pair in enumerate(pairs or [{}]):
                    asked = {"control": pair.pop("from_name", "")}
                    row = about | pair | (answers if number == 0 else {}) | (asked if len(controls) > 1 else {})
                    yield place, row


def _pair(result: Record) -> Row:
    """Which of two was chosen. Left is the first of `to_name`; where that is the second by its name, as in
    `text2,text1`, left is b.
    """
    first, _, second = text(result, "to_name").replace(" ", "").partition(",")
    left = "b" if first[:-1] == second[:-1] and first > second else "a"
    chosen = _SIDES.get(text(result, "value.selected"), "")
    selected = _OTHER.get(chosen, "") if left == "b" else chosen
    return {"selected": selected, "shown_left": left, "from_name": text(result, "from_name")}


def _answer(result: Record) -> Row:
    """What any other control says: a choice, a rating, a text."""
    kind = text(result, "type")
    if kind == "pairwise":
        return {}
    value = at(result, f"value.{kind}")
    value = value if value is not None else at(result, "value.text")
    choices = [text_of(choice) for choice in value] if isinstance(value, list) else [text_of(value)]
    return {text(result, "from_name"): ", ".join(choices)}


FORMAT: Final = Format(
    "label-studio",
    "Label Studio exports",
    _fits,
    rows=_rows,
    recipe=Recipe(
        fields={
            "item": "task", "outcome": "selected", "left": "shown_left", "criterion": "control",
            "annotator": "completed_by", "seconds": "lead_time", "decided_at": "created_at",
        },
        skip={"was_cancelled": ["true"]},
    ),
)  # fmt: skip
