"""`tiebreak import`: other tools' files, and tables of any layout, turned into a study folder.

Options that say what the columns of files are, and the questions at a terminal about those of which it is open.

What `tiebreak import` prints: how each file is read, what was found in it, and what was written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, cast

import typer
from rich.text import Text

from tiebreak.cli.setting_options import argument, option
from tiebreak.cli.terminal import (
    Cell,
    Name,
    Terminal,
    Words,
    console_for_messages,
    console_for_results,
    stdin_is_terminal,
    write_json,
)
from tiebreak.data.writers import write_study
from tiebreak.errors import UsageError, shorten
from tiebreak.files import writing
from tiebreak.importers.draft import Draft, completed, example_of
from tiebreak.importers.entries import FIELDS, Reading
from tiebreak.importers.plans import FilePlan, ReadOptions, plan_files, recipe_beside, refuse_open
from tiebreak.importers.reading import Imported, imported
from tiebreak.importers.recipe import recipe_text
from tiebreak.importers.shaping import Table
from tiebreak.numbers import command, counted, printable, quoted, some_names, some_parts
from tiebreak.records import Notice


class TableFormat(StrEnum):
    """File format of a study's tables."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"


def import_command(
    files: Annotated[
        list[str] | None,
        argument(
            "Files: CSV, TSV, JSON, JSON Lines, Parquet, Excel, or a tool's own. FILE.xlsx#Sheet names a sheet, "
            "FILE.json#votes a list.",
            "FILE...",
        ),
    ] = None,
    study: Annotated[str, argument("The study folder to create.", "STUDY")] = "",
    *,
    recipe: RecipeOption = None,
    map_: MapOption = None,
    ignore: IgnoreOption = None,
    value: ValueOption = None,
    format_: ImportFormatOption = None,
    tables: Annotated[
        TableFormat, typer.Option("--tables", metavar="NAME", help="Format of the tables: csv | jsonl | parquet.")
    ] = TableFormat.csv,
    yes: Annotated[bool, option("Do not ask.", "", "--yes", "-y")] = False,
    dry_run: Annotated[bool, option("Show the plan and write nothing.", "", "--dry-run")] = False,
    as_json: Annotated[bool, option("One JSON document on stdout; everything else on stderr.", "", "--json")] = False,
) -> None:
    """Turn files into a study folder.

    Files of known tools are read exactly. Of any other table a recipe says which column is which field: it is drafted
    from the names of the columns, and what these do not say is asked, or left open in a draft beside the file.

    Example: tiebreak import votes.csv my-study

    Example: tiebreak import outputs.jsonl votes.csv my-study --map annotator='Who are you?' --ignore Comments
    """
    target = _new_folder(study)
    options = ReadOptions(recipe or (), {}, format_, map_ or (), ignore or (), value or ())
    plans = plan_files(files or [], options)
    console = console_for_import(to_stderr=as_json)
    show_plans(console, plans)
    plans = settled(console, plans, silent=yes or dry_run, to_stderr=as_json)
    found = imported(plans, target.resolve().name)
    show_findings(console, found)
    write = not dry_run
    asked = write and not yes and stdin_is_terminal()
    if asked and not typer.confirm(f"Write the study to {printable(study)}?", default=True, err=as_json):
        console.say("Nothing was written. Say what a column is with --map FIELD=COLUMN.")
        raise typer.Exit(1)
    if write:
        write_study(found.study, target, format=tables.value, also=found.write_recipes)
    show_written(console, found, study, written=write)
    if as_json:
        write_json(import_document(found, study, written=write))


def _new_folder(study: str) -> Path:
    """Refuse a bad target before any question is asked."""
    if not study:
        raise UsageError("name the files and then the study folder to create: tiebreak import FILE... STUDY")
    path = Path(study)
    if path.is_file():
        raise UsageError(f"{study} is a file; the last argument is the study folder to create")
    if path.is_dir() and any(path.iterdir()):
        raise UsageError(f"{study} is not empty; name a new folder for the study")
    return path


RecipeOption = Annotated[list[str] | None, option("A recipe: what the columns of a file are.", "FILE", "--recipe")]
MapOption = Annotated[list[str] | None, option("A field and its column; repeatable.", "FIELD=COLUMN", "--map")]
IgnoreOption = Annotated[list[str] | None, option("A column that is not read; '*': all others.", "COLUMN", "--ignore")]
ValueOption = Annotated[list[str] | None, option("What a cell means; repeatable.", "FIELD:CELL=VALUE", "--value")]
ImportFormatOption = Annotated[
    str | None, option("The tool that wrote the files, where it is known.", "NAME", "--format")
]


