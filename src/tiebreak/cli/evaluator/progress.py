"""How far a training or a judging is, on standard error.

Ctrl-C while an evaluator works: what it has done is kept, and how to go on is said.

The packages that evaluators need.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tiebreak.cli.terminal import console_for_messages, say
from tiebreak.errors import ExtraMissingError
from tiebreak.scoring.evaluator.examples.rows import SOURCES

if TYPE_CHECKING:
    from tiebreak.scoring.evaluator.training.stages import Stage


@contextmanager
def progress_of_training(folds: int | None) -> Iterator[Callable[[int, Stage, int, float], None]]:
    """A function to call after each step, and a bar where standard error is a terminal."""

    console = console_for_messages()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("reading")

        def report(fold: int, stage: Stage, step: int, loss: float) -> None:
            of = "" if folds is None else f"fold {fold + 1} of {folds}, "
            words = f"{of}learns from {SOURCES[stage.source]}, loss {loss:.2f}"
            progress.update(bar, completed=step, total=stage.steps, description=words)

        yield report


@contextmanager
def progress_of_judging() -> Iterator[Callable[[int, int], None]]:
    """A function to call with the pairs judged and those in all."""

    console = console_for_messages()
    columns = (TextColumn("pairs judged"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("")
        yield lambda done, total: progress.update(bar, completed=done, total=total)


@contextmanager
def progress_of_scoring() -> Iterator[Callable[[int], None]]:
    """A function to call with the comparisons made, or the outputs scored alone, since the last call."""

    console = console_for_messages()
    columns = (
        SpinnerColumn(),
        TextColumn("comparisons, or outputs scored alone"),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=None)
        yield lambda more: progress.advance(bar, more)


_INTERRUPTED: Final = 130


@contextmanager
def keeping_what_is_done(*, overwrite: bool = False) -> Iterator[None]:
    """Leave with a sentence on an interruption. `overwrite`: nothing is kept, so that what is to be replaced stays."""
    try:
        yield
    except KeyboardInterrupt:
        kept = (
            "--overwrite replaces answers when all new ones are there: until then the old ones stay."
            if overwrite
            else "The same command goes on from what is kept."
        )
        say(console_for_messages(), f"Interrupted. {kept}")
        raise typer.Exit(_INTERRUPTED) from None


def needs_torch() -> None:
    """Raise ExtraMissingError, with the command that installs them, where torch or transformers are not installed."""
    for package in ("torch", "transformers", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise ExtraMissingError("a comparative evaluator", package, "evaluator")
