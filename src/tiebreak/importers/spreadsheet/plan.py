"""From files to a study: read, understand (`understand`), collect and check (`build`). Nothing is written here."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from tiebreak.data.schema import NEEDED, NUMBERS, TABLES, TableName
from tiebreak.data.settings import StudySettings
from tiebreak.data.study import Study
from tiebreak.data.study_toml import in_one_run
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.importers.importer import Imported, ImportedRows, Reading, Skipped
from tiebreak.importers.spreadsheet.assumptions import AssumedRecords, assumptions
from tiebreak.importers.spreadsheet.collected import REFERENCES, Collected, Row
from tiebreak.importers.spreadsheet.draft import Beside, Role
from tiebreak.importers.spreadsheet.guess import guess_mapping
from tiebreak.importers.spreadsheet.items import ItemNames, item_source
from tiebreak.importers.spreadsheet.layouts.all_layouts import laid_out
from tiebreak.importers.spreadsheet.layouts.keys import with_keys
from tiebreak.importers.spreadsheet.layouts.said_outcome import with_said_outcome
from tiebreak.importers.spreadsheet.lists import choose_lists
from tiebreak.importers.spreadsheet.mapping import Binding, Mapping, resolve
from tiebreak.importers.spreadsheet.orders import tell_orders
from tiebreak.importers.spreadsheet.people_by_part import name_people_by_file
from tiebreak.importers.spreadsheet.renaming import Renaming, rename
from tiebreak.importers.spreadsheet.shapes import add_rows
from tiebreak.importers.spreadsheet.signatures import signatures_of
from tiebreak.importers.spreadsheet.trainings import systems_called, systems_told
from tiebreak.importers.spreadsheet.winners import WinnerRule
from tiebreak.tabular.spreadsheet import Sheet, read_sheet


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as the user named it, the system that `--system` says wrote its texts, and what it is beside the others:
    `judge`: what a model said; `scores`: metrics' scores.
    """

    source: str
    system: str | None = None
    role: Role = "plain"


def understand(
    files: Sequence[SourceFile], given: Sequence[Binding] = (), other_names: Sequence[str] = ()
) -> tuple[Mapping, ...]:
    """Read all files and say what their columns are; `given` is what `--map` says, `other_names` what systems will be
    called.

    Raises UsageError (no such file, unknown column, nothing recognised) or InputError (all problems of all files).
    """
    if not files:
        raise UsageError("name at least one file to import")
    sheets: list[Sheet] = []
    problems: list[Problem] = []
    named = [column for binding in given for column in binding.columns]
    for file in files:
        try:
            sheets.append(laid_out(read_sheet(file.source, choose_lists), named))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems, remark=_read_well(sheets))
    keyed = [(file, sheet) for file, sheet in zip(files, with_keys(sheets), strict=True) if sheet is not None]
    files, sheets = [file for file, _ in keyed], [sheet for _, sheet in keyed]
    sheets, given = with_said_outcome(sheets, given)
    mappings: list[Mapping] = []
    asked: list[tuple[tuple[Binding, ...], Beside]] = []
    plain = sum(file.role == "plain" for file in files)
    for file, sheet, said in zip(files, sheets, _of_role(files, resolve(given, sheets)), strict=True):
        if file.system is not None:
            said = (*said, Binding("system", constant=file.system, origin="option"))
            if sum(binding.target == "system" for binding in said) > 1:
                raise UsageError(f"{file.source}: both --map and --system say the system; keep one of them")
        # Files of judges and scores come last: the systems of the others are known by then.
        known = sorted({*other_names, *(name for mapping in mappings for name in mapping.systems)})
        systems = tuple(known) if file.role != "plain" else ()
        beside = Beside(file.role, systems, one_of_several=plain > 1, known=tuple(sorted(other_names)))
        mappings.append(guess_mapping(sheet, said, beside))
        asked.append((said, beside))
    mappings = _with_items_of_others(mappings, asked)
    _refuse_same_system(mappings)
    return tuple(name_people_by_file(mappings))


