"""`tiebreak import`: other tools' files, and tables of any layout, turned into a study folder."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.import_options import (
    IgnoreOption,
    ImportFormatOption,
    MapOption,
    RecipeOption,
    ValueOption,
    settled,
)
from tiebreak.cli.setting_options import argument, option
from tiebreak.cli.show_import import console_for_import, import_document, show_findings, show_plans, show_written
from tiebreak.cli.terminal import say, stdin_is_terminal, write_json
from tiebreak.data.writers import write_study
from tiebreak.errors import UsageError
from tiebreak.importers.plans import ReadOptions, plan_files
from tiebreak.importers.reading import imported
from tiebreak.numbers import printable


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
        say(console, "Nothing was written. Say what a column is with --map FIELD=COLUMN.")
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
