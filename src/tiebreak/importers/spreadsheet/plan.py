"""From files to a study: read, understand (`understand`), collect and check (`build`). Nothing is written here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from tiebreak.data.schema import TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.importers.importer import Imported, Reading, Skipped
from tiebreak.importers.spreadsheet.collected import Collected, Row
from tiebreak.importers.spreadsheet.fields import SYNONYMS, folded
from tiebreak.importers.spreadsheet.guess import guess_mapping
from tiebreak.importers.spreadsheet.items import ItemNames, ItemSource, item_source
from tiebreak.importers.spreadsheet.mapping import Binding, Mapping, resolve
from tiebreak.importers.spreadsheet.shapes import DEFAULT_CRITERION, add_rows
from tiebreak.importers.spreadsheet.winners import WinnerRule
from tiebreak.tabular.spreadsheet import Sheet, read_sheet

_NUMBERS: Final = frozenset({"number", "seconds"})


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as the user named it, and the system that `--system` says wrote its texts."""

    source: str
    system: str | None = None


def understand(files: Sequence[SourceFile], given: Sequence[Binding] = ()) -> tuple[Mapping, ...]:
    """Read all files and say what their columns are; `given` is what `--map` says.

    Raises UsageError (no such file, unknown column, nothing recognised) or InputError (all problems of all files).
    """
    if not files:
        raise UsageError("name at least one file to import")
    sheets: list[Sheet] = []
    problems: list[Problem] = []
    for file in files:
        try:
            sheets.append(read_sheet(file.source))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    mappings = []
    for file, sheet, said in zip(files, sheets, resolve(given, sheets), strict=True):
        if file.system is not None:
            said = (*said, Binding("system", constant=file.system, origin="option"))
            if sum(binding.target == "system" for binding in said) > 1:
                raise UsageError(f"{file.source}: both --map and --system say the system; keep one of them")
        mappings.append(guess_mapping(sheet, said, one_of_several=len(sheets) > 1))
    _refuse_same_system(mappings)
    return tuple(mappings)


def build(mappings: Sequence[Mapping], winners: WinnerRule, *, name: str) -> Imported:
    """Collect the rows of all files and check them; `name` is the study's.

    Raises InputError with every problem of every file, each with file, line, column and value.
    """
    source = item_source(mappings)
    rows = sum(len(mapping.sheet.rows) for mapping in mappings)
    names = ItemNames(width=max(4, len(str(rows))))
    collected = Collected()
    for mapping in mappings:
        add_rows(mapping, collected, source=source, names=names, winners=winners)
    collected.raise_problems()
    return Imported(
        study=_study(collected, name),
        readings=tuple(Reading(*key, count) for key, count in _by_frequency(collected.readings)),
        skipped=tuple(Skipped(*key, count) for key, count in collected.skipped.items()),
        assumptions=tuple(_assumptions(mappings, collected, source, len(names))),
    )


def _by_frequency(
    readings: Counter[tuple[str, str, str, str]],
) -> list[tuple[tuple[str, str, str, str], int]]:
    """Column by column as they came, the most frequent cell first, blanks last."""
    columns = list(dict.fromkeys(key[:2] for key in readings))
    return sorted(readings.items(), key=lambda pair: (columns.index(pair[0][:2]), pair[0][3] == "skipped", -pair[1]))


def _refuse_same_system(mappings: Iterable[Mapping]) -> None:
    """Two files called out.csv in two folders are two systems with one name."""
    first: dict[str, str] = {}
    for mapping in mappings:
        system = mapping.get("system")
        if system is None or system.origin != "file name" or system.constant is None:
            continue
        other = first.setdefault(system.constant, mapping.sheet.source)
        if other != mapping.sheet.source:
            raise UsageError(
                f"{other} and {mapping.sheet.source} would both be the system {system.constant}; name them: "
                f"--system NAME={other} --system NAME={mapping.sheet.source}"
            )


