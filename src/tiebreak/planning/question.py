"""What a plan asks of the power of plans: pairs, their differences, and what an item's value is under a policy.

How many people a verdict about people like these takes: more items help only down to a floor that people set.

People have tastes of their own: a person's mean differs from that of all people with standard deviation `tastes`. With
J people who give n labels in all, one per item, the mean of each is the difference with variance

    s^2 = tastes^2 + J v / n,

v the variance of single labels around a person's mean. `compare --people random` decides where a t test with J - 1
degrees of freedom and sign flips over people both do (`kernels.two_way`); `_found` is the difference that they find, in
units of s. However many items there are, s is no smaller than `tastes`: the floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import nctdtr, stdtrit

from tiebreak.comparison.people import people_tests
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.kernels.control_variate import most_with_companions
from tiebreak.kernels.two_way import fewest_people
from tiebreak.planning.assumptions import PLANNED, Assumptions, PlanSettings
from tiebreak.planning.population import Population
from tiebreak.planning.records import PeoplePlan, PeopleRow
from tiebreak.planning.simulated_power import SimulatedPower
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.family import Family
from tiebreak.rules.power import CHANCE, Endings, PlannedPower
from tiebreak.simulate.engines.policies import SimulatedLabelling

Floats = NDArray[np.float64]

Power = PlannedPower | SimulatedPower


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Pairs under one labelling policy.

    `differences` (P, D) of the values of items: D of each pair, equally likely; each pair stands for `alike` pairs of
    the question. `people`: labels an item takes on average. `most`: items a pair at most.
    """

    power: Power
    differences: Floats
    alike: int
    people: float
    most: int

    def endings(self, planned: int) -> Endings:
        """How all pairs end under a plan of so many items: (P D) of them, pair by pair."""
        return self.power.endings(planned, self.differences.ravel())

    def chance(self, planned: int) -> float:
        """The mean chance of a right verdict."""
        return float(self.endings(planned).right.mean()) if planned >= 1 else 0.0

    def enough(self, chance: float = CHANCE) -> int | None:
        """The smallest plan with this mean chance of a right verdict; None where there are too few items."""
        return self.power.smallest_plan(self.differences.ravel(), self.most, chance)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """`differences` (P, D) of single labels: D of each pair, equally likely. Either every pair of the question has its
    row, or one row stands for all.
    """

    assumed: Assumptions
    settings: PlanSettings
    population: Population
    differences: Floats

    def asked(self, policy: SimulatedLabelling, correlation: float | None = None, scored: int | None = None) -> Asked:
        """Under a policy; with the help of a metric that correlates so with single labels on `scored` items, those of
        the settings where None.
        """
        settings, pairs = self.settings, self.assumed.number_of_pairs
        pool = settings.number_of_items if settings.target == "items" else None
        for_a, for_b = self.population.value_rates(policy)
        power: Power = SimulatedPower(settings.decision(pairs), for_a + for_b, pool)
        if settings.rule == PLANNED:
            power = PlannedPower.of(self.family, for_a + for_b, settings.margin, pool)
        most = settings.most_items
        if correlation is not None and isinstance(power, PlannedPower):
            scored = scored or settings.number_of_items or 0
            power = replace(power, explained=correlation**2, scored=scored)
            # For inputs like these every label wants an unlabelled item beside it, and some are set aside.
            most = min(most, scored if pool is not None else max(most_with_companions(scored), 1))
        single = self.population.rates().difference
        factors = self.population.capability_factors() if policy.name == "fixed" else np.ones(1)
        ratio = (for_a - for_b) / single if single > 0 else 1.0
        values = np.clip(self.differences[:, :, None] * ratio * factors, -1.0, 1.0)
        alike = pairs // len(self.differences)
        shaped = values.reshape(len(values), -1)
        return Asked(power, shaped, alike, self.population.people_per_item(policy), most)

    @property
    def family(self) -> Family:
        """All pairs."""
        margin = self.settings.margin is not None
        return Family(self.settings.alpha, "holm", self.assumed.number_of_pairs, margin)

    def with_pairs(self, pairs: int) -> Question:
        """The same question about fewer pairs: the first rows, or one that stands for all."""
        assumed = replace(self.assumed, number_of_pairs=pairs)
        return Question(assumed, self.settings, self.population, self.differences[:pairs])


_SHOWN: Final = (6, 8, 12, 20, 40)
_ENUMERATED: Final = 12
"""People up to whom sign flips are counted; of more they decide as the t test does."""
_DRAWS: Final = 2_000
_MOST_PEOPLE: Final = 1_000
_FEWEST_IN_PILOT: Final = 5
"""People of a pilot from whom it tells how far tastes differ."""


def people_plan(question: Question, tastes: float | None) -> PeoplePlan | None:
    """For the difference of the question; None without tastes, or without a difference to find."""
    rates = question.population.rates()
    if not tastes or rates.difference == 0:
        return None
    settings = question.settings
    level = Family(settings.alpha, "holm", question.assumed.number_of_pairs, margin=False).first_level
    least = fewest_people(level)
    counts = sorted({least, *(count for count in (*_SHOWN, settings.crowd) if count > least)})
    spread = max(1 - rates.ties - rates.difference**2 - tastes**2, 0.0)
    rows = []
    for count in counts:
        found = _found(count, level)
        left = (rates.difference / found) ** 2 - tastes**2
        items = math.ceil(count * spread / left) if left > 0 else None
        rows.append(PeopleRow(count, found * tastes, None if items is None else max(items, count)))
    enough = next((n for n in range(least, _MOST_PEOPLE) if _found(n, level) * tastes < rates.difference), None)
    return PeoplePlan(tastes, rates.difference, enough, tuple(rows))


def tastes_of(study: Study, evidence: StudyEvidence, tie_threshold: float) -> float | None:
    """The standard deviation of people's own differences in a pilot, over all its pairs; None where five people or more
    labelled no pair, or nothing shows that tastes differ.
    """
    tests = people_tests(study, evidence, CompareSettings(tie_threshold=tie_threshold))
    variances = [mean.of_one_person for mean in tests.means if mean.people >= _FEWEST_IN_PILOT]
    variance = float(np.mean(variances)) if variances else 0.0
    return math.sqrt(variance) if variance > 0 else None


@lru_cache(maxsize=256)
def _found(people: int, level: float) -> float:
    """The mean, in standard deviations of a person's mean, that both tests find with 80% chance at `level` a side."""
    low, high = 0.0, 16.0
    wanted = float(stdtrit(people - 1, 1 - level))
    root = math.sqrt(people)
    draws = np.random.default_rng([people, 8]).standard_normal((_DRAWS, people)) if people <= _ENUMERATED else None
    for _ in range(20):
        middle = (low + high) / 2
        if draws is None:
            chance = 1 - float(nctdtr(people - 1, middle * root, wanted))
        else:
            chance = _share_decided(draws + middle, wanted, level)
        low, high = (low, middle) if chance >= CHANCE else (middle, high)
    return high


def _share_decided(means: np.ndarray[tuple[int, int], np.dtype[np.float64]], wanted: float, level: float) -> float:
    """Of panels, each a row of people's means (R, J), those that both tests decide."""
    people = means.shape[1]
    statistic = means.mean(axis=1) * math.sqrt(people) / means.std(axis=1, ddof=1)
    likely = means[statistic >= wanted]
    subsets = (np.arange(2**people)[:, None] >> np.arange(people)) & 1
    p = np.count_nonzero(likely @ subsets.T.astype(np.float64) <= 0, axis=1) / len(subsets)
    return float(np.count_nonzero(p <= level) / len(means))
