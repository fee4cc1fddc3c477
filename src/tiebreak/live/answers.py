"""What whoever runs a campaign may do by hand: end it, give a person no more tasks, and withdraw what a task asked.

All are events of the log. None can raise evidence: to end it and to exclude take back no label and no answer that is
under way, and an item that is withdrawn counts against either side.

The events of a campaign without what they tell about people: for an export that others will see.

Names of people that are likely to mean somebody who is known already, as ann and Ann.

Answers that an annotator may take back: for a minute, or until they answer the next task.

Until then an answer is in the log, so that nothing loses it, and is no evidence, so that taking it back bends nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from tiebreak.campaign import State, expired_tasks, replay, step
from tiebreak.campaign.events import (
    AnnotatorExcluded,
    AnnotatorJoined,
    AnnotatorLeft,
    AnswerHeld,
    AnswerUndone,
    CampaignPaused,
    CampaignResumed,
    CampaignStopped,
    Event,
    EventError,
    InstructionsChanged,
    ItemAbandoned,
    ItemWithdrawn,
    LabelGiven,
    LinkIssued,
    PriceChanged,
    TaskAssigned,
    TaskReturned,
    TutorialAnswered,
    event_time,
    event_to_json,
)
from tiebreak.campaign.openings import task_number
from tiebreak.errors import UsageError, did_you_mean, nearest
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.ledger import TaskLedger


def stop(campaign: LiveCampaign, *, now: str, reason: str = "") -> bool:
    """End the campaign, for good; False (and nothing is written) where it is over already.

    Answers that could still be taken back become labels before. Verdicts stay as they are. Answers that come later are
    kept and paid, and are no evidence.
    """

    def decide(state: State, ledger: TaskLedger) -> Sequence[Event]:
        if state.ended is not None:
            return ()
        return (*(given(held, now) for held in ledger.held.values()), CampaignStopped(now, reason))

    return bool(campaign.commit(decide))


def pause(campaign: LiveCampaign, *, now: str, reason: str = "") -> bool:
    """Hand out no tasks until `resume`; False (and nothing is written) where it is so already, or where all is over."""
    paused = CampaignPaused(now, reason)
    return bool(campaign.commit(lambda state, _: () if state.paused or state.ended is not None else (paused,)))


def resume(campaign: LiveCampaign, *, now: str) -> bool:
    """Hand out tasks again; False (and nothing is written) where the campaign is not paused."""
    return bool(campaign.commit(lambda state, _: (CampaignResumed(now),) if state.paused else ()))


def change_instructions(campaign: LiveCampaign, text: str, *, now: str) -> bool:
    """Let annotators read other instructions from now on, on pages and in sheets made from now on; False (and nothing
    is written) where they read these already, or where all is over.
    """

    def decide(state: State, _: TaskLedger) -> Sequence[Event]:
        return () if state.ended is not None or text == state.instructions else (InstructionsChanged(now, text),)

    return bool(campaign.commit(decide))


def change_price(campaign: LiveCampaign, price: float, *, now: str) -> bool:
    """Let labels of tasks that are handed out from now on cost this much; False (and nothing is written) where they do
    already.

    Raises:
        UsageError: the campaign is over, or has no price, or this is none that it can have; or the money that is left
            would pay for no further item, which would end the campaign.
    """

    def decide(state: State, _: TaskLedger) -> Sequence[Event]:
        if state.ended is not None:
            raise UsageError("the campaign is over: nobody gets a task that could cost another price")
        if price == state.price:
            return ()
        event = PriceChanged(now, price)
        try:
            after = step(state, event)
        except EventError as error:
            raise UsageError(str(error)) from error
        if after.ended is not None:
            raise UsageError(f"at a price of {price:g} the money that is left pays for no further item")
        return (event,)

    return bool(campaign.commit(decide))


def exclude(campaign: LiveCampaign, annotator: str, *, now: str, reason: str = "") -> bool:
    """Give a person no more tasks, for good; False (and nothing is written) where they get none already.

    Their labels stay, and answers to the tasks that they have still count: to leave out labels that one has seen, or
    to hand on those tasks that take long, would bend the error rate. What they do not answer expires as usual.

    Raises:
        UsageError: nobody of that name ever got a task.
    """

    def decide(state: State, _: TaskLedger) -> Sequence[Event]:
        known = state.annotators
        if annotator not in known:
            raise UsageError(f"nobody called {annotator!r} has had a task{did_you_mean(annotator, known)}")
        return () if state.is_excluded(annotator) else (AnnotatorExcluded(now, annotator, reason),)

    return bool(campaign.commit(decide))


def withdraw(campaign: LiveCampaign, tasks: Sequence[str], *, now: str, reason: str) -> tuple[ItemWithdrawn, ...]:
    """Let the items that these tasks asked about count against either side from now on, and never be asked again.

    All labels of such an item, in that pair, stop to count; its tasks that are out come back. Verdicts that were
    reached stand. Nobody gains by it, whatever they have seen (`campaign.step`).

    Raises:
        UsageError: no reason, or a task that is none, is a check, or has an item that cannot be withdrawn (again): all
            are named, and nothing is withdrawn.
    """
    if not reason:
        raise UsageError("say why with --reason: it stands in the log, and beside the verdicts, from then on")

    def decide(state: State, ledger: TaskLedger) -> Sequence[Event]:
        """One event for each pair and item that the tasks asked about; UsageError names all tasks that cannot be."""
        events: dict[tuple[str, ...], ItemWithdrawn] = {}
        problems = []
        for task in dict.fromkeys(" ".join(name.split()).lower() for name in tasks):
            try:
                event = _withdrawal(state, ledger, task, now, reason)
                step(state, event)
            except (EventError, UsageError) as error:
                problems.append(f"task {task}: {error}")
            else:
                events.setdefault((*event.systems, event.item), event)
        if problems:
            raise UsageError("; ".join([*problems, "nothing is withdrawn"]))
        return tuple(events.values())

    return tuple(event for event in campaign.commit(decide) if isinstance(event, ItemWithdrawn))


def texts_of(campaign: LiveCampaign, annotator: str) -> tuple[int, ...]:
    """The numbers, from 1, of the events that can be erased: in which a person wrote a comment or an edit, or joined
    with what they are called elsewhere.

    Raises:
        UsageError: nobody of that name ever got a task, or joined.
    """
    known = {*campaign.state.annotators, *(name for link in campaign.ledger.links.values() for name in link.joined)}
    if annotator not in known:
        raise UsageError(f"nobody called {annotator!r} has had a task{did_you_mean(annotator, known)}")
    return tuple(
        number
        for number, event in enumerate(campaign.events(), 1)
        if isinstance(event, LabelGiven | AnnotatorJoined)
        and event.annotator == annotator
        and "texts" in event_to_json(event)
    )


def _withdrawal(state: State, ledger: TaskLedger, task: str, now: str, reason: str) -> ItemWithdrawn:
    """The event for one task."""
    record = ledger.tasks.get(task)
    if record is None:
        known = task_number(task, state.plan.fingerprint) is not None
        raise UsageError("it has not been handed out" if known else "not a task of this campaign")
    if record.is_check:
        raise UsageError("a check task, whose answer is no evidence")
    of = record.assigned
    earlier = ledger.withdrawn.get(record.item)
    if earlier is not None:
        raise UsageError(f"its item {of.item} of {' and '.join(of.systems)} was withdrawn on {earlier.event.at}")
    return ItemWithdrawn(now, task, of.systems, of.item, reason)


_OF_PEOPLE: Final = (
    TaskAssigned,
    LabelGiven,
    AnswerUndone,
    AnnotatorExcluded,
    AnnotatorJoined,
    AnnotatorLeft,
    LinkIssued,
    TutorialAnswered,
)


def new_names(events: Sequence[Event]) -> dict[str, str]:
    """From each person's name to person-1, person-2, ... in the order in which they first occur.

    A later export of the same campaign gives everybody the same name again.
    """
    found: dict[str, str] = {}
    for event in events:
        if isinstance(event, _OF_PEOPLE) and event.annotator:
            found.setdefault(event.annotator, f"person-{len(found) + 1}")
    return found


def renamed(event: Event, names: Mapping[str, str]) -> Event:
    """The same event, done by people of these names, without what they are called elsewhere; without names as it is."""
    if not names:
        return event
    if isinstance(event, AnnotatorJoined):
        event = replace(event, crowd_id=None, visit=None)
    if not isinstance(event, _OF_PEOPLE):
        return event
    return replace(event, annotator=names.get(event.annotator, event.annotator))


def without_remarks(event: Event) -> Event:
    """The same event without what people wrote: comments, and why somebody stopped, excluded, withdrew or gave up."""
    if isinstance(event, LabelGiven):
        return replace(event, comment=None)
    if isinstance(event, AnnotatorExcluded | CampaignPaused | CampaignStopped | ItemAbandoned | ItemWithdrawn):
        return replace(event, reason="")
    return event


_NEAR: Final = 0.8  # ann and anna, katja and katia; not ann and dan


def nearly_known(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, which is not known itself; None if none is near.

    Names that differ in their numbers alone, as worker-1 and worker-2, are those of different people.
    """
    mine = _folded(name)

    def may_be(other: str) -> bool:
        plain = _folded(other)
        return plain == mine or _without_numbers(plain) != _without_numbers(mine)

    return nearest(name, filter(may_be, known), cutoff=_NEAR, fold=_folded) or None


