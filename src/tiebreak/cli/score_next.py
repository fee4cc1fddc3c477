"""What to do with scores and judgements: nothing follows from them without labels of people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.cli.terminal import console_for_results, say, say_command
from tiebreak.data.schema import LABEL_TABLES
from tiebreak.data.study import Study
from tiebreak.places.place import place_at, study_at

_ASKED: Final = ("item", "annotator", "criterion")


def show_next(path: Path, options: Sequence[str]) -> None:
    """The command that uses what was scored in the study at a path; `options`: those of `compare` that name it.

    In an export its own analysis does: the verdict of the campaign does not use what came later.
    """
    console, study, kind = console_for_results(), study_at(path), place_at(path).kind
    own = ("--own-analysis",) if kind == "export" else ()
    if kind == "watched":
        say_command(console, "watch", path, before="Next: ")
    elif _is_compared(study):
        say_command(console, "compare", path, *own, *options, before="Next: ")
    elif study.ratings is not None:
        say_command(console, "estimate", path, *own, *options, before="Next: ")
    else:
        say(
            console,
            "Next: labels of people, without which nothing is decided: tiebreak campaign create collects them, "
            "tiebreak add takes those that you have.",
        )


def _is_compared(study: Study) -> bool:
    """Whether somebody preferred one of two outputs, or labelled two systems on one item."""
    labels = {name: study.tables[name] for name in LABEL_TABLES if name in study.tables}
    return "preferences" in labels or any(_has_pairs(frame) for frame in labels.values())


def _has_pairs(labels: pl.DataFrame) -> bool:
    alike = [column for column in _ASKED if column in labels.columns]
    return bool((labels.group_by(alike).agg(pl.col("system").n_unique())["system"] > 1).any())
