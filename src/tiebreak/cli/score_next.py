"""What to do with scores and judgements: nothing follows from them without labels of people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tiebreak.cli.terminal import console_for_results, say, say_command
from tiebreak.data.schema import LABEL_TABLES
from tiebreak.data.writers import stamps_of
from tiebreak.watching.folder import is_watched


def show_next(path: Path, options: Sequence[str]) -> None:
    """The command that uses what was scored in the study at a path; `options`: those of `compare` that name it."""
    console = console_for_results()
    if is_watched(path):
        say_command(console, "watch", path, before="Next: ")
    elif any(Path(file).stem in LABEL_TABLES for file in stamps_of(path)):
        say_command(console, "compare", path, *options, before="Next: ")
    else:
        say(
            console,
            "Next: labels of people, without which nothing is decided: tiebreak campaign create collects them, "
            "tiebreak add takes those that you have.",
        )
