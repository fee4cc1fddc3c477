"""Labels that exist, as label matrices: what a campaign on them would have cost.

A run of a replay asks people who did answer: for every item a number of its annotators at random, without replacement.

Replay: a protocol run against labels that exist. "What would this campaign have cost?"

Whoever asks for an item gets the label of one of its annotators, drawn at random without replacement; the people of
the campaign only stand for how many work at the same time. Items without enough labels leave the pool beforehand.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign import CampaignPlan, Protocol, make_plan
from tiebreak.campaign.events import TaskAssigned
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.kinds.kind import SimulatedPerson
from tiebreak.campaign.labelling import OUTCOME_POLICIES
from tiebreak.campaign.plan import LeftOutItems
from tiebreak.data.study import Study, with_one_sample
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.evidence.human_labels import compared, oriented_preferences, pair_values
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.ratings import CriterionRatings
from tiebreak.simulate.people.workers import SimulatedAnswer
from tiebreak.simulate.settings import RATING_USES, RatingUse

Codes = NDArray[np.int8]

_CELLS = 2_000_000  # random numbers at a time


@dataclass(frozen=True, slots=True)
class Votes:
    """All labels of one pair. `items` (n,) in their order; `outcomes` (n, most) relative to `system_a`, the first
    `counts[i]` of row i; the rest is 0 and means nothing.
    """

    system_a: str
    system_b: str
    items: tuple[str, ...]
    outcomes: Codes
    counts: NDArray[np.int64]

    def draw(self, runs: int, people: int, rng: np.random.Generator) -> Codes:
        """Labels (runs, items, people) of different annotators, every choice and order of them equally likely.

        Raises `UsageError` where an item has fewer annotators.
        """
        few = np.flatnonzero(self.counts < people)
        if few.size:
            raise UsageError(
                f"{people} people an item cannot be replayed: item {self.items[few[0]]!r} has "
                f"{self.counts[few[0]]} labels, and {few.size:,} items have too few"
            )
        size, most = self.outcomes.shape
        missing = np.arange(most) >= self.counts[:, None]
        labels = np.empty((people, runs, size), dtype=np.int8)
        step = max(1, _CELLS // max(size * most, 1))
        for start in range(0, runs, step):
            part = slice(start, min(start + step, runs))
            keys = rng.random((part.stop - start, size, most))
            keys[:, missing] = 2.0  # behind all others
            chosen = np.argsort(keys, axis=2)[:, :, :people]
            labels[:, part] = np.moveaxis(np.take_along_axis(self.outcomes[None], chosen, axis=2), 2, 0)
        return np.moveaxis(labels, 0, 2)


def votes_of(study: Study, system_a: str, system_b: str, criterion: str | None = None) -> Votes:
    """The preferences of a pair, items in the natural order of their names (2 before 10).

    Raises `UsageError` if there are none.
    """
    first, second = sorted((system_a, system_b))
    frame = oriented_preferences(study, criterion)
    rows = [
        (item, value)
        for a, b, item, value in frame.select("system_a", "system_b", "item", "value").iter_rows()
        if (a, b) == (first, second)
    ]
    if not rows:
        raise UsageError(f"the study {study.name} has no preferences between {system_a} and {system_b}")
    sign = 1 if first == system_a else -1
    cast: dict[str, list[int]] = {}
    for item, value in rows:
        cast.setdefault(item, []).append(sign * value)
    items = tuple(sorted(cast, key=_natural))
    counts = np.array([len(cast[item]) for item in items])
    outcomes = np.zeros((len(items), int(counts.max())), dtype=np.int8)
    for row, item in enumerate(items):
        outcomes[row, : counts[row]] = cast[item]
    return Votes(system_a, system_b, items, outcomes, counts)


def _natural(name: str) -> tuple[list[tuple[int, int, str]], str]:
    parts = re.findall(r"\d+|\D+", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts], name


_ALL: Final = "all annotators"


class OldLabel(NamedTuple):
    """A label that exists: who gave it, its outcome code, and its time in seconds (None: unknown)."""

    annotator: str
    outcome: int
    seconds: float | None


Pair = tuple[str, str]
LabelsOfPair = Mapping[str, tuple[OldLabel, ...]]


@dataclass(frozen=True, slots=True)
class OldLabels:
    """The labels of a study on one criterion: by pair (in alphabetical order), then by item."""

    criterion: str | None
    pairs: Mapping[Pair, LabelsOfPair]

    @classmethod
    def of(
        cls, study: Study, criterion: str | None = None, ratings: RatingUse = "mean", tie_threshold: float = 0.0
    ) -> OldLabels:
        """Preferences as they are; without any of a pair, its ratings, compared.

        `ratings`: "mean" compares the means over those who rated both outputs, one label an item; "each" compares the
        two ratings of every annotator who rated both. Nearer than `tie_threshold` is a tie. `criterion` None: the only
        one of the study.

        Raises:
            UsageError: no labels, a criterion that the study does not have, or several and none named.
            InputError: systems have several samples for an item.
        """
        if ratings not in RATING_USES:
            raise UsageError(f"ratings must be used as {' or '.join(RATING_USES)}, not {ratings!r}")
        if not (np.isfinite(tie_threshold) and tie_threshold >= 0):
            raise UsageError(f"the tie threshold must be a number of 0 or more, not {tie_threshold}")
        chosen, study = _criterion(study, criterion), with_one_sample(study, "a replay")
        pairs: dict[Pair, dict[str, tuple[OldLabel, ...]]] = {}
        if study.ratings is not None and chosen in set(study.ratings["criterion"]):
            from_ratings = _from_means if ratings == "mean" else _from_each
            pairs.update(from_ratings(study, chosen, tie_threshold))
        pairs.update(_from_preferences(study, chosen))
        if not pairs:
            raise UsageError(f"the study {study.name} has no human labels to replay")
        return cls(chosen, pairs)

    def totals(self, system_a: str, system_b: str) -> tuple[int, int, int]:
        """Wins of `system_a`, ties and losses among all labels of a pair."""
        sign = 1 if system_a < system_b else -1
        of_pair = self.pairs.get((min(system_a, system_b), max(system_a, system_b)), {})
        outcomes = [sign * label.outcome for labels in of_pair.values() for label in labels]
        return outcomes.count(1), outcomes.count(0), outcomes.count(-1)


@dataclass(frozen=True, slots=True)
class Replay:
    """A protocol, a study and its labels. `seconds`: what a label takes where its time is not recorded; `people`: how
    many work at the same time (None: as many as label one item).

    Raises `UsageError` for impossible numbers.
    """

    protocol: Protocol
    study: Study
    labels: OldLabels
    seconds: float = 30.0
    people: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.seconds < float("inf"):
            raise UsageError(f"the seconds of a label must be a number above 0, not {self.seconds}")
        if self.people is not None and self.people < self.protocol.most_labels_per_item:
            raise UsageError(
                f"{self.protocol.most_labels_per_item} different people label an item, but only {self.people} work"
            )
        if self.protocol.labels.kind != "preference":
            raise UsageError("a replay has labels of pairs: leave labels.kind (--kind) out")
        if self.protocol.people.gold:
            raise UsageError("a replay has no answers to check tasks: leave people.gold out of the protocol")

    @property
    def needed(self) -> int:
        """Labels that an item needs to be in the pool."""
        return self.protocol.most_labels_per_item

    def plan(self, rng: np.random.Generator) -> tuple[CampaignPlan, ReplayAnswers]:
        """A run: a sealed order of its own (unless items come as listed), and who answers.

        Raises:
            ProtocolError: the protocol does not fit, or cannot decide anything with these labels.
        """
        policy = OUTCOME_POLICIES[self.protocol.labels.labelling]
        if policy.same_annotator:
            labels = {pair: _of_one_person(of_pair, rng) for pair, of_pair in self.labels.pairs.items()}
        else:
            labels = {
                pair: {item: given for item, given in of_pair.items() if len(given) >= self.needed}
                for pair, of_pair in self.labels.pairs.items()
            }
        askable: dict[tuple[str, ...], frozenset[str]] = {pair: frozenset(of) for pair, of in labels.items()}
        plan = make_plan(shuffled(self.protocol, rng), self.study, askable)
        price = self.protocol.labels.price
        people = self.people or self.needed
        return plan, ReplayAnswers(plan, labels, rng, people, self.seconds, 0.0 if price is None else price)

    def left_out(self) -> tuple[LeftOutItems, ...]:
        """Pairs of the systems asked for that have no item with enough labels, or nothing to ask about."""
        plan, _ = self.plan(np.random.default_rng(0))
        return plan.left_out


class ReplayAnswers:
    """The people of one replayed run. Labels of an item are drawn without replacement."""

    def __init__(
        self,
        plan: CampaignPlan,
        labels: Mapping[Pair, LabelsOfPair],
        rng: np.random.Generator,
        people: int,
        seconds: float,
        price: float,
    ) -> None:
        self._plan, self._labels, self._rng = plan, labels, rng
        self._seconds, self._price, self.people = seconds, price, people
        self._left: dict[tuple[str, str, str], list[OldLabel]] = {}

    def answer(self, person: int, task: TaskAssigned) -> SimulatedAnswer:  # noqa: ARG002
        """One of the labels that the item has left; once all are used (an answer got lost), they start over."""
        first, second = sorted(task.systems)
        left = self._left.get((first, second, task.item))
        if not left:
            left = self._left[first, second, task.item] = list(self._labels[first, second][task.item])
        label = left.pop(int(self._rng.integers(len(left))) if len(left) > 1 else 0)
        seconds = self._seconds if label.seconds is None else max(label.seconds, 0.1)
        response = kind_of(self._plan.protocol).simulated(self._plan.protocol, task, _Label(first, label.outcome))
        return SimulatedAnswer(response, seconds, self._price)


@dataclass(frozen=True, slots=True)
class _Label(SimulatedPerson):
    """An old label: its outcome relative to the system that is the first by name."""

    first: str
    outcome: int

    def prefers(self, system_a: str, system_b: str, *, a_first: bool) -> int:  # noqa: ARG002
        """What it says."""
        return self.outcome if system_a == self.first else -self.outcome


def shuffled(protocol: Protocol, rng: np.random.Generator) -> Protocol:
    """The protocol with a sealed order of this run's own; items that come as listed stay so."""
    if protocol.order.order == "listed":
        return protocol
    return replace(protocol, order=replace(protocol.order, seed=int(rng.integers(2**31))))


