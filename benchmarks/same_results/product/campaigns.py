"""Campaigns, in memory (`tiebreak.campaign`) and in a folder (`tiebreak.live`), with the same methods."""

from __future__ import annotations

import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from pathlib import Path
from typing import Any

from benchmarks.same_results.made_studies import MadeStudy
from benchmarks.same_results.product.comparisons import compared, of_tables
from benchmarks.same_results.product.plain import ITEM_ORDERS, RULES, named, pair_name, refused, taken
from benchmarks.same_results.records import Question, Record, Rules, Task

from tiebreak.campaign import (
    AnnotatorExcluded,
    CampaignOpened,
    CampaignStopped,
    Event,
    ItemAbandoned,
    LabelGiven,
    Protocol,
    State,
    TaskReturned,
    expired_tasks,
    init,
    next_tasks,
    step,
    verdicts,
)
from tiebreak.campaign.kinds import Preferred
from tiebreak.errors import TiebreakError
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.export import exported
from tiebreak.settings.protocol import (
    Budget,
    DecisionSettings,
    GoldTask,
    LabelSettings,
    OrderSettings,
    PairSettings,
    PeopleSettings,
)

Decide = Callable[[State], Sequence[Event]]

_START = datetime(2026, 4, 1, 8, tzinfo=UTC)


def protocol_of(rules: Rules) -> Protocol:
    """The product's record of the rules of a campaign."""
    return Protocol(
        systems=rules.systems,
        baseline=rules.baseline,
        criterion=rules.criterion,
        labels=LabelSettings(rules.labelling, rules.people_per_item, rules.ties, rules.price),
        pairs=PairSettings(rules.pair_policy, rules.batch, rules.open_items),
        budget=Budget(rules.label_budget, rules.money_budget, rules.items_per_pair),
        decision=DecisionSettings(
            rule=_rule(rules),
            alpha=rules.alpha,
            multiplicity=rules.correction,
            margin=rules.margin,
            target=rules.target,
            metrics=rules.metrics,
            judges=rules.judges,
        ),
        order=OrderSettings(ITEM_ORDERS[rules.order], rules.seed),
        people=PeopleSettings(
            labels_per_person=rules.most_per_person,
            hours=rules.hours,
            gold=tuple(GoldTask(*gold) for gold in rules.gold),
            gold_every=rules.gold_every,
            gold_after=rules.gold_after,
            gold_share=rules.gold_share,
        ),
    )


def _rule(rules: Rules) -> str:
    """The posterior without a metric is that of the human counts."""
    without = rules.rule == "metric-error" and not (rules.metrics or rules.judges)
    return RULES["dirichlet" if without else rules.rule]