def _study(collected: Collected, name: str) -> Study:
    outputs: list[Row] = [
        {"item": item, "system": system, "text": text} for (item, system), (text, _) in collected.outputs.items()
    ]
    has_details = any(len(row) > 1 for row in collected.items.values())
    rows: dict[TableName, list[Row]] = {
        "items": list(collected.items.values()) if has_details else [],
        "outputs": outputs,
        "preferences": collected.preferences,
        "ratings": collected.ratings,
        "scores": collected.scores,
    }
    frames = {table: _frame(table, found) if found else None for table, found in rows.items()}
    if all(frames[table] is None for table in ("outputs", "preferences", "ratings")):
        raise TiebreakError(
            "the files hold no outputs and no labels (every outcome or rating is blank); a study needs some"
        )
    return Study.from_tables(
        items=frames["items"],
        outputs=frames["outputs"],
        preferences=frames["preferences"],
        ratings=frames["ratings"],
        scores=frames["scores"],
        name=name,
    )


def _frame(table: TableName, rows: list[Row]) -> pl.DataFrame:
    spec = TABLES[table]
    present = set().union(*(row.keys() for row in rows))
    ordered = [*(c for c in spec.known if c in present), *sorted(present - set(spec.known))]
    return pl.DataFrame(
        {column: [row.get(column) for row in rows] for column in ordered},
        schema={column: _dtype(table, column) for column in ordered},
    )


def _dtype(table: TableName, column: str) -> type[pl.DataType]:
    number = TABLES[table].kind_of(column) in _NUMBERS or column == "seconds"
    return pl.Float64 if number else pl.String


def _assumptions(mappings: Sequence[Mapping], collected: Collected, source: ItemSource, made: int) -> list[str]:
    found = []
    if source == "input":
        what = "input and context" if any(mapping.has("context") for mapping in mappings) else "input"
        found.append(f"No item column: each distinct {what} is one item ({made:,}: item0001, item0002, ...).")
    elif source == "position" and len(mappings) > 1:
        found.append(f"No item column: row n of every file is the same item, by position ({made:,} rows in each file).")
    elif source == "position":
        found.append(f"No item column: each row is one item ({made:,}: item0001, item0002, ...).")
    by_file = [m for m in mappings if (s := m.get("system")) and s.origin == "file name"]
    if by_file:
        found.append("No system column: the name of the file is the system (--system NAME=FILE says another).")
    if collected.unnamed_labels:
        numbers = {str(row["annotator"]) for row in (*collected.preferences, *collected.ratings)}
        found.append(
            "No annotator column: every label is by annotator1."
            if len(numbers) == 1
            else "No annotator column: repeated labels of one output or pair are by annotator1, annotator2, ... "
            "in order of the rows."
        )
        if collected.ratings:
            found.append(
                "Ratings by one name count as one person's, who is as strict with every output: if different people "
                "rated, name them in a column."
            )
    for mapping in mappings:
        found += _column_assumptions(mapping)
    return found


def _column_assumptions(mapping: Mapping) -> list[str]:
    found = []
    outcome, value, text = mapping.get("outcome"), mapping.get("value"), mapping.get("text")
    several = next((b for b in (outcome, value) if b is not None and len(b.columns) > 1), None)
    if several is not None:
        found.append(f"Each of the columns {', '.join(several.columns)} is one {mapping.several_are}.")
    annotator = mapping.get("annotator")
    if annotator is not None and any(folded(c) in ("judge", "judgeid") for c in annotator.columns):
        found.append(f"The column {annotator.columns[0]} is taken to name people; answers of models are no labels.")
    if "preferences" in mapping.tables and text is not None and len(text.columns) == 2:
        found.append(f"system_a is {text.columns[0]}, system_b is {text.columns[1]}, as the columns stand.")
    if "ratings" in mapping.tables and value is not None and not mapping.has("criterion"):
        unnamed = len(value.columns) == 1 or mapping.several_are == "annotator"
        if unnamed and folded(value.columns[0]) in SYNONYMS["value"]:
            found.append(f"No criterion column: the ratings are of {DEFAULT_CRITERION!r}.")
    if mapping.sheet.renamed:
        found.append(
            f"{mapping.sheet.source}: columns without a name of their own were called "
            f"{', '.join(mapping.sheet.renamed)}."
        )
    return found
