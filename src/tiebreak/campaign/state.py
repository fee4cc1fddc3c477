"""The state of a campaign: what the events so far amount to, in a size that hardly grows with the labels (two bytes of
each done item, which a withdrawal needs).

No record ever changes; `step` makes new ones and shares what stays. They are named tuples because every label makes
several: `_replace` takes a fifth of the time that `dataclasses.replace` takes on a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeVar

from tiebreak.campaign.make_plan import make_plan, plan_again
from tiebreak.campaign.plan import CampaignPlan
from tiebreak.campaign.protocol import Protocol
from tiebreak.data.study import Study
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import Finding, Rule, Summary
from tiebreak.settings.shared import labels_for

EndReason = Literal["decided", "budget", "items", "stopped"]

Key = TypeVar("Key")
Value = TypeVar("Value")

_NOTHING: Final[MappingProxyType[Any, Any]] = MappingProxyType({})

Answer = tuple[float, ...]
"""What an item keeps of an answer: an outcome's code for each pair, or a value in [-1, 1] per rated criterion."""


class OpenItem(NamedTuple):
    """An item of a track that is being labelled: `answers` (annotator, answer) in order, `out` (task, annotator).

    `wanted`: labels that it should have in all, as far as its answers tell. `known`: identical outputs; `abandoned`:
    nobody will label it (neither wants any); `asked`: somebody has been asked about it; `withdrawn`: its answers count
    no more, and it counts against either side (abandoned too, if it was incomplete). `refused`: whose label of it was
    set aside (`quality`) or came when others were asked, and who are not asked again.
    """

    item: int
    wanted: int
    answers: tuple[tuple[str, Answer], ...] = ()
    out: tuple[tuple[str, str], ...] = ()
    known: bool = False
    abandoned: bool = False
    asked: bool = False
    withdrawn: bool = False
    refused: tuple[str, ...] = ()

    @property
    def missing(self) -> int:
        """Labels still needed, those under way counted as missing; 0 when complete."""
        return max(0, self.wanted - len(self.answers))

    def touched_by(self, annotator: str) -> bool:
        """Whether this person has answered it or has it before them."""
        people = [name for name, _ in self.answers]
        return annotator in people or annotator in self.refused or annotator in [name for _, name in self.out]

    def refusing(self, annotator: str) -> OpenItem:
        """The item, about which this person is not asked again: others were asked, or will be."""
        return self._replace(refused=(*self.refused, annotator))

    @property
    def counted(self) -> int:
        """Its answers that are evidence or may become it."""
        return 0 if self.withdrawn else len(self.answers)


OpenUnit = tuple[OpenItem, ...]


class TrackState(NamedTuple):
    """One track: `done` units are complete, in the sealed order without a gap; nobody was asked about units from `next`
    on; `open`: those that are not `done` yet, by unit (from `next` on: with abandoned items).

    `marks`: what became of each item in done units, as the kind of label writes it. `opened`: items that somebody has
    been asked about. `labels`: answers on this track; `done_labels`: those in done units that count; `withdrawn`: those
    on withdrawn items, which do not. `items`: those in done units. `tasks`: handed out, for balancing sides. `worker`:
    who labels all of it, under the policy `fixed`.
    """

    done: int = 0
    next: int = 0
    open: MappingProxyType[int, OpenUnit] = _NOTHING
    opened: int = 0
    labels: int = 0
    done_labels: int = 0
    items: int = 0
    withdrawn: int = 0
    marks: bytes = b""
    tasks: int = 0
    worker: str | None = None

    @property
    def waiting(self) -> int:
        """Labels that are no evidence yet."""
        return sum(place.counted for unit in self.open.values() for place in unit)

    def with_place(self, unit: int, items: OpenUnit, slot: int, place: OpenItem) -> TrackState:
        """The track with `place` at a slot of a unit that is not done, which had these `items`."""
        return self._replace(open=with_entry(self.open, unit, with_item(items, slot, place)))


class MeasureState(NamedTuple):
    """What is known of a measure: the stopping rule's record of its `done` units. `decided_at`, `decided_labels`: units
    and labels done when the verdict was reached.
    """

    evidence: Any
    done: int = 0
    verdict: Finding = "undecided"
    decided_at: int | None = None
    decided_labels: int | None = None


class OpenTask(NamedTuple):
    """A task that somebody has before them. `unit`, `slot`: place of its item in the track; `shown`: its
    systems in the order in which their outputs are shown; `gold`: number of the check task; `price` of its label.
    """

    task: str
    annotator: str
    at: str
    track: int
    unit: int
    slot: int
    shown: tuple[str, ...]
    gold: int | None = None
    price: float | None = None


class AnnotatorState(NamedTuple):
    """One person: `tasks` handed out, `labels` given (check tasks among them), the `hours` from task to
    answer of all of them, `seconds` spent on the `timed` ones; those during which they `left_page` or `pasted` text.

    `handed`: tasks of each track, of a campaign of ratings. `paid`: labels by the price of each; none without a price.
    """

    tasks: int = 0
    open: int = 0
    labels: int = 0
    hours: float = 0.0
    seconds: float = 0.0
    timed: int = 0
    left_page: int = 0
    pasted: int = 0
    chose_left: int = 0
    gold_asked: int = 0
    gold_right: int = 0
    excluded: bool = False
    handed: tuple[int, ...] = ()
    paid: MappingProxyType[float, int] = _NOTHING

    @property
    def pay(self) -> float:
        """What all labels of this person cost."""
        return sum(price * labels for price, labels in self.paid.items())


