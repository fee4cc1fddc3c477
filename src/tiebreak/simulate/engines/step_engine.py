"""The step engine: one whole campaign through `assign_tasks` and `step`, by people who work at the same time.

What is simulated here is what is run in earnest: the campaign core decides who is asked what, and when it is over.
Time is simulated too: a person takes tasks, needs a while for each, and asks for more; answers arrive in the order in
which they are finished, some never. No clock is read.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

import numpy as np

from tiebreak.campaign import (
    AnnotatorExcluded,
    CampaignOpened,
    CampaignPlan,
    Event,
    ItemAbandoned,
    LabelGiven,
    State,
    TaskAssigned,
    TaskReturned,
    assign_tasks,
    expired_tasks,
    init_from_plan,
    step,
)
from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.errors import UsageError
from tiebreak.simulate.people.crowd import Habits
from tiebreak.simulate.people.workers import AnswerSource, SimulatedAnswer

RunEnd = Literal["decided", "budget", "items", "people"]

RUN_ENDS: Final[dict[RunEnd, str]] = {
    "decided": "all decided",
    "budget": "budget spent",
    "items": "no items left",
    "people": "nobody left who may label",
}

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, eq=False)
class FinishedCampaign:
    """A run at its end. `ended`: why; `seconds`: simulated time from opening to the end; `work`: seconds spent on
    answers, `cost` of all of them, those that arrived after the end included. `events`: all of them, where kept.
    """

    state: State
    ended: RunEnd
    seconds: float
    work: float
    cost: float
    events: tuple[Event, ...]


def run_campaign(
    plan: CampaignPlan,
    source: AnswerSource,
    rng: np.random.Generator,
    habits: Habits | None = None,
    *,
    keep_events: bool = False,
) -> FinishedCampaign:
    """A campaign from its opening until it is over, or until nobody is left who may label anything.

    `rng` draws who forgets and who leaves; what people answer is up to `source`. What a person is writing when the
    campaign ends still arrives and is paid; the tasks behind it are not begun.
    """
    return _Run(plan, source, rng, habits or Habits(), keep_events).to_the_end()


@dataclass(frozen=True, slots=True)
class _Due:
    """Something that happens at a time: an answer, or (`answer` None) a task that expires."""

    person: int
    task: TaskAssigned
    answer: SimulatedAnswer | None


class _Run:
    """The mutable middle of one run: what is due when, who waits, who has which tasks in hand."""

    def __init__(
        self, plan: CampaignPlan, source: AnswerSource, rng: np.random.Generator, habits: Habits, keep_events: bool
    ) -> None:
        self._plan, self._source, self._rng, self._habits = plan, source, rng, habits
        self._events: list[Event] | None = [] if keep_events else None
        self._due: list[tuple[float, int, _Due]] = []
        self._scheduled = 0
        self._hands: list[deque[TaskAssigned]] = [deque() for _ in range(source.people)]
        self._waiting: list[int] = []
        self._came_back: Counter[tuple[str, ...]] = Counter()
        self._now, self._ended_at = 0.0, 0.0
        self._work, self._cost = 0.0, 0.0
        self._state = init_from_plan(plan)
        self._keeps_person = LABELLING_POLICIES[plan.protocol.labels.labelling].same_annotator

    def to_the_end(self) -> FinishedCampaign:
        """Everything that happens, in order of time."""
        self._take(CampaignOpened(self._at(), self._plan.fingerprint, self._plan.study))
        for person in range(self._source.people):
            self._carry_on(person)
        while self._due:
            at, _, due = heapq.heappop(self._due)
            if due.answer is None and self._state.ended is not None:
                continue
            self._now = at
            if due.answer is None:
                self._take_back()
            else:
                self._receive(due, due.answer)
        return FinishedCampaign(
            self._state, self._end(), self._ended_at, self._work, self._cost, tuple(self._events or ())
        )

    def _end(self) -> RunEnd:
        ended = self._state.ended
        return "people" if ended is None or ended == "stopped" else ended

    def _at(self) -> str:
        try:
            time = _START + timedelta(seconds=self._now)
        except OverflowError:
            raise UsageError(
                "the simulated campaign lasts for thousands of years; name fewer seconds per label, fewer hours until "
                "a task is asked of somebody else, or more people"
            ) from None
        return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _take(self, event: Event) -> None:
        was_running = self._state.ended is None
        self._state = step(self._state, event)
        if was_running:
            self._ended_at = self._now
        if self._events is not None:
            self._events.append(event)

    def _schedule(self, at: float, due: _Due) -> None:
        heapq.heappush(self._due, (at, self._scheduled, due))
        self._scheduled += 1

    def _carry_on(self, person: int) -> None:
        """Begin the next task in hand, or take more; whoever gets none waits for something to change."""
        while self._state.ended is None and not self._begin(person):
            tasks, self._state = assign_tasks(self._state, _name(person), self._habits.hand, self._at())
            if not tasks:
                self._waiting.append(person)
                return
            self._ended_at = self._now
            if self._events is not None:
                self._events.extend(tasks)
            self._hands[person].extend(tasks)

    def _begin(self, person: int) -> bool:
        """Whether there was a task in hand to begin, forgotten ones left aside."""
        hand = self._hands[person]
        while hand:
            task = hand.popleft()
            if self._habits.forgets and self._rng.random() < self._habits.forgets:
                self._let_expire(person, task)
                continue
            answer = self._source.answer(person, task)
            self._schedule(self._now + answer.seconds, _Due(person, task, answer))
            return True
        return False

    def _let_expire(self, person: int, task: TaskAssigned) -> None:
        given_out = (datetime.fromisoformat(task.at) - _START).total_seconds()
        self._schedule(given_out + 3600 * self._plan.protocol.people.hours + 1, _Due(person, task, None))

    def _receive(self, due: _Due, answer: SimulatedAnswer) -> None:
        undecided = self._undecided() if self._keeps_person else 0
        self._take(LabelGiven(self._at(), due.task.task, _name(due.person), answer.response, answer.seconds))
        self._work += answer.seconds
        self._cost += answer.price
        if self._habits.leaves and self._rng.random() < self._habits.leaves:
            self._leave(due.person)
        else:
            self._carry_on(due.person)
            # Whoever waits for work on pairs that belong to others waits for more than an answer.
            if not self._keeps_person or self._undecided() < undecided:
                self._wake()

    def _undecided(self) -> int:
        return len(self._state.undecided)

    def _leave(self, person: int) -> None:
        self._take(AnnotatorExcluded(self._at(), _name(person), "left"))
        for task in self._hands[person]:
            self._let_expire(person, task)
        self._hands[person].clear()
        self._wake()

    def _take_back(self) -> None:
        """Tasks that have been out for too long come back; an item that comes back too often is given up."""
        for returned in expired_tasks(self._state, self._at()):
            of = self._state.tasks[returned.task]
            self._take(TaskReturned(returned.at, returned.task, returned.reason))
            if of.gold is not None:
                continue
            track = self._plan.tracks[of.track]
            item = self._plan.items[int(track.items(of.unit)[of.slot])]
            place = (*track.systems, item)
            self._came_back[place] += 1
            if self._habits.give_up is not None and self._came_back[place] >= self._habits.give_up:
                self._take(ItemAbandoned(self._at(), track.systems, item, "came back too often"))
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for person in waiting:
            self._carry_on(person)


def _name(person: int) -> str:
    return f"p{person + 1}"
