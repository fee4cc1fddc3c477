"""What people fill in for each task: the answers that a protocol asks for, as fields. Sheets and web pages lay them
out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiebreak.campaign import Protocol
from tiebreak.campaign.kinds.correctness import PLAUSIBLE, QUESTIONS
from tiebreak.data.schema import SUPPORTS
from tiebreak.live.answers import allowed_answers
from tiebreak.numbers import plain
from tiebreak.settings.protocol import RatedCriterion

ANSWER: Final = "answer"
EDIT: Final = "edit"
YES, NO = "yes", "no"

_MOST_CHOICES: Final = 11
"""Ratings that a drop-down offers; a longer scale is typed."""


@dataclass(frozen=True, slots=True)
class AnswerField:
    """One column to fill in. `told`: what to write there, as a sentence. `choices`: the answers to choose from, () for
    what is typed; `is_text`: it takes a text of any length.
    """

    name: str
    told: str
    choices: tuple[str, ...] = ()
    is_text: bool = False


def passage_field(number: int) -> str:
    """The column for what the passage with this number says, from 1."""
    return f"passage {number} says"


def words_field(number: int) -> str:
    """The column for the words of a passage that show it."""
    return f"words of passage {number}"


def fields_of(protocol: Protocol, passages: int = 0) -> tuple[AnswerField, ...]:
    """The fields of a protocol's tasks. `passages`: the most that any of them shows."""
    kind = protocol.labels.kind
    if kind == "preference":
        answers = allowed_answers(ties=protocol.labels.ties)
        return (AnswerField(ANSWER, f"Choose your answer in the column “{ANSWER}”: {', '.join(answers)}.", answers),)
    if kind == "correctness":
        return _correctness_fields(protocol, passages)
    rated = tuple(_rating_field(of, whole=protocol.ratings.whole) for of in protocol.ratings.criteria)
    below = protocol.ratings.edit_below
    if kind != "rating+edit" or below is None:
        return rated
    told = (
        f"The column “{EDIT}” holds the text once more. Where you rated anything below {plain(below)}, change it there "
        "until it is good, with as few changes as you can; else leave it as it is."
    )
    return (*rated, AnswerField(EDIT, told, is_text=True))


def _rating_field(of: RatedCriterion, *, whole: bool) -> AnswerField:
    what = f"{of.question} " if of.question else ""
    kind = "a whole number" if whole else "a number"
    told = f"{what}Write {kind} from {plain(of.low)} to {plain(of.high)} in the column “{of.name}”."
    count = of.high - of.low + 1
    choices = tuple(plain(of.low + step) for step in range(int(count))) if whole and count <= _MOST_CHOICES else ()
    return AnswerField(of.name, told, choices)


def _correctness_fields(protocol: Protocol, passages: int) -> tuple[AnswerField, ...]:
    asked = [
        AnswerField(name, f"{question} Choose {YES} or {NO} in the column “{name}”.", (YES, NO))
        for name, question in QUESTIONS.items()
    ]
    *questions, again = asked
    says = f"Where “{PLAUSIBLE}” is {YES}: say of every passage whether it {SUPPORTS[0]} or {SUPPORTS[1]} the answer"
    judged: list[AnswerField] = []
    for number in range(1, passages + 1):
        judged.append(AnswerField(passage_field(number), f"{says}, or {SUPPORTS[2]}." if number == 1 else "", SUPPORTS))
        must = "Copy" if protocol.people.spans else "You may copy"
        told = f"{must} the words that show it into “{words_field(number)}”, as they stand in the passage."
        judged.append(AnswerField(words_field(number), told if number == 1 else "", is_text=True))
    return (*questions, *judged, again)
