"""`tiebreak import csv`: spreadsheets as people have them, turned into a study folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.fields import TARGETS

if TYPE_CHECKING:
    from tiebreak.importers.spreadsheet.mapping import Binding, Mapping, Origin
    from tiebreak.importers.spreadsheet.plan import Imported, Reading, SourceFile

app = typer.Typer(name="import", help="Turn other tools' files into a study.", no_args_is_help=True)

EXAMPLE_WIDTH: Final = 36
NAMES_SHOWN: Final = 8
ORIGINS: Final[dict[Origin, str]] = {
    "option": "as you said",
    "name": "its name",
    "content": "its cells",
    "file name": "file name",
}


class StudyFormat(StrEnum):
    """File format of the study's tables."""

    csv = "csv"
    parquet = "parquet"
    jsonl = "jsonl"


@app.callback()
def _group() -> None:
    """Turn other tools' files into a study."""


@app.command("csv")
def import_csv(
    *,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", help="CSV, TSV, JSONL or XLSX files; FILE.xlsx#Sheet names a sheet.", show_default=False
        ),
    ] = None,
    study: Annotated[str, typer.Argument(metavar="STUDY", help="The study folder to create.")],
    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="TARGET=COLUMN,...",
            help="What a column is, where the guess is wrong; text=A|B for several columns, system=:gpt-4 for a "
            f"constant. Targets: {', '.join(TARGETS)}.",
            show_default=False,
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system", metavar="NAME=FILE", help="A file with the outputs of one system.", show_default=False
        ),
    ] = None,
    winner: Annotated[
        str | None,
        typer.Option(
            "--winner",
            metavar="VALUE=a|b|tie|skip,...",
            help="What the cells of the outcome column mean, where that is not clear; or names, or positions.",
            show_default=False,
        ),
    ] = None,
    format_: Annotated[
        StudyFormat, typer.Option("--format", help="File format of the study's tables.")
    ] = StudyFormat.csv,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; accept what was guessed.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and write nothing.")] = False,
    json_: Annotated[
        bool, typer.Option("--json", help="One JSON document on stdout; everything else on stderr.")
    ] = False,
) -> None:
    """Turn tables (CSV, TSV, JSON Lines, Excel) into a study folder.

    What each column is, is guessed from its name and cells, shown, and asked before anything is written.

    A file may hold the outputs of one system, or a column of outputs for each system.

    It may also be a table of preferences (with or without the prompt and both outputs), ratings or scores.

    Examples:

      tiebreak import csv gpt4.csv llama.csv my-study

      tiebreak import csv votes.xlsx my-study --map item=doc_id,outcome=vote

      tiebreak import csv labels.csv my-study --winner 1=a,0=tie,-1=b --yes
    """
    from tiebreak.data.writers import write_study
    from tiebreak.importers.spreadsheet.mapping import parse_map
    from tiebreak.importers.spreadsheet.plan import build, understand
    from tiebreak.importers.spreadsheet.winners import parse_winner

    console = Console(stderr=json_, highlight=False)
    sources = _sources(files or [], system or [])
    target = _new_folder(study)
    mappings = understand(sources, parse_map(map_ or []))
    for alike in _alike(mappings):
        _show_mappings(console, alike)
    imported = build(mappings, parse_winner(winner), name=target.resolve().name)
    _show_findings(console, imported)
    write = not dry_run
    if write and not yes and not _confirmed(mappings, study, to_stderr=json_):
        console.print("Nothing was written. To read a column differently, pass --map TARGET=COLUMN.")
        raise typer.Exit(1)
    if write:
        write_study(imported.study, target, format=format_.value)
    _show_result(console, imported, study, written=write)
    if json_:
        typer.echo(json.dumps(_document(mappings, imported, study, written=write), ensure_ascii=False, indent=2))


