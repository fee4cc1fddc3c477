"""Tasks that are out: which of them hold up evidence, which somebody else takes over, and how many to hand out.

Evidence is the completed beginning of each track's sealed order. An answer behind an item without one waits, and a
campaign whose answers wait asks for labels that it does not need. So few tasks are out at a time, those that hold up
answers are asked first, and one that has been out for unusually long goes to whoever comes next. All of this knows the
times of tasks and who has them, never an answer: it cannot bend what is found out.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from tiebreak.campaign.events import TaskReturned, event_time
from tiebreak.campaign.openings import Opening, begun_units
from tiebreak.campaign.state import OpenUnit, State, TrackState

TAKEN_OVER: Final = 4
"""Times as long as people usually take: a task that was out longer, and holds up answers, goes to somebody else."""
_SOONEST: Final = timedelta(hours=1)

_LARGEST_SHEET: Final = 50
_FIRST_SHEET: Final = 4
_AT_FIRST: Final = 12
_PER_PERSON: Final = 3
_OUT: Final = 0.5
"""Labels that may be out, or wait, for each that is evidence; those that wait count twice. By simulation
(`benchmarks/sheets.py`) of a grid: with more most labels wait, with less people have nothing to do."""


def sheet_size(state: State, annotator: str) -> int:
    """How many tasks a sheet of this person should hold, so that most labels are evidence at any time.

    The room that there is, shared by all people, and less for those who take long; at least what holds up others and
    may be asked of this person, and a few for somebody new. 0: nothing, until others have answered.
    """
    people = {name for name, of in state.annotators.items() if not of.excluded} | {annotator}
    evidence = sum(of.done_labels for of in state.tracks)
    waiting = sum(_answers(items) for of in state.tracks for items in of.open.values())
    room = max(_AT_FIRST, _PER_PERSON * len(people), _OUT * evidence) - 2 * waiting - len(state.tasks)
    share = max(0, math.ceil(room / len(people) / max(1, pace_of(state, annotator))))
    theirs = (state.tracks[k].open[place.unit][place.slot] for k, place in blocking(state, range(len(state.tracks))))
    held_up = sum(not item.touched_by(annotator) for item in theirs)
    return min(_LARGEST_SHEET, max(held_up, share, 0 if annotator in state.annotators else _FIRST_SHEET))


def blocking(state: State, wanted: Sequence[int]) -> Iterator[tuple[int, Opening]]:
    """The items that hold up answers and want a label for which nobody has been asked: (track, place), those first
    behind which most answers wait.
    """
    if state.plan.asks_once and not state.returned and not state.set_aside:
        return iter(())  # nothing has come back without an answer that counts
    tracks = state.tracks
    several = [k for k in wanted if len(tracks[k].open) > 1]  # of which one can wait for another
    found = [
        (-behind, k, Opening(unit, slot))
        for k in several
        for unit, items, behind in _waiting(tracks[k])
        for slot, item in enumerate(items)
        if item.wanted > len(item.answers) + len(item.out)
    ]
    return ((k, place) for _, k, place in sorted(found))


def _waiting(of: TrackState) -> Iterator[tuple[int, OpenUnit, int]]:
    """The units of a track for which answers on later ones wait, and how many do."""
    behind = 0
    for unit, items in reversed(begun_units(of)):
        if behind:
            yield unit, items, behind
        behind += _answers(items)


def _answers(items: OpenUnit) -> int:
    return sum([item.counted for item in items])


def overdue_tasks(state: State, now: str) -> tuple[TaskReturned, ...]:
    """Events that take back tasks which hold up answers, and that people have who are excluded, or for far longer than
    people usually take.
    """
    usual = usual_hours(state, now)
    if usual is None:
        return ()
    at, limit = event_time(now), max(_SOONEST, timedelta(hours=TAKEN_OVER * usual))
    late = [
        task
        for task in state.tasks.values()
        if task.gold is None and (state.is_excluded(task.annotator) or at - event_time(task.at) > limit)
    ]
    held_up = {(k, unit) for k in {task.track for task in late} for unit, _, _ in _waiting(state.tracks[k])}
    return tuple(TaskReturned(now, task.task, "taken over") for task in late if (task.track, task.unit) in held_up)


def pace_of(state: State, annotator: str) -> float:
    """Hours that a person takes, over what is usual; 1 of somebody who has not answered yet."""
    of = state.annotators.get(annotator)
    usual = statistics.median(_means(state)) if of is not None and of.labels else 0.0
    return 1.0 if of is None or not usual else of.hours / of.labels / usual


def usual_hours(state: State, now: str) -> float | None:
    """Hours from a task to its answer: the median over people of what each takes on average; None before any answer.

    Somebody who has not answered yet counts with the time of waiting so far: else the first who are fast would make
    everybody else late.
    """
    means = _means(state)
    if not means:
        return None
    since = {task.annotator: task.at for task in reversed([*state.tasks.values()])}  # the oldest of each person
    waits = [_hours(at, now) for name, at in since.items() if not state.annotators[name].labels]
    return statistics.median([*means, *waits])


def _means(state: State) -> list[float]:
    return [of.hours / of.labels for of in state.annotators.values() if of.labels]


def _hours(start: str, end: str) -> float:
    return max(0.0, (event_time(end) - event_time(start)).total_seconds() / 3600)