class Campaign(ABC):
    """A campaign that has been opened. Times are minutes since then."""

    state: State

    @abstractmethod
    def _take(self, decide: Decide) -> Sequence[Event]:
        """Make the events of the present state happen, and return them."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.state.ended is not None

    def hand_out(self, person: str, count: int, minute: int) -> list[Task]:
        """New tasks for a person."""
        found = self._take(lambda state: next_tasks(state, person, count, _at(minute)))
        return [Task(of.task, of.annotator, of.system_a, of.system_b, of.item, of.left, of.gold) for of in found]

    def answer(self, task: Task, outcome: str, seconds: float | None, minute: int) -> None:
        """A person answers a, tie or b."""
        label = LabelGiven(_at(minute), task.name, task.person, Preferred(outcome), seconds)
        self._take(lambda _: [label])

    def give_back(self, task: Task, minute: int) -> None:
        """A task comes back without an answer."""
        self._take(lambda _: [TaskReturned(_at(minute), task.name)])

    def take_back_expired(self, minute: int) -> None:
        """Tasks that have been out for too long come back."""
        self._take(lambda state: expired_tasks(state, _at(minute)))

    def abandon(self, task: Task, minute: int) -> None:
        """Nobody will label the item of this task, for its pair."""
        self._take(lambda _: [ItemAbandoned(_at(minute), (task.system_a, task.system_b), task.item)])

    def exclude(self, person: str, minute: int) -> None:
        """No more tasks for a person."""
        self._take(lambda _: [AnnotatorExcluded(_at(minute), person)])

    def stop(self, minute: int) -> None:
        """Somebody ends it."""
        self._take(lambda _: [CampaignStopped(_at(minute))])

    def record(self) -> Record:
        """All numbers of it."""
        return state_record(self.state)

    def close(self) -> Record:
        """What else is to be known at the end; nothing happens afterwards."""
        return {}


class CampaignInMemory(Campaign):
    """The pure core: events through `step`."""

    def __init__(self, made: MadeStudy, rules: Rules) -> None:
        state = init(protocol_of(rules), of_tables(made))
        self.state = step(state, CampaignOpened(_at(0), state.plan.fingerprint, state.plan.study))

    def _take(self, decide: Decide) -> Sequence[Event]:
        events = decide(self.state)
        self.state = reduce(step, events, self.state)
        return events


class CampaignInFolder(Campaign):
    """A campaign on disk. Every 150th time it is opened anew, as another process would."""

    def __init__(self, made: MadeStudy, rules: Rules) -> None:
        self._parent = Path(tempfile.mkdtemp(prefix="same-results-"))
        self._folder = self._parent / "campaign"
        self._turns = 0
        try:
            create_campaign(self._folder, protocol_of(rules), of_tables(made), at=_at(0))
            self._live = open_campaign(self._folder)
        except TiebreakError:
            shutil.rmtree(self._parent)
            raise
        self.state = self._live.state

    def _take(self, decide: Decide) -> Sequence[Event]:
        self._turns += 1
        if self._turns % 150 == 0:
            self._live = open_campaign(self._folder)
        events = self._live.commit(lambda state, _: decide(state))
        self.state = self._live.state
        return events

    def close(self) -> Record:
        """Its late labels by the ledger, and what `compare` says of its labels; the folder is removed."""
        late = [task.assigned for task in self._live.ledger.labelled if task.late]
        try:
            after = compared(exported(self._live), Question())
        except TiebreakError as error:
            after = refused(error)
        shutil.rmtree(self._parent)
        return {"late_by_ledger": sorted(f"{pair_name(of)} {of.item} {of.annotator}" for of in late), "compared": after}


def state_record(state: State) -> Record:
    """All numbers of a campaign: what `verdicts` says, and the counts of its state."""
    found = verdicts(state)
    pairs = zip(found.results[0].pairs, state.tracks, state.measures, strict=True)
    person = {
        "tasks": "tasks",
        "out": "open",
        "labels": "labels",
        "seconds": "seconds",
        "chose_left": "chose_left",
        "checks": "gold_asked",
        "checks_right": "gold_right",
        "excluded": "excluded",
    }
    return {
        **taken(found.order, tiers="tiers", edges="edges", equivalences="equivalences", cycles="cycles"),
        **taken(found.campaign, ended="ended", labels="labels", late_labels="late", labels_out="labels_out"),
        **taken(found.campaign, labels_left="labels_left", cost="cost", further_cost="cost_to_decision"),
        **taken(state, tasks_handed_out="issued", repeated_answers="repeated"),
        "pairs": named((pair_name(result), _pair(result, *of)) for result, *of in pairs),
        "people": {name: taken(of, **person) for name, of in sorted(state.annotators.items())},
    }


def _pair(result: Any, state: Any, measure: Any) -> Record:
    waiting = sum(len(item.answers) for unit in state.open.values() for item in unit)
    return {
        **taken(
            result,
            verdict="verdict",
            also="also",
            items="items",
            waiting_items="waiting",
            identical="identical",
            wins="wins",
            ties="ties",
            losses="losses",
            abandoned="abandoned",
            decided_after_labels="labels_at_stop",
            e_a="e_a",
            e_b="e_b",
            e_equivalent="e_equivalent",
            chance_a_better="theta",
            p_value="p_value",
            further_items="items_to_decision",
            further_labels="labels_to_decision",
            exhausted="exhausted",
            equivalence_interval="equivalence_interval",
            effective_clusters="effective_clusters",
        ),
        **taken(result.difference, estimate="estimate", low="low", high="high"),
        **taken(state, units="done", labels="labels"),
        **taken(measure, decided_after_units="decided_at"),
        "late_labels": state.labels - state.done_labels - waiting,
    }


def _at(minute: int) -> str:
    return (_START + timedelta(minutes=minute)).isoformat().replace("+00:00", "Z")
