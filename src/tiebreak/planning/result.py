"""A plan: what was assumed, what it will cost, what a budget finds, and what to do if it is too small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiebreak.planning.assumptions import PlanSettings
from tiebreak.planning.population import Rates
from tiebreak.planning.ranges import Range


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One labelling policy under one stopping rule.

    `items`, `answers`: of one pair until its verdict. `total`: answers for all pairs; `money`, `hours`, `days` of the
    total, None where price or seconds are unknown. `right`, `wrong`: shares of pairs whose verdict is that of the true
    difference, or another one; the rest is undecided. `holds`: whether the rule keeps its error rate under repeated
    looks, or looks once.
    """

    policy: str
    rule: str
    items: Range
    answers: Range
    total: Range
    money: Range | None
    hours: Range | None
    days: Range | None
    right: float
    wrong: float
    holds: bool

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        parts = {name: getattr(self, name) for name in ("items", "answers", "total", "money", "hours", "days")}
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
    """One pair of a pilot: its `difference` there with a 10-90 % range, and answers until its verdict."""

    system_a: str
    system_b: str
    pilot_items: int
    difference: float
    low: float
    high: float
    answers: Range

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "system_a": self.system_a,
            "system_b": self.system_b,
            "pilot_items": self.pilot_items,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "answers": self.answers.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """`chances[k]`: the chance of finding `difference` within `answers[k]` answers on a pair."""

    difference: float
    answers: tuple[int, ...]
    chances: tuple[float, ...]

    def chance_of(self, answers: int) -> float:
        """The chance at one of the numbers of answers."""
        return self.chances[self.answers.index(answers)]

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {"difference": self.difference, "answers": list(self.answers), "chances": list(self.chances)}


@dataclass(frozen=True, slots=True)
class Reach:
    """The smallest difference that `answers` answers on a pair find with 80 % chance; None: none that can be."""

    answers: int
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
    """`source`: the pilot's name, or None for assumptions; `rates`: what single labels are taken to be like; `runs`:
    simulated campaigns behind the rows (fewer than asked for where they are long).
    """

    source: str | None
    settings: PlanSettings
    systems: int | None
    pairs: int
    rates: Rates
    agreement_known: bool
    correlation: float | None
    runs: int
    rows: tuple[PlanRow, ...]
    pair_plans: tuple[PairPlan, ...]
    curves: tuple[PowerCurve, ...]
    reach: tuple[Reach, ...]
    budget: BudgetAnswer | None

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
            "settings": {
                "alpha": settings.alpha,
                "margin": settings.margin,
                "target": settings.target,
                "pool": settings.pool,
                "price": settings.price,
                "currency": settings.currency,
                "seconds": settings.seconds,
                "people": settings.people,
                "hours_per_day": settings.hours_per_day,
                "budget": settings.budget,
                "labels": settings.labels,
                "runs": self.runs,
                "seed": settings.seed,
            },
            "systems": self.systems,
            "pairs": self.pairs,
            "difference": self.rates.difference,
            "ties": self.rates.ties,
            "agreement": self.rates.agreement,
            "agreement_known": self.agreement_known,
            "correlation": self.correlation,
            "rows": _dicts(self.rows),
            "pair_plans": _dicts(self.pair_plans),
            "power": _dicts(self.curves),
            "reach": [{"answers": reach.answers, "difference": reach.difference} for reach in self.reach],
            "budget": None if self.budget is None else self.budget.to_dict(),
        }


def _dicts(records: Sequence[PlanRow | PairPlan | PowerCurve]) -> list[dict[str, object]]:
    return [record.to_dict() for record in records]