def _sources(files: Sequence[str], systems: Sequence[str]) -> list[SourceFile]:
    from tiebreak.importers.spreadsheet.plan import SourceFile

    named: dict[str, str] = {}
    for option in systems:
        name, equals, file = option.partition("=")
        if not equals or not name.strip() or not file.strip():
            raise UsageError(f"--system {option!r}: write NAME=FILE, for example --system gpt-4=outputs/run7.csv")
        if file.strip() in named:
            raise UsageError(f"--system names {file.strip()} twice")
        named[file.strip()] = name.strip()
    repeated = next((file for file in files if list(files).count(file) > 1), None)
    if repeated is not None:
        raise UsageError(f"{repeated} is named twice")
    listed = list(dict.fromkeys([*files, *named]))
    return [SourceFile(file, named.get(file)) for file in listed]


def _new_folder(study: str) -> Path:
    """Refuse a bad target before any question is asked."""
    if not study:
        raise UsageError("name the files and then the study folder to create: tiebreak import csv FILE... STUDY")
    path = Path(study)
    if path.is_file():
        raise UsageError(f"{study} is a file; the last argument is the study folder to create")
    if path.is_dir() and any(path.iterdir()):
        raise UsageError(f"{study} is not empty; name a new folder for the study")
    return path


def stdin_is_terminal() -> bool:
    """Whether somebody can answer a question."""
    return sys.stdin.isatty()


def _confirmed(mappings: Sequence[Mapping], study: str, *, to_stderr: bool) -> bool:
    if stdin_is_terminal():
        return typer.confirm(f"Write the study to {study}?", default=True, err=to_stderr)
    if any(mapping.guessed for mapping in mappings):
        raise UsageError(
            "some columns were guessed and there is no terminal to ask; pass --yes to accept the plan above, "
            "or --map TARGET=COLUMN,... to say what every column is (--dry-run shows the plan only)"
        )
    return True


def _alike(mappings: Sequence[Mapping]) -> list[list[Mapping]]:
    """Files that are read the same way, but for the system they are about, are shown together."""
    groups: dict[object, list[Mapping]] = {}
    for mapping in mappings:
        shared = tuple(b for b in mapping.bindings if b.target != "system" or b.columns)
        groups.setdefault((mapping.shape, shared, mapping.unused), []).append(mapping)
    return list(groups.values())


def _show_mappings(console: Console, alike: Sequence[Mapping]) -> None:
    """The files' names and shape, and one table: study column, file column, example, why."""
    console.print()
    for mapping in alike:
        rows = _count(len(mapping.sheet.rows), "row")
        console.print(f"[bold]{escape(mapping.sheet.source)}[/bold]: {escape(mapping.shape)}, {rows}", soft_wrap=True)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0))
    table.add_column("study", style="cyan", no_wrap=True)
    table.add_column("from column", overflow="fold", min_width=16)
    table.add_column("example", style="dim", overflow="ellipsis", no_wrap=True)
    table.add_column("known by", style="dim", no_wrap=True)
    for target in TARGETS:
        binding = alike[0].get(target)
        if binding is None or target == "ignore":
            continue
        for number, column in enumerate(binding.columns or ("",)):
            cells = _source_and_example(alike, binding, column)
            table.add_row(target if number == 0 else "", *map(escape, cells), ORIGINS[binding.origin])
    console.print(table)
    if alike[0].unused:
        console.print(f"[dim]not used: {escape(', '.join(alike[0].unused))}[/dim]", soft_wrap=True)


def _source_and_example(alike: Sequence[Mapping], binding: Binding, column: str) -> tuple[str, str]:
    if not column:
        stated = [b.constant or "" for mapping in alike if (b := mapping.get(binding.target)) is not None]
        return "(no column)", _short(_some(list(dict.fromkeys(stated))))
    return column, _short(next((cell for cell in alike[0].sheet.values(column) if cell.strip()), ""))


def _short(cell: str) -> str:
    text = " ".join(cell.split())
    return text if len(text) <= EXAMPLE_WIDTH else text[: EXAMPLE_WIDTH - 1] + "…"


