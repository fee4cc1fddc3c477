"""A plan: what was assumed, what it will cost, what a budget finds, and what to do if it is too small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.planning.assumptions import PlanSettings
from tiebreak.planning.campaigns import Range
from tiebreak.planning.population import Rates

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One labelling policy (a majority is of `per_item` people of the settings) under one stopping rule.

    `items`, `labels`: of one pair until its verdict. `total`: labels for all pairs; `money`, `hours`, `days` of the
    total, None where price or seconds are unknown. `right`, `wrong`: shares of pairs whose verdict is that of the true
    difference, or another one; the rest is undecided. `holds`: whether the rule keeps its error rate under repeated
    looks, or looks once.
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