class State(NamedTuple):
    """The whole campaign. `tasks`: out; `returned`: came back unanswered (an answer may still arrive).

    `issued`: tasks ever handed out. `labels`: answers received, each paid; `late`: those that came after the end or
    were not needed any more; `set_aside`: those that do not count (`quality`); `repeated`: answers to tasks that had
    one already (not paid, not counted). `ended`: why the campaign is over, None while it runs. `paused`: nobody gets a
    task. `new_instructions`, `new_price`: what annotators read, and what a label costs, in place of what the protocol
    says; None for that.
    """

    plan: CampaignPlan
    tracks: tuple[TrackState, ...]
    measures: tuple[MeasureState, ...]
    opened_at: str | None = None
    tasks: MappingProxyType[str, OpenTask] = _NOTHING
    returned: MappingProxyType[str, OpenTask] = _NOTHING
    annotators: MappingProxyType[str, AnnotatorState] = _NOTHING
    issued: int = 0
    labels: int = 0
    late: int = 0
    set_aside: int = 0
    repeated: int = 0
    ended: EndReason | None = None
    ended_at: str | None = None
    paused: bool = False
    new_instructions: str | None = None
    new_price: float | None = None

    @property
    def instructions(self) -> str:
        """What annotators read now."""
        return self.protocol.instructions if self.new_instructions is None else self.new_instructions

    @property
    def price(self) -> float | None:
        """Of a label whose task is handed out now; None without prices."""
        return self.protocol.labels.price if self.new_price is None else self.new_price

    @property
    def cost(self) -> float:
        """What all labels so far cost, each at the price that it had when its task was handed out."""
        return sum(person.pay for person in self.annotators.values())

    @property
    def most_labels(self) -> int | None:
        """Labels that the budget pays for in all: those given or under way at their own prices, the others at the
        present one. None: no limit.
        """
        budget, price = self.protocol.budget, self.price
        if budget.max_money is None or not price:
            return budget.max_labels
        left = budget.max_money - self.cost - sum(task.price or 0.0 for task in self.tasks.values())
        paid = self.labels + len(self.tasks) + labels_for(left, price)
        return paid if budget.max_labels is None else min(paid, budget.max_labels)

    @property
    def labels_left(self) -> int | None:
        """Labels that the budget still pays for, those under way among them. None: no limit."""
        most = self.most_labels
        return None if most is None else max(0, most - self.labels)

    @property
    def protocol(self) -> Protocol:
        """The protocol."""
        return self.plan.protocol

    @property
    def rule(self) -> Rule[Any, Any]:
        """The stopping rule."""
        return RULES[self.protocol.decision.rule]

    @property
    def summaries(self) -> Sequence[Summary]:
        """What the rule says of each measure now."""
        evidence = [measure.evidence for measure in self.measures]
        return self.rule.summary(self.plan.rule_plans, evidence, self.protocol.decision)

    @property
    def labels_withdrawn(self) -> int:
        """Answers on items that were withdrawn before the end."""
        return sum(track.withdrawn for track in self.tracks)

    @property
    def undecided(self) -> list[int]:
        """Numbers of the measures without a verdict."""
        return [m for m, measure in enumerate(self.measures) if measure.verdict == "undecided"]

    def is_exhausted(self, measure: int) -> bool:
        """Whether all units of a measure that may get labels have them."""
        return self.measures[measure].done >= self.plan.measures[measure].most_units

    def is_excluded(self, annotator: str) -> bool:
        """Whether a person gets no more tasks: excluded by hand, or at some time by too many wrong check tasks."""
        return self.person(annotator).excluded

    def person(self, annotator: str) -> AnnotatorState:
        """What is known of somebody; of whoever has had no task, nothing."""
        return self.annotators.get(annotator, AnnotatorState())


def init(protocol: Protocol, study: Study) -> State:
    """The state before any event.

    Raises:
        ProtocolError: the protocol does not fit the study, or cannot decide anything on it.
    """
    return init_from_plan(make_plan(protocol, study))


def init_again(protocol: Protocol, study: Study) -> State:
    """The state before any event of a campaign that has begun: `init` has seen then that it can decide something.

    Raises:
        ProtocolError: the protocol does not fit the study.
    """
    return init_from_plan(plan_again(protocol, study))


def init_from_plan(plan: CampaignPlan) -> State:
    """The state before any event, of a plan that exists already (many simulated campaigns share one)."""
    rule = RULES[plan.protocol.decision.rule]
    measures = tuple(MeasureState(rule.start(rule_plan)) for rule_plan in plan.rule_plans)
    return State(plan, (TrackState(),) * len(plan.tracks), measures)


def with_track(state: State, track: int, changed: TrackState) -> State:
    """The state with another track in the place of one."""
    return state._replace(tracks=with_item(state.tracks, track, changed))


def with_item(items: tuple[Value, ...], place: int, value: Value) -> tuple[Value, ...]:
    """A copy of a tuple with one item changed."""
    copy = list(items)
    copy[place] = value
    return tuple(copy)


def with_entry(mapping: MappingProxyType[Key, Value], key: Key, value: Value) -> MappingProxyType[Key, Value]:
    """A copy of a small mapping with one entry set."""
    return MappingProxyType(mapping | {key: value})


def without(mapping: MappingProxyType[Key, Value], key: Key) -> MappingProxyType[Key, Value]:
    """A copy of a small mapping without one of its entries."""
    copy = mapping.copy()
    del copy[key]
    return MappingProxyType(copy)
