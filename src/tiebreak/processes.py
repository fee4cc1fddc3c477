"""Processes that help this one: they end when it does, however it ends."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

_LOOK_AFTER: Final = 1.0  # seconds between two looks for the parent


def serve(parent: int) -> None:
    """To be called at the start of each task by a process that works for `parent`; nothing in any other process.

    Once the parent is gone (killed, say), nobody wants the result, and no one would stop the work. Ctrl-C reaches every
    process of a terminal: what it means is for the parent to say.
    """
    if os.getppid() == parent:  # not in a thread, nor on another host
        _end_with(parent)


def serve_alone(parent: int) -> None:
    """To be called once in a process that `parent` starts, and that does nothing for anybody else.

    Where the parent was killed meanwhile, the process ends at once: it would wait for minutes for a task.
    """
    if os.getppid() != parent:
        os._exit(1)
    _end_with(parent)


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started meanwhile do not hear ctrl-C, which is for this one; nor does it, for the moment.

    A process that hears it while its Python starts dies with a traceback that no code of ours can catch. (A blocked
    signal would be kept for later, but loky unblocks it.)
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say so
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@cache
def _end_with(parent: int) -> None:
    """Watch the parent from now on."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_AFTER)
        os._exit(1)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=watch, daemon=True).start()
