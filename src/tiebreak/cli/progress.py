"""How far long work is, on standard error: a bar with the time left on a terminal, a line now and then in a log."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Final

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tiebreak.cli.terminal import Terminal, console_for_messages

_SECONDS_BETWEEN: Final = 30.0  # lines in a log
INTERRUPTED: Final = 130


class Bar:
    """Work of so many steps. `made`: steps of this run, over everything that it began."""

    def __init__(self, console: Terminal, bars: Progress, words: str, total: int | None) -> None:
        self._console, self._bars = console, bars
        self._task = bars.add_task(words, total=total)
        self._words, self._total, self._done, self._first = words, total, 0, 0
        self._began = self._told = time.monotonic()
        self.made = 0

    def begin(self, words: str, total: int, done: int = 0) -> None:
        """Other work, of which so much was done before."""
        self._words, self._total, self._done, self._first = words, total, done, done
        self._began = self._told = time.monotonic()
        self._bars.reset(self._task, description=words, total=total, completed=done)

    def advance(self, steps: int) -> None:
        """So many more steps are done."""
        self.update(self._done + steps, self._total)

    def update(self, done: int, total: int | None, words: str | None = None) -> None:
        """So many steps are done, of so many."""
        self.made += done - self._done
        self._done, self._total, self._words = done, total, self._words if words is None else words
        self._bars.update(self._task, completed=done, total=total, description=self._words)
        now = time.monotonic()
        if not self._console.is_terminal and now - self._told >= _SECONDS_BETWEEN:
            self._told = now
            rate = max(done - self._first, 1) / (now - self._began)
            of, left = ("", "") if total is None else (f" of {total:,}", f", {(total - done) / rate:,.0f} s left")
            self._console.say(f"{self._words}: {done:,}{of}, {rate:,.3g} per second{left}")


@contextmanager
def progress_bar(words: str = "", total: int | None = None) -> Iterator[Bar]:
    """A bar; None: nobody knows how many steps there are."""
    console = console_for_messages()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        yield Bar(console, bars, words, total)


@contextmanager
def working(words: str) -> Iterator[None]:
    """Say what is being done while it is, on a terminal."""
    console = console_for_messages()
    with console.status(words) if console.is_terminal else nullcontext():
        yield


def interrupted(kept: str) -> typer.Exit:
    """To leave with after Ctrl-C, which says what is kept."""
    console_for_messages().say(f"Interrupted. {kept}")
    return typer.Exit(INTERRUPTED)
