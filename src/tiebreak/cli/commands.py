"""All commands of `tiebreak`, by name. Modules of commands import what they compute with when they run."""

from __future__ import annotations

from typing import Annotated

import typer

from tiebreak.cli.campaign import app as campaign_app
from tiebreak.cli.compare import compare_command
from tiebreak.cli.demo import demo_command
from tiebreak.cli.doctor import doctor_command
from tiebreak.cli.help_text import help_of
from tiebreak.cli.import_ import app as import_app
from tiebreak.cli.pair import pair_command
from tiebreak.cli.plan import plan_command
from tiebreak.cli.plot import plot_command
from tiebreak.cli.report import report_command
from tiebreak.cli.simulate import simulate_command
from tiebreak.version import __version__

app = typer.Typer(
    name="tiebreak",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},  # for every command and group below, too
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Decides which text-generation system is better with as few human labels as possible.\n\n"
    "Start with: tiebreak demo",
)
app.command("demo", help=help_of(demo_command))(demo_command)
app.command("doctor", help=help_of(doctor_command))(doctor_command)
app.command("compare", help=help_of(compare_command))(compare_command)
app.command("report", help=help_of(report_command))(report_command)
app.command("plot", help=help_of(plot_command))(plot_command)
app.command("pair", help=help_of(pair_command))(pair_command)
app.command("plan", help=help_of(plan_command))(plan_command)
app.add_typer(campaign_app, name="campaign")
app.command("simulate", help=help_of(simulate_command))(simulate_command)
app.add_typer(import_app, name="import")


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"tiebreak {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of every command."""
