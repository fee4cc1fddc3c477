"""Cells of a spreadsheet that hold JSON: answers of a task (`[{"winner": {"A": true}}]`), conversations, references,
and turns (`["Where is Lima?", "And Quito?"]`).

Answers become a column for each value in them, called by its path, and references one for each. What systems wrote may
be JSON too, and stays as it is, unless it is a conversation, or the prompts are lists of turns as well: these are texts
with a blank line between them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded, key_of
from tiebreak.importers.spreadsheet.header_words import SYNONYMS
from tiebreak.importers.spreadsheet.layouts.columns import with_columns
from tiebreak.importers.spreadsheet.lists import LISTS_OF_LABELS
from tiebreak.importers.spreadsheet.paths import singular
from tiebreak.parsing import json_reader
from tiebreak.tabular.json_lists import flat, is_conversation
from tiebreak.tabular.spreadsheet import Sheet

_ANSWERS: Final = LISTS_OF_LABELS | {"taskanswer", "meta", "metadata", "info"}
_INPUTS: Final = frozenset(SYNONYMS["input"])
_REFERENCES: Final = frozenset({*SYNONYMS["reference"], "refs", "label", "labels"})
_MOST_COLUMNS: Final = 200
"""Values in the objects of one column; more are no answers."""


def with_listed_cells(sheet: Sheet, said: frozenset[str]) -> Sheet:
    """The table with such cells taken apart; JSON within JSON is a text that somebody wrote."""
    if sheet.unit != "row":
        return sheet
    parsed = {c: found for c in sheet.columns if folded(c) not in said and (found := _parsed(sheet.values(c)))}
    turns = {c for c, values in parsed.items() if all(value is None or _are_texts(value) for value in values)}
    asked_in_turns = any(key_of(column) in _INPUTS for column in turns)
    for column, values in parsed.items():
        if column in turns and key_of(column) in _REFERENCES:
            columns = _one_each(column, values)
        elif column in turns:
            columns = {column: list(map(_joined, values))} if asked_in_turns else None
        else:
            columns = _by_path(column, values)
        if columns is not None and not (columns.keys() - {column}) & set(sheet.columns):
            sheet = with_columns(sheet, {column: columns})
    return sheet


def _parsed(cells: Sequence[str]) -> list[object]:
    """What the cells say, None where they are blank; nothing if any is no object or list."""
    if not all(_may_be_json(cell) for cell in map(str.strip, cells) if cell):  # mostly over after one cell
        return []
    plain = [cell.strip() for cell in cells]
    if not any(plain):
        return []
    for read in (json_reader(), _as_python):
        with suppress(ValueError):
            return [_alone(read(cell)) if cell else None for cell in plain]
    return []


def _as_python(cell: str) -> object:
    """What pandas writes of lists and objects: `[{'role': 'user', 'content': 'Where?'}]`.

    Raises:
        ValueError: it is something else.
    """
    try:
        return ast.literal_eval(cell)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(cell[:20]) from error


def _may_be_json(cell: str) -> bool:
    return (cell[0] == "[" and cell[-1] == "]") or (cell[0] == "{" and cell[-1] == "}")


def _alone(value: object) -> object:
    """A list of one object is that object, as forms write the answers of one task; one message is a conversation."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and not is_conversation(value):
        return value[0]
    return value


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(part is None or isinstance(part, str) for part in value)


def _joined(turns: object) -> str:
    return "\n\n".join(text for text in turns if text) if isinstance(turns, list) else ""


def _one_each(column: str, values: Sequence[object]) -> dict[str, list[str]] | None:
    """A column for each place in the lists."""
    lists = [value if isinstance(value, list) else [] for value in values]
    most = max(map(len, lists))
    if most > _MOST_COLUMNS:
        return None
    return {
        f"{column}.{place}": [(of[place] or "") if place < len(of) else "" for of in lists] for place in range(most)
    }


def _by_path(column: str, values: Sequence[object]) -> dict[str, list[str]] | None:
    """A column for each value in the objects; None where they are neither answers nor conversations."""
    said = [value for value in values if value is not None]
    if not all(map(is_conversation, said)) and not (
        singular(key_of(column)) in _ANSWERS and all(isinstance(value, dict) for value in said)
    ):
        return None
    try:
        rows = [flat({column: value}) if value is not None else {} for value in values]
    except ValueError:  # nested too deeply, or two values of one name
        return None
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name, "") for row in rows] for name in names} if len(names) <= _MOST_COLUMNS else None
