"""The tutorial of a campaign: questions with expected answers, which people get right before their first task.

It looks at no label, so that it may let people in and keep them out (price-of-debiasing, appendix A).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

import msgspec

from tiebreak.campaign import Protocol
from tiebreak.campaign.kinds import LABEL_KINDS, LabelKind
from tiebreak.errors import InputError, Problem, did_you_mean
from tiebreak.live.ledger import TaskLedger
from tiebreak.settings.shared import LARGEST_PRICE
from tiebreak.settings.toml_file import read_toml

TUTORIAL_FILE: Final = "tutorial.toml"
SHIPPED: Final = {path.stem: path for path in sorted((Path(__file__).parent / "tutorials").glob("*.toml"))}
"""Tutorials that come with the program, by name."""

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Bonus = Annotated[float, msgspec.Meta(ge=0, le=LARGEST_PRICE)]


@dataclass(frozen=True, slots=True)
class TutorialQuestion:
    """The `texts` that are asked about, and what they are about (`input`, `context`, `passages`). `answer`: by field,
    the right answer or the right ones; a field that is not named may be answered in any way. `explanation`: shown
    afterwards.
    """

    texts: list[str]
    answer: dict[str, str | list[str]]
    explanation: str = ""
    input: str = ""
    context: str = ""
    passages: list[str] = field(default_factory=list)

    def wrong_fields(self, cells: Mapping[str, str]) -> list[str]:
        """The fields that were answered wrongly."""
        return [name for name, right in self.right.items() if _plain(cells.get(name, "")) not in map(_plain, right)]

    @property
    def right(self) -> dict[str, list[str]]:
        """By field, all of its right answers."""
        return {name: [right] if isinstance(right, str) else right for name, right in self.answer.items()}


@dataclass(frozen=True, slots=True)
class Tutorial:
    """`questions` about a `kind` of label, "" for that of the campaign. `pass_share` of them must be answered rightly;
    `bonus`: paid once to whoever passes, in the currency of the protocol.
    """

    questions: list[TutorialQuestion]
    kind: str = ""
    pass_share: Share = 0.8
    bonus: Bonus = 0.0

    def kind_for(self, protocol: Protocol) -> LabelKind:
        """The kind of its questions in a campaign."""
        return LABEL_KINDS[self.kind or protocol.labels.kind]

    def next_question(self, ledger: TaskLedger, annotator: str) -> int | None:
        """The number of the first question that a person has not answered; None: they have answered all."""
        answered = ledger.tutorials.get(annotator, {})
        return next((number for number in range(len(self.questions)) if number not in answered), None)

    def has_passed(self, ledger: TaskLedger, annotator: str) -> bool:
        """Whether a person has answered all questions, and enough of them rightly."""
        answered = ledger.tutorials.get(annotator, {})
        right = sum(answered.values())
        return len(answered) == len(self.questions) and right >= self.pass_share * len(self.questions)


def read_tutorial(text: str, file: str, protocol: Protocol) -> Tutorial:
    """The tutorial in a TOML text, for the campaign of a protocol.

    Raises:
        InputError: what cannot be read, and answers that the kind of label does not have; all of them.
    """
    found = read_toml(Tutorial, text, file)
    problems = [Problem(file, message) for message in _problems(found, protocol)]
    if problems:
        raise InputError(problems)
    return found


def tutorial_in(folder: Path, protocol: Protocol) -> Tutorial | None:
    """The tutorial in a campaign's folder; None where there is none.

    Raises:
        InputError: it cannot be read.
    """
    path = folder / TUTORIAL_FILE
    return read_tutorial(path.read_text(encoding="utf-8"), str(path), protocol) if path.is_file() else None


def _problems(tutorial: Tutorial, protocol: Protocol) -> Iterator[str]:
    if tutorial.kind and tutorial.kind not in LABEL_KINDS:
        yield f"kind {tutorial.kind!r} is none of {', '.join(LABEL_KINDS)}{did_you_mean(tutorial.kind, LABEL_KINDS)}"
        return
    if not tutorial.questions:
        yield "a tutorial needs [[questions]] with texts and answer"
    kind = tutorial.kind_for(protocol)
    for number, question in enumerate(tutorial.questions, 1):
        known = {
            of.name: of for of in kind.fields(protocol, outputs=len(question.texts), passages=len(question.passages))
        }
        if len(question.texts) != len(kind.text_names(len(question.texts))):
            yield f"question {number} has {len(question.texts)} texts, which is not what people see in a {kind.name}"
        if not all(text.strip() for text in question.texts):
            yield f"question {number} has an empty text"
        if not question.answer:
            yield f"question {number} has no answer"
        for name, right in question.right.items():
            if not right:
                yield f"question {number}: {name} has no right answer"
            if name not in known:
                yield f"question {number} answers {name!r}, which is no field; fields are {', '.join(known)}"
            elif known[name].choices and (unknown := _unknown(right, known[name].choices)):
                yield f"question {number}: {name} cannot be {unknown!r}, but {', '.join(known[name].choices)}"


def _unknown(right: Sequence[str], choices: Sequence[str]) -> str:
    return next((answer for answer in right if _plain(answer) not in map(_plain, choices)), "")


def _plain(text: str) -> str:
    """As compared: without case and blanks that are too many."""
    return " ".join(text.split()).casefold()
