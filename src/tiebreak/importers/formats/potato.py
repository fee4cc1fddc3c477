"""Potato: what each person answered (`user_state.json`), with the items that were shown beside it.

An answer A is the tile that was shown first. Which output that was, the person's state says where Potato shuffled them;
where it says nothing, they stood as in the items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.importers.formats.format import Format, Row, Rows, at, have, is_there, number, text
from tiebreak.importers.recipe import Recipe
from tiebreak.tabular.documents import flat, text_of
from tiebreak.tabular.source import Place, Record, Source, Sources

_ANSWERS: Final = "instance_id_to_label_to_value"
_ORDERS: Final = "instance_id_to_presentation_order"
_OTHER: Final = {"A": "B", "B": "A"}
_OWN: Final = frozenset({
    "instance_id", "user_id", "user", "displayed_text", "annotator_origin", "annotator_origin_detail",
})  # fmt: skip

Label = tuple[str, str, str]
"""Scheme, name and value of an answer."""


def _is_state(source: Source) -> bool:
    return is_there(source.document, _ANSWERS)


def _is_table(source: Source) -> bool:
    return have(source, "instance_id", "user_id") or _is_old(source)


def _is_old(source: Source) -> bool:
    """Whether it is a table as before version 2."""
    return have(source, "displayed_text") and (have(source, "label_annotations") or have(source, "instance_id", "user"))


def _fits(source: Source) -> bool:
    new = _is_table(source) and any("." in key or key == "labels" for key in source.first[0])
    return _is_state(source) or _is_old(source) or new


def _rows(sources: Sources) -> Rows:
    states = [source for source in sources if _is_state(source)]
    shown = {
        text(record, "id"): {name: cell for name, cell in flat(record).items() if name != "id"}
        for source in sources
        if source not in states and not _is_table(source)
        for _, record in source.records()
    }
    for source in states:
        document, answers = source.document, at(source.document, _ANSWERS)
        for item, labels in answers.items() if isinstance(answers, Mapping) else ():
            about = {**shown.get(item, {}), "instance": item, "user_id": text(document, "user_id")}
            yield Place(source.file, None), about | _answers(_labels(labels), at(at(document, _ORDERS), item))
    for source in sources if not states else ():
        seen: set[str] = set()
        for place, record in source.placed() if _is_table(source) else ():
            item = text(record, "instance_id", "id")
            who = text(record, "user_id", "user")
            if not who and item not in seen:  # a file in the folder of each person, which names nobody
                who = source.path.resolve().parent.name
            seen.add(item)
            cells = list(_cells(record))
            if any(value in _OTHER for *_, value in cells):
                message = (
                    "A and B are the tiles that were shown, and their order may be random: only the user_state.json of "
                    "each person says it; name these files"
                )
                raise InputError([Problem(source.file, message, place.line)])
            kind = text(record, "annotator_origin.kind", "annotator_origin")
            person = {"user_id": who} if kind in ("", "human") else {"machine": who}
            about = {"displayed_text": text(record, "displayed_text"), **shown.get(item, {}), "instance": item}
            yield place, about | person | _answers([cell for cell in cells if cell[2]], None)


def _cells(record: Record) -> Iterator[Label]:
    """The answers: of JSON Lines within an object; CSV has a column for each scheme, or for each of its labels."""
    labels = next((record[name] for name in ("labels", "label_annotations") if name in record), None)
    if isinstance(labels, Mapping):
        for schema, part in labels.items():
            for name, value in (part if isinstance(part, Mapping) else {"": part}).items():
                yield schema, name, text_of(value)
        return
    names = {column: column.replace(":::", ".").partition(".") for column in record if column not in _OWN}
    for column, (schema, _, name) in sorted(names.items(), key=lambda pair: not pair[1][2]):  # the whole answer last
        yield schema, name, text_of(record[column])


def _labels(labels: object) -> list[Label]:
    listed = labels if isinstance(labels, list) else []
    pairs = [label for label in listed if isinstance(label, list) and len(label) == 2]
    return [(text(label, "schema"), text(label, "name"), text_of(value)) for label, value in pairs]


def _answers(labels: Iterable[Label], orders: object) -> Row:
    """The answers by scheme, and by its dimension where it has several. `orders`: what was shown first, by scheme."""
    row: Row = {}
    for schema, name, value in labels:
        order = at(orders, schema)
        is_swapped = isinstance(order, list) and [text_of(place) for place in order[:2]] == ["1", "0"]
        if name == "scale_value" and (side := number(value)) is not None:
            value = "A" if side < 0 else "B" if side > 0 else "tie"
        if name == "justification":
            continue
        if name and value.casefold() == "true":
            row[schema] = ", ".join(filter(None, [row.get(schema), name]))
        else:
            is_whole = name in ("selection", "scale_value") or name == value or value not in (*_OTHER, "tie")
            row[schema if is_whole else f"{schema}.{name}"] = _OTHER.get(value, value) if is_swapped else value
    return row


FORMAT: Final = Format(
    "potato",
    "Potato annotations",
    _fits,
    beside=lambda source: have(source, "id") and not source.is_folder,
    rows=_rows,
    recipe=Recipe(fields={"item": "instance", "annotator": "user_id", "judge": "machine"}),
)
