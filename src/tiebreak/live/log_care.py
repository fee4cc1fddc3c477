"""The log of a campaign: is it whole, what was mended in it, and how somebody goes on with one that is not.

Sealing finds accidents and careless edits. It cannot find what an owner does who writes the whole log anew: for that,
note its head elsewhere and have it checked later (`LogReport.head`, `holds`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiebreak.campaign.events import LogRepaired
from tiebreak.errors import UsageError
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.folder import EVENTS_FILE, open_campaign
from tiebreak.live.ledger import ClockStep
from tiebreak.records import Notice
from tiebreak.results.words.log import clock_notice, repair_notices
from tiebreak.store import FileStore, Head


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
