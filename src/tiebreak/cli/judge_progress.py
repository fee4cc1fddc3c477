"""How far a judge is, and what it will cost by what it cost so far."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console

from tiebreak.cli.terminal import say
from tiebreak.results.numbers import about_money, counted, rounded
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.plan import Plan

if TYPE_CHECKING:
    from rich.status import Status

_SECONDS_BETWEEN = 0.2


class JudgeProgress:
    """A line that is written anew in a terminal; into a file only what is known after the first calls."""

    def __init__(self, console: Console, plan: Plan, asker: Asker, currency: str) -> None:
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
        if self._status is not None and now - self._shown >= _SECONDS_BETWEEN:
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
