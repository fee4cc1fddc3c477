"""How many calls run at once: as many as the server takes, found by trying.

Each clean reply lets one more call in, until the server rejects one. What was in flight beside it is then what the
server takes: the limit goes there, grows back one by one, and is tried beyond only once in a while. Where calls that
began after a cut are rejected too, the server counts something else (calls a minute), and the limit shrinks by a share.
A rejected call keeps its place while it waits, so that a server that rejects much is asked little.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

_START: Final = 4
_SHARE_KEPT: Final = 0.7
_LEAST_OF_EPISODE: Final = 0.5
_ROUNDS_BEFORE_TRYING: Final = 10
_USED: Final = 0.8
"""The share of the limit that must have been in use for it to have been tried at all."""


@dataclass(slots=True)
class Place:
    """A call's place among those that run. `since`: the cut after which it was sent last; `clean`: never sent again."""

    since: int
    clean: bool = True


class Pace:
    """The limit on calls at once, at most `most`, and who runs."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = min(_START, most)
        self._taken = self._flying = self._busiest = 0
        self._cuts = self._clean = self._since_cut = 0
        self._taken_before: int | None = None  # what the server took when it last rejected a call
        self._floor = 1
        self._room = asyncio.Event()
        self.rejected = 0

    @property
    def limit(self) -> int:
        """Calls that may run now."""
        return self._limit

    async def enter(self) -> Place:
        """Wait for a place."""
        while self._taken >= self._limit:
            await self._change()
        self._taken += 1
        return Place(self._cuts)

    async def sends(self, place: Place) -> None:
        """Wait until the call may go out: those that wait to be sent again have places beyond a limit that was cut."""
        while self._flying >= self._limit:
            await self._change()
        place.since = self._cuts
        self._flying += 1
        self._busiest = max(self._busiest, self._flying)

    def fails(self, place: Place) -> None:
        """It came back without an answer, for a reason that says nothing of how many run."""
        self._lands()
        place.clean = False

    def rejects(self, place: Place) -> None:
        """The server would not take it beside the others."""
        self.fails(place)
        self.rejected += 1
        if place.since == self._cuts:
            again = self._cuts > 0 and self._since_cut < self._limit
            self._floor = max(int(self._limit * _LEAST_OF_EPISODE), 1)
            self._limit = max(int(self._limit * _SHARE_KEPT) if again else self._limit - 1, 1)
            self._cuts += 1
            self._since_cut = 0
        self._limit = max(min(self._limit, self._flying), min(self._floor, self._limit))
        self._taken_before = self._limit
        self._clean = self._busiest = 0

    def succeeds(self, place: Place) -> None:
        """The reply is here."""
        self._lands()
        if not place.clean or place.since != self._cuts:
            return
        self._since_cut += 1
        self._clean += 1
        rounds = _ROUNDS_BEFORE_TRYING if self._limit == self._taken_before else 1
        if self._taken_before is None or self._clean >= rounds * self._limit:
            self._grow()

    def leave(self) -> None:
        """The call is over."""
        self._taken -= 1
        self._room.set()

    def _lands(self) -> None:
        self._flying -= 1
        self._room.set()

    def _grow(self) -> None:
        """One more at once, if as many as now were tried."""
        self._clean = 0
        if self._busiest >= self._limit * _USED:
            if self._taken_before is not None:
                self._taken_before = max(self._taken_before, self._limit)
            self._limit = min(self._limit + 1, self._most)
            self._busiest = self._flying
            self._room.set()

    async def _change(self) -> None:
        self._room.clear()
        await self._room.wait()
