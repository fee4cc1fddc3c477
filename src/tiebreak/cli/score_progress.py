"""How far `tiebreak score` is: a bar with rate and time left on a terminal, a line now and then in a log.

How far a judge is, and what it will cost by what it cost so far.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from tiebreak.cli.terminal import say
from tiebreak.results.numbers import about_money, counted, rounded
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.plan import JudgePlan

if TYPE_CHECKING:
    from rich.status import Status


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


_SECONDS_BETWEEN_JUDGE_PROGRESS = 0.2


class JudgeProgress:
    """A line that is written anew in a terminal; into a file only what is known after the first calls."""

    def __init__(self, console: Console, plan: JudgePlan, asker: Asker, currency: str) -> None:
        self._console, self._plan, self._asker, self._currency = console, plan, asker, currency
        self._status: Status | None = None
        self._began = self._shown = time.monotonic()
        self._corrected = False

    def __enter__(self) -> JudgeProgress:
        if self._console.is_terminal and self._plan.calls:
            self._status = self._console.status(f"{self._plan.judge.name} ...")
            self._status.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.__exit__(kind, error, trace)

    def update(self) -> None:
        """A question is done with."""
        self._correct()
        now = time.monotonic()
        if self._status is not None and now - self._shown >= _SECONDS_BETWEEN_JUDGE_PROGRESS:
            self._shown = now
            self._status.update(self._line(now - self._began))

    def stopping(self) -> None:
        """Somebody wants it to stop."""
        say(self._console, "Stopping: calls on their way are waited for, as they are paid. Ctrl-C again leaves them.")

    def _line(self, seconds: float) -> str:
        calls = self._asker.meter.calls
        left = seconds / calls * max(self._plan.calls - calls, 0) if calls else 0.0
        spent = "" if self._asker.prices is None else f", {about_money(self._asker.purse.paid, self._currency)}"
        return (
            f"{self._plan.judge.name}: {calls:,} of {counted(self._plan.calls, 'call')}{spent}, "
            f"{self._asker.pace.limit} at once, about {rounded(left)} seconds left"
        )

    def _correct(self) -> None:
        """Say once what the calls take, when the first ones have shown it."""
        usage = None if self._corrected else self._asker.meter.corrected(self._plan.usage)
        if usage is None or self._plan.calls <= self._asker.meter.calls:
            return
        self._corrected = True
        price = ""
        if self._asker.prices is not None:
            price = f", {about_money(self._asker.prices.of(usage), self._currency)}"
        say(
            self._console,
            f"By the first {counted(self._asker.meter.calls, 'call')}: about {rounded(usage.read)} tokens read and "
            f"{rounded(usage.written)} written in all{price}.",
        )
