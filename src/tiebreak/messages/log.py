"""What is to be said of a log that is whole: that of a campaign, or the ledger of a watched study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.messages.kinds import NoticeKind
from tiebreak.records import Notice
from tiebreak.rules.guarantee import Guarantee

REPAIRED: Final = NoticeKind("log-repaired", "a log that had lost lines was continued", "ask for a copy from before")
CLOCK: Final = NoticeKind(
    "clock-backwards", "a time lies before an earlier one", "set the clocks; verdicts do not depend on them"
)
KINDS: Final = (REPAIRED, CLOCK)

REPAIRED_LOG: Final = Guarantee(
    "carry no promise, because somebody went on with a log that was not whole: labels may be lost or changed"
)
"""In place of a campaign's promise."""


def repair_notices(
    repairs: Sequence[tuple[str, str, str]], log: str = "the log of this campaign"
) -> tuple[Notice, ...]:
    """That somebody went on with a log that was not the one of its head: (at, what was found, why) of each time."""
    return tuple(
        REPAIRED.notice(
            f"On {at} somebody went on with {log} although {found}."
            + (f" Their reason: {reason}" if reason else ""),  # an export need not tell it
            at=at,
            found=found,
            reason=reason,
        )
        for at, found, reason in repairs
    )


CLOCK_OF_LOG: Final = (
    "event {number:,} of the log",
    "The order of labels does not come from times, so that verdicts stand; tasks may have expired at the wrong time.",
)
CLOCK_OF_LEDGER: Final = (
    "line {number:,} of the ledger",
    "The order of looks is that of the ledger and does not come from times, so that verdicts stand.",
)
"""What has a time, and what a wrong one means there."""


def clock_notice(steps: Sequence[tuple[int, str, str]], words: tuple[str, str] = CLOCK_OF_LOG) -> tuple[Notice, ...]:
    """That times run backwards: (number of the event, its time, the later time of one before it) of each place."""
    if not steps:
        return ()
    number, at, before = steps[0]
    times = "" if len(steps) == 1 else f" ({len(steps):,} times in all)"
    where, meaning = words[0].format(number=number), words[1]
    text = f"A clock ran backwards: {where} has the time {at}, after one of {before}{times}. {meaning}"
    return (CLOCK.notice(text, events=[number for number, _, _ in steps]),)


def torn_sentence(files: Sequence[str], *, repaired: bool = False) -> str:
    """Of interrupted batches; empty where there are none. `repaired`: a repair may have put confirmed ones aside."""
    if not files:
        return ""
    what = "An interrupted write was" if len(files) == 1 else f"{len(files):,} interrupted writes were"
    told = "Nobody was told that anything in it is in the log."
    if repaired:
        told = "The log was repaired: if what is in it was confirmed, collect the sheets again."
    return f"{what} kept aside: {', '.join(files)}. {told}"
