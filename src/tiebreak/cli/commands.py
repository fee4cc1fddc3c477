"""All commands of `tiebreak`, by name. Modules of commands import what they compute with when they run."""

from __future__ import annotations

from typing import Annotated

import typer

from tiebreak.cli.add import add_command as add_rows_command
from tiebreak.cli.annotators import annotators_command
from tiebreak.cli.audit import audit_command
from tiebreak.cli.campaign import app as campaign_app
from tiebreak.cli.check import check_command
from tiebreak.cli.compare import compare_command
from tiebreak.cli.demo import demo_command
from tiebreak.cli.estimate import estimate_command
from tiebreak.cli.evaluator import app as evaluator_app
from tiebreak.cli.help_page import Group, add_command
from tiebreak.cli.import_ import import_command
from tiebreak.cli.pair import pair_command
from tiebreak.cli.plan import plan_command
from tiebreak.cli.plot import plot_command
from tiebreak.cli.rank import rank_command
from tiebreak.cli.report import report_command
from tiebreak.cli.score import score_command
from tiebreak.cli.simulate import simulate_command
from tiebreak.cli.watch import watch_command
from tiebreak.version import __version__

app = typer.Typer(
    name="tiebreak",
    cls=Group,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},  # for every command and group below, too
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Decides which text-generation system is better with as few human labels as possible.\n\n"
    "Start with: tiebreak demo",
)
add_command(app, "demo", demo_command)
add_command(app, "check", check_command)
add_command(app, "compare", compare_command)
add_command(app, "watch", watch_command)
add_command(app, "estimate", estimate_command)
add_command(app, "rank", rank_command)
add_command(app, "audit", audit_command)
add_command(app, "annotators", annotators_command)
add_command(app, "report", report_command)
add_command(app, "plot", plot_command)
add_command(app, "score", score_command)
add_command(app, "pair", pair_command)
add_command(app, "plan", plan_command)
app.add_typer(campaign_app, name="campaign")
add_command(app, "simulate", simulate_command)
app.add_typer(evaluator_app, name="evaluator")
add_command(app, "import", import_command)
add_command(app, "add", add_rows_command)


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
