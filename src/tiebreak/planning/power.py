"""The power curve: what chance so many labels have of finding a difference, and what difference they find.

A plan: what was assumed, what it will cost, what a budget finds, and what to do if it is too small.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.planning.assumptions import PlanSettings
from tiebreak.planning.campaigns import PlannedOutcomes, Range, grow_campaigns
from tiebreak.planning.population import Rates
from tiebreak.simulate.engines.stopping import SimulatedRule


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One labelling policy (a majority is of `per_item` people of the settings) under one stopping rule.

    `items`, `labels`: of one pair until its verdict. `total`: labels for all pairs; `money`, `hours`, `days` of the
    total, None where price or seconds are unknown. `right`, `wrong`: shares of pairs whose verdict is that of the true
    difference, or another one; the rest is undecided. `holds`: whether the rule keeps its error rate under repeated
    looks, or looks once. `planned`: the number of items at which looking ends, for the rule of that name.
    """

    policy: str
    rule: str
    items: Range
    labels: Range
    total: Range
    money: Range | None
    hours: Range | None
    days: Range | None
    right: float
    wrong: float
    holds: bool
    planned: int | None = None

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        parts = {name: getattr(self, name) for name in ("items", "labels", "total", "money", "hours", "days")}
        return {
            "policy": self.policy,
            "rule": self.rule,
            **{name: None if part is None else part.to_dict() for name, part in parts.items()},
            "right": self.right,
            "wrong": self.wrong,
            "holds": self.holds,
            "planned": self.planned,
        }


@dataclass(frozen=True, slots=True)
class PairPlan:
    """One pair of a pilot: its `difference` there with a 10-90% range, and labels until its verdict."""

    system_a: str
    system_b: str
    pilot_items: int
    difference: float
    low: float
    high: float
    labels: Range

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "system_a": self.system_a,
            "system_b": self.system_b,
            "pilot_items": self.pilot_items,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "labels": self.labels.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """`chances[k]`: the chance of finding `difference` within `labels[k]` labels on a pair."""

    difference: float
    labels: tuple[int, ...]
    chances: tuple[float, ...]

    def chance_of(self, labels: int) -> float:
        """The chance at one of the numbers of labels."""
        return self.chances[self.labels.index(labels)]

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {"difference": self.difference, "labels": list(self.labels), "chances": list(self.chances)}


@dataclass(frozen=True, slots=True)
class Reach:
    """The smallest difference that `labels` labels on a pair find with 80% chance; None: none that can be."""

    labels: int
    difference: float | None


@dataclass(frozen=True, slots=True)
class BudgetAnswer:
    """`labels` in all, `share`: the expected share of pairs decided; `words`: what that means; `ways`: what helps."""

    labels: int
    share: float
    words: str
    ways: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {"labels": self.labels, "share": self.share, "words": self.words, "ways": list(self.ways)}


@dataclass(frozen=True, slots=True)
class PlanResult:
    """`source`: the pilot's name, or None for assumptions; `rates`: what single labels are taken to be like;
    `repetitions`: simulated campaigns behind the rows (fewer than asked for where they are long); `items_a_cluster`: of
    the pilot, None where its items stand alone.
    """

    source: str | None
    settings: PlanSettings
    number_of_systems: int | None
    number_of_pairs: int
    rates: Rates
    agreement_known: bool
    metric_correlation: float | None
    repetitions: int
    rows: tuple[PlanRow, ...]
    pair_plans: tuple[PairPlan, ...]
    curves: tuple[PowerCurve, ...]
    reach: tuple[Reach, ...]
    budget: BudgetAnswer | None
    items_a_cluster: float | None = None

    def row(self, policy: str, rule: str) -> PlanRow:
        """The row of a policy and a rule."""
        return next(row for row in self.rows if (row.policy, row.rule) == (policy, rule))

    @property
    def planned(self) -> PlanRow:
        """The first policy with the default rule."""
        return self.rows[0]

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        settings = self.settings
        return {
            "source": self.source,
            "items_a_cluster": self.items_a_cluster,
            "settings": {
                "alpha": settings.alpha,
                "margin": settings.margin,
                "target": settings.target,
                "number_of_items": settings.number_of_items,
                "price": settings.price,
                "currency": settings.currency,
                "seconds": settings.seconds,
                "crowd": settings.crowd,
                "hours_per_day": settings.hours_per_day,
                "max_money": settings.max_money,
                "max_labels": settings.max_labels,
                "repetitions": self.repetitions,
                "seed": settings.seed,
            },
            "number_of_systems": self.number_of_systems,
            "number_of_pairs": self.number_of_pairs,
            "difference": self.rates.difference,
            "tie_rate": self.rates.ties,
            "agreement": self.rates.agreement,
            "agreement_known": self.agreement_known,
            "metric_correlation": self.metric_correlation,
            "rows": _dicts(self.rows),
            "pair_plans": _dicts(self.pair_plans),
            "power": _dicts(self.curves),
            "reach": [{"labels": reach.labels, "difference": reach.difference} for reach in self.reach],
            "budget": None if self.budget is None else self.budget.to_dict(),
        }


