"""What every kind of label says: what is shown and asked, what an answer is, and what becomes of complete items."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from tiebreak.campaign.events import LabelGiven, Response, TaskAssigned
from tiebreak.campaign.openings import Opening, task_id
from tiebreak.campaign.outcome_marks import Tally
from tiebreak.campaign.plan import CampaignPlan, Measure, TrackPlan
from tiebreak.campaign.policies import TrackPolicy
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.state import AnnotatorState, Answer, OpenTask, OpenUnit, State, TrackState
from tiebreak.data.schema import TableName
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.records import UnitValue
from tiebreak.settings.protocol import RatedCriterion

Cells = Mapping[str, str]
"""What an annotator filled in, by name of the field, without blanks around it; "" or absent: nothing."""
Rows = dict[TableName, list[dict[str, object]]]


class Phrase(str):
    """Words for annotators that are made of a `template` and `values`, so that a page can say them in another language.

    Of the values, phrases and tuples of words are part of what is said; others stay as they are.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, **values: object) -> Phrase:
        phrase = super().__new__(cls, _said(template, values, str))
        phrase.template, phrase.values = template, MappingProxyType(values)
        return phrase

    def said(self, translate: Callable[[str], str]) -> str:
        """In a language; `translate`: its words for a template, or for a word."""
        return _said(self.template, self.values, translate)


def _said(template: str, values: Mapping[str, object], translate: Callable[[str], str]) -> str:
    parts: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, Phrase):
            parts[name] = value.said(translate)
        else:
            parts[name] = ", ".join(map(translate, value)) if isinstance(value, tuple) else value
    return translate(template).format(**parts)


@dataclass(frozen=True, slots=True)
class AnswerField:
    """One thing to fill in: a column of a sheet, a control of a page. `told`: what to answer there, as a
    sentence, "" where that was said of the field before it.
    `choices`: the answers to choose from, () for what is typed; `cues`: what each of them means, () where that is
    plain; `is_text`: it takes a text of any length.
    """

    name: str
    told: str
    choices: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    is_text: bool = False

    @property
    def told_in_full(self) -> str:
        """What to answer, with what each answer means."""
        meanings = [f"{choice}: {cue}" for choice, cue in zip(self.choices, self.cues, strict=False)]
        return f"{self.told} {'; '.join(meanings)}." if meanings else self.told


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """The texts of a task as the study has them: `outputs` by system, `passages` by name, in their order."""

    outputs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    passages: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


class FieldProblem(NamedTuple):
    """Something wrong with what was filled in, in words that the annotator can act on."""

    field: str
    message: str


class AnswerError(TiebreakError):
    """An answer that cannot be taken: all `problems` of its fields."""

    def __init__(self, problems: Sequence[FieldProblem]) -> None:
        super().__init__("; ".join(f"{of.field}: {of.message}" for of in problems))
        self.problems = tuple(problems)


def mean_of(values: Sequence[UnitValue]) -> UnitValue:
    """Of the items of a unit."""
    count = len(values)
    if count == 1:
        return values[0]
    taught = [of.taught for of in values if of.taught is not None]
    return UnitValue(
        sum([of.for_a for of in values]) / count,
        sum([of.for_b for of in values]) / count,
        sum(taught) / count if len(taught) == count else None,
    )


class SimulatedPerson:
    """What a simulated person sees in outputs: the part of a person that does not depend on what they are asked."""

    def prefers(self, system_a: str, system_b: str, *, a_first: bool) -> int:
        """The code of an outcome between the outputs of two systems, of which one is shown first."""
        raise UsageError("these simulated people rate single outputs; they do not compare them")

    def rates(self, system: str, criterion: RatedCriterion) -> float:
        """A rating of a system's output."""
        raise UsageError("these simulated people compare outputs; they do not rate single ones")