def _folded(name: str) -> str:
    """Without case, accents made up in another way, blanks and punctuation."""
    return "".join(char for char in unicodedata.normalize("NFKC", name).casefold() if char.isalnum())


def _without_numbers(plain: str) -> str:
    return re.sub(r"\d+", "#", plain)


UNDO_SECONDS: Final = 60
"""How long an answer may be taken back."""


def given(held: AnswerHeld, now: str) -> LabelGiven:
    """The label that a held answer becomes."""
    return LabelGiven(
        now, held.task, held.annotator, held.response, held.seconds, held.comment, held.left_page, held.pasted
    )


def due(state: State, ledger: TaskLedger, now: str) -> Iterator[LabelGiven]:
    """The labels of answers that can be taken back no more: a minute old, or after the end of the campaign."""
    for held in ledger.held.values():
        if not _may_be_undone(state, held, now):
            yield given(held, now)


def overdue(state: State, ledger: TaskLedger, now: str) -> tuple[TaskReturned, ...]:
    """`expired_tasks` without those that are answered already."""
    return tuple(event for event in expired_tasks(state, now) if ledger.tasks[event.task].held is None)


def answered(state: State, ledger: TaskLedger, answer: AnswerHeld, now: str) -> Sequence[Event]:
    """The events of an answer to a task, with the label of the one before; none where the task has an answer.

    Raises:
        EventError: the campaign does not allow this answer.
    """
    if ledger.tasks[answer.task].answer is not None:
        return ()
    answer, before = replace(answer, at=now), ledger.held.get(answer.annotator)
    labels = () if before is None else (given(before, now),)
    # Whether it can become a label is asked before anybody is told that it is saved.
    replay(state, (*labels, given(answer, now)))
    return (*labels, answer)


def undone(state: State, ledger: TaskLedger, annotator: str, task: str, now: str) -> Sequence[Event]:
    """The event that takes back the held answer of an annotator to a task, none where it can be taken back no more."""
    held = ledger.held.get(annotator)
    if held is None or held.task != task or not _may_be_undone(state, held, now):
        return ()
    return (AnswerUndone(now, held.task, annotator),)


def release(campaign: LiveCampaign, now: str, annotator: str | None = None) -> None:
    """Make labels of all held answers, or of that of one annotator."""

    def decide(_: State, ledger: TaskLedger) -> Sequence[Event]:
        return [given(held, now) for name, held in ledger.held.items() if annotator in (None, name)]

    if campaign.ledger.held:
        campaign.commit(decide)


def release_due(campaign: LiveCampaign, now: str) -> None:
    """Make labels of the answers that can be taken back no more."""
    if campaign.ledger.held:
        campaign.commit(lambda state, ledger: tuple(due(state, ledger, now)))


def _may_be_undone(state: State, held: AnswerHeld, now: str) -> bool:
    return state.ended is None and event_time(now) - event_time(held.at) < timedelta(seconds=UNDO_SECONDS)
