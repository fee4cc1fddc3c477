"""How often each system is preferred over the others, with an interval where all were met on the same items; and its
mean rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.pair_evidence import EvidencePairs, PairEvidence, PairSummary
from tiebreak.evidence.rated_systems import RatedSystems
from tiebreak.kernels.rating_mean import rating_mean
from tiebreak.results.order import SystemRatings
from tiebreak.results.records import CriterionResult, PairResult, WinRate
from tiebreak.results.settings import CompareSettings
from tiebreak.results.standing import win_rates_of
from tiebreak.rules.finished import FinishedSet, FinishedSets

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def mean_ratings(
    study: Study, found: CriterionResult, index: ItemIndex, settings: CompareSettings
) -> tuple[SystemRatings, ...]:
    """The mean ratings of a comparison of means, with the intervals that `estimate` gives them, each by itself; none
    where verdicts are about other people, too.
    """
    if found.criterion is None or settings.people == "random":
        return found.ratings
    rated = RatedSystems.of(study, found.criterion, index, settings.target)
    if rated is None:
        return found.ratings
    means = {one.name: rating_mean(one.rated.mean, settings.alpha / 2) for one in rated.systems}
    return tuple(replace(of, low=means[of.system].low, high=means[of.system].high) for of in found.ratings)


class _Met:
    """What people said of a system on the items on which it met its first opponent: sums over all opponents."""

    def __init__(self, pair: PairEvidence, values: Floats) -> None:
        order = np.argsort(pair.items, kind="stable")
        self._items, self._opponents, self._alike = pair.items[order], 1, True
        self._values: Floats = values[order]
        self._labels: Integers = np.maximum(pair.labels[order], 1)
        self._clusters = None if pair.units_of is None else pair.units_of[order]
        self._one_outcome = pair.variances is None

    def add(self, pair: PairEvidence, values: Floats) -> None:
        """One more opponent."""
        order = np.argsort(pair.items, kind="stable")
        self._alike = self._alike and np.array_equal(pair.items[order], self._items)
        if not self._alike:
            return
        self._opponents += 1
        self._values = self._values + values[order]
        self._labels = self._labels + np.maximum(pair.labels[order], 1)
        self._one_outcome = False
        if self._clusters is None and pair.units_of is not None:
            self._clusters = pair.units_of[order]

    def interval(self, alpha: float) -> tuple[float, float] | None:
        """Of the rate, from the mean over opponents on each item; None where they were met on different items."""
        if not self._alike:
            return None
        means = FinishedSet(
            values=self._values / self._opponents,
            labels=self._labels,
            variances=None if self._one_outcome else np.zeros(self._items.size),
            clusters=self._clusters,
        )
        low, high = FinishedSets([means]).intervals(alpha / 2)
        return (1 + float(low[0])) / 2, (1 + float(high[0])) / 2


def finished_win_rates(
    evidence: EvidencePairs, summaries: Sequence[PairSummary], results: Sequence[PairResult], alpha: float
) -> tuple[WinRate, ...]:
    """Win rates of all systems at one look, for inputs like these, each in its interval with chance 1 - alpha.

    An item's value for a system is its mean over the opponents, which a system's own items or clusters vary by: the
    test of such means (`kernels.unit_means`) gives the interval, and of a single opponent the test of the pair. Where
    opponents were met on different items, where a metric has moved the estimates, and for claims about these items
    there is none.
    """
    sizes: dict[str, set[int | None]] = {}
    for pair, result in zip(summaries, results, strict=True):
        helped = result.metric is not None and result.metric.used
        for system in (pair.system_a, pair.system_b):
            sizes.setdefault(system, set()).add(None if helped or pair.pool_units is not None else pair.items)
    asked = {system for system, found in sizes.items() if len(found) == 1 and None not in found}
    met: dict[str, _Met] = {}
    for k, pair in enumerate(summaries):
        if asked.isdisjoint((pair.system_a, pair.system_b)):
            continue
        found = evidence[k]  # once: it may be made anew
        for system, values in ((pair.system_a, found.values), (pair.system_b, -found.values)):
            if system in met:
                met[system].add(found, values)
            elif system in asked:
                met[system] = _Met(found, values)
    rates = []
    for rate in win_rates_of(results):
        ends = met[rate.system].interval(alpha) if rate.system in met and rate.estimate is not None else None
        rates.append(rate if ends is None else replace(rate, low=ends[0], high=ends[1]))
    return tuple(rates)
