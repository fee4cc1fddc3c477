"""Ctrl-C while an evaluator works: what it has done is kept, and how to go on is said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import typer

from tiebreak.cli.terminal import console_for_messages, say

_INTERRUPTED: Final = 130


@contextmanager
def keeping_what_is_done(*, overwrite: bool = False) -> Iterator[None]:
    """Leave with a sentence on an interruption. `overwrite`: the same command would begin anew, and replace it."""
    try:
        yield
    except KeyboardInterrupt:
        command = "Without --overwrite the same command" if overwrite else "The same command"
        say(console_for_messages(), f"Interrupted. {command} goes on from what is kept.")
        raise typer.Exit(_INTERRUPTED) from None
