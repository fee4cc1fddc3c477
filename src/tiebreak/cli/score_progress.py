"""How far `tiebreak score` is: a bar with rate and time left on a terminal, a line now and then in a log."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from tiebreak.cli.terminal import say
from tiebreak.results.numbers import counted

_SECONDS_BETWEEN: Final = 30.0  # lines in a log


class _Rate(ProgressColumn):
    """Texts per second."""

    def render(self, task: Task) -> Text:
        """Nothing before the first ones."""
        return Text("" if not task.speed else f"{task.speed:,.0f}/s" if task.speed >= 10 else f"{task.speed:.1f}/s")


class ScoreProgress:
    """To be told of texts that are scored (`tiebreak.scoring.records.Progress`)."""

    def __init__(self, console: Console) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
        self._console = console
        self._bars = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._bar = self._bars.add_task("", visible=False)
        self._metric, self._texts, self._done, self._made = "", 0, 0, 0
        self._began = self._said = time.monotonic()
        self._all_made = 0

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bars.stop()

    @property
    def kept(self) -> str:
        """What of this run is stored, in words."""
        return f"{counted(self._all_made, 'new score')} {'is' if self._all_made == 1 else 'are'} kept"

    def begin(self, metric: str, texts: int, known: int) -> None:
        """A metric has so many distinct texts to score, of which so many are known from before."""
        self._metric, self._texts, self._done, self._made = metric, texts, known, 0
        self._began = self._said = time.monotonic()
        self._bars.reset(self._bar, description=metric, total=texts, completed=known, visible=texts > known)

    def advance(self, texts: int) -> None:
        """So many more are scored, and stored."""
        self._done, self._made, self._all_made = self._done + texts, self._made + texts, self._all_made + texts
        self._bars.advance(self._bar, texts)
        now = time.monotonic()
        if not self._console.is_terminal and now - self._said >= _SECONDS_BETWEEN:
            self._said = now
            rate = self._made / (now - self._began)
            left = (self._texts - self._done) / rate
            say(
                self._console,
                f"{self._metric}: {self._done:,} of {counted(self._texts, 'text')}, {rate:,.3g} per second, "
                f"{left:,.0f} s left",
            )
