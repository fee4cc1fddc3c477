"""How many people a verdict about people like these takes: more items help only down to a floor that people set.

People have tastes of their own: a person's mean differs from that of all people with standard deviation `tastes`. With
J people who give n labels in all, one per item, the mean of each is the difference with variance

    s^2 = tastes^2 + J v / n,

v the variance of single labels around a person's mean. `compare --people random` decides where a t test with J - 1
degrees of freedom and sign flips over people both do (`kernels.two_way`); `_found` is the difference that they find, in
units of s. However many items there are, s is no smaller than `tastes`: the floor.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
from scipy.special import nctdtr, stdtrit

from tiebreak.comparison.people import people_tests
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.kernels.two_way import fewest_people
from tiebreak.planning.question import Question
from tiebreak.planning.records import PeoplePlan, PeopleRow
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.family import Family
from tiebreak.rules.power import CHANCE

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