class LabelKind(ABC):
    """A kind keeps what became of done items as bytes (`TrackState.marks`), in a size of its own per item.

    `response`: the record of an answer. `answer_column`: the field that holds a whole answer, "" where there are
    several. `has_sides`: two outputs are shown, one on the left. `shows_passages`: passages are part of a task.
    `confirmation`: what people say of their answers who have checked them, on a page of its own; {} where none is.
    """

    name: ClassVar[str]
    response: ClassVar[type[Response]]
    answer_column: ClassVar[str] = ""
    has_sides: ClassVar[bool] = False
    shows_passages: ClassVar[bool] = False
    confirmation: ClassVar[Cells] = MappingProxyType({})

    # ---- tasks -------------------------------------------------------------------------------------------------

    def task(self, state: State, track: int, place: Opening, annotator: str, now: str) -> TaskAssigned:
        """The next task, which asks this person about an item of a track."""
        plan = state.plan.tracks[track]
        item = state.plan.items[int(plan.order[plan.starts[place.unit] + place.slot])]
        name = task_id(state.issued, state.plan.fingerprint)
        return TaskAssigned(now, name, annotator, plan.systems, item, self.shown(state, track))

    @abstractmethod
    def shown(self, state: State, track: int) -> tuple[str, ...]:
        """The systems of the next task of a track, in the order in which their outputs are shown."""

    @abstractmethod
    def text_names(self, count: int) -> tuple[str, ...]:
        """What annotators call the outputs that they see, in the order in which they are shown."""

    @abstractmethod
    def policy(self, protocol: Protocol) -> TrackPolicy:
        """Which track is asked next."""

    # ---- answers -----------------------------------------------------------------------------------------------

    @abstractmethod
    def asks(self, protocol: Protocol) -> str:
        """What people are asked, as a sentence for whoever runs the campaign."""

    @abstractmethod
    def fields(self, protocol: Protocol, *, outputs: int, passages: int) -> tuple[AnswerField, ...]:
        """What is filled in for tasks with so many outputs and at most so many passages."""

    def filled(self, task: TaskAssigned, texts: ItemTexts) -> Cells:
        """What stands in fields before anybody fills them in."""
        return {}

    def is_empty(self, cells: Cells) -> bool:
        """Whether nothing was answered."""
        return not any(cells.values())

    @abstractmethod
    def read(self, protocol: Protocol, task: TaskAssigned, texts: ItemTexts, cells: Cells) -> Response:
        """What the fields of a task say.

        Raises:
            AnswerError: fields that are missing or cannot be understood, all of them.
        """

    @abstractmethod
    def said(self, task: TaskAssigned, response: Response) -> str:
        """A response in the annotator's words."""

    @abstractmethod
    def simulated(self, protocol: Protocol, task: TaskAssigned, person: SimulatedPerson) -> Response:
        """What a simulated person answers."""

    @abstractmethod
    def check(self, protocol: Protocol, event: LabelGiven, task: OpenTask) -> None:
        """Check what an answer says, whoever wrote it down.

        Raises:
            EventError: it is none that this campaign allows.
        """

    def set_aside(self, protocol: Protocol, response: Response) -> str | None:
        """Why an answer does not count for its form, in words; None where it does."""
        return None

    def edit_size(self, response: Response) -> int | None:
        """How many characters of a text an answer changes; None where it is no edit."""
        return None

    @abstractmethod
    def answer(self, protocol: Protocol, plan: TrackPlan, response: Response) -> Answer:
        """What an item of a track keeps of an answer."""

    def person_after(self, state: State, person: AnnotatorState, event: LabelGiven, task: OpenTask) -> AnnotatorState:
        """A person with what their answer tells of them."""
        return person

    @abstractmethod
    def rows(self, protocol: Protocol, task: TaskAssigned, response: Response, texts: ItemTexts) -> Rows:
        """The rows that an answer has in the tables of a study, without what the rows of all kinds have."""

    # ---- complete items ----------------------------------------------------------------------------------------

    @abstractmethod
    def known(self, plan: TrackPlan, items: int) -> bytes:
        """Marks of a unit that nobody is asked about."""

    @abstractmethod
    def complete(self, items: OpenUnit, plan: TrackPlan, protocol: Protocol) -> bytes:
        """Marks of a unit that has its labels."""

    @abstractmethod
    def tally(self, plan: CampaignPlan, track: TrackState, measure: Measure) -> Tally:
        """Done items of one of a measure's tracks, by what became of them."""

    @abstractmethod
    def unit_value(self, plan: CampaignPlan, tracks: Sequence[TrackState], measure: Measure, unit: int) -> UnitValue:
        """The value of a done unit for a measure; withdrawn items, and those without a label, are the worst for either
        side.
        """

    @abstractmethod
    def withdraw(self, plan: CampaignPlan, track: int, marks: bytes, place: int) -> tuple[bytes, int] | None:
        """The marks of a track with the done item at a place of the sealed order withdrawn, and its number of answers;
        None where it is withdrawn already.
        """
