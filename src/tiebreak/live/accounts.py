"""What each annotator has done and is owed. Of people of a platform for crowds: who has left, and what the platform is
to pay each of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from statistics import fmean
from typing import Final

from tiebreak.campaign import State, TaskReturned
from tiebreak.campaign.events import AnnotatorLeft, Event, event_time
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.state import AnnotatorState
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.ledger import TaskLedger
from tiebreak.results.progress import CampaignAccount
from tiebreak.tabular.delimited import csv_for_spreadsheets


def accounts(campaign: LiveCampaign) -> tuple[CampaignAccount, ...]:
    """All annotators, by name. Whoever has passed the tutorial is paid its bonus."""
    state, ledger, tutorial = campaign.state, campaign.ledger, campaign.tutorial
    held_up, edits = _holding_up(state), _edit_sizes(campaign)
    people = {name: AnnotatorState() for name in ledger.tutorials} | dict(state.annotators)
    bonus = {name: tutorial.bonus if tutorial and tutorial.has_passed(ledger, name) else 0.0 for name in people}
    return tuple(
        CampaignAccount(
            annotator=name,
            labels=person.labels,
            open=person.open,
            holds_up=held_up[name],
            seconds=round(person.seconds, 3),
            seconds_per_label=round(person.seconds / person.timed, 3) if person.timed else None,
            first_text=None
            if not kind_of(state.protocol).has_sides or not person.labels
            else round(person.chose_left / person.labels, 4),
            left_page=person.left_page,
            pasted=person.pasted,
            edited=round(fmean(edits[name]), 1) if edits[name] else None,
            checks=person.gold_asked,
            checks_right=person.gold_right,
            excluded=state.is_excluded(name),
            why_excluded=why_excluded(state, ledger, name),
            pay=None if state.price is None and not bonus[name] else round(person.pay + bonus[name], 2),
            currency=state.protocol.labels.currency,
        )
        for name, person in sorted(people.items())
    )


def _edit_sizes(campaign: LiveCampaign) -> defaultdict[str, list[int]]:
    """Of the edits of each person."""
    kind, sizes = kind_of(campaign.protocol), defaultdict[str, list[int]](list)
    for record in campaign.ledger.labelled:
        size = None if record.label is None else kind.edit_size(record.label.response)
        if size is not None:
            sizes[record.assigned.annotator].append(size)
    return sizes


def _holding_up(state: State) -> Counter[str]:
    """Open tasks of each person on an item at or before which an answer waits: on the same item or unit, or later in
    the order of the pair.
    """
    last = [
        max((unit for unit, items in pair.open.items() if any(item.counted for item in items)), default=-1)
        for pair in state.tracks
    ]
    return Counter(
        task.annotator for task in state.tasks.values() if task.gold is None and task.unit <= last[task.track]
    )


def why_excluded(state: State, ledger: TaskLedger, annotator: str) -> str:
    """Why a person gets no more tasks, in words; empty if they may get some, or if nobody said why."""
    by_hand = ledger.excluded.get(annotator)
    if by_hand is not None:
        return by_hand.reason
    return "wrong answers to check tasks" if state.is_excluded(annotator) else ""


def accounts_csv(found: tuple[CampaignAccount, ...]) -> bytes:
    """A table for whoever pays, as CSV for spreadsheet programs."""
    header = [field.name for field in fields(CampaignAccount)]
    rows = [(asdict(account) | {"excluded": "yes" if account.excluded else "no"}).values() for account in found]
    return csv_for_spreadsheets([header, *rows])


# ---- people of a platform for crowds -------------------------------------------------------------------------

LEFT: Final = ("RETURNED", "TIMED-OUT")
"""What Prolific says of work that nobody goes on with."""
_TO_APPROVE: Final = "AWAITING REVIEW"
_APPROVED: Final = "APPROVED"
_SETTLED: Final = (_TO_APPROVE, _APPROVED, *LEFT, "SCREENED OUT")


@dataclass(frozen=True, slots=True)
class CrowdMessage:
    """What a platform says of somebody's work: whose it is, which, its `status`, the name of this `notice`, and when
    the message was `sent`.
    """

    crowd_id: str
    visit: str
    status: str
    notice: str
    sent: str


def leave(campaign: LiveCampaign, message: CrowdMessage, *, now: str) -> bool:
    """Give the tasks of whoever has left to others, and no more to them until they come back by their link; False (and
    nothing is written) where the message is known, of another study or an earlier visit, or says no such thing.

    They may be asked about the same items again: to leave is not to decline. What they answered stays.
    """

    def decide(_: State, ledger: TaskLedger) -> Sequence[Event]:
        name = ledger.crowd_ids.get(message.crowd_id)
        visit = None if name is None else ledger.visits.get(name)
        if name is None or visit is None or message.status not in LEFT or message.notice in ledger.notices:
            return ()
        if visit.visit != message.visit or event_time(message.sent) < event_time(visit.at):
            return ()
        reason = f"the platform says {message.status}"
        returned = (TaskReturned(now, task.task, reason) for task in ledger.open_tasks(name))
        return (*returned, AnnotatorLeft(now, name, message.status, message.notice))

    return bool(campaign.commit(decide))


@dataclass(frozen=True, slots=True)
class Submission:
    """Somebody's work as a platform lists it."""

    id: str
    participant_id: str
    status: str


@dataclass(frozen=True, slots=True)
class Payment:
    """What is to be done for an `annotator`: submissions to `approve`, each of which pays the reward, and a `bonus` in
    cents for a `submission`. `why` neither.
    """

    annotator: str
    approve: tuple[str, ...] = ()
    submission: str = ""
    bonus: int = 0
    why: str = ""


def payments(
    campaign: LiveCampaign, reward: int, submissions: Sequence[Submission], paid: Callable[[str], int]
) -> tuple[Payment, ...]:
    """For everybody in the log, by name. The bonus is what their account says beyond all rewards that they get, and
    beyond the bonuses that were `paid` for any of their submissions before (all in cents). It is paid for the last one.

    Whoever gave a label is to be approved; nobody is ever rejected by this.
    """
    names = campaign.ledger.crowd_ids
    theirs: dict[str, list[Submission]] = {}
    for of in submissions:
        if of.participant_id in names:
            theirs.setdefault(names[of.participant_id], []).append(of)
    known = {account.annotator: account for account in accounts(campaign)}
    return tuple(
        _payment(name, known.get(name), theirs.get(name, []), reward, paid)
        for name in sorted({*names.values(), *known})
    )


def _payment(
    name: str, account: CampaignAccount | None, theirs: Sequence[Submission], reward: int, paid: Callable[[str], int]
) -> Payment:
    if not theirs:
        return Payment(name, why="no submission on the platform is known to be theirs")
    if theirs[-1].status not in _SETTLED:
        return Payment(name, why=f"the platform says {theirs[-1].status}")
    labels, pay = (0, 0.0) if account is None else (account.labels, account.pay or 0.0)
    approve = tuple(of.id for of in theirs if of.status == _TO_APPROVE and labels)
    approved = sum(of.status == _APPROVED for of in theirs)
    owed = round(100 * pay) - reward * (approved + len(approve))
    bonus = max(0, owed - sum(paid(of.id) for of in theirs)) if owed > 0 else 0
    if approve or bonus:
        return Payment(name, approve, theirs[-1].id, bonus)
    if approved or owed > 0:
        return Payment(name, why="all is paid")
    return Payment(name, why="their labels have no price" if labels else "they gave no label")
