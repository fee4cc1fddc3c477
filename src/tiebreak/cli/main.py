"""The command `tiebreak`: registers the commands, and turns errors into messages and exit codes.

Exit 0: done. 1: bad input. 2: used wrongly. Errors go to stderr, without a traceback.
"""

from __future__ import annotations

import sys
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
from tiebreak.errors import InputError, TiebreakError, UsageError
from tiebreak.version import __version__

app = typer.Typer(
    name="tiebreak",
    no_args_is_help=True,
    add_completion=False,
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


def run() -> None:
    """Entry point of the console script."""
    try:
        app()
    except UsageError as error:
        _fail(str(error), 2)
    except InputError as error:
        count = error.total
        _fail(f"{count:,} problem{'s' if count != 1 else ''} in the input; nothing was changed.\n{error}", 1)
    except TiebreakError as error:
        _fail(str(error), 1)
    except BrokenPipeError:  # `tiebreak ... | head`: the reader has seen enough
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:  # a folder that may not be written, a full disk
        _fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error), 1)


def _fail(message: str, code: int) -> None:
    sys.stderr.write(f"tiebreak: {message}\n")
    sys.exit(code)
