"""People who answer late or never, in whole campaigns through `assign_tasks` and `step`; shared with the benchmarks."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from benchmarks.worlds.small_campaigns import NOW, WORDS, open_plan

from tiebreak.campaign import (
    CampaignPlan,
    ItemAbandoned,
    LabelGiven,
    State,
    TaskAssigned,
    TaskReturned,
    assign_tasks,
    step,
)
from tiebreak.campaign.kinds import Preferred

PEOPLE = ("p", "q", "r", "s", "t")

Draw = Callable[[np.random.Generator, TaskAssigned], int]
Make = Callable[[np.random.Generator], tuple[CampaignPlan, Draw]]


@dataclass(frozen=True)
class Crowd:
    """`in_flight` tasks are out at any time, given out `hand` at once (at most four); a loss of system_a takes `slow`
    times as long; `give_up`: the share of losses whose item is abandoned instead of labelled, or (`ask_again`) whose
    task comes back.
    """

    in_flight: int = 12
    hand: int = 1
    slow: float = 1.0
    give_up: float = 0.0
    ask_again: bool = False


class Arrived(NamedTuple):
    """An answer."""

    task: TaskAssigned
    outcome: int


def live(plan: CampaignPlan, draw: Draw, rng: np.random.Generator, crowd: Crowd) -> tuple[State, list[Arrived]]:
    """A campaign to its end, and its answers in order of arrival."""
    arrived: list[Arrived] = []
    out: list[tuple[float, str, TaskAssigned, int]] = []
    state, turn, clock = open_plan(plan), 0, 0.0
    while state.ended is None:
        idle = 0
        while len(out) + crowd.hand <= crowd.in_flight and idle < len(PEOPLE):
            person, turn = PEOPLE[turn % len(PEOPLE)], turn + 1
            tasks, state = assign_tasks(state, person, min(4, crowd.in_flight - len(out)), NOW)
            idle = 0 if tasks else idle + 1
            for task in tasks:
                outcome = draw(rng, task)
                takes = float(rng.lognormal(sigma=0.5)) * (crowd.slow if outcome < 0 else 1.0)
                heapq.heappush(out, (clock + takes, task.task, task, outcome))
        if not out:
            break
        clock, _, task, outcome = heapq.heappop(out)
        if outcome < 0 and rng.random() < crowd.give_up:
            state = step(state, TaskReturned(NOW, task.task))
            if not crowd.ask_again:
                state = step(state, ItemAbandoned(NOW, task.systems, task.item))
            continue
        arrived.append(Arrived(task, outcome))
        state = step(state, LabelGiven(NOW, task.task, task.annotator, Preferred(WORDS[outcome])))  # type: ignore[arg-type]
    return state, arrived
