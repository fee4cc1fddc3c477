"""What whoever runs a campaign may do by hand: end it, give a person no more tasks, and withdraw what a task asked.

All are events of the log. None can raise evidence: to end it and to exclude take back no label and no answer that is
under way, and an item that is withdrawn counts against either side.
"""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.campaign import AnnotatorExcluded, CampaignStopped, EventError, ItemWithdrawn, State, step
from tiebreak.campaign.events import Event, OutputAssigned, OutputWithdrawn, Withdrawn
from tiebreak.campaign.task_ids import task_number
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.ledger import TaskLedger


def stop(campaign: LiveCampaign, *, now: str, reason: str = "") -> bool:
    """End the campaign, for good; False (and nothing is written) where it is over already.

    Verdicts stay as they are. Answers that come later are kept and paid, and are no evidence.
    """

    def decide(state: State, _: TaskLedger) -> Sequence[Event]:
        return () if state.ended is not None else (CampaignStopped(now, reason),)

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


def withdraw(campaign: LiveCampaign, tasks: Sequence[str], *, now: str, reason: str) -> tuple[Withdrawn, ...]:
    """Let the items that these tasks asked about count against either side from now on, and never be asked again.

    All labels of such an item, in that pair, stop to count; its tasks that are out come back. Verdicts that were
    reached stand. Nobody gains by it, whatever they have seen (`campaign.withdrawing`).

    Raises:
        UsageError: no reason, or a task that is none, is a check, or has an item that cannot be withdrawn (again): all
            are named, and nothing is withdrawn.
    """
    if not reason:
        raise UsageError("say why with --reason: it stands in the log, and beside the verdicts, from then on")

    def decide(state: State, ledger: TaskLedger) -> Sequence[Event]:
        """One event for each pair and item that the tasks asked about; UsageError names all tasks that cannot be."""
        events: dict[tuple[str, ...], Withdrawn] = {}
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

    return tuple(event for event in campaign.commit(decide) if isinstance(event, Withdrawn))


def _withdrawal(state: State, ledger: TaskLedger, task: str, now: str, reason: str) -> Withdrawn:
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
    if isinstance(of, OutputAssigned):
        return OutputWithdrawn(now, task, of.system, of.item, reason)
    return ItemWithdrawn(now, task, of.system_a, of.system_b, of.item, reason)
