"""Ctrl-C in a training: the step is ended and kept first."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def on_interrupt() -> Iterator[Callable[[], bool]]:
    """Whether somebody has pressed Ctrl-C, to be asked between steps. Pressed again, it acts at once.

    Elsewhere than in the main thread Ctrl-C is left as it is.
    """
    asked: list[int] = []

    def remember(number: int, _: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    try:
        before = signal.signal(signal.SIGINT, remember)
    except ValueError:  # not the main thread
        yield lambda: False
        return
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)
