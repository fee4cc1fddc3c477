"""What the answers of an evaluator are good for in the study that they were written into."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tiebreak.cli.score_next import show_next
from tiebreak.cli.terminal import console_for_results, say, say_command
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.results.numbers import counted


def show_use(study: Path, option: str, name: str) -> None:
    """The next command, with the option that names a judge or metric; or that it learned from labels of the study."""
    read = read_study(study)
    learned = read.trained_here.get(name)
    if learned is not None and learned.why == "learned":
        say(
            console_for_results(),
            f"It was trained with labels of {counted(learned.items, 'item')} of this study, and results from these "
            f"labels leave it out: {learned.instead}.",
        )
    elif learned is not None:
        say(console_for_results(), f"{name} {learned.words}, and results leave it out: {learned.instead}.")
    elif option == "--metric" and not _has_pairs(read):
        say_command(console_for_results(), "estimate", study, option, name, before="Next: ")
    else:
        show_next(study, (option, name))


def _has_pairs(study: Study) -> bool:
    """Whether two systems have outputs for one item: only these can be compared."""
    if study.outputs is None:
        return False
    systems = study.outputs.group_by("item").agg(pl.col("system").n_unique())["system"]
    return bool((systems > 1).any())
