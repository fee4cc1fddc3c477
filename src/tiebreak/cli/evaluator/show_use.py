"""What the answers of an evaluator are good for in the study that they were written into."""

from __future__ import annotations

from pathlib import Path

from tiebreak.cli.score_next import show_next
from tiebreak.cli.terminal import console_for_results, say
from tiebreak.data.readers import read_study
from tiebreak.results.numbers import counted


def show_use(study: Path, option: str, name: str) -> None:
    """The next command, with the option that names a judge or metric; or that it learned from labels of the study."""
    learned = read_study(study).trained_here.get(name)
    if learned is None:
        show_next(study, (option, name))
    elif learned.why == "learned":
        say(
            console_for_results(),
            f"It was trained with labels of {counted(learned.items, 'item')} of this study, and results from these "
            f"labels leave it out: {learned.instead}.",
        )
    else:
        reason = f"{learned.who} {learned.words}; {learned.instead}"
        say(console_for_results(), f"Results leave it out: {reason}.")
