"""Many questions to one model: what is kept first, then one call alone, then as many at once as the server takes.

Calls run until they are done or somebody presses Ctrl-C.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tiebreak.scoring.judges.asking import SPENT, STOPPED, Asker
from tiebreak.scoring.judges.pace import Slot
from tiebreak.scoring.judges.prompt import PromptMessage
from tiebreak.scoring.judges.providers.failures import Failed
from tiebreak.scoring.judges.questions import Question
from tiebreak.scoring.judges.replies import NoReply, Outcome

_FAILURES_IN_A_ROW: Final = 10

Texts = tuple[tuple[str, str], ...]
"""The texts of a question, by their placeholders."""

Progress = Callable[[], None]
"""Called whenever a question is done with."""


@dataclass(slots=True)
class Asked:
    """What came of each question, by its place; questions that are not there were not asked. `gave_up`: why no more
    calls were made, "" where all were.
    """

    outcomes: dict[int, Outcome] = field(default_factory=dict)
    gave_up: str = ""


class Run:
    """A run of questions, which may be stopped: calls that are on their way are waited for, since they are paid."""

    def __init__(self, asker: Asker, questions: Sequence[Texts], progress: Progress = lambda: None) -> None:
        self._asker, self._progress = asker, progress
        self._same: dict[Texts, list[int]] = {}
        for place, texts in enumerate(questions):
            self._same.setdefault(texts, []).append(place)
        self._running: set[asyncio.Task[None]] = set()
        self._failures = 0
        self._broken: BaseException | None = None
        self.asked = Asked()

    def stop(self) -> None:
        """Make no more calls. Asked a second time: wait for none, either."""
        if self._stopped:
            for task in self._running:
                task.cancel()
        self._asker.stopping.set()

    @property
    def _stopped(self) -> bool:
        return self._asker.stopping.is_set()

    async def all(self) -> Asked:
        """Ask all questions; each different one once.

        Raises:
            TiebreakError: a reply cannot be kept.
        """
        first = True
        for texts, places in self._same.items():
            message = self._asker.judge.message(dict(texts))
            kept = self._asker.kept(message)
            if kept is not None:
                self._done(places, kept)
                continue
            place = await self._asker.pace.enter()
            reserved = await self._reserved(message)
            if self._stopped or reserved is None:
                self._asker.purse.release(reserved or 0.0)
                self._asker.pace.leave()
                break
            task = asyncio.create_task(self._one(message, places, place, reserved))
            self._running.add(task)
            task.add_done_callback(self._ended)
            if first:
                await asyncio.wait([task])
                first = False
        if self._running:
            await asyncio.wait(self._running)
        if self._broken is not None:
            raise self._broken
        return self.asked

    async def _reserved(self, message: PromptMessage) -> float | None:
        """Money for a call, as soon as others have come back cheaper than they might have; None if there is none."""
        asker = self._asker
        while not self._stopped:
            worst = asker.worst(message)
            if asker.purse.reserve(worst):
                return worst
            if not self._running:
                self.asked.gave_up = SPENT.message
                return None
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        return None

    async def _one(self, message: PromptMessage, places: Sequence[int], place: Slot, reserved: float) -> None:
        try:
            outcome = await self._asker.ask(message, place, reserved)
            if outcome is not STOPPED:
                self._done(places, outcome)
                self._count(outcome)
        except Failed as failed:
            self._give_up(failed.message)
        finally:
            self._asker.pace.leave()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._broken = self._broken or error
            self._asker.stopping.set()

    def _done(self, places: Sequence[int], outcome: Outcome) -> None:
        for place in places:
            self.asked.outcomes[place] = outcome
        self._progress()

    def _count(self, outcome: Outcome) -> None:
        """A server from which nothing comes is left alone."""
        self._failures = self._failures + 1 if isinstance(outcome, NoReply) else 0
        if isinstance(outcome, NoReply) and self._failures >= _FAILURES_IN_A_ROW:
            self._give_up(f"the last {self._failures} calls failed: {outcome.message}")

    def _give_up(self, why: str) -> None:
        self.asked.gave_up = self.asked.gave_up or why
        self._asker.stopping.set()


Interrupted = Callable[[], None]
"""Called when somebody wants the run to stop, while calls on their way are waited for."""


def ask_all(
    asker: Asker, questions: Sequence[Question], progress: Callable[[], None], interrupted: Interrupted
) -> tuple[Asked, bool]:
    """Ask questions, kept replies first; and whether somebody stopped it.

    Raises:
        TiebreakError: a reply cannot be kept, or there is no key.
    """

    async def asked() -> tuple[Asked, bool]:
        run, stops = Run(asker, [question.texts for question in questions], progress), list[bool]()

        def stop() -> None:
            stops.append(True)
            run.stop()
            interrupted()

        with _on_interrupt(stop):
            try:
                return await run.all(), bool(stops)
            finally:
                await asker.provider.close()

    return asyncio.run(asked())


@contextlib.contextmanager
def _on_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `stop`; where that is not to be had, it ends the run as it always does, and replies are kept."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, stop)
    except (NotImplementedError, RuntimeError, ValueError):
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
