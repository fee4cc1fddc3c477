"""`tiebreak evaluator`: train a model that compares outputs, and use it."""

from __future__ import annotations

import typer

from tiebreak.cli.evaluator.commands import choose_command, follow_command, judge_command, score_command, train_command
from tiebreak.cli.help_page import Group, add_command

app = typer.Typer(
    name="evaluator", cls=Group, help="Train a model that compares outputs, and use it.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """Train a model that compares two outputs from references, checkpoints and human labels, and judge with it."""


add_command(app, "train", train_command)
add_command(app, "judge", judge_command)
add_command(app, "score", score_command)
add_command(app, "follow", follow_command)
add_command(app, "choose", choose_command)
