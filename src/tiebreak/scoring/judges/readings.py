"""What becomes of a reply: an answer of the menu, or none and a reason. Nothing is ever guessed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tiebreak.scoring.judges.answers import Answer, Stop
from tiebreak.scoring.judges.chances import ReplyChances, chances
from tiebreak.scoring.judges.menu import Menu

Unscored = Literal["unparsed", "truncated", "refused", "filtered"]
"""Why a reply is worth nothing: it says nothing of the menu; it was cut off; the model would not answer; a filter of
the provider took it away."""

_BY_STOP: Final[dict[Stop, Unscored]] = {"length": "truncated", "refused": "refused", "filtered": "filtered"}


@dataclass(frozen=True, slots=True)
class ReplyReading:
    """A `label` of the menu, with probabilities where there are any, or the reason why there is none."""

    label: str | None
    unscored: Unscored | None = None
    chances: ReplyChances | None = None


def reading_of(answer: Answer, menu: Menu) -> ReplyReading:
    """What a reply says; one that was cut off says nothing, even where an answer stands in it."""
    if answer.stop != "done":
        return ReplyReading(None, _BY_STOP[answer.stop])
    match = menu.read(answer.text)
    if match is None:
        return ReplyReading(None, "unparsed")
    return ReplyReading(match.label, chances=chances(answer, match, menu))