def _of_one_person(of_pair: LabelsOfPair, rng: np.random.Generator) -> LabelsOfPair:
    """The labels of one annotator, drawn with a chance proportional to how many they gave."""
    names = [label.annotator for labels in of_pair.values() for label in labels]
    chosen = names[int(rng.integers(len(names)))]
    found = {item: tuple(label for label in labels if label.annotator == chosen) for item, labels in of_pair.items()}
    return {item: labels for item, labels in found.items() if labels}


# ---- labels of a study -----------------------------------------------------------------------------------------


def _criterion(study: Study, criterion: str | None) -> str | None:
    known = study.criteria
    if criterion is None:
        if len(known) > 1 and None not in known:
            names = ", ".join(str(name) for name in known)
            raise UsageError(
                f"the study has labels on several criteria; name one of {names} (the protocol's criterion)"
            )
        return known[0] if len(known) == 1 else None
    if criterion in known or known == (None,):
        return criterion if criterion in known else None
    hint = did_you_mean(criterion, [str(name) for name in known])
    raise UsageError(f"the study has no labels on the criterion {criterion!r}{hint}")


def _from_preferences(study: Study, criterion: str | None) -> dict[Pair, dict[str, tuple[OldLabel, ...]]]:
    frame = oriented_preferences(study, criterion)
    found: dict[Pair, dict[str, list[OldLabel]]] = {}
    if not frame.height:
        return {}
    rows = frame.sort("system_a", "system_b", "item", "annotator").select(
        "system_a", "system_b", "item", "annotator", "value", "seconds"
    )
    for a, b, item, annotator, value, seconds in rows.iter_rows():
        found.setdefault((a, b), {}).setdefault(item, []).append(OldLabel(annotator, value, seconds))
    return {pair: {item: tuple(labels) for item, labels in of.items()} for pair, of in found.items()}


