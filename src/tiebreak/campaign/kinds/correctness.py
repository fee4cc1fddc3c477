"""Correctness: what passages say of an answer (price-of-debiasing, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, cast

import msgspec

from tiebreak.campaign.events import EventError, LabelGiven, Response, TaskAssigned
from tiebreak.campaign.kinds.kind import (
    AnswerError,
    AnswerField,
    Cells,
    FieldProblem,
    ItemTexts,
    Phrase,
    Rows,
    SimulatedPerson,
)
from tiebreak.campaign.kinds.rating import Rated, Rating
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.protocol_parts import ANY_CORRECT, AVG_CORRECT
from tiebreak.campaign.state import OpenTask
from tiebreak.data.schema import SUPPORTS
from tiebreak.errors import UsageError
from tiebreak.importers.cells import yes_in
from tiebreak.records import Support

SENSIBLE: Final = "sensible"
PLAUSIBLE: Final = "plausible"
SURE: Final = "sure"
QUESTIONS: Final = {
    SENSIBLE: "Does the question make sense?",
    PLAUSIBLE: "Is the answer plausible?",
    SURE: "Have you checked your answers again?",
}
"""Answered by yes (1) or no (0), by the name that an answer has for each."""

YES, NO = "yes", "no"

Place = Annotated[int, msgspec.Meta(ge=0)]


@dataclass(frozen=True, slots=True)
class Span:
    """What an annotator found in a passage: that it `supports` or `contradicts` the output, or does `neither`, and
    where, from `start` to `end` in code points (None: not marked).
    """

    passage: str
    support: Support
    start: Place | None = None
    end: Place | None = None


@dataclass(frozen=True, slots=True)
class Judged(Rated):
    """`values`: the answers to `QUESTIONS`; `spans`: what was found in passages."""

    spans: tuple[Span, ...] = ()


class Correctness(Rating):
    """People say whether a question makes sense, whether its answer is plausible, and then of every passage whether it
    supports or contradicts the answer. An answer that is not plausible, or to no question, is not correct.
    """

    name: ClassVar[str] = "correctness"
    response: ClassVar[type[Response]] = Judged
    shows_passages: ClassVar[bool] = True
    confirmation: ClassVar[Cells] = MappingProxyType({SURE: YES})

    def asks(self, protocol: Protocol) -> str:
        """That passages are judged."""
        return "People judge for each answer whether passages support it."

    def fields(self, protocol: Protocol, *, outputs: int, passages: int) -> tuple[AnswerField, ...]:
        """The questions, and two fields for each passage."""
        *questions, again = (AnswerField(name, question, (YES, NO)) for name, question in QUESTIONS.items())
        supports, contradicts, neither = SUPPORTS
        judged: list[AnswerField] = []
        for number in range(1, passages + 1):
            says = f"Where “{PLAUSIBLE}” is {YES}: the passage {supports} or {contradicts} the answer, or {neither}."
            judged.append(AnswerField(says_field(number), says if number == 1 else "", SUPPORTS))
            words = "The words of the passage that show it" + ("." if protocol.people.spans else ", if you like.")
            judged.append(AnswerField(words_field(number), words if number == 1 else "", is_text=True))
        return (*questions, *judged, again)

    def read(self, protocol: Protocol, task: TaskAssigned, texts: ItemTexts, cells: Cells) -> Response:
        """Passages are judged where the question makes sense and the answer is plausible."""
        values: dict[str, float] = {}
        problems: list[FieldProblem] = []
        for name in QUESTIONS:
            if name == PLAUSIBLE and values.get(SENSIBLE) == 0.0:
                continue
            answer = yes_in(cells.get(name, ""))
            if answer is None:
                message = Phrase("write yes or no") if cells.get(name) else Phrase("is empty; write yes or no")
                problems.append(FieldProblem(name, message))
            else:
                values[name] = float(answer)
        if values.get(SURE) == 0.0:
            problems.append(FieldProblem(SURE, f"check these answers again, then write {YES}"))
        spans: list[Span] = []
        for found in _judged(texts.passages, cells) if _is_plausible(values) else ():
            if isinstance(found, FieldProblem):
                problems.append(found)
            else:
                spans.append(found)
        if problems:
            raise AnswerError(problems)
        return Judged(values, tuple(spans))

    def said(self, task: TaskAssigned, response: Response) -> str:
        """ "sensible 1, plausible 1, sure 1, p1 supports"."""
        spans = [f"{span.passage} {span.support}" for span in cast(Judged, response).spans]
        return ", ".join([super().said(task, response), *spans])

    def simulated(self, protocol: Protocol, task: TaskAssigned, person: SimulatedPerson) -> Response:
        """Nothing: no simulated person reads."""
        raise UsageError("simulated people rate texts; they cannot judge passages")

    def check(self, protocol: Protocol, event: LabelGiven, task: OpenTask) -> None:
        """Yes or no to every question that is asked, and where both are yes at least one passage."""
        response = cast(Judged, event.response)
        asked = {*QUESTIONS} - ({PLAUSIBLE} if response.values.get(SENSIBLE) == 0 else set())
        values = {name: value for name, value in response.values.items() if name in asked}
        if set(values) != asked or not set(response.values) <= {*QUESTIONS} or not set(values.values()) <= {0.0, 1.0}:
            raise EventError(f"task {event.task} needs yes (1) or no (0) for {', '.join(QUESTIONS)}")
        if not values[SURE]:
            raise EventError(f"task {event.task} was not checked again")
        judged = [span.passage for span in response.spans]
        if _is_plausible(values) and not judged:
            raise EventError(f"task {event.task} is plausible, but no passage was judged")
        if len(set(judged)) < len(judged):
            raise EventError(f"task {event.task} judges a passage twice")

    def set_aside(self, protocol: Protocol, response: Response) -> str | None:
        """A judgement without the words that show it (price-of-debiasing, appendix A)."""
        unmarked = any(span.support != "neither" and span.start is None for span in cast(Judged, response).spans)
        return "marked no span in a passage" if protocol.people.spans and unmarked else None

    def values(self, response: Response) -> dict[str, float]:
        """AnyCorrect and AvgCorrect."""
        judged = cast(Judged, response)
        if not _is_plausible(judged.values):
            return {ANY_CORRECT: 0.0, AVG_CORRECT: 0.0}
        supports = [span.support == "supports" for span in judged.spans]
        return {ANY_CORRECT: float(any(supports)), AVG_CORRECT: sum(supports) / len(supports)}

    def rows(self, protocol: Protocol, task: TaskAssigned, response: Response, texts: ItemTexts) -> Rows:
        """Also a span for each passage."""
        spans: list[dict[str, object]] = [
            {
                "system": task.system_a,
                "passage": span.passage,
                "support": span.support,
                "start": span.start,
                "end": span.end,
            }
            for span in cast(Judged, response).spans
        ]
        return super().rows(protocol, task, response, texts) | ({"spans": spans} if spans else {})


def says_field(number: int) -> str:
    """The column for what the passage with this number says, from 1."""
    return Phrase("passage {number} says", number=number)


def words_field(number: int) -> str:
    """The column for the words of a passage that show it."""
    return Phrase("words of passage {number}", number=number)


def _is_plausible(values: Mapping[str, float]) -> bool:
    """Whether passages are to be judged at all."""
    return bool(values.get(SENSIBLE) and values.get(PLAUSIBLE))


def _judged(passages: Mapping[str, str], cells: Cells) -> Iterator[Span | FieldProblem]:
    for number, (name, text) in enumerate(passages.items(), 1):
        written = cells.get(says_field(number), "").casefold()
        support = next((known for known in SUPPORTS if known == written), None)
        if support is None:
            message = Phrase("is empty; write one of {choices}", choices=SUPPORTS)
            if written:
                message = Phrase("write one of {choices}", choices=SUPPORTS)
            yield FieldProblem(says_field(number), message)
            continue
        words = cells.get(words_field(number), "")
        place = _place_of(words, text)
        if words and place is None:
            message = Phrase(
                "these words do not stand in passage {number}; copy them as they stand there", number=number
            )
            yield FieldProblem(words_field(number), message)
            continue
        yield Span(name, support, *(place or (None, None)))


def _place_of(words: str, text: str) -> tuple[int, int] | None:
    """Where words stand in a text, in code points, however they are spaced; None where they do not."""
    parts = words.split()
    if not parts:
        return None
    start = 0
    while (start := text.find(parts[0], start)) >= 0:
        end = start
        for part in parts:
            blanks = len(text[end:]) - len(text[end:].lstrip())
            begin = end if part is parts[0] else end + blanks
            if not text.startswith(part, begin):
                break
            end = begin + len(part)
        else:
            return start, end
        start += 1
    return None