def _dicts(records: Sequence[PlanRow | PairPlan | PowerCurve]) -> list[dict[str, object]]:
    return [record.to_dict() for record in records]


Floats = NDArray[np.float64]

CHANCE: Final = 0.8
"""The chance with which a difference counts as found."""

SMALLEST: Final = 0.01
_STEP: Final = 1.6  # between the differences that are simulated
_ROUND: Final = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Detection:
    """Answers (runs,) of one pair until it was found that the first system is better, infinite where it was not."""

    difference: float
    labels: Floats

    def chance(self, labels: float) -> float:
        """The chance of having found the difference by so many labels."""
        return float((self.labels <= labels).mean())

    def needed(self, chance: float = CHANCE) -> float:
        """Answers that find the difference with this chance."""
        return float(np.quantile(self.labels, chance, method="higher"))


def detections(
    differences: Sequence[float],
    ties: float,
    rule: SimulatedRule,
    most_items: int,
    runs: int,
    rng: np.random.Generator,
) -> list[Detection]:
    """Simulated campaigns of each difference, one answer an item."""
    found = []
    for difference in differences:
        runs_of = grow_campaigns(PlannedOutcomes(difference, ties, runs), [rule], most_items, rng)[rule]
        found.append(Detection(difference, np.where(runs_of.verdict == 1, runs_of.labels, np.inf)))
    return found


def grid_of_differences(ties: float, smallest: float = SMALLEST) -> list[float]:
    """From `smallest` to almost the largest difference, in steps of a factor of 1.6."""
    largest = 0.85 * (1 - ties)
    smallest = min(smallest, largest / _STEP)
    count = int(np.floor(np.log(largest / smallest) / np.log(_STEP))) + 1
    return [float(value) for value in np.geomspace(smallest, largest, max(count, 2))]


def smallest_found(grid: Sequence[Detection], labels: float) -> float | None:
    """The smallest difference that so many labels find with 80% chance, between the simulated ones; or None.

    Answers needed fall with the difference: interpolated on the logarithms of both; beyond the smallest difference that
    was found at all they grow with 1/difference^2.
    """
    known = [(found.needed(), found.difference) for found in grid if np.isfinite(found.needed())]
    needed = np.minimum.accumulate([need for need, _ in known]) if known else np.empty(0)
    if not known or labels < needed[-1]:
        return None
    if labels > needed[0]:
        return known[0][1] * math.sqrt(needed[0] / labels)
    sizes = np.log([difference for _, difference in known])
    return float(np.exp(np.interp(-np.log(labels), -np.log(needed), sizes)))


def power_curves(curves: Sequence[Detection], labels: Sequence[int]) -> tuple[PowerCurve, ...]:
    """The chances of the simulated differences at these numbers of labels."""
    return tuple(
        PowerCurve(found.difference, tuple(labels), tuple(found.chance(count) for count in labels)) for found in curves
    )


def reaches(grid: Sequence[Detection], labels: Sequence[int]) -> tuple[Reach, ...]:
    """What each number of labels finds."""
    return tuple(Reach(count, smallest_found(grid, count)) for count in labels)


def round_numbers(low: float, high: float) -> list[int]:
    """1, 2, 5, 10, 20, ... from the one at or below `low` to the one at or above `high`."""
    first = int(np.floor(np.log10(max(low, 1.0))))
    last = int(np.ceil(np.log10(max(high, low, 1.0)))) + 1
    series = [step * 10**power for power in range(first, last + 1) for step in _ROUND]
    below = [number for number in series if number <= max(low, 1.0)]
    above = [number for number in series if number >= high]
    start = below[-1] if below else series[0]
    return [number for number in series if start <= number <= (above[0] if above else series[-1])]


def with_steps_between(labels: Sequence[int], steps: int = 8) -> list[int]:
    """These numbers (rising) and some between each two, evenly on a logarithmic scale: for a smooth curve."""
    between = [round(float(value)) for low, high in pairwise(labels) for value in np.geomspace(low, high, steps + 1)]
    return sorted({*labels, *between})


_LOWEST, _HIGHEST = 0.8, 1.0  # capabilities, as in dynamic-human-evaluation
_LARGEST_MEAN, _LARGEST_SPREAD, _SMALLEST_SPREAD = 12.0, 4.0, 1e-3