def _with_items_of_others(
    mappings: Sequence[Mapping], asked: Sequence[tuple[tuple[Binding, ...], Beside]]
) -> list[Mapping]:
    """A column that alone might number rows names items where a column of that name does so in another file, and all of
    its cells are items there. `asked`: what each file was understood by.
    """
    items: dict[str, set[str]] = {}
    for mapping in mappings:
        item = mapping.get("item")
        if item is not None and len(item.columns) == 1:
            items.setdefault(item.columns[0], set()).update(mapping.sheet.values(item.columns[0]))
    found = []
    for mapping, (said, beside) in zip(mappings, asked, strict=True):
        shared = [c for c in mapping.unused if c in items and items[c].issuperset(mapping.sheet.values(c))]
        if not mapping.has("item") and len(shared) == 1:
            mapping = guess_mapping(mapping.sheet, (*said, Binding("item", tuple(shared), origin="other file")), beside)
        found.append(mapping)
    return found


def _of_role(files: Sequence[SourceFile], said: Sequence[tuple[Binding, ...]]) -> list[tuple[Binding, ...]]:
    """What `--map` says of each file: a file of scores has no texts in columns that are texts in the others."""
    texts = {c for file, bound in zip(files, said, strict=True) if file.role != "scores" for c in _texts(bound)}
    return [
        tuple(b for b in bound if file.role != "scores" or b.target != "text" or not texts.issuperset(b.columns))
        for file, bound in zip(files, said, strict=True)
    ]


def _texts(bound: Iterable[Binding]) -> Iterator[str]:
    for binding in bound:
        if binding.target == "text":
            yield from binding.columns


def outcome_cells(mappings: Iterable[Mapping]) -> Iterator[tuple[str, Sequence[str]]]:
    """Each column that says who won, with its cells."""
    for mapping in mappings:
        outcome = mapping.get("outcome")
        for column in outcome.columns if outcome is not None else ():
            yield column, mapping.sheet.values(column)


def _read_well(sheets: Sequence[Sheet]) -> str:
    if len(sheets) > 1:
        return f"The other {len(sheets):,} files can be read."
    return f"The other file, {sheets[0].source}, can be read." if sheets else ""


def collect(mappings: Sequence[Mapping], winners: WinnerRule, renaming: Renaming) -> AssumedRecords:
    """The rows of all files as records; raises InputError with every problem of every file, a line for each cause."""
    source = item_source(mappings)
    rows = sum(len(mapping.sheet.rows) for mapping in mappings)
    names = ItemNames(width=max(4, len(str(rows))))
    collected = Collected()
    for mapping in mappings:
        if mapping.sheet.headers_again:
            collected.skipped[mapping.sheet.source, "rows that repeat the header"] += mapping.sheet.headers_again
        for part, count in mapping.sheet.unread:
            collected.skipped[mapping.sheet.source, part] += count
        add_rows(mapping, collected, source=source, names=names, winners=winners)
    rename(collected, renaming)
    collected.raise_problems()
    return AssumedRecords(collected, source, len(names), tell_orders(collected.judged))


def build(mappings: Sequence[Mapping], winners: WinnerRule, renaming: Renaming, *, name: str) -> Imported:
    """Collect the rows of all files and make a study of them; `name` is the study's.

    Raises InputError with every problem of every file, each with file, row, column and value.
    """
    records = collect(mappings, winners, renaming)
    collected = records.collected
    return Imported(
        study=_study(collected, name).with_signatures(signatures_of(mappings)),
        readings=_readings(collected),
        skipped=_skipped(collected),
        assumptions=tuple(assumptions(mappings, records)),
    )


def rows_of(mapping: Mapping, winners: WinnerRule, renaming: Renaming) -> ImportedRows:
    """Collect the rows of one file for a study that exists.

    Raises InputError with every problem of the file, each with row, column and value.
    """
    records = collect([mapping], winners, renaming)
    collected = records.collected
    return ImportedRows(
        tables=_tables(collected),
        items_by=records.source,
        unnamed=collected.unnamed_labels,
        scales=collected.scales,
        systems=systems_told(collected),
        signatures=signatures_of([mapping]),
        readings=_readings(collected),
        skipped=_skipped(collected),
        place=partial(_problem_at, mapping),
    )


