"""What speaks against reading nested JSON as it is called: places in lists, names of parts and records."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from tiebreak.importers.importer import Doubt
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.mapping import Mapping, map_option
from tiebreak.importers.spreadsheet.model_names import kind_of_name
from tiebreak.importers.spreadsheet.paths import is_place_in_list, same_in_list
from tiebreak.tabular.json_lines import KEY, SPLIT


def systems_by_place(_draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """`responses.0`, `responses.1`: places in a list that would be systems."""
    text = mapping.get("text")
    if text is None or text.origin == "option" or len(text.columns) < 2:
        return
    places = [name for column in text.columns if is_place_in_list(name := text.name_of(column))]
    if places:
        yield Doubt(
            f"{', '.join(places[:4])} would be systems, though they are places in a list",
            f"{map_option('text', text.columns)} --rename {shlex.quote(f'{places[0]}=NAME')} if each is one system's",
            0.3,
        )


def places_not_used(_draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """`turns.0.text` for the outputs, and `turns.1.text` is not read: the first may be the question."""
    text = mapping.get("text")
    if text is None or text.origin == "option" or len(text.columns) > 1:
        return
    read = text.columns[0]
    if others := same_in_list(read, mapping.unused):
        reason = f"{others[0]} is not read, though it stands in one list with {read}, which would be the outputs"
        yield Doubt(reason, f"--map {shlex.quote(f'input={read},text={others[0]}')} if it is the answer", 0.1)


def names_of_parts(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Names of sheets, lists and records that may be systems."""
    part, system = draft.sheet.part_column, mapping.get("system")
    if part not in ("", SPLIT) and part in mapping.unused and system is not None and system.origin == "file name":
        yield Doubt(f"the column {part!r} may name the systems", map_option("system", [part]), 0.3)
    item = mapping.get("item")
    if item is not None and item.columns == (KEY,) and item.origin != "option" and draft.sheet.unit != "row":
        models = sorted(name for name in draft.profiles[KEY].distinct if kind_of_name(name) == "model")
        if models:
            yield Doubt(
                f"the records of this file would be items, and one is called {models[0]}, as models are",
                f"{map_option('system', [KEY])} with --map item=COLUMN, or write one object for each item",
            )
