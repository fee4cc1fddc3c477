"""`tiebreak campaign`: collect labels in spreadsheets until every pair is decided."""

from __future__ import annotations

import typer

from tiebreak.cli.campaign.collect import collect_command
from tiebreak.cli.campaign.create import create_command
from tiebreak.cli.campaign.exclude import exclude_command
from tiebreak.cli.campaign.export import export_command
from tiebreak.cli.campaign.sheet import sheet_command
from tiebreak.cli.campaign.status import status_command
from tiebreak.cli.campaign.stop import stop_command
from tiebreak.cli.help_text import help_of

app = typer.Typer(name="campaign", help="Collect labels until every pair is decided.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Collect labels in spreadsheets, from several people, until every pair of systems is decided."""


app.command("create", help=help_of(create_command))(create_command)
app.command("sheet", help=help_of(sheet_command))(sheet_command)
app.command("collect", help=help_of(collect_command))(collect_command)
app.command("status", help=help_of(status_command))(status_command)
app.command("exclude", help=help_of(exclude_command))(exclude_command)
app.command("stop", help=help_of(stop_command))(stop_command)
app.command("export", help=help_of(export_command))(export_command)