def _from_means(
    study: Study, criterion: str | None, tie_threshold: float
) -> dict[Pair, dict[str, tuple[OldLabel, ...]]]:
    values = pair_values(study, criterion, ItemIndex.of(study), "mean", tie_threshold)
    return {
        (pair.system_a, pair.system_b): {
            item: (OldLabel(_ALL, int(value), None),) for item, value in zip(pair.item_names, pair.values, strict=True)
        }
        for pair in values
        if pair.from_ratings and pair.items.size
    }


def _from_each(
    study: Study, criterion: str | None, tie_threshold: float
) -> dict[Pair, dict[str, tuple[OldLabel, ...]]]:
    ratings = CriterionRatings.of(study, criterion)
    if ratings is None:
        return {}
    found: dict[Pair, dict[str, tuple[OldLabel, ...]]] = {}
    for (i, a), (j, b) in itertools.combinations(enumerate(ratings.systems), 2):
        same = ratings.same_person(i, j)
        outcomes = compared(same.differences, tie_threshold).tolist()
        of_pair: dict[str, list[OldLabel]] = {}
        items, people = ratings.item_of[same.keys].tolist(), ratings.person_of[same.keys].tolist()
        for item, person, outcome in zip(items, people, outcomes, strict=True):
            label = OldLabel(ratings.people[person], int(outcome), None)
            of_pair.setdefault(ratings.items[item], []).append(label)
        if of_pair:
            found[(a, b)] = {item: tuple(labels) for item, labels in of_pair.items()}
    return found