def _problem_at(mapping: Mapping, target: str, name: str, message: str) -> Problem:
    """A problem where a name stands first; that of the file as a whole where no cell has it."""
    for binding in (found for found in mapping.bindings if found.target == target and found.columns):
        for number, (line, row) in enumerate(zip(mapping.sheet.lines, mapping.sheet.rows, strict=True)):
            if binding.cell(dict(zip(mapping.sheet.columns, row, strict=True))).strip() == name:
                file = mapping.sheet.source_of(number)
                return Problem(file, message, line, binding.columns[0], name, mapping.sheet.unit)
    return Problem(mapping.sheet.source, message, value=name or None)


def _readings(collected: Collected) -> tuple[Reading, ...]:
    return tuple(Reading(*key, count) for key, count in _by_frequency(collected.readings))


def _skipped(collected: Collected) -> tuple[Skipped, ...]:
    return tuple(Skipped(*key, count) for key, count in collected.skipped.items())


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
                f"--system {shlex.quote(f'NAME={other}')} --system {shlex.quote(f'NAME={mapping.sheet.source}')}"
            )


def _tables(collected: Collected) -> dict[TableName, pl.DataFrame]:
    """A frame for each table of which there are rows; items only where anything is said of them."""
    several = any(sample is not None for _, _, sample in collected.outputs)
    outputs = [
        Row(item=item, system=system, text=text) | (Row(sample=sample) if several else Row())
        for (item, system, sample), (text, _) in collected.outputs.items()
    ]
    passages = [Row(item=item, passage=name, text=text) for (item, name), (text, _) in collected.passages.items()]
    has_details = any(len(row) > 1 for row in collected.items.values())
    rows: dict[TableName, list[Row]] = {
        "items": list(collected.items.values()) if has_details else [],
        "passages": passages,
        "outputs": outputs,
        "preferences": collected.preferences,
        "ratings": collected.ratings,
        "edits": collected.edits,
        "spans": collected.spans,
        "scores": collected.scores,
        "judge_preferences": collected.judged,
    }
    return {table: _frame(table, found) for table, found in rows.items() if found}


def _study(collected: Collected, name: str) -> Study:
    frames = _tables(collected)
    if not set(NEEDED) & set(frames):
        if collected.judged or collected.scores:
            raise TiebreakError(
                "answers of a judge and scores of metrics make no study alone; import them beside outputs or labels: "
                "tiebreak import csv VOTES.csv STUDY --judge-file FILE --scores-file FILE"
            )
        if collected.passages:
            raise TiebreakError(
                "passages make no study alone; import them beside outputs or labels: "
                "tiebreak import csv OUTPUTS.csv PASSAGES.csv STUDY"
            )
        left_out = "; ".join(f"{reason} ({count:,})" for (_, reason), count in collected.skipped.items())
        raise TiebreakError(
            "the files hold no outputs and no labels that count (outcomes and ratings are blank); a study needs some"
            + (f". Left out: {left_out}" if left_out else "")
        )
    settings = StudySettings(
        scale=collected.scales, systems=in_one_run(systems_told(collected) or systems_called(collected))
    )
    return Study.from_tables(**frames, settings=settings, name=name)


def _frame(table: TableName, rows: list[Row]) -> pl.DataFrame:
    spec = TABLES[table]
    present = set().union(*(row.keys() for row in rows))
    ordered = [*(c for c in spec.known if c in present), *sorted(present - set(spec.known))]
    return pl.DataFrame(
        {column: [row.get(column) for row in rows] for column in ordered},
        schema={column: _dtype(table, column) for column in ordered},
    )


def _dtype(table: TableName, column: str) -> pl.DataType | type[pl.DataType]:
    if column == REFERENCES:
        return pl.List(pl.String)
    return pl.Float64 if TABLES[table].kind_of(column) in NUMBERS else pl.String
