"""What `tiebreak import` prints: how each file is read, what was found in it, and what was written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from rich.console import Console
from rich.text import Text

from tiebreak.cli.terminal import (
    Cell,
    bullets,
    console_for_messages,
    console_for_results,
    name_column,
    say,
    say_command,
    show_table,
    words_column,
)
from tiebreak.importers.importer import LEFT_OUT, ORIGIN_WORDS, SURE_ENOUGH
from tiebreak.numbers import command, counted, quoted, some_names

if TYPE_CHECKING:
    from tiebreak.importers.importer import Field, Imported, Reading, UnderstoodFile
    from tiebreak.records import Notice

EXAMPLE_WIDTH: Final = 36
NAMES_SHOWN: Final = 8
MOST_READINGS: Final = 20
"""Different cells of a column of outcomes that are shown, the most frequent first."""


def console_for_import(*, to_stderr: bool) -> Console:
    """As wide as the terminal; on standard error where the result is a document on standard output."""
    return console_for_messages() if to_stderr else console_for_results()


def show_files(console: Console, files: Sequence[UnderstoodFile]) -> None:
    """Each file's columns; files that are read the same way, but for the system they are about, together."""
    groups: dict[object, list[UnderstoodFile]] = {}
    for file in files:
        read = tuple(
            (field.target, field.columns, field.constant, field.origin)
            for field in file.fields
            if field.target != "system" or field.columns
        )
        groups.setdefault((file.shape, read, file.unused, file.doubts), []).append(file)
    for alike in groups.values():
        _show_alike(console, alike)


def _show_alike(console: Console, alike: Sequence[UnderstoodFile]) -> None:
    """The files' names and shape, and one table: study column, file column, example, why."""
    say(console)
    for file in alike:
        say(console, Text.assemble((file.file, "bold"), f": {file.shape}, {counted(file.rows, 'row')}"))
    columns = [
        name_column("study"),
        words_column("from column", "from column {}"),
        words_column("example", "example: {}"),
        words_column("known by", "known by {}"),
    ]
    rows: list[tuple[Cell, ...]] = []
    for field in alike[0].fields:
        if field.target == LEFT_OUT:
            continue
        for number, (column, example) in enumerate(_sources_and_examples(alike, field)):
            target = Text(field.target if number == 0 else "", style="cyan")
            rows.append((target, column, Text(example, style="dim"), Text(ORIGIN_WORDS[field.origin], style="dim")))
    show_table(console, columns, rows)
    if alike[0].unused:
        say(console, f"not used: {', '.join(alike[0].unused)}", style="dim")
    say(console, Text.assemble("confidence: ", (share_text(alike[0].confidence), _style(alike[0].confidence))))
    # What makes no sense is said by the error that follows.
    doubts = [doubt for doubt in alike[0].doubts if doubt not in alike[0].nonsense]
    bullets(console, [f"{doubt.reason}: {doubt.cure}" for doubt in doubts], indent=2)


def share_text(confidence: float) -> str:
    """`97%`; nothing that was guessed is 100%."""
    return "100%, as you said it" if confidence == 1 else f"{min(confidence, 0.99):.0%}"


def _style(confidence: float) -> str:
    return "green" if confidence >= SURE_ENOUGH else "bold yellow"


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
        for line in _options_for_one_spelling(notice):
            say(console, line, indent=4, hanging=2)
    if written:
        say_command(console, "check", study, before="Next: ")
    else:
        say(console, "Nothing was written (--dry-run).")


def _options_for_one_spelling(notice: Notice) -> list[str]:
    """What makes one name of those that differ by their spelling, and are kept apart."""
    kinds = {"annotator": "--same", "judge": "--same", "criterion": "--same", "system": "--rename"}
    option = kinds.get(str(notice.details.get("column")))
    if notice.code != "similar-names" or option is None:
        return []
    groups = cast("list[list[str]]", notice.details["groups"])
    pairs = [(other, group[-1]) for group in groups for other in group[:-1]]
    return ["if they are the same, import again with", *(f"  {option} {quoted(f'{a}={b}')}" for a, b in pairs)]


def _items(imported: Imported) -> int:
    return len({item for frame in imported.study.tables.values() for item in frame["item"].unique().to_list()})


def _some(names: Sequence[str]) -> str:
    return some_names(names, NAMES_SHOWN)


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
                "confidence": round(file.confidence, 3),
                "doubts": [{"reason": doubt.reason, "cure": doubt.cure} for doubt in file.doubts],
            }
            for file in files
        ],
        "readings": [
            {"file": r.file, "column": r.column, "cell": r.cell, "meaning": r.meaning, "count": r.count}
            for r in imported.readings
        ],
        "assumptions": list(imported.assumptions),
        "skipped": [{"file": s.file, "reason": s.reason, "count": s.count} for s in imported.skipped],
        "tables": {name: frame.height for name, frame in found.tables_as_read.items()},
        "systems": list(found.systems),
        "items": _items(imported),
        "annotators": list(found.annotators),
        "warnings": [notice.to_dict() for notice in found.notices],
        "next": command("check", study) if written else None,
    }
