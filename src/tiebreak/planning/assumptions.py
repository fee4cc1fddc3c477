"""What a plan starts from, checked: the question, the people, what they cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.records import TARGETS, Target
from tiebreak.simulate.engines.labelling import LabellingPolicy

POLICIES = tuple(LabellingPolicy.parse(name) for name in ("one", "fixed", "max-three", "majority-3"))
MOST_ITEMS = 20_000
FEWEST_RUNS = 50


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What you expect of every pair. All differences are of single labels, P(a preferred) - P(b preferred).

    `difference` in [0, 1) and `ties` in [0, 1): of every pair. `agreement`: the correlation of two people's answers on
    one item, None for the usual .3. `systems` >= 2, or None where only `pairs` is known; `pairs` tested together.
    `correlation` of a metric or judge with single labels, None without one.
    """

    difference: float
    ties: float = 0.3
    agreement: float | None = None
    systems: int | None = 2
    pairs: int = 1
    correlation: float | None = None

    def __post_init__(self) -> None:
        _within("difference", self.difference, 0.0, 1.0)
        _within("ties", self.ties, 0.0, 1.0)
        if self.agreement is not None:
            _within("agreement", self.agreement, 0.0, 1.0)
        if self.correlation is not None and not 0 < self.correlation < 1:
            raise UsageError(f"the correlation must lie strictly between 0 and 1, but it is {self.correlation}")
        if self.systems is not None and self.systems < 2:
            raise UsageError(f"a comparison needs at least 2 systems, not {self.systems}")
        if self.pairs < 1:
            raise UsageError(f"a plan needs at least 1 pair, not {self.pairs}")


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """How it will be decided, and what a label costs.

    alpha, margin, target as in `compare`. `pool`: items that there are (needed for the target `items` and for a
    metric). `price` and `seconds` per label, None where unknown; `people` who label at the same time, `hours_per_day`
    each. `budget` in money, or `labels`, in all; at most one of them. `policies`: labelling policies to compare, the
    first one is planned with. `runs`: simulated campaigns.

    Raises:
        UsageError: an impossible value, or values that do not go together.
    """

    alpha: float = 0.05
    margin: float | None = None
    target: Target = "inputs"
    pool: int | None = None
    price: float | None = None
    currency: str = "$"
    seconds: float | None = None
    people: int = 1
    hours_per_day: float = 4.0
    budget: float | None = None
    labels: int | None = None
    policies: tuple[LabellingPolicy, ...] = POLICIES
    runs: int = 500
    seed: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha must lie strictly between 0 and 1, but it is {self.alpha}")
        if self.margin is not None and not 0 < self.margin < 1:
            raise UsageError(f"the margin must lie strictly between 0 and 1, but it is {self.margin}")
        if self.target not in TARGETS:
            raise UsageError(f"no target {self.target!r}{did_you_mean(self.target, TARGETS)}: inputs or items")
        if self.target == "items" and self.pool is None:
            raise UsageError("a claim about these items needs their number: add --pool")
        positive = {
            "pool": self.pool,
            "price": self.price,
            "seconds": self.seconds,
            "people": self.people,
            "hours-per-day": self.hours_per_day,
            "budget": self.budget,
            "labels": self.labels,
        }
        for name, value in positive.items():
            if value is not None and not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} must be more than 0, but it is {value}")
        if self.hours_per_day > 24:
            raise UsageError(f"a day has 24 hours, not {self.hours_per_day:g}")
        if self.budget is not None and self.labels is not None:
            raise UsageError("give a --budget in money or in --labels, not both")
        if self.budget is not None and self.price is None:
            raise UsageError("a budget in money needs the price of a label: add --price, or give --labels")
        if not self.policies:
            raise UsageError("a plan needs at least one labelling policy")
        if self.runs < FEWEST_RUNS:
            raise UsageError(f"a plan needs at least {FEWEST_RUNS} simulated campaigns, not {self.runs}")
        if self.budget_in_labels is not None and self.budget_in_labels < 1:
            raise UsageError(f"a budget of {self.budget} does not pay for one label at {self.price}")

    @property
    def budget_in_labels(self) -> int | None:
        """How many labels the budget pays for in all, None without one."""
        if self.budget is not None and self.price is not None:
            return math.floor(self.budget / self.price + 1e-9)
        return self.labels

    @property
    def most_items(self) -> int:
        """Items a pair at most: the pool, or 20,000, where a simulation ends."""
        return MOST_ITEMS if self.pool is None else min(self.pool, MOST_ITEMS)


def pairs_of(systems: int, *, baseline: bool) -> int:
    """All pairs of so many systems, or those with a baseline."""
    return systems - 1 if baseline else systems * (systems - 1) // 2


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value < high:
        raise UsageError(f"the {name} must be from {low:g} to below {high:g}, but it is {value}")
