"""An answer in the words that annotators see, and what it says about the two systems."""

from __future__ import annotations

from typing import Final

from tiebreak.campaign.events import Outcome, TaskAssigned

FIRST: Final = "First text"
TIE: Final = "No difference"
SECOND: Final = "Second text"

_ALSO_UNDERSTOOD: Final = {
    FIRST: ("first", "text 1", "left"),
    TIE: ("tie", "equal", "same"),
    SECOND: ("second", "text 2", "right"),
}
_MEANING: Final = {word.casefold(): answer for answer, others in _ALSO_UNDERSTOOD.items() for word in (answer, *others)}


def allowed_answers(*, ties: bool) -> tuple[str, ...]:
    """The words to choose from, in the order in which they are shown."""
    return (FIRST, TIE, SECOND) if ties else (FIRST, SECOND)


def answer_of(words: str) -> str | None:
    """`FIRST`, `TIE` or `SECOND` for words that say so, however they are spelt; None for any other text."""
    return _MEANING.get(" ".join(words.split()).rstrip(".!").casefold())


def outcome_of(answer: str, task: TaskAssigned) -> Outcome:
    """The outcome relative to `system_a`, from the side on which each text was shown."""
    if answer == TIE:
        return "tie"
    return "a" if (answer == FIRST) == (task.left == task.system_a) else "b"


def shown_answer(outcome: Outcome, task: TaskAssigned) -> str:
    """The answer, in words, that gave this outcome."""
    if outcome == "tie":
        return TIE
    return FIRST if (outcome == "a") == (task.left == task.system_a) else SECOND
