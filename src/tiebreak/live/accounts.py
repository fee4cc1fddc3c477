"""What each annotator has done and is owed.

The log of a campaign: is it whole, what was mended in it, and how somebody goes on with one that is not.

Sealing finds accidents and careless edits. It cannot find what an owner does who writes the whole log anew: for that,
note its head elsewhere and have it checked later (`LogReport.head`, `holds`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from tiebreak.campaign import State
from tiebreak.campaign.events import LogRepaired
from tiebreak.campaign.state import OpenUnit
from tiebreak.errors import UsageError
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.folder import EVENTS_FILE, open_campaign
from tiebreak.live.ledger import ClockStep, TaskLedger
from tiebreak.messages.log import clock_notice, repair_notices
from tiebreak.records import Notice
from tiebreak.results.progress import CampaignAccount
from tiebreak.store import FileStore, Head
from tiebreak.tabular.delimited import csv_for_spreadsheets


def accounts(state: State, ledger: TaskLedger) -> tuple[CampaignAccount, ...]:
    """All annotators, by name."""
    price, currency = state.protocol.labels.price, state.protocol.labels.currency
    held_up = _holding_up(state)
    return tuple(
        CampaignAccount(
            annotator=name,
            labels=person.labels,
            open=person.open,
            holds_up=held_up[name],
            seconds=round(person.seconds, 3),
            seconds_per_label=round(person.seconds / person.timed, 3) if person.timed else None,
            first_text=None
            if state.protocol.rates or not person.labels
            else round(person.chose_left / person.labels, 4),
            checks=person.gold_asked,
            checks_right=person.gold_right,
            excluded=state.is_excluded(name),
            why_excluded=why_excluded(state, ledger, name),
            pay=None if price is None else round(person.labels * price, 2),
            currency=currency,
        )
        for name, person in sorted(state.annotators.items())
    )


def _holding_up(state: State) -> Counter[str]:
    """Open tasks of each person on an item at or before which an answer waits: on the same item or unit, or later in
    the order of the pair.
    """
    last = [max((unit for unit, items in pair.open.items() if _answered(items)), default=-1) for pair in state.tracks]
    return Counter(
        task.annotator for task in state.tasks.values() if task.gold is None and task.unit <= last[task.track]
    )


def _answered(items: OpenUnit) -> bool:
    return any(item.counted for item in items)


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


@dataclass(frozen=True, slots=True)
class LogReport:
    """A log that is whole. `events`: their number; `torn`: files with interrupted batches, which nobody was told of;
    `repairs`, `clock`: as in the campaign's ledger.
    """

    events: int
    head: Head
    repairs: tuple[LogRepaired, ...]
    torn: tuple[Path, ...]
    clock: tuple[ClockStep, ...]


def report_of(campaign: LiveCampaign, log: Path) -> LogReport:
    """What is to be said of the log of a campaign that could be opened."""
    ledger = campaign.ledger
    torn = FileStore(log).torn()
    return LogReport(len(campaign.events()), campaign.head, tuple(ledger.repairs), torn, tuple(ledger.clock))


def log_notices(campaign: LiveCampaign) -> tuple[Notice, ...]:
    """What whoever reads the verdict should know of the log."""
    ledger = campaign.ledger
    return (
        *repair_notices([(repair.at, repair.found, repair.reason) for repair in ledger.repairs]),
        *clock_notice([(step.event, step.at, step.before) for step in ledger.clock]),
    )


def holds(log: Path, head: Head) -> bool:
    """Whether a log once had this head, and has only grown since.

    Raises:
        InputError: the log is missing or damaged.
    """
    return FileStore(log).holds(head)


def repair(folder: Path, *, now: str, reason: str) -> LogRepaired | None:
    """Go on with the log of a campaign as it is, although it is not the one of its head; None where it is.

    The log itself must be whole: lines that were changed, removed or inserted cannot be mended. What was found, and the
    reason, become an event of the log, which seals it anew.

    Raises:
        UsageError: there is no reason.
        InputError: not a campaign's folder, or what is damaged cannot be mended.
    """
    if not reason:
        raise UsageError("say why with --reason: it stands in the log from then on")
    fault = FileStore(folder / EVENTS_FILE).fault()
    if fault is None:
        open_campaign(folder)
        return None
    repaired = LogRepaired(now, str(fault), reason)
    open_campaign(folder, trust_log=True).commit(lambda _state, _ledger: (repaired,))
    return repaired