def settled(console: Terminal, plans: Sequence[FilePlan], *, silent: bool, to_stderr: bool) -> tuple[FilePlan, ...]:
    """The plans with nothing left open: asked at a terminal, else written as drafts beside their files.

    Raises:
        UsageError: something is open, and nobody is to be asked and nothing written (`silent`).
        typer.Exit: drafts were written.
    """
    if all(plan.is_whole for plan in plans):
        return tuple(plans)
    if silent:
        refuse_open(plans)
    if stdin_is_terminal():
        plans = [_asked(plan, to_stderr=to_stderr) for plan in plans]
        if all(plan.is_whole for plan in plans):
            return tuple(plans)
    _write_drafts(console, plans)
    raise typer.Exit(1)


def _asked(plan: FilePlan, *, to_stderr: bool) -> FilePlan:
    """The plan with what somebody says of each open column."""
    if plan.draft is None or plan.table is None:
        return plan
    recipe = plan.draft.recipe
    for column, example in plan.draft.open.items():
        question = f"{printable(plan.file)}: what is {printable(column)} ({printable(example)})? A field, or ignore"
        answer = ""
        while answer not in FIELDS and answer != "ignore":
            answer = typer.prompt(question, default="ignore", err=to_stderr).strip()
        mapped, ignored = ((), (column,)) if answer == "ignore" else ((f"{answer}={column}",), ())
        recipe = recipe.with_options(mapped, ignored, (), plan.table.columns)
    for lacking in completed(plan.table, recipe).lacking:
        name, _, what = lacking.partition(": ")
        answer = typer.prompt(f"{printable(plan.file)}: {name} = ({what})", default="", err=to_stderr).strip()
        if answer and name in FIELDS:
            recipe = recipe.with_options((f"{name}={answer}",), (), (), plan.table.columns)
    return replace(plan, draft=completed(plan.table, recipe))


def _write_drafts(console: Terminal, plans: Sequence[FilePlan]) -> None:
    """A draft beside each file that leaves something open, with what is to be said; one that is there stays."""
    for plan in plans:
        if plan.draft is None or plan.is_whole:
            continue
        console.say()
        console.say(f"{plan.file}: it is not known what these are:", style="bold yellow")
        columns = (f"column {column} ({example})" for column, example in plan.draft.open.items())
        console.say_each([*columns, *plan.draft.lacking], indent=2, hanging=2)
        path = recipe_beside(plan.sources[0])
        if path.exists() or plan.by == str(path):
            console.say(f"Say it in {plan.by if Path(plan.by).is_file() else path}, and run this command again.")
            continue
        with writing(path):
            path.write_text(recipe_text(plan.draft.recipe, plan.draft.open, about=plan.sources[0].path.name), "utf-8")
        console.say(f"Wrote the draft {path}: fill it in, and run this command again.", style="bold green")
    console.say("Nothing else was written.")


EXAMPLE_WIDTH: Final = 36
NAMES_SHOWN: Final = 8
MOST_READINGS: Final = 20
"""Different cells of a column of outcomes that are shown, the most frequent first."""


def console_for_import(*, to_stderr: bool) -> Terminal:
    """As wide as the terminal; on standard error where the result is a document on standard output."""
    return console_for_messages() if to_stderr else console_for_results()


def show_plans(console: Terminal, plans: Sequence[FilePlan]) -> None:
    """How each file is read: by which format, or column by column."""
    for plan in plans:
        console.say()
        names = some_parts([source.file for source in plan.sources], NAMES_SHOWN)
        what = f": {plan.format.title}" if plan.format is not None else f": read by {plan.by}"
        console.say(Text.assemble((names, "bold"), what))
        if plan.draft is not None and plan.table is not None:
            _show_fields(console, plan, plan.table, plan.draft)


def _show_fields(console: Terminal, plan: FilePlan, table: Table, draft: Draft) -> None:
    columns = [Name("field"), Words("column"), Words("example")]
    rows: list[tuple[Cell, ...]] = []
    for name in plan.recipe.fields:
        for number, said in enumerate(plan.recipe.columns_of(name)):
            example = "" if said not in table.examples else _short(example_of(table, said))
            field = Text(name if number == 0 else "", style="cyan")
            rows.append((field, said, Text(example, style="dim")))
    for column, example in draft.open.items():
        rows.append((Text("?", style="bold yellow"), column, Text(_short(example), style="dim")))
    console.table(columns, rows)
    if ignored := [column for column in plan.recipe.ignore if column == "*" or column in table.examples]:
        console.say(f"ignored: {', '.join(ignored)}", style="dim")


