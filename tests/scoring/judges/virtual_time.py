"""An event loop in which waiting takes no time, and everything happens when it would: fast, and the same each time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """For programs that wait for nothing but one another and the clock."""

    def __init__(self) -> None:
        super().__init__()
        self._now, self._really = 0.0, self._selector.select
        self._selector.select = self._jump  # type: ignore[method-assign]

    def time(self) -> float:
        return self._now

    def _jump(self, timeout: float | None = None) -> Any:
        self._now += max(timeout or 0.0, 0.0)
        return self._really(0)


def run_at_once(program: Coroutine[Any, Any, T]) -> T:
    """What a program returns, which may last for hours of virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(program)
