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

app = typer.Typer(name="campaign", help="Collect labels until every pair is decided.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Collect labels in spreadsheets, from several people, until every pair of systems is decided."""


app.command("create")(create_command)
app.command("sheet")(sheet_command)
app.command("collect")(collect_command)
app.command("status")(status_command)
app.command("exclude")(exclude_command)
app.command("stop")(stop_command)
app.command("export")(export_command)
