"""What is to be said of a log that is whole: that of a campaign, or the ledger of a watched study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.messages.kinds import NoticeKind
from tiebreak.records import Notice

CLOCK: Final = NoticeKind(
    "clock-backwards", "a time lies before an earlier one", "set the clocks; verdicts do not depend on them"
)
KINDS: Final = (CLOCK,)

CLOCK_OF_LOG: Final = (
    "event {number:,} of the log",
    "The order of labels does not come from times, so that verdicts stand; tasks may have expired at the wrong time.",
)
CLOCK_OF_LEDGER: Final = (
    "look {number:,} of the ledger",
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
