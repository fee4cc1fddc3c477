"""A sample campaign that labels itself: simulated annotators answer, faster than people, while others watch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign import LabelGiven, Protocol, State, TaskAssigned, next_tasks
from tiebreak.campaign.events import Event
from tiebreak.data.study import Study
from tiebreak.demo.study import PRICE_PER_LABEL, SYSTEMS, DemoTexts, write_texts
from tiebreak.live import LiveCampaign, create_campaign, open_campaign
from tiebreak.live.ledger import TaskLedger
from tiebreak.settings.protocol import LabelSettings, OrderSettings
from tiebreak.simulate.people.agents import Agents
from tiebreak.simulate.people.workers import draw_panel

PEOPLE: Final = ("ann", "bo", "cy", "dee", "eli", "fay")
TIMES_FASTER: Final = 20
_ITEMS: Final = 300


def create_demo_campaign(folder: Path, seed: int = 1) -> None:
    """Write a campaign about the demo's texts, without labels.

    Raises:
        UsageError: the folder is there already.
    """
    texts = _texts(seed)
    rows = [
        {"item": item, "system": system.name, "text": texts.outputs[system.name][row].text}
        for row, item in enumerate(texts.items["item"])
        for system in SYSTEMS
    ]
    protocol = Protocol(labels=LabelSettings(price=PRICE_PER_LABEL), order=OrderSettings(seed=seed))
    create_campaign(folder, protocol, Study.from_tables(outputs=rows, items=texts.items, name="demo"), at=_now())


class SimulatedAnnotators:
    """Six people in a thread, who take a task each, think, and answer until the campaign is over.

    `wait`: what passes the time, in seconds; False from it ends the work.
    """

    def __init__(self, folder: Path, seed: int = 1, wait: Callable[[float], bool] | None = None) -> None:
        self._stop = threading.Event()
        self._wait = wait or (lambda seconds: not self._stop.wait(seconds))
        self._live = open_campaign(folder)
        rng = np.random.default_rng([seed, 1])
        plan = self._live.state.plan
        panel = tuple(replace(worker, price=0.0) for worker in draw_panel(len(PEOPLE), rng))
        self._people = Agents(plan, _quality(_texts(seed), plan.items, plan.systems), panel, rng)
        self._thread = threading.Thread(target=self.work, daemon=True)

    def start(self) -> None:
        """Begin, in the background."""
        self._thread.start()

    def stop(self) -> None:
        """Let them finish what they are at."""
        self._stop.set()
        self._thread.join()

    def work(self) -> None:
        """To the end of the campaign: whoever is done first answers first."""
        due: list[tuple[float, int, TaskAssigned]] = []
        at, busy = 0.0, set[int]()
        while True:
            for person in range(len(PEOPLE)):
                if person not in busy and (task := self._take(PEOPLE[person])) is not None:
                    busy.add(person)
                    due.append((at + self._seconds(person), person, task))
            if not due:
                if self._live.state.ended is not None or not self._wait(1.0):
                    return
                continue
            moment, person, task = due.pop(min(range(len(due)), key=lambda k: due[k][0]))
            if not self._wait(max(0.0, moment - at) / TIMES_FASTER):
                return
            at = moment
            busy.discard(person)
            self._answer(person, task)

    def _seconds(self, person: int) -> float:
        return 6.0 + 2.0 * person

    def _take(self, name: str) -> TaskAssigned | None:
        def decide(state: State, ledger: TaskLedger) -> Sequence[Event]:
            return () if ledger.open_tasks(name) else next_tasks(state, name, 1, _now())

        self._live.commit(decide)
        return next(iter(self._live.ledger.open_tasks(name)), None) if self._live.state.ended is None else None

    def _answer(self, person: int, task: TaskAssigned) -> None:
        answer = self._people.answer(person, task)
        label = LabelGiven(_now(), task.task, task.annotator, answer.response, answer.seconds)
        self._live.commit(lambda _, ledger: () if ledger.tasks[task.task].label is not None else (label,))

    @property
    def campaign(self) -> LiveCampaign:
        """The campaign that they work on."""
        return self._live


def _texts(seed: int) -> DemoTexts:
    return write_texts(_ITEMS, np.random.default_rng(seed))


def _quality(texts: DemoTexts, items: Sequence[str], systems: Sequence[str]) -> NDArray[np.float64]:
    """(items, systems), in the order of a campaign's plan."""
    row = {item: k for k, item in enumerate(texts.items["item"])}
    column = {system.name: k for k, system in enumerate(SYSTEMS)}
    return texts.quality[np.ix_([row[item] for item in items], [column[name] for name in systems])]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
