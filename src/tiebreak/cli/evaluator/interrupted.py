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
