"""People of a platform for crowds: who has left, and what the platform is to pay each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.campaign import State, TaskReturned
from tiebreak.campaign.events import AnnotatorLeft, Event, event_time
from tiebreak.live.accounts import accounts
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.ledger import TaskLedger
from tiebreak.results.progress import CampaignAccount

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
        if visit.name != message.visit or event_time(message.sent) < event_time(visit.at):
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
