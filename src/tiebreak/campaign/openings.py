"""Task ids that say nothing about the task: its number in the order of handing out, with a keyed check.

The check (20 bits, keyed by the protocol's fingerprint) tells a task of this campaign from one of another campaign,
and from a mistyped one, without a table of all tasks ever handed out. The `t` in front keeps spreadsheet programs from
reading an id such as 0012-2031 as a date, and writing it back as one.

What can be asked next on a track: the first place of its sealed order that still needs a label.

Tasks that are out: which of them hold up evidence, which somebody else takes over, and how many to hand out.

Evidence is the completed beginning of each track's sealed order. An answer behind an item without one waits, and a
campaign whose answers wait asks for labels that it does not need. So few tasks are out at a time, those that hold up
answers are asked first, and one that has been out for unusually long goes to whoever comes next. All of this knows the
times of tasks and who has them, never an answer: it cannot bend what is found out.

Where an event's track and item stand in the plan, and the items of a unit before any answer.
"""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

import numpy as np

from tiebreak.campaign.events import EventError, ItemAbandoned, ItemWithdrawn, TaskAssigned, TaskReturned, event_time
from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.plan import CampaignPlan
from tiebreak.campaign.state import OpenItem, OpenUnit, State, TrackState

_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
_TWO_DIGITS: Final = tuple(first + second for first in _DIGITS for second in _DIGITS)
_NUMBER_DIGITS, _CHECK_DIGITS = 4, 4
_NEAR: Final = 8  # items


def task_id(number: int, fingerprint: str) -> str:
    """The id of the `number`-th task (from 0), such as `t000g-7k2m`."""
    written = _base32(number, _NUMBER_DIGITS)
    return f"t{written}-{_check(written, fingerprint)}"


def task_number(identifier: str, fingerprint: str) -> int | None:
    """The number of a task of the campaign with this fingerprint; None for any other text."""
    numbered, _, check = identifier.strip().lower().partition("-")
    written = numbered.removeprefix("t")
    if written == numbered or not written or any(digit not in _DIGITS for digit in written):
        return None
    if check != _check(written, fingerprint) or (len(written) > _NUMBER_DIGITS and written[0] == "0"):
        return None
    number = 0
    for digit in written:
        number = number * 32 + _DIGITS.index(digit)
    return number


def _check(written: str, fingerprint: str) -> str:
    digest = hashlib.blake2b(written.encode(), key=fingerprint.encode()[:64], digest_size=3).digest()
    return _base32(int.from_bytes(digest, "big") >> 4, _CHECK_DIGITS)


def _base32(number: int, digits: int) -> str:
    """At least so many digits, which are an even number."""
    written = ""
    while number or len(written) < digits:
        number, rest = divmod(number, len(_TWO_DIGITS))
        written = _TWO_DIGITS[rest] + written
    return written.removeprefix("0") if len(written) > digits else written


class Opening(NamedTuple):
    """An item that needs a label: its unit, and its place in the unit."""

    unit: int
    slot: int


class Allowance(NamedTuple):
    """Labels that the budget still pays for: `begun` for items that were opened before, `new` beyond what these need.

    (Without the difference the last labels of a budget would go to items that it cannot complete.) Infinite without a
    budget.
    """

    begun: float
    new: float


def affordable_labels(state: State) -> float:
    """Labels that the budget still pays for beyond those under way; infinite without a budget."""
    most = state.most_labels
    return math.inf if most is None else most - state.labels - len(state.tasks)


def allowance(state: State, wanted: Iterable[int]) -> Allowance:
    """What is left, if the opened items of the wanted tracks are completed first."""
    affordable = affordable_labels(state)
    if affordable == math.inf:
        return Allowance(affordable, affordable)
    busy = [of for of in [state.tracks[k] for k in wanted] if of.open]
    begun = [item for of in busy for _, items in begun_units(of) for item in items]
    promised = sum(max(0, item.missing - len(item.out)) for item in begun)
    return Allowance(affordable, affordable - promised)


def allowance_after(left: Allowance, state: State, track: int, unit: int) -> Allowance:
    """What is left of an allowance once somebody is asked about an item of this unit (`state`: before that).

    A label of an opened item was promised before. A new unit promises all of its labels.
    """
    if left.begun == math.inf or unit < state.tracks[track].next:
        return Allowance(left.begun - 1, left.new)
    return Allowance(left.begun - 1, left.new - _labels_of_new(state, track, unit))


def opening(state: State, track: int, annotator: str | None, left: Allowance) -> Opening | None:
    """The first item of a track that this person (None: anybody) may label and the budget can complete.

    Items that were opened before go first, so that a task that came back is asked again at its place.
    """
    for unit, items in begun_units(state.tracks[track]):
        for slot, item in enumerate(items):
            if _is_free(item, annotator, left):
                return Opening(unit, slot)
    return _new_item(state, track, left.new)


def may_be_asked(state: State, track: int, place: Opening, annotator: str, left: Allowance) -> bool:
    """Whether this person may label an opened item, and the budget can complete it."""
    item = state.tracks[track].open[place.unit][place.slot]
    return _is_free(item, annotator, left) and may_work_on(state, track, annotator)


def _is_free(item: OpenItem, annotator: str | None, left: Allowance) -> bool:
    free = item.wanted - len(item.answers) - len(item.out)
    return 0 < free <= left.begun and not (annotator is not None and item.touched_by(annotator))


def may_get_more(state: State, annotator: str) -> bool:
    """Whether a person may be handed tasks: not excluded, and below the most labels per person."""
    person, most = state.person(annotator), state.protocol.people.labels_per_person
    return not person.excluded and (most is None or person.labels + person.open < most)


