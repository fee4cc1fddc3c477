"""A plan: what was assumed, what it will cost, what a budget finds, and what to do if it is too small."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from scipy.special import ndtri

from tiebreak.planning.assumptions import PlanSettings
from tiebreak.planning.population import Rates
from tiebreak.records import document
from tiebreak.rules.power import Endings

_EIGHT_OF_TEN = (0.1, 0.9)


@dataclass(frozen=True, slots=True)
class Range:
    """`mean` over campaigns, their 10% and 90% quantiles `low` and `high`, and the share `open` that ends without a
    verdict.
    """

    mean: float
    low: float
    high: float
    open: float

    @classmethod
    def of(cls, endings: Endings) -> Range:
        """Units asked of one pair, its differences being equally likely."""
        low, high = (endings.quantile(share) for share in _EIGHT_OF_TEN)
        return cls(float(endings.mean_units.mean()), low, high, float(1 - endings.ended[:, -1].mean()))

    @classmethod
    def of_all(cls, pairs: Sequence[Endings], times: int = 1) -> Range:
        """Units of all pairs together, each of them `times`: a sum of several is taken for normal."""
        if len(pairs) * times == 1:
            return cls.of(pairs[0])
        means = [float(endings.mean_units.mean()) for endings in pairs]
        variances = [float(endings.variance_of_units.mean() + endings.mean_units.var()) for endings in pairs]
        decided = [float(endings.ended[:, -1].mean()) for endings in pairs]
        mean, spread = times * math.fsum(means), math.sqrt(times * math.fsum(variances))
        low, high = (mean + spread * float(ndtri(share)) for share in _EIGHT_OF_TEN)
        most = times * sum(float(endings.units[-1]) for endings in pairs)
        return cls(mean, max(low, 0.0), min(high, most), 1 - math.prod(decided) ** times)

    @classmethod
    def fixed(cls, value: float, undecided: float) -> Range:
        """The same in every campaign."""
        return cls(value, value, value, undecided)

    def scaled(self, factor: float) -> Range:
        """In another unit: labels, money, hours."""
        return Range(self.mean * factor, self.low * factor, self.high * factor, self.open)


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One labelling policy (a majority is of `per_item` people of the settings) under one stopping rule.

    `items`, `labels`: of one pair. `total`: labels for all pairs; `money`, `hours`, `days` of the total, None where
    price or seconds are unknown. `right`, `wrong`: shares of pairs whose verdict is true of the difference, or not; the
    rest is undecided. `planned`: the number of items at which looking ends; None for the one look that
    stands beside another rule.
    """

    policy: str
    rule: str
    planned: int | None
    items: Range
    labels: Range
    total: Range
    money: Range | None
    hours: Range | None
    days: Range | None
    right: float
    wrong: float


@dataclass(frozen=True, slots=True)
class PairPlan:
    """One pair of a pilot: its `difference` there with a 10-90% range, its labels, its chance of a `right` verdict."""

    system_a: str
    system_b: str
    pilot_items: int
    difference: float
    low: float
    high: float
    labels: Range
    right: float

    def better_first(self) -> PairPlan:
        """The same, the system that was better in the pilot being A."""
        if self.difference >= 0:
            return self
        return replace(
            self,
            system_a=self.system_b,
            system_b=self.system_a,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
        )


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """`chances[k]`: the chance that a plan of `labels[k]` items, one label each, finds `difference`."""

    difference: float
    labels: tuple[int, ...]
    chances: tuple[float, ...]

    def chance_of(self, labels: int) -> float:
        """The chance at one of the numbers of labels."""
        return self.chances[self.labels.index(labels)]


@dataclass(frozen=True, slots=True)
class Reach:
    """The smallest difference that a plan of `labels` items finds with 80% chance; None: none that can be."""

    labels: int
    difference: float | None


@dataclass(frozen=True, slots=True)
class BudgetAnswer:
    """`labels` in all, `share`: the expected share of pairs decided; `words`: what that means; `ways`: what helps."""

    labels: int
    share: float
    words: str
    ways: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PeopleRow:
    """So many `people`: the `floor`, the difference that they find in 80% with any number of items; `items`, one label
    each, that find the planned difference; None where none do.
    """

    people: int
    floor: float
    items: int | None


@dataclass(frozen=True, slots=True)
class PeoplePlan:
    """`tastes`: standard deviation of people's own differences; `difference` to find; `enough`: the fewest people who
    find it with any number of items, None above 1,000.
    """

    tastes: float
    difference: float
    enough: int | None
    rows: tuple[PeopleRow, ...]


@dataclass(frozen=True, slots=True)
class PlanResult:
    """`source`: the pilot's name, or None for assumptions; `rates`: what single labels are taken to be like;
    `items_a_cluster`: of the pilot, None where its items stand alone; `people`: how many a verdict about people like
    these takes, None where nothing is known of their tastes.
    """

    source: str | None
    settings: PlanSettings
    number_of_systems: int | None
    number_of_pairs: int
    rates: Rates
    agreement_known: bool
    metric_correlation: float | None
    rows: tuple[PlanRow, ...]
    pair_plans: tuple[PairPlan, ...]
    curves: tuple[PowerCurve, ...]
    reach: tuple[Reach, ...]
    budget: BudgetAnswer | None
    people: PeoplePlan | None
    items_a_cluster: float | None = None

    def row(self, policy: str, rule: str) -> PlanRow:
        """The row of a policy and a rule."""
        return next(row for row in self.rows if (row.policy, row.rule) == (policy, rule))

    @property
    def planned(self) -> PlanRow:
        """The first policy with the default rule."""
        return self.rows[0]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        settings, rates = document(self.settings, "labelling", "per_item"), self.rates
        assumed = {"difference": rates.difference, "tie_rate": rates.ties, "agreement": rates.agreement}
        return document(self, "rates", "curves", settings=settings, power=self.curves, **assumed)
