"""What `tiebreak import` prints: how each file is read, what was found in it, and what was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final, cast

from rich.console import Console
from rich.text import Text

from tiebreak.cli.terminal import (
    Cell,
    Name,
    Words,
    bullets,
    console_for_messages,
    console_for_results,
    say,
    say_command,
    show_table,
)
from tiebreak.importers.draft import Draft, example_of
from tiebreak.importers.entries import Reading
from tiebreak.importers.plans import FilePlan
from tiebreak.importers.reading import Imported
from tiebreak.importers.shaping import Table
from tiebreak.numbers import command, counted, quoted, some_names
from tiebreak.records import Notice

EXAMPLE_WIDTH: Final = 36
NAMES_SHOWN: Final = 8
MOST_READINGS: Final = 20
"""Different cells of a column of outcomes that are shown, the most frequent first."""


def console_for_import(*, to_stderr: bool) -> Console:
    """As wide as the terminal; on standard error where the result is a document on standard output."""
    return console_for_messages() if to_stderr else console_for_results()


def show_plans(console: Console, plans: Sequence[FilePlan]) -> None:
    """How each file is read: by which format, or column by column."""
    for plan in plans:
        say(console)
        names = ", ".join(source.file for source in plan.sources[:NAMES_SHOWN])
        more = f" and {len(plan.sources) - NAMES_SHOWN} more" if len(plan.sources) > NAMES_SHOWN else ""
        what = f": {plan.format.title}" if plan.format is not None else f": read by {plan.by}"
        say(console, Text.assemble((names + more, "bold"), what))
        if plan.draft is not None and plan.table is not None:
            _show_fields(console, plan, plan.table, plan.draft)


def _show_fields(console: Console, plan: FilePlan, table: Table, draft: Draft) -> None:
    columns = [Name("field"), Words("column"), Words("example")]
    rows: list[tuple[Cell, ...]] = []
    for name in plan.recipe.fields:
        for number, said in enumerate(plan.recipe.columns_of(name)):
            example = "" if said not in table.examples else _short(example_of(table, said))
            field = Text(name if number == 0 else "", style="cyan")
            rows.append((field, said, Text(example, style="dim")))
    for column, example in draft.open.items():
        rows.append((Text("?", style="bold yellow"), column, Text(_short(example), style="dim")))
    show_table(console, columns, rows)
    if ignored := [column for column in plan.recipe.ignore if column == "*" or column in table.examples]:
        say(console, f"ignored: {', '.join(ignored)}", style="dim")


def _short(cell: str) -> str:
    text = " ".join(cell.split())
    return text if len(text) <= EXAMPLE_WIDTH else text[: EXAMPLE_WIDTH - 1] + "…"


def show_findings(console: Console, imported: Imported) -> None:
    """How the cells of outcomes were read, what the files do not say, and what was left out."""
    show_readings(console, imported.readings)
    if imported.assumptions:
        say(console)
        say(console, "What the files do not say:")
        bullets(console, imported.assumptions, indent=2)
    if imported.skipped:
        say(console)
        say(console, "Left out:")
        bullets(console, [f"{found.reason} ({found.count:,}, {found.file})" for found in imported.skipped], indent=2)
    say(console)


def show_readings(console: Console, read: Sequence[Reading]) -> None:
    """How the cells of outcomes were read."""
    for column, readings in _by_column(read).items():
        told = Text(", ").join(
            Text.assemble(f"{r.cell} → ", (r.meaning, "bold"), f" ({r.count:,})") for r in readings[:MOST_READINGS]
        )
        if len(readings) > MOST_READINGS:
            told.append(f" and {len(readings) - MOST_READINGS:,} others")
        say(console)
        say(console, Text.assemble((column, "cyan"), " is read as: ", told))


def _by_column(readings: Sequence[Reading]) -> dict[str, list[Reading]]:
    files = {reading.file for reading in readings}
    found: dict[str, list[Reading]] = {}
    for reading in readings:
        label = reading.column if len(files) == 1 else f"{reading.file}, {reading.column}"
        found.setdefault(label, []).append(reading)
    return found


def show_written(console: Console, imported: Imported, study: str, *, written: bool) -> None:
    """The study that was written, or would be, and the next command."""
    found = imported.study
    counts = [(name, frame.height) for name, frame in found.tables_as_read.items()]
    known = [("signatures", len(found.signatures))] if found.signatures else []
    rows = ", ".join(f"{name} {count:,}" for name, count in [*counts, *known])
    headline = Text("Wrote", style="bold green") if written else Text("Would write", style="bold")
    say(console, Text.assemble(headline, f" {study}: {rows}"))
    sizes = [
        f"{counted(len(found.systems), 'system')} ({_some(found.systems)})",
        counted(_items(imported), "item"),
        counted(len(found.annotators), "annotator"),
    ]
    say(console, ", ".join(sizes), indent=2)
    for notice in found.notices:
        say(console, Text.assemble(("warning ", "yellow"), notice.text), indent=2, hanging=2)
        for line in _values_for_one_spelling(notice, imported):
            say(console, line, indent=4, hanging=2)
    if written:
        say_command(console, "check", study, before="Next: ")
    else:
        say(console, "Nothing was written (--dry-run).")


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


def _some(names: Sequence[str]) -> str:
    return some_names(names, NAMES_SHOWN)


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
