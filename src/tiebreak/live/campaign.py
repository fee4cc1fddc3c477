"""A campaign that is running: the log of its events, and the state that they amount to."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from tiebreak.campaign import Protocol, State, init_again, step
from tiebreak.campaign.events import Event, EventError, ItemWithdrawn, event_from_json, event_to_json
from tiebreak.campaign.kinds import kind_of
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem
from tiebreak.files import writing
from tiebreak.live.ledger import TaskLedger, When
from tiebreak.live.texts import StudyTexts
from tiebreak.live.tutorial import Tutorial
from tiebreak.store import EventStore, Head, StoreConflictError, StoredEvent


class LiveCampaign:
    """The state of a campaign, kept in step with its log, to which others may write at the same time.

    `folder` names the campaign in messages; `beginning`: the state before any event; `known`: what was read from the
    beginning of `store` already, None where nothing was; `tutorial`: what people take first; `texts`: of the study.
    `state`, and the `ledger` of every task so far, are as of the last `refresh` or `commit`. Nothing here reads a
    clock.

    Raises:
        InputError: the log is damaged, or belongs to another protocol or study.
    """

    def __init__(
        self,
        folder: Path,
        protocol: Protocol,
        study: Study,
        store: EventStore,
        known: Sequence[StoredEvent] | None = None,
        tutorial: Tutorial | None = None,
    ) -> None:
        self.folder, self.protocol, self.study = folder, protocol, study
        self.texts, self.tutorial = StudyTexts(study), tutorial
        self._store = store
        self.beginning = init_again(protocol, study)
        self.state = self.beginning
        self.ledger = TaskLedger()
        self._events: list[Event] = []
        self._take_in(store.read() if known is None else known)

    @property
    def head(self) -> Head:
        """What stands for the whole log, as of the last `refresh` or `commit`."""
        return self._store.head

    @property
    def stop_reason(self) -> str | None:
        """What was said when somebody ended the campaign (perhaps nothing: ""); None if nobody did."""
        stopped = self.ledger.stopped
        return stopped.reason if self.state.ended == "stopped" and stopped is not None else None

    def events(self) -> tuple[Event, ...]:
        """The events as of the last `refresh` or `commit`."""
        return tuple(self._events)

    def refresh(self) -> State:
        """Take in what others have written since.

        Raises:
            InputError: the log is damaged, or holds what does not belong to the campaign.
        """
        self._take_in(self._store.read(len(self._events)))
        return self.state

    def _take_in(self, documents: Sequence[StoredEvent]) -> None:
        for document in documents:
            try:
                event = event_from_json(document, kind_of(self.protocol).response)
                state = step(self.state, event)
            except EventError as error:
                message = f"event {len(self._events) + 1:,} of the log does not fit: {error}"
                raise InputError([Problem(str(self.folder), message)]) from error
            self._take(event, state)

    def commit(self, decide: Callable[[State, TaskLedger], Sequence[Event]]) -> tuple[Event, ...]:
        """Append the events that `decide` makes of the present state, as one batch, and return them.

        Where somebody else was faster, `decide` is asked again with the new state; it must not have effects of its own.

        Raises:
            EventError: an event does not belong to the campaign; nothing is written.
            TiebreakError: the log cannot be written; the text names it.
        """
        while True:
            state = self.refresh()
            events = tuple(decide(state, self.ledger))
            states = list(itertools.accumulate(events, step, initial=state))[1:]
            try:
                with writing(self.folder, after="see its status for what it holds now"):
                    self._store.append([event_to_json(event) for event in events], expected_length=len(self._events))
            except StoreConflictError:
                continue
            for event, after in zip(events, states, strict=True):
                self._take(event, after)
            return events

    def _take(self, event: Event, after: State) -> None:
        before = self.state
        late, set_aside = after.late > before.late, after.set_aside > before.set_aside
        self.ledger.add(event, late=late, set_aside=set_aside, when=_when(before, event))
        self.state = after
        self._events.append(event)


def _when(state: State, event: Event) -> When:
    """How far the pair is whose item an event withdraws."""
    if not isinstance(event, ItemWithdrawn):
        return "running"
    if state.ended is not None:
        return "over"
    of = state.plan.measures_of[state.plan.track_numbers[event.systems]]
    return "running" if any(state.measures[m].verdict == "undecided" for m in of) else "decided"
