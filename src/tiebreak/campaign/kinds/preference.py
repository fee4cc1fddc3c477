"""Preferences: which of two outputs is better."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, cast

from tiebreak.campaign import outcome_marks
from tiebreak.campaign.events import EventError, LabelGiven, Response, TaskAssigned
from tiebreak.campaign.kinds.kind import (
    AnswerError,
    AnswerField,
    Cells,
    FieldProblem,
    ItemTexts,
    LabelKind,
    Phrase,
    Rows,
    SimulatedPerson,
    mean_of,
)
from tiebreak.campaign.labelling import OUTCOME_POLICIES
from tiebreak.campaign.outcome_marks import Tally, pairs_among
from tiebreak.campaign.plan import CampaignPlan, Measure, TrackPlan
from tiebreak.campaign.policies import PAIR_POLICIES, TrackPolicy
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.state import AnnotatorState, Answer, OpenTask, OpenUnit, State, TrackState
from tiebreak.records import OUTCOME_CODES, TIE, A, B, UnitValue

Outcome = Literal["a", "tie", "b"]

ANSWER: Final = "answer"
FIRST: Final = "First text"
NO_DIFFERENCE: Final = "No difference"
SECOND: Final = "Second text"

_ALSO_UNDERSTOOD: Final = {
    FIRST: ("first", "text 1", "left"),
    NO_DIFFERENCE: ("tie", "equal", "same"),
    SECOND: ("second", "text 2", "right"),
}
_MEANING: Final = {word.casefold(): answer for answer, others in _ALSO_UNDERSTOOD.items() for word in (answer, *others)}


_NAMES: Final[dict[int, Outcome]] = {A: "a", TIE: "tie", B: "b"}


@dataclass(frozen=True, slots=True)
class Preferred(Response):
    """`outcome`: relative to the `systems` of the task, a the first and b the second, whatever was shown first."""

    outcome: Outcome


class Preference(LabelKind):
    """A task shows the outputs of a pair; an answer is an outcome; an item's outcome goes by the labelling policy."""

    name: ClassVar[str] = "preference"
    response: ClassVar[type[Response]] = Preferred
    answer_column: ClassVar[str] = ANSWER
    has_sides: ClassVar[bool] = True

    # ---- tasks -------------------------------------------------------------------------------------------------

    def shown(self, state: State, track: int) -> tuple[str, ...]:
        """On sides drawn at random."""
        systems = state.plan.tracks[track].systems
        return systems if _first_on_the_left(state, track) else systems[::-1]

    def text_names(self, count: int) -> tuple[str, ...]:
        """First and second."""
        return ("first text", "second text")

    def policy(self, protocol: Protocol) -> TrackPolicy:
        """The pair policy of the protocol."""
        return PAIR_POLICIES[protocol.pairs.pair_policy]

    # ---- answers -----------------------------------------------------------------------------------------------

    def asks(self, protocol: Protocol) -> str:
        """The question with its answers."""
        return f"People are asked: {protocol.asked} ({' / '.join(allowed_answers(ties=protocol.labels.ties))})"

    def fields(self, protocol: Protocol, *, outputs: int, passages: int) -> tuple[AnswerField, ...]:
        """One answer."""
        answers = allowed_answers(ties=protocol.labels.ties)
        return (AnswerField(ANSWER, f"{', '.join(answers[:-1])} or {answers[-1]}.", answers),)

    def read(self, protocol: Protocol, task: TaskAssigned, texts: ItemTexts, cells: Cells) -> Response:
        """Relative to the systems, from the side on which each text was shown."""
        answer, allowed = answer_of(cells.get(ANSWER, "")), allowed_answers(ties=protocol.labels.ties)
        if answer is None or answer not in allowed:
            message = Phrase("not an answer; allowed are {allowed}, or nothing", allowed=allowed)
            if answer == NO_DIFFERENCE:
                message = Phrase("this campaign has no ties; allowed are {allowed}, or nothing", allowed=allowed)
            raise AnswerError([FieldProblem(ANSWER, message)])
        if answer == NO_DIFFERENCE:
            return Preferred("tie")
        return Preferred("a" if (answer == FIRST) == (task.left == task.system_a) else "b")

    def said(self, task: TaskAssigned, response: Response) -> str:
        """First text, second text or no difference."""
        outcome = cast(Preferred, response).outcome
        if outcome == "tie":
            return NO_DIFFERENCE
        return FIRST if (outcome == "a") == (task.left == task.system_a) else SECOND

    def simulated(self, protocol: Protocol, task: TaskAssigned, person: SimulatedPerson) -> Response:
        """Which they prefer."""
        a, b = task.systems
        return Preferred(_NAMES[person.prefers(a, b, a_first=task.left == a)])

    def check(self, protocol: Protocol, event: LabelGiven, task: OpenTask) -> None:
        """An outcome, and a tie only where ties are allowed."""
        outcome = cast(Preferred, event.response).outcome
        if outcome not in OUTCOME_CODES:
            raise EventError(f"outcome {outcome!r} of task {event.task} must be one of {', '.join(OUTCOME_CODES)}")
        if outcome == "tie" and not protocol.labels.ties:
            raise EventError(f"task {event.task} was answered with a tie, which this campaign does not allow")

    def answer(self, protocol: Protocol, plan: TrackPlan, response: Response) -> Answer:
        """The outcome's code, of its only pair."""
        return (OUTCOME_CODES[cast(Preferred, response).outcome],)

    def person_after(self, state: State, person: AnnotatorState, event: LabelGiven, task: OpenTask) -> AnnotatorState:
        """Which side they chose, and whether they got a check right."""
        outcome = cast(Preferred, event.response).outcome
        people, is_check = state.protocol.people, task.gold is not None
        asked = person.gold_asked + is_check
        right = person.gold_right + (task.gold is not None and people.gold[task.gold].outcome == outcome)
        failed = is_check and asked >= people.gold_after and right < people.gold_share * asked
        of = state.plan.tracks[task.track]
        chosen = {"a": of.system_a, "b": of.system_b}.get(outcome)
        return person._replace(
            chose_left=person.chose_left + (chosen == task.shown[0]),
            gold_asked=asked,
            gold_right=right,
            excluded=person.excluded or failed,
        )

    def rows(self, protocol: Protocol, task: TaskAssigned, response: Response, texts: ItemTexts) -> Rows:
        """A preference."""
        row: dict[str, object] = {
            "system_a": task.system_a,
            "system_b": task.system_b,
            "outcome": cast(Preferred, response).outcome,
            "criterion": protocol.criterion,
            "left": task.left,
        }
        return {"preferences": [row]}

    # ---- complete items ----------------------------------------------------------------------------------------

    def known(self, plan: TrackPlan, items: int) -> bytes:
        """Identical outputs are ties."""
        return outcome_marks.written((outcome_marks.KNOWN_TIE,) * (items * pairs_among(len(plan.systems))))

    def complete(self, items: OpenUnit, plan: TrackPlan, protocol: Protocol) -> bytes:
        """By the labelling policy, for each pair."""
        policy, pairs = OUTCOME_POLICIES[protocol.labels.labelling], pairs_among(len(plan.systems))
        marks = []
        for item in items:
            answers = [cast(tuple[int, ...], answer) for _, answer in item.answers]
            for pair in range(pairs):
                outcome = None if item.abandoned else policy.value([of[pair] for of in answers]) if answers else TIE
                marks.append(outcome_marks.mark(outcome, len(answers), withdrawn=item.withdrawn))
        return outcome_marks.written(marks)

    def tally(self, plan: CampaignPlan, track: TrackState, measure: Measure) -> Tally:
        """Wins, ties and losses of the first system."""
        pairs = pairs_among(len(plan.tracks[measure.tracks[0]].systems))
        return outcome_marks.outcome_counts(track.marks, measure.part, pairs)

    def unit_value(self, plan: CampaignPlan, tracks: Sequence[TrackState], measure: Measure, unit: int) -> UnitValue:
        """The mean outcome of its items."""
        (track,) = measure.tracks
        of = plan.tracks[track]
        begin, end = of.starts[unit : unit + 2].tolist()
        pairs = pairs_among(len(of.systems))
        return mean_of(outcome_marks.unit_values(tracks[track].marks, begin, end, measure.part, pairs))

    def withdraw(self, plan: CampaignPlan, track: int, marks: bytes, place: int) -> tuple[bytes, int] | None:
        """With the marks of its pairs changed."""
        return outcome_marks.withdraw(marks, place, pairs_among(len(plan.tracks[track].systems)))


def allowed_answers(*, ties: bool) -> tuple[str, ...]:
    """The words to choose from, in the order in which they are shown."""
    return (FIRST, NO_DIFFERENCE, SECOND) if ties else (FIRST, SECOND)


def answer_of(words: str) -> str | None:
    """`FIRST`, `NO_DIFFERENCE` or `SECOND` for words that say so, however they are spelt; None for any other text."""
    return _MEANING.get(" ".join(words.split()).rstrip(".!").casefold())


def _first_on_the_left(state: State, track: int) -> bool:
    """Random, and in each two tasks of a pair once on either side."""
    number = state.tracks[track].tasks
    text = repr(("side", state.protocol.order.seed, track, number // 2))
    first = hashlib.sha256(text.encode()).digest()[0] % 2 == 0
    return first if number % 2 == 0 else not first
