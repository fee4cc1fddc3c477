"""Potato: what each person answered (`user_state.json`), with the items that were shown beside it.

An answer A is the tile that was shown first. Which output that was, the person's state says where Potato shuffled them;
where it says nothing, they stood as in the items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.importers.formats.format import Format, Row, at, have, is_there, number, text
from tiebreak.importers.recipe import Recipe
from tiebreak.tabular.documents import flat, text_of
from tiebreak.tabular.headers import Place
from tiebreak.tabular.source import Source

_ANSWERS: Final = "instance_id_to_label_to_value"
_ORDERS: Final = "instance_id_to_presentation_order"
_OTHER: Final = {"A": "B", "B": "A"}

Label = tuple[str, str, str]
"""Scheme, name and value of an answer."""


def _is_state(source: Source) -> bool:
    return is_there(source.document, _ANSWERS)


def _is_table(source: Source) -> bool:
    return have(source, "instance_id", "user_id")


def _fits(source: Source) -> bool:
    return _is_state(source) or (_is_table(source) and any("." in key or key == "labels" for key in source.first[0]))


def _beside(source: Source) -> bool:
    return have(source, "id") and not source.is_folder


def _rows(sources: Sequence[Source]) -> Iterator[tuple[Place, Row]]:
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
        for place, record in source.placed() if _is_table(source) else ():
            labels = record.get("labels")  # of JSON Lines, by scheme; CSV has a column for each
            columns = flat(labels) if isinstance(labels, Mapping) else record
            cells = [(*name.rpartition(".")[::2], text_of(cell)) for name, cell in columns.items() if "." in name]
            if any(value in _OTHER for *_, value in cells):
                message = (
                    "A and B are the tiles that were shown, and their order may be random: only the user_state.json of "
                    "each person says it; name these files"
                )
                raise InputError([Problem(source.file, message, place.line)])
            item = text(record, "instance_id")
            about = {**shown.get(item, {}), "instance": item, "user_id": text(record, "user_id")}
            yield place, about | _answers([cell for cell in cells if cell[2]], None)


def _labels(labels: object) -> list[Label]:
    pairs = (
        [label for label in labels if isinstance(label, list) and len(label) == 2] if isinstance(labels, list) else []
    )
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
        if value.casefold() == "true":
            row[schema] = ", ".join(filter(None, [row.get(schema), name]))
        else:
            is_whole = name in ("selection", "scale_value") or name == value or value not in (*_OTHER, "tie")
            row[schema if is_whole else f"{schema}.{name}"] = _OTHER.get(value, value) if is_swapped else value
    return row


FORMAT: Final = Format(
    "potato",
    "Potato annotations",
    _fits,
    beside=_beside,
    rows=_rows,
    recipe=Recipe(fields={"item": "instance", "annotator": "user_id"}),
)
