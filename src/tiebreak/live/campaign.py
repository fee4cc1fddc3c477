"""A campaign that is running: the log of its events, and the state that they amount to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tiebreak.campaign import Protocol, State, init, step
from tiebreak.campaign.events import Event, EventError, event_from_json, event_to_json
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem
from tiebreak.live.ledger import Ledger
from tiebreak.store import EventStore, StoreConflictError


class LiveCampaign:
    """The state of a campaign, kept in step with its log, to which others may write at the same time.

    `folder` names the campaign in messages. Nothing here reads a clock.

    Raises:
        InputError: the log is damaged, or belongs to another protocol or study.
    """

    def __init__(self, folder: Path, protocol: Protocol, study: Study, store: EventStore) -> None:
        self.folder, self.protocol, self.study = folder, protocol, study
        self._store = store
        self._state = init(protocol, study)
        self._ledger = Ledger()
        self._length = 0
        self.refresh()

    @property
    def state(self) -> State:
        """The state as of the last `refresh` or `commit`."""
        return self._state

    @property
    def ledger(self) -> Ledger:
        """Every task so far; as of the last `refresh` or `commit`."""
        return self._ledger

    def refresh(self) -> State:
        """Take in what others have written since."""
        for document in self._store.read(self._length):
            number = self._length + 1
            try:
                event = event_from_json(document)
                self._state = step(self._state, event)
            except EventError as error:
                raise InputError([Problem(str(self.folder), f"the log does not fit: {error}", number)]) from error
            self._ledger.add(event)
            self._length += 1
        return self._state

    def commit(self, decide: Callable[[State, Ledger], Sequence[Event]]) -> tuple[Event, ...]:
        """Append the events that `decide` makes of the present state, as one batch, and return them.

        Where somebody else was faster, `decide` is asked again with the new state; it must not have effects of its own.

        Raises:
            EventError: an event does not belong to the campaign; nothing is written.
        """
        while True:
            state = self.refresh()
            events = tuple(decide(state, self._ledger))
            for event in events:
                state = step(state, event)
            try:
                self._length = self._store.append(
                    [event_to_json(event) for event in events], expected_length=self._length
                )
            except StoreConflictError:
                continue
            self._state = state
            for event in events:
                self._ledger.add(event)
            return events
