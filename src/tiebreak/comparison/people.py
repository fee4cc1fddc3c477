"""`--people random`: the verdicts hold for people like these annotators, not only for these.

Every label counts by itself: a person's own preference on an item, or their own two ratings of it compared. So both the
items and the people that gave the labels are a sample (`kernels.two_way`). What holds for people like these holds for
these: the test of items, as it is without this option, has to agree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiebreak.data.study import Study
from tiebreak.evidence.human_labels import compared, oriented_preferences
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.ratings import CriterionRatings
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.kernels.one_look import OneLook
from tiebreak.kernels.two_way import TwoWayMean, fewest_people, two_way_mean
from tiebreak.messages import advice as messages
from tiebreak.results.records import OverPeople, PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.finished import FinishedSet, FinishedSets
from tiebreak.rules.rule import TOO_FEW, TOO_FEW_PEOPLE

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Pair = tuple[str, str]


class PersonLabels(NamedTuple):
    """Labels of a pair: numbers of items (n,) and people (n,), and values (n,), positive for the first system."""

    items: Codes
    people: Codes
    values: Floats

    def turned(self) -> PersonLabels:
        """For the pair the other way round."""
        return self._replace(values=-self.values)


@dataclass(frozen=True)
class PeopleTests:
    """The tests of K pairs over items and people, `FinishedTests` with estimates: `means`, and items by `of_these`.
    `points` (K,): rating points of a value of 1, 1 where values are preferences.
    """

    means: Sequence[TwoWayMean]
    of_these: FinishedSets
    points: Floats

    @cached_property
    def _looks(self) -> list[OneLook]:
        return [mean.look() for mean in self.means]

    @property
    def p_a(self) -> Floats:
        """One-sided p-values (K,), small where a is better."""
        return np.maximum([look.p_a for look in self._looks], self.of_these.p_a)

    @property
    def p_b(self) -> Floats:
        """One-sided p-values (K,), small where b is better."""
        return np.maximum([look.p_b for look in self._looks], self.of_these.p_b)

    @property
    def estimates(self) -> Floats:
        """(K,): means over items of means over people."""
        return np.array([mean.estimate for mean in self.means]) * self.points

    @property
    def smallest_p(self) -> Floats:
        """(K,): had all people agreed."""
        return np.array([look.smallest_p for look in self._looks])

    def decides(self, pair: int, level: float) -> bool:
        """Whether so many items could decide a pair, had all labels agreed."""
        return bool(self.of_these.smallest_p[pair] <= level)

    def spread(self, pair: int, level: float) -> OverPeople:
        """How far the difference of a pair hangs on who answered; the interval's floor at `level` a side."""
        of, freedom = self.means[pair], max(min(self.means[pair].items, self.means[pair].people) - 1, 1)
        variance = of.of_items + of.of_people
        floor = float(stdtrit(freedom, 1 - level)) * math.sqrt(of.of_people) * float(self.points[pair])
        return OverPeople(of.people, of.of_people / variance if variance > 0 else 0.0, floor)

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Low and high (K,) at `level` a side."""
        low, high = np.array([look.interval(level) for look in self._looks]).reshape(-1, 2).T * self.points
        of_these = self.of_these.intervals(level)
        return np.minimum(low, of_these[0]), np.maximum(high, of_these[1])


def people_tests(study: Study, evidence: StudyEvidence, settings: CompareSettings) -> PeopleTests:
    """The tests of all pairs of the evidence, in its order."""
    means, sets, points = [], [], []
    for found in evidence.criteria:
        labels = dict(person_labels(study, found.criterion, evidence.index, settings))
        for pair in found.pairs:
            key = (pair.system_a, pair.system_b)
            given = labels[key] if key in labels else labels[key[::-1]].turned()
            of = pair.points or 1.0
            mean, finished = tests_of_labels(pair, given._replace(values=given.values / of), evidence.index)
            means.append(mean)
            sets.append(finished)
            points.append(of)
    return PeopleTests(means, FinishedSets(sets), np.array(points))


def people_advice(pairs: Sequence[PairResult], settings: CompareSettings, family: int) -> tuple[str, ...]:
    """What would help the pair that is least known of the undecided ones: more people, or more items."""
    undecided = [(pair, pair.over_people) for pair in pairs if pair.verdict == "undecided" and pair.over_people]
    known = [(pair, spread) for pair, spread in undecided if spread.people]
    if not known:
        return ()
    widest, spread = max(known, key=lambda of: of[0].difference.high - of[0].difference.low)
    tested = 1 if settings.multiplicity == "none" else family
    if TOO_FEW_PEOPLE in widest.flags:
        return (messages.too_few_people(spread.people, fewest_people(settings.alpha / (2 * tested)), tested),)
    if TOO_FEW in widest.flags:
        return (messages.TOO_FEW_ITEMS,)
    return (messages.people_or_items(f"{widest.system_a} and {widest.system_b}", spread.share, spread.floor),)


def person_labels(
    study: Study, criterion: str | None, index: ItemIndex, settings: CompareSettings
) -> Iterator[tuple[Pair, PersonLabels]]:
    """Of each pair, ratings first: where a pair has preferences, too, these count."""
    ratings = CriterionRatings.of(study, criterion)
    if ratings is not None:
        positions = np.array([index.position[name] for name in ratings.items], dtype=np.intp)
        for first, name in enumerate(ratings.systems):
            for second in range(first + 1, len(ratings.systems)):
                same = ratings.same_person(first, second)
                values = same.differences
                if settings.compare == "wins":
                    values = compared(values, settings.tie_threshold)
                labels = PersonLabels(positions[ratings.item_of[same.keys]], ratings.person_of[same.keys], values)
                yield (name, ratings.systems[second]), labels
    frame = oriented_preferences(study, criterion)
    if settings.compare == "wins" and frame.height:
        people = frame["annotator"].rank("dense").to_numpy().astype(np.intp) - 1
        frame = frame.with_columns(person=people, number=index.numbers(frame["item"]))
        for (a, b), part in frame.partition_by("system_a", "system_b", as_dict=True).items():
            values = part["value"].to_numpy().astype(np.float64)
            yield (str(a), str(b)), PersonLabels(part["number"].to_numpy(), part["person"].to_numpy(), values)


def tests_of_labels(pair: PairEvidence, labels: PersonLabels, index: ItemIndex) -> tuple[TwoWayMean, FinishedSet]:
    """What both tests need. Every item weighs the same, and so does every label of an item; identical outputs are ties
    whoever looks.
    """
    order = np.argsort(pair.items)
    items, different = pair.items[order], pair.different[order]
    place = np.minimum(np.searchsorted(items, labels.items), items.size - 1)
    counted = (items[place] == labels.items) & different[place]
    place, values = place[counted], labels.values[counted]
    person = np.unique(labels.people[counted], return_inverse=True)[1]
    of_item = np.bincount(place, minlength=items.size)
    kept = np.flatnonzero((of_item > 0) | ~different)  # items without a label left are none
    free = np.flatnonzero(~different)
    unit = np.arange(items.size) if pair.units_of is None else np.unique(index.clusters[items], return_inverse=True)[1]
    mean = two_way_mean(
        values=np.concatenate([values, np.zeros(free.size)]),
        weights=np.concatenate([1 / of_item[place], np.ones(free.size)]) / kept.size,
        item=unit[np.concatenate([place, free])],
        person=np.concatenate([person, np.full(free.size, -1)]),
        items=int(unit.max(initial=-1)) + 1,
    )
    several = np.maximum(of_item, 1)
    of_items = np.bincount(place, values, items.size) / several
    squares = np.bincount(place, values**2, items.size) - several * of_items**2
    asked = kept if pair.units_of is None else kept[different[kept]]
    finished = FinishedSet(
        values=of_items[asked],
        labels=several[asked],
        variances=(squares / np.maximum(several - 1, 1))[asked] if several.max(initial=1) > 1 else None,
        clusters=None if pair.units_of is None else unit[asked],
        scale=1.0 if pair.units_of is None else float(different.mean()),
        points=pair.points,
    )
    return mean, finished
