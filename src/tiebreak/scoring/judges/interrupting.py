"""Runs calls until they are done or somebody presses Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence

from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.run import Asked, Run
from tiebreak.scoring.judges.work.question import Question

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