def _short(cell: str) -> str:
    return shorten(" ".join(cell.split()), EXAMPLE_WIDTH)


def show_findings(console: Terminal, imported: Imported) -> None:
    """How the cells of outcomes were read, what the files do not say, and what was left out."""
    show_readings(console, imported.readings)
    if imported.assumptions:
        console.say()
        console.say("What the files do not say:")
        console.bullets(imported.assumptions, indent=2)
    if imported.skipped:
        console.say()
        console.say("Left out:")
        console.bullets([f"{found.reason} ({found.count:,}, {found.file})" for found in imported.skipped], indent=2)
    console.say()


def show_readings(console: Terminal, read: Sequence[Reading]) -> None:
    """How the cells of outcomes were read."""
    several = len({reading.file for reading in read}) > 1
    by_column: dict[str, list[Reading]] = {}
    for reading in read:
        label = f"{reading.file}, {reading.column}" if several else reading.column
        by_column.setdefault(label, []).append(reading)
    for column, readings in by_column.items():
        told = Text(", ").join(
            Text.assemble(f"{r.cell} → ", (r.meaning, "bold"), f" ({r.count:,})") for r in readings[:MOST_READINGS]
        )
        if len(readings) > MOST_READINGS:
            told.append(f" and {len(readings) - MOST_READINGS:,} others")
        console.say()
        console.say(Text.assemble((column, "cyan"), " is read as: ", told))


def show_written(console: Terminal, imported: Imported, study: str, *, written: bool) -> None:
    """The study that was written, or would be, and the next command."""
    found = imported.study
    counts = {name: frame.height for name, frame in found.tables_as_read.items()}
    known = {"signatures": len(found.signatures)} if found.signatures else {}
    rows = ", ".join(f"{name} {count:,}" for name, count in (counts | known).items())
    headline = Text("Wrote", style="bold green") if written else Text("Would write", style="bold")
    console.say(Text.assemble(headline, f" {study}: {rows}"))
    sizes = [
        f"{counted(len(found.systems), 'system')} ({some_names(found.systems, NAMES_SHOWN)})",
        counted(_items(imported), "item"),
        counted(len(found.annotators), "annotator"),
    ]
    console.say(", ".join(sizes), indent=2)
    for notice in found.notices:
        console.say(Text.assemble(("warning ", "yellow"), notice.text), indent=2, hanging=2)
        console.say_each(_values_for_one_spelling(notice, imported), indent=4, hanging=2)
    if written:
        console.command("check", study, before="Next: ")
    else:
        console.say("Nothing was written (--dry-run).")


def _values_for_one_spelling(notice: Notice, imported: Imported) -> list[str]:
    """What makes one name of those that differ by their spelling, and are kept apart: the most frequent one."""
    if "groups" not in notice.details:
        return []
    field = str(notice.details.get("column"))
    rows: Counter[str] = Counter()
    for frame in imported.study.tables.values():
        for column in frame.columns:
            if column == field or column.startswith(f"{field}_"):
                rows.update(frame[column].drop_nulls().to_list())
    told = []
    for group in cast("list[list[str]]", notice.details["groups"]):
        usual = max(group, key=lambda name: (name == " ".join(name.split()), rows[name]))
        told += [f"  --value {quoted(f'{field}:{other}={usual}')}" for other in group if other != usual]
    return ["if they are the same, import again, into a new folder, with", *told]


def _items(imported: Imported) -> int:
    return len({item for frame in imported.study.tables.values() for item in frame["item"].unique().to_list()})


def import_document(imported: Imported, study: str, *, written: bool) -> dict[str, object]:
    """Everything that is printed, for `--json`."""
    found = imported.study
    return {
        "study": study,
        "written": written,
        "files": [
            {
                "files": [source.file for source in plan.sources],
                "format": None if plan.format is None else plan.format.name,
                "by": plan.by,
                "fields": dict(plan.recipe.fields),
                "ignored": list(plan.recipe.ignore),
            }
            for plan in imported.plans
        ],
        "readings": [asdict(reading) for reading in imported.readings],
        "assumptions": list(imported.assumptions),
        "skipped": [asdict(skipped) for skipped in imported.skipped],
        "tables": {name: frame.height for name, frame in found.tables_as_read.items()},
        "systems": list(found.systems),
        "items": _items(imported),
        "annotators": list(found.annotators),
        "warnings": [notice.to_dict() for notice in found.notices],
        "next": command("check", study) if written else None,
    }
