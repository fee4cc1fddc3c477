"""People of a platform for crowds: who has left, and what the platform is to pay each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.campaign import State, TaskReturned
from tiebreak.campaign.events import AnnotatorLeft, Event
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
    """What a platform says of somebody's work: whose it is, which, its `status`, and the name of this `notice`."""

    crowd_id: str
    visit: str
    status: str
    notice: str


def leave(campaign: LiveCampaign, message: CrowdMessage, *, now: str) -> bool:
    """Give the tasks of whoever has left to others, and no more to them until they come back by their link; False (and
    nothing is written) where the message is known, of another study, or says no such thing.

    They may be asked about the same items again: to leave is not to decline. What they answered stays.
    """

    def decide(_: State, ledger: TaskLedger) -> Sequence[Event]:
        name = ledger.crowd_ids.get(message.crowd_id)
        known = message.notice in ledger.notices
        if message.status not in LEFT or known or name is None or ledger.visits.get(message.visit) != name:
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
    """What is to be done for an `annotator`: to `approve` their submission, which pays the reward, and a `bonus` in
    cents. `why` neither.
    """

    annotator: str
    submission: str = ""
    approve: bool = False
    bonus: int = 0
    why: str = ""


def payments(
    campaign: LiveCampaign, reward: int, submissions: Sequence[Submission], paid: Callable[[str], int]
) -> tuple[Payment, ...]:
    """For everybody in the log, by name. The bonus is what their account says beyond the `reward`, if they get that,
    and beyond the bonuses that were `paid` for a submission before (all in cents). Of several submissions the last
    counts.

    Whoever gave a label is to be approved; nobody is ever rejected by this.
    """
    names = campaign.ledger.crowd_ids
    last = {names[of.participant_id]: of for of in submissions if of.participant_id in names}
    known = {account.annotator: account for account in accounts(campaign)}
    return tuple(
        _payment(name, known.get(name), last.get(name), reward, paid) for name in sorted({*names.values(), *known})
    )


def _payment(
    name: str, account: CampaignAccount | None, of: Submission | None, reward: int, paid: Callable[[str], int]
) -> Payment:
    if of is None:
        return Payment(name, why="no submission on the platform is known to be theirs")
    if of.status not in _SETTLED:
        return Payment(name, why=f"the platform says {of.status}")
    labels, pay = (0, 0.0) if account is None else (account.labels, account.pay or 0.0)
    approve = of.status == _TO_APPROVE and labels > 0
    owed = round(100 * pay) - (reward if approve or of.status == _APPROVED else 0)
    bonus = max(0, owed - paid(of.id)) if owed > 0 else 0
    if approve or bonus:
        return Payment(name, of.id, approve, bonus)
    if of.status == _APPROVED or owed > 0:
        return Payment(name, why="all is paid")
    return Payment(name, why="their labels have no price" if labels else "they gave no label")
