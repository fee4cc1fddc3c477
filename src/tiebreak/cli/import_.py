"""`tiebreak import FORMAT`: other tools' files turned into a study folder, one command for each importer."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiebreak.cli.help_page import Group, add_command
from tiebreak.cli.setting_options import with_settings
from tiebreak.cli.show_import import console_for_import, import_document, show_files, show_findings, show_written
from tiebreak.cli.terminal import say, stdin_is_terminal, write_json
from tiebreak.errors import UsageError
from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.registry import IMPORTERS
from tiebreak.numbers import printable

if TYPE_CHECKING:
    from tiebreak.importers.importer import Importer, Proposal

app = typer.Typer(name="import", cls=Group, help="Turn other tools' files into a study.", no_args_is_help=True)


class StudyFormat(StrEnum):
    """File format of the study's tables."""

    csv = "csv"
    parquet = "parquet"
    jsonl = "jsonl"


@app.callback()
def _group() -> None:
    """Turn other tools' files into a study."""


def command_of(importer: Importer) -> Callable[..., None]:
    """The command of a format: its own options, and those that every format has."""

    def command(
        *,
        files: list[str] | None = None,
        study: Annotated[str, typer.Argument(metavar="STUDY", help="The study folder to create.")],
        settings: Any,
        format_: Annotated[
            StudyFormat, typer.Option("--format", help="File format of the study's tables.")
        ] = StudyFormat.csv,
        yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; accept what was guessed.")] = False,
        dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and write nothing.")] = False,
        json_: Annotated[
            bool, typer.Option("--json", help="One JSON document on stdout; everything else on stderr.")
        ] = False,
    ) -> None:
        """Read the files, show what was understood, ask, and write the study; help comes from the importer."""
        target = _new_folder(study, importer)
        proposal = importer.read(files or [], settings)
        console = console_for_import(to_stderr=json_)
        show_files(console, proposal.files)
        proposal.refuse_nonsense()
        imported = proposal.build(target.resolve().name)
        show_findings(console, imported)
        write = not dry_run
        if yes:  # with --dry-run, too: what it shows is what the same command without it does
            proposal.refuse_unsure(importer.correction)
        if write and not yes and not _confirmed(proposal, study, importer, to_stderr=json_):
            say(console, f"Nothing was written. To read a column differently, pass {importer.correction}.")
            raise typer.Exit(1)
        if write:
            from tiebreak.data.writers import write_study

            write_study(imported.study, target, format=format_.value)
        show_written(console, imported, study, written=write)
        if json_:
            document = import_document(proposal.files, imported, study, written=write)
            write_json(document)

    listed = f"Files ({', '.join(importer.endings)}); {importer.file_hint}."
    command.__annotations__ |= {
        "files": Annotated[list[str] | None, typer.Argument(metavar="FILE", help=listed, show_default=False)],
        "settings": importer.settings,
    }
    return with_settings(importer.settings)(command)


for _importer in IMPORTERS:
    add_command(app, _importer.name, command_of(_importer), _importer.help)


def _new_folder(study: str, importer: Importer) -> Path:
    """Refuse a bad target before any question is asked."""
    if not study:
        usage = f"tiebreak import {importer.name} FILE... STUDY"
        raise UsageError(f"name the files and then the study folder to create: {usage}")
    path = Path(study)
    if path.is_file():
        raise UsageError(f"{study} is a file; the last argument is the study folder to create")
    if path.is_dir() and any(path.iterdir()):
        raise UsageError(f"{study} is not empty; name a new folder for the study")
    return path


def _confirmed(proposal: Proposal, study: str, importer: Importer, *, to_stderr: bool) -> bool:
    if stdin_is_terminal():
        sure = proposal.confidence >= SURE_ENOUGH
        return typer.confirm(f"Write the study to {printable(study)}?", default=sure, err=to_stderr)
    proposal.refuse_guesses(importer.correction)
    return True
