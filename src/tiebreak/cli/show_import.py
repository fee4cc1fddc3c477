"""What `tiebreak import` prints: how each file is read, what was found in it, and what was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tiebreak.importers.importer import LEFT_OUT, ORIGIN_WORDS

if TYPE_CHECKING:
    from tiebreak.importers.importer import Field, Imported, Reading, UnderstoodFile

EXAMPLE_WIDTH: Final = 36
NAMES_SHOWN: Final = 8


def console_for_import(*, to_stderr: bool) -> Console:
    """As wide as the terminal; on standard error where the result is a document on standard output."""
    return Console(stderr=to_stderr, highlight=False)


def show_files(console: Console, files: Sequence[UnderstoodFile]) -> None:
    """Each file's columns; files that are read the same way, but for the system they are about, together."""
    groups: dict[object, list[UnderstoodFile]] = {}
    for file in files:
        read = tuple(
            (field.target, field.columns, field.constant, field.origin)
            for field in file.fields
            if field.target != "system" or field.columns
        )
        groups.setdefault((file.shape, read, file.unused), []).append(file)
    for alike in groups.values():
        _show_alike(console, alike)


def _show_alike(console: Console, alike: Sequence[UnderstoodFile]) -> None:
    """The files' names and shape, and one table: study column, file column, example, why."""
    console.print()
    for file in alike:
        rows = _count(file.rows, "row")
        console.print(f"[bold]{escape(file.file)}[/bold]: {escape(file.shape)}, {rows}", soft_wrap=True)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0))
    table.add_column("study", style="cyan", no_wrap=True)
    table.add_column("from column", overflow="fold", min_width=16)
    table.add_column("example", style="dim", overflow="ellipsis", no_wrap=True)
    table.add_column("known by", style="dim", no_wrap=True)
    for field in alike[0].fields:
        if field.target == LEFT_OUT:
            continue
        for number, cells in enumerate(_sources_and_examples(alike, field)):
            table.add_row(field.target if number == 0 else "", *map(escape, cells), ORIGIN_WORDS[field.origin])
    console.print(table)
    if alike[0].unused:
        console.print(f"[dim]not used: {escape(', '.join(alike[0].unused))}[/dim]", soft_wrap=True)


def _sources_and_examples(alike: Sequence[UnderstoodFile], field: Field) -> list[tuple[str, str]]:
    if field.columns:
        return [(column, _short(example)) for column, example in zip(field.columns, field.examples, strict=True)]
    stated = [found.constant or "" for file in alike if (found := file.get(field.target)) is not None]
    return [("(no column)", _short(_some(list(dict.fromkeys(stated)))))]


def _short(cell: str) -> str:
    text = " ".join(cell.split())
    return text if len(text) <= EXAMPLE_WIDTH else text[: EXAMPLE_WIDTH - 1] + "…"


def show_findings(console: Console, imported: Imported) -> None:
    """How the cells of outcomes were read, what the files do not say, and what was left out."""
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


def show_written(console: Console, imported: Imported, study: str, *, written: bool) -> None:
    """The study that was written, or would be, and the next command."""
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


def import_document(
    files: Sequence[UnderstoodFile], imported: Imported, study: str, *, written: bool
) -> dict[str, object]:
    """Everything that is printed, for `--json`."""
    found = imported.study
    return {
        "study": study,
        "written": written,
        "files": [
            {
                "file": file.file,
                "shape": file.shape,
                "rows": file.rows,
                "columns": {
                    field.target: {"columns": list(field.columns), "constant": field.constant, "how": field.origin}
                    for field in file.fields
                },
                "unused": list(file.unused),
            }
            for file in files
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