def may_work_on(state: State, track: int, annotator: str) -> bool:
    """Whether the labelling policy lets this person label the track at all."""
    if not LABELLING_POLICIES[state.protocol.labels.labelling].same_annotator:
        return True
    worker = state.tracks[track].worker
    return worker is None or worker == annotator or not may_get_more(state, worker)


def next_new_unit(state: State, track: int) -> int | None:
    """The first unit from `next` on that needs labels; None at the end of the order or of the track's budget."""
    plan, of = state.plan.tracks[track], state.tracks[track]
    unit = max(of.next, of.done)
    while unit < plan.most_units and not any(_needs(state, track, unit)):
        unit += 1
    return unit if unit < plan.most_units else None


def _needs(state: State, track: int, unit: int) -> tuple[bool, ...]:
    """Which items of a unit that nobody was asked about need somebody: neither known ties nor abandoned."""
    items = state.tracks[track].open.get(unit)  # where some were abandoned
    if items is None:
        return state.plan.tracks[track].needs[unit]
    return tuple([not (item.known or item.abandoned) for item in items])


def begun_units(of: TrackState) -> list[tuple[int, OpenUnit]]:
    """The units that somebody has been asked about and that are not done, in order."""
    return [(unit, of.open[unit]) for unit in sorted(of.open) if unit < of.next] if of.open else []


def _labels_of_new(state: State, track: int, unit: int) -> int:
    """Labels of a unit that nobody was asked about."""
    return state.plan.least_labels * sum(_needs(state, track, unit))


def _new_item(state: State, track: int, affordable: float) -> Opening | None:
    """The first item of the next unit, if the budget pays for the whole unit."""
    limit, unit = state.protocol.pairs.open, next_new_unit(state, track)
    if unit is None or affordable < 1:
        return None
    begun = begun_units(state.tracks[track]) if limit is not None else ()
    if limit is not None and sum(any(item.missing for item in items) for _, items in begun) >= limit:
        return None
    if affordable < math.inf and _labels_of_new(state, track, unit) > affordable:
        return None
    return Opening(unit, _needs(state, track, unit).index(True))


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
    waiting = sum(of.waiting for of in state.tracks)
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
        behind += sum([item.counted for item in items])


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
    of = state.person(annotator)
    usual = statistics.median(_means(state)) if of.labels else 0.0
    return of.hours / of.labels / usual if usual else 1.0


def usual_hours(state: State, now: str) -> float | None:
    """Hours from a task to its answer: the median over people of what each takes on average; None before any answer.

    Somebody who has not answered yet counts with the time of waiting so far: else the first who are fast would make
    everybody else late.
    """
    means = _means(state)
    if not means:
        return None
    since = {task.annotator: task.at for task in reversed([*state.tasks.values()])}  # the oldest of each person
    waits = [hours_between(at, now) for name, at in since.items() if not state.annotators[name].labels]
    return statistics.median([*means, *waits])


def _means(state: State) -> list[float]:
    return [of.hours / of.labels for of in state.annotators.values() if of.labels]


def hours_between(start: str, end: str) -> float:
    """0 where a clock was set back."""
    return 0.0 if start == end else max(0.0, (event_time(end) - event_time(start)).total_seconds() / 3600)


# ---- where an event's track and item stand in the plan ---------------------------------------------------------


def asked_about(plan: CampaignPlan, event: TaskAssigned | ItemAbandoned | ItemWithdrawn) -> tuple[int, int]:
    """The numbers of the track and of the item that an event names.

    Raises:
        EventError: the campaign has no such pair, or rates no such system; or the study has no such item.
    """
    track, item = plan.track_numbers.get(event.systems), plan.item_numbers.get(event.item)
    if track is None and len(event.systems) == 1:
        raise EventError(f"{event.systems[0]} is not a system that this campaign rates")
    if track is None:
        raise EventError(f"{' and '.join(event.systems)} are not a pair of this campaign, in this order")
    if item is None:
        raise EventError(f"{event.item!r} is not an item of this campaign's study")
    return track, item


def unit_of(state: State, track: int, item: int) -> int:
    """The unit that an item belongs to: looked for among the open and the next ones first.

    Raises:
        EventError: the item is not asked for this track.
    """
    plan, of = state.plan.tracks[track], state.tracks[track]
    for unit, items in of.open.items():
        if item in [known.item for known in items]:
            return unit
    begin = int(plan.starts[max(of.next, of.done)])
    near = plan.order[begin : begin + _NEAR].tolist()
    if item in near:
        return int(np.searchsorted(plan.starts, begin + near.index(item), side="right")) - 1
    places = np.flatnonzero(plan.order == item)
    if not places.size:
        raise EventError(f"item {state.plan.items[item]!r} is not asked for {' and '.join(plan.systems)}")
    return int(np.searchsorted(plan.starts, places[0], side="right")) - 1


def slot_of(items: OpenUnit, item: int) -> int:
    """The place of an item in its unit."""
    return [known.item for known in items].index(item)


def unit_items(state: State, track: int, unit: int) -> OpenUnit:
    """The items of a unit that is not done: as they are, or before any answer."""
    known_so_far = state.tracks[track].open.get(unit)
    if known_so_far is not None:
        return known_so_far
    plan, wanted = state.plan.tracks[track], state.plan.least_labels
    items, known = plan.items(unit).tolist(), plan.known_of(unit).tolist()
    return tuple([OpenItem(item, 0 if same else wanted, known=same) for item, same in zip(items, known, strict=True)])
