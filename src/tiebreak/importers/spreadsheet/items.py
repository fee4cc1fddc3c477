"""The item of each row: from its column, from the distinct inputs, or from the row's position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.importers.importer import ItemSource
from tiebreak.importers.spreadsheet.layouts.said_outcome import COLUMN as SAID
from tiebreak.importers.spreadsheet.mapping import Mapping


def item_source(mappings: Sequence[Mapping]) -> ItemSource:
    """Where the items of all files come from.

    Raises UsageError if the files do not agree, or have neither items nor inputs in a table where an item may fill
    several rows; InputError if rows are to be paired by position and the files do not line up.
    """
    sources = {_source_of(mapping) for mapping in mappings}
    if len(sources) > 1:
        without = [mapping for mapping in mappings if not mapping.has("item")]
        by_input = ", or bring it in later: tiebreak add goes by inputs" if all(m.has("input") for m in without) else ""
        raise UsageError(
            f"{', '.join(mapping.sheet.source for mapping in without)}: no item column, but other files have one; map "
            f"it with --map item=COLUMN{by_input}"
        )
    source = sources.pop()
    if source == "position":
        _check_positions(mappings)
    return source


def _source_of(mapping: Mapping) -> ItemSource:
    if mapping.has("item"):
        return "column"
    if mapping.has("input"):
        return "input"
    system = mapping.get("system")
    named_once = system is not None and (system.constant is not None or mapping.sheet.beside.issuperset(system.columns))
    one_system = named_once and mapping.tables == ("outputs",)
    outcome = mapping.get("outcome")
    both_texts = mapping.has("text_a", "text_b") and outcome is not None and outcome.columns == (SAID,)
    if mapping.one_column_per_system or one_system or both_texts:
        return "position"
    raise UsageError(
        f"{mapping.sheet.source}: no column says which item a row is about; name it with --map item=COLUMN, or name "
        f"the prompts with --map input=COLUMN (columns: {', '.join(mapping.sheet.columns)})"
    )


def _check_positions(mappings: Sequence[Mapping]) -> None:
    """Row 7 of every file must be about one item: same number of rows, and no blank row that hides a missing output."""
    if len(mappings) < 2:
        return
    counts = {mapping.sheet.source: len(mapping.sheet.rows) for mapping in mappings}
    problems = [
        Problem(
            mapping.sheet.source,
            "a blank row, and no item column says whether an output is missing here; add an item column",
            line=line,
            unit=mapping.sheet.unit,
        )
        for mapping in mappings
        for line in mapping.sheet.gaps
    ]
    if len(set(counts.values())) > 1:
        first = mappings[0].sheet.source
        problems += [
            Problem(
                source,
                f"{count} rows, but {first} has {counts[first]}; without an item column rows are paired by position, "
                "so the files need the same number of rows (or an item column in each)",
            )
            for source, count in counts.items()
            if count != counts[first]
        ]
    if problems:
        raise InputError(problems)


@dataclass(slots=True)
class ItemNames:
    """Gives out `item0001`, ... in order of first appearance, one per key (an input and its context, or a position)."""

    width: int = 4
    _names: dict[tuple[str, str] | int, str] = field(default_factory=dict)

    def name(self, key: tuple[str, str] | int) -> str:
        """The item of this input (with its context) or position."""
        return self._names.setdefault(key, f"item{len(self._names) + 1:0{self.width}d}")

    def __len__(self) -> int:
        return len(self._names)
