"""Label Studio: tasks with their annotations (JSON), or a record for each annotation (JSON-MIN, CSV)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tiebreak.importers.formats.format import Format, Row, Rows, at, have, listed, objects, parsed, placed, text
from tiebreak.importers.recipe import Recipe
from tiebreak.tabular.documents import flat, text_of
from tiebreak.tabular.source import Place, Record, Source, Sources

_SIDES: Final = {"left": "a", "right": "b"}
_OTHER: Final = {"a": "b", "b": "a"}
_OF_MIN: Final = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
_OF_CONTROLS: Final = ("selected", "rating", "choices", "number", "ranker", "text")


def _fits(source: Source) -> bool:
    whole = have(source, "data", "annotations") and isinstance(source.first[0]["annotations"], list)
    return whole or have(source, *_OF_MIN)


def _tasks(sources: Sources) -> Iterator[tuple[Place, Record]]:
    for place, record in placed(sources):
        yield place, record if "annotations" in record else _task(record)


def _task(record: Record) -> Record:
    """A record of JSON-MIN or CSV as a task: controls that say more than a word are lists, in CSV as text."""
    results, data = [], {}
    for name, cell in record.items():
        said = parsed(cell)
        parts = objects([said] if isinstance(said, Mapping) else said)
        kind = next((key for key in _OF_CONTROLS if parts and all(part.keys() == {key} for part in parts)), "")
        if kind:
            about = {"from_name": name, "type": "pairwise" if kind == "selected" else kind}
            results += [{**about, "value": part} for part in parts]
        elif name not in _OF_MIN:
            data[name] = cell
    annotation = {**record, "completed_by": record["annotator"], "result": results}
    return {"id": record["id"], "data": data, "annotations": [annotation]}


def _choices_between_two(sources: Sources) -> dict[str, Record]:
    """The last of each such control."""
    return {
        text(result, "from_name"): result
        for _, task in _tasks(sources)
        for annotation in objects(task, "annotations")
        for result in objects(annotation, "result")
        if text(result, "type") == "pairwise"
    }


def _remark(sources: Sources) -> str:
    if any(objects(task, "predictions") for _, task in placed(sources)):
        return "The predictions in these tasks are answers of models, and are not read."
    if any("to_name" not in result for result in _choices_between_two(sources).values()):
        return "JSON-MIN and CSV do not say which text was on the left: it is taken to be the first."
    return ""


def _rows(sources: Sources) -> Rows:
    """A row for each annotation; for each of its choices between two, where the project has several."""
    controls = _choices_between_two(sources)
    for place, task in _tasks(sources):
        data = at(task, "data")
        shown = flat(data) if isinstance(data, Mapping) else {}
        for annotation in objects(task, "annotations"):
            who = at(annotation, "completed_by")
            about = {
                **shown,
                "task": text(task, "id"),
                "completed_by": text(who, "email", "id") if isinstance(who, Mapping) else text_of(who),
                **{name: text(annotation, name) for name in ("lead_time", "created_at", "was_cancelled")},
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
    if kind == "ranker" and isinstance(value, Mapping) and len(value) == 1:  # one list, the best first
        value = " > ".join(map(text_of, next(iter(value.values()))))
    return {text(result, "from_name"): listed(value if value is not None else at(result, "value.text"))}


FORMAT: Final = Format(
    "label-studio",
    "Label Studio exports",
    _fits,
    remark=_remark,
    rows=_rows,
    recipe=Recipe(
        fields={
            "item": "task", "outcome": "selected", "left": "shown_left", "criterion": "control",
            "annotator": "completed_by", "seconds": "lead_time", "decided_at": "created_at",
        },
        skip={"was_cancelled": ["true"]},
    ),
)  # fmt: skip
