"""How many calls run at once: as many as the server takes, found by trying.

Clean replies let more calls in, first twice as many a round and then half as many more, until the server rejects one.
What was in flight beside it is then what the server takes: the limit goes there, comes back to it when it fell below,
and is tried beyond only once in a while. Where calls that began after a cut are rejected too, the server counts
something else (calls a minute), and the limit shrinks by a share. A rejected call keeps its place while it waits, so
that a server that rejects much is asked little.

The packages of the providers send rejected calls again, but each call by itself: a hundred at once would all come back,
to be rejected together once more until they are given up. That is why there is a limit here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

_START: Final = 4
_FAST_UNTIL: Final = 8
_GROWTH: Final = 0.5
_SHARE_KEPT: Final = 0.7
_LEAST_OF_EPISODE: Final = 0.5
_BEFORE_TRYING: Final = 100
_ROUNDS_BEFORE_TRYING: Final = 10
_LONGEST_BEFORE_TRYING: Final = 16
_USED: Final = 0.8
"""The share of the limit that must have been in use for it to have been tried at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A call on its way. `since`: the cut after which it was sent; `again`: whether it was sent before; `task`: whose
    it is.
    """

    since: int
    again: bool
    task: asyncio.Task[Any] | None


class Pace:
    """The limit on calls at once, at most `most`, and who runs. `limit`: calls that may run now."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.limit = min(_START, most)
        self._taken = self._busiest = 0
        self._flying: set[Attempt] = set()
        self._cuts = self._clean = self._since_cut = 0
        self._room_earned = 0.0
        self._in_vain = 1  # tries beyond what the server took, each of which makes the next one wait twice as long
        self._taken_before: int | None = None  # what the server took when it last rejected a call
        self._floor, self._rate_limited = 1, False
        self._room = asyncio.Event()
        self.rejected = 0

    async def enter(self) -> None:
        """Wait for a place."""
        while self._taken >= self.limit:
            await self._change()
        self._taken += 1

    async def sends(self, *, again: bool = False) -> Attempt:
        """Wait until a call may go out: those that are sent `again` have places beyond a limit that was cut."""
        while len(self._flying) >= self.limit:
            await self._change()
        attempt = Attempt(self._cuts, again, asyncio.current_task())
        self._flying.add(attempt)
        self._busiest = max(self._busiest, len(self._flying))
        return attempt

    def grounded(self, tasks: Collection[asyncio.Task[Any]]) -> list[asyncio.Task[Any]]:
        """Those of the tasks that have no call on its way: they may be given up, and nothing is paid for them."""
        flying = {attempt.task for attempt in self._flying}
        return [task for task in tasks if task not in flying]

    def fails(self, attempt: Attempt) -> None:
        """It came back without an answer, for a reason that says nothing of how many run."""
        self._flying.discard(attempt)
        self._room.set()

    def rejects(self, attempt: Attempt) -> None:
        """The server would not take it beside the others."""
        self.fails(attempt)
        self.rejected += 1
        if attempt.since == self._cuts:  # the others of a burst were sent before this cut
            self._cut()
        self.limit = max(min(self.limit, len(self._flying)), min(self._floor, self.limit))
        if not self._rate_limited or self._taken_before is None:
            self._taken_before = self.limit
        self._clean = self._busiest = 0

    def succeeds(self, attempt: Attempt) -> None:
        """The reply is here."""
        self.fails(attempt)
        if attempt.again or attempt.since != self._cuts:
            return
        self._since_cut += 1
        self._clean += 1
        if self._taken_before is None:
            self._room_earned += 1.0 if self.limit < _FAST_UNTIL else _GROWTH
            may_grow = self._room_earned >= 1
        else:
            may_grow = self._clean >= self._calls_before_growing()
        if may_grow:
            self._grow()

    def leave(self) -> None:
        """The call is over."""
        self._taken -= 1
        self._room.set()

    def _cut(self) -> None:
        """One less; much less where the server rejects calls soon after a cut, which it does not for being full."""
        if self._taken_before is not None and self.limit > self._taken_before:
            self._in_vain = min(2 * self._in_vain, _LONGEST_BEFORE_TRYING)
        again = self._cuts > 0 and self._since_cut < self.limit
        self._floor = max(int(self.limit * _LEAST_OF_EPISODE), 1)
        self.limit = max(int(self.limit * _SHARE_KEPT) if again else self.limit - 1, 1)
        if again and self._taken_before is not None:
            self._taken_before = max(self._taken_before - 1, 1)
        self._cuts += 1
        self._since_cut, self._rate_limited = 0, again

    def _grow(self) -> None:
        """One more at once, if as many as now were tried."""
        self._clean, self._room_earned = 0, 0.0
        if self._busiest >= self.limit * _USED:
            if self._taken_before is not None and self.limit > self._taken_before:
                self._taken_before, self._in_vain = self.limit, 1  # it takes more than it did
            self.limit = min(self.limit + 1, self._most)
            self._busiest = len(self._flying)
            self._room.set()

    def _calls_before_growing(self) -> int:
        """Clean replies at this limit before it grows: a round, but many where the server has rejected more before."""
        if self._taken_before is None or self.limit > self._taken_before:
            return self.limit
        if self.limit < self._taken_before:
            return 1 if self.limit < self._taken_before / 2 else self.limit
        return max(_ROUNDS_BEFORE_TRYING * self.limit, _BEFORE_TRYING) * self._in_vain

    async def _change(self) -> None:
        self._room.clear()
        await self._room.wait()
