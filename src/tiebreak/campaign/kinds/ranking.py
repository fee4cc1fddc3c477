"""Rankings: several outputs of an item in order. Each tells of all pairs of their systems, and costs one label."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

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
from tiebreak.campaign.kinds.preference import Outcome, Preference
from tiebreak.campaign.plan import TrackPlan
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.state import AnnotatorState, Answer, OpenTask, State
from tiebreak.records import OUTCOME_CODES


@dataclass(frozen=True, slots=True)
class Ranked(Response):
    """`ranks`: by system, from 1 for the best; outputs that are equally good have the same."""

    ranks: Mapping[str, int]


class Ranking(Preference):
    """A task shows the outputs of all systems in a random order; an answer has a rank for each. The outcome of each
    pair goes by the labelling policy.
    """

    name: ClassVar[str] = "ranking"
    response: ClassVar[type[Response]] = Ranked
    answer_column: ClassVar[str] = ""
    has_sides: ClassVar[bool] = False

    # ---- tasks -------------------------------------------------------------------------------------------------

    def shown(self, state: State, track: int) -> tuple[str, ...]:
        """In an order drawn at random."""
        systems = state.plan.tracks[track].systems
        text = repr(("shown", state.protocol.order.seed, track, state.tracks[track].tasks))
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little"))
        return tuple(systems[k] for k in rng.permutation(len(systems)))

    def text_names(self, count: int) -> tuple[str, ...]:
        """By number."""
        return tuple(Phrase("text {number}", number=number) for number in range(1, count + 1))

    # ---- answers -----------------------------------------------------------------------------------------------

    def asks(self, protocol: Protocol) -> str:
        """The question, and whether ranks may be equal."""
        ties = "equal ranks are allowed" if protocol.labels.ties else "no equal ranks"
        return f"People rank the outputs of an item: {protocol.asked} ({ties})"

    def fields(self, protocol: Protocol, *, outputs: int, passages: int) -> tuple[AnswerField, ...]:
        """A rank for each text."""
        ranks = tuple(str(rank) for rank in range(1, outputs + 1))
        told = Phrase("1 for the best text, {outputs} for the worst; each number once.", outputs=outputs)
        if protocol.labels.ties:
            told = Phrase(
                "1 for the best text, {outputs} for the worst; equally good texts get the same number.", outputs=outputs
            )
        names = map(rank_field, self.text_names(outputs))
        return tuple(AnswerField(name, told if place == 0 else "", ranks) for place, name in enumerate(names))

    def read(self, protocol: Protocol, task: TaskAssigned, texts: ItemTexts, cells: Cells) -> Response:
        """A whole number for each text."""
        ranks: dict[str, int] = {}
        problems: list[FieldProblem] = []
        count = len(task.shown)
        allowed = [str(rank) for rank in range(1, count + 1)]
        for system, name in zip(task.shown, self.text_names(count), strict=True):
            cell = cells.get(rank_field(name), "").removesuffix(".0")
            if cell in allowed:
                ranks[system] = int(cell)
            else:
                message = Phrase("is empty; write a whole number from 1 to {count}", count=count)
                if cell:
                    message = Phrase("not a rank; write a whole number from 1 to {count}", count=count)
                problems.append(FieldProblem(rank_field(name), message))
        if not problems and not protocol.labels.ties and len(set(ranks.values())) < count:
            first = rank_field(self.text_names(count)[0])
            message = Phrase("two texts have the same rank, and this campaign has no ties")
            problems.append(FieldProblem(first, message))
        if problems:
            raise AnswerError(problems)
        return Ranked(ranks)

    def said(self, task: TaskAssigned, response: Response) -> str:
        """ "text 1: 2, text 2: 1, text 3: 3"."""
        ranks = cast(Ranked, response).ranks
        names = self.text_names(len(task.shown))
        return ", ".join(f"{name}: {ranks[system]}" for name, system in zip(names, task.shown, strict=True))

    def simulated(self, protocol: Protocol, task: TaskAssigned, person: SimulatedPerson) -> Response:
        """They compare each two, and order by the number of outputs that they prefer less; what is equal has one rank,
        or where there are no ties the order in which it is shown.
        """
        score = dict.fromkeys(task.shown, 0)
        for first, second in itertools.combinations(task.shown, 2):
            outcome = person.prefers(first, second, a_first=True)
            score[first] += outcome
            score[second] -= outcome
        if not protocol.labels.ties:
            order = sorted(task.shown, key=lambda name: -score[name])
            return Ranked({name: order.index(name) + 1 for name in task.systems})
        return Ranked({name: 1 + sum(score[other] > score[name] for other in score) for name in task.systems})

    def check(self, protocol: Protocol, event: LabelGiven, task: OpenTask) -> None:
        """A rank for each system of the task, and equal ones only where ties are allowed."""
        ranks, count = cast(Ranked, event.response).ranks, len(task.shown)
        if set(ranks) != set(task.shown):
            raise EventError(f"task {event.task} needs a rank for each of {', '.join(sorted(task.shown))}")
        if not all(1 <= rank <= count for rank in ranks.values()):
            raise EventError(f"ranks of task {event.task} must be from 1 to {count}")
        if not protocol.labels.ties and len(set(ranks.values())) < count:
            raise EventError(f"task {event.task} was answered with a tie, which this campaign does not allow")

    def answer(self, protocol: Protocol, plan: TrackPlan, response: Response) -> Answer:
        """The outcome's code of each pair."""
        ranks = cast(Ranked, response).ranks
        return tuple(OUTCOME_CODES[_outcome(ranks, *pair)] for pair in itertools.combinations(plan.systems, 2))

    def person_after(self, state: State, person: AnnotatorState, event: LabelGiven, task: OpenTask) -> AnnotatorState:
        """Several texts have no side, and there are no checks."""
        return person

    def rows(self, protocol: Protocol, task: TaskAssigned, response: Response, texts: ItemTexts) -> Rows:
        """A preference for each pair."""
        ranks, rows = cast(Ranked, response).ranks, []
        for pair in itertools.combinations(task.systems, 2):
            row: dict[str, object] = {
                "system_a": pair[0],
                "system_b": pair[1],
                "outcome": _outcome(ranks, *pair),
                "criterion": protocol.criterion,
                "left": min(pair, key=task.shown.index),
            }
            rows.append(row)
        return {"preferences": rows}


def rank_field(text: str) -> str:
    """The column for the rank of a text."""
    return Phrase("rank of {text}", text=text)


def _outcome(ranks: Mapping[str, int], system_a: str, system_b: str) -> Outcome:
    difference = ranks[system_b] - ranks[system_a]
    return "tie" if difference == 0 else "a" if difference > 0 else "b"