def _show_findings(console: Console, imported: Imported) -> None:
    for column, readings in _by_column(imported.readings).items():
        parts = [f"{r.cell} → [bold]{r.meaning}[/bold] ({r.count:,})" for r in map(_escaped, readings)]
        console.print(f"\n[cyan]{escape(column)}[/cyan] is read as: {', '.join(parts)}", soft_wrap=True)
    if imported.assumptions:
        console.print("\nWhat the files do not say:")
        for sentence in imported.assumptions:
            console.print(f"  • {escape(sentence)}", soft_wrap=True)
    if imported.skipped:
        console.print("\nLeft out:")
        for skipped in imported.skipped:
            console.print(f"  • {escape(skipped.reason)} ({skipped.count:,}, {escape(skipped.file)})", soft_wrap=True)
    console.print()


def _by_column(readings: Sequence[Reading]) -> dict[str, list[Reading]]:
    files = {reading.file for reading in readings}
    found: dict[str, list[Reading]] = {}
    for reading in readings:
        label = reading.column if len(files) == 1 else f"{reading.file}, {reading.column}"
        found.setdefault(label, []).append(reading)
    return found


def _escaped(reading: Reading) -> Reading:
    return replace(reading, cell=escape(reading.cell), meaning=escape(reading.meaning))


def _show_result(console: Console, imported: Imported, study: str, *, written: bool) -> None:
    found = imported.study
    rows = ", ".join(f"{name} {frame.height:,}" for name, frame in found.tables.items())
    headline = "[bold green]Wrote[/bold green]" if written else "[bold]Would write[/bold]"
    console.print(f"{headline} {escape(study)}: {rows}", soft_wrap=True)
    items = _items(imported)
    console.print(
        f"  {_count(len(found.systems), 'system')} ({escape(_some(found.systems))}), {_count(items, 'item')}, "
        f"{_count(len(found.annotators), 'annotator')}",
        soft_wrap=True,
    )
    for notice in found.notices:
        console.print(f"  [yellow]warning[/yellow] {escape(notice.text)}", soft_wrap=True)
    if written:
        console.print(f"Next: [bold]{escape(_next_command(study))}[/bold]", soft_wrap=True)
    else:
        console.print("Nothing was written (--dry-run).")


def _items(imported: Imported) -> int:
    return len({item for frame in imported.study.tables.values() for item in frame["item"].unique().to_list()})


def _next_command(study: str) -> str:
    return f"tiebreak doctor '{study}'" if " " in study else f"tiebreak doctor {study}"


def _some(names: Sequence[str]) -> str:
    hidden = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {hidden} more" if hidden > 0 else "")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _document(mappings: Sequence[Mapping], imported: Imported, study: str, *, written: bool) -> dict[str, object]:
    found = imported.study
    return {
        "study": study,
        "written": written,
        "files": [
            {
                "file": mapping.sheet.source,
                "shape": mapping.shape,
                "rows": len(mapping.sheet.rows),
                "columns": {
                    binding.target: {
                        "columns": list(binding.columns),
                        "constant": binding.constant,
                        "how": binding.origin,
                    }
                    for binding in mapping.bindings
                },
                "unused": list(mapping.unused),
            }
            for mapping in mappings
        ],
        "readings": [
            {"file": r.file, "column": r.column, "cell": r.cell, "meaning": r.meaning, "count": r.count}
            for r in imported.readings
        ],
        "assumptions": list(imported.assumptions),
        "skipped": [{"file": s.file, "reason": s.reason, "count": s.count} for s in imported.skipped],
        "tables": {name: frame.height for name, frame in found.tables.items()},
        "systems": list(found.systems),
        "items": _items(imported),
        "annotators": list(found.annotators),
        "warnings": [notice.to_dict() for notice in found.notices],
        "next": _next_command(study) if written else None,
    }
