"""`tiebreak campaign`: collect labels in spreadsheets until every pair is decided."""

from __future__ import annotations

import typer

from tiebreak.cli.campaign.changes import (
    backup_command,
    erase_command,
    exclude_command,
    log_command,
    stop_command,
    withdraw_command,
)
from tiebreak.cli.campaign.create import create_command
from tiebreak.cli.campaign.serve import (
    demo_command,
    invite_command,
    pause_command,
    revoke_command,
    serve_command,
)
from tiebreak.cli.campaign.sheet import collect_command, sheet_command
from tiebreak.cli.campaign.status import export_command, status_command
from tiebreak.cli.help_page import Group, add_command

app = typer.Typer(name="campaign", cls=Group, help="Collect labels until every pair is decided.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Collect labels in spreadsheets, from several people, until every pair of systems is decided."""


add_command(app, "create", create_command)
add_command(app, "demo", demo_command)
add_command(app, "serve", serve_command)
add_command(app, "sheet", sheet_command)
add_command(app, "collect", collect_command)
add_command(app, "status", status_command)
add_command(app, "invite", invite_command)
add_command(app, "revoke", revoke_command)
add_command(app, "pause", pause_command)
add_command(app, "exclude", exclude_command)
add_command(app, "withdraw", withdraw_command)
add_command(app, "stop", stop_command)
add_command(app, "export", export_command)
add_command(app, "log", log_command)
add_command(app, "backup", backup_command)
add_command(app, "erase", erase_command)
