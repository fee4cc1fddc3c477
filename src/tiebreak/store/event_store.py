"""What every store of events promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tiebreak.errors import TiebreakError
from tiebreak.store.seal import Head

StoredEvent = Mapping[str, Any]
"""A JSON object; the store does not look inside."""


class StoreConflictError(TiebreakError):
    """Somebody else has appended since the log was read: read what is new, decide again, append again."""


class EventStore(Protocol):
    """A numbered log of events that only grows: 0, 1, 2, ...

    Several processes may hold a store on one log. Each reads, decides on what it has read, and appends with the
    length that it knows; of two that decided on the same past, one gets `StoreConflictError`. So no task can be handed
    out twice, although nobody holds a lock while deciding.
    """

    @property
    def head(self) -> Head:
        """What stands for the whole log as of the last read or append: how long it is, and the seal of its end."""
        ...

    def read(self, start: int = 0) -> tuple[StoredEvent, ...]:
        """The events from number `start` >= 0 on, in order; those of a batch are all there or none of them."""
        ...

    def append(self, events: Sequence[StoredEvent], *, expected_length: int) -> int:
        """Append the events as one batch, all or nothing, and return the new length of the log.

        When it returns, the batch is on the disk. Where it raises, or the process is killed meanwhile, the log holds
        the whole batch or nothing of it, and everything from before.

        Raises:
            StoreConflictError: the log does not have `expected_length` events.
        """
        ...
