"""`tiebreak score`: judges over the outputs of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.options import JsonOption
from tiebreak.cli.plain_output import write_json
from tiebreak.cli.setting_options import with_settings
from tiebreak.scoring.judges.settings import JudgingSettings


@with_settings(JudgingSettings)
def score_command(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Folder with the study's tables.", show_default=False)],
    *,
    settings: JudgingSettings,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before calls that cost money.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be asked and write nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Run judges over the outputs of a study, and add what they say to it.

    Replies are kept as they come: after an interruption, the same command makes only the calls that are missing.

    Example: tiebreak score my-study --judge gpt-4o --dry-run
    """
    from tiebreak.cli.score_judges import run_judges

    document, code = run_judges(study, settings, yes=yes, dry_run=dry_run, quiet=as_json)
    if as_json:
        write_json({"study": str(study), "judges": document})
    if code:
        raise typer.Exit(code)
