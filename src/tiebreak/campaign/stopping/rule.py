"""What every stopping rule is given, and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import ClassVar, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.records import UnitValue, Verdict
from tiebreak.results.guarantee import Guarantee, Validity
from tiebreak.results.terms import Looks
from tiebreak.settings.protocol import DecisionSettings

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

Finding = Verdict | Literal["narrow"]
"""What a measure came to: a verdict, or an interval as narrow as was asked."""

PlanT = TypeVar("PlanT")
EvidenceT = TypeVar("EvidenceT")


@dataclass(frozen=True, slots=True, eq=False)
class MeasureFacts:
    """What a rule may know of a measure before any label.

    `most_units`: units (items, or clusters) that may get labels, the first of the sealed order. `outcomes_only`: each
    unit is one item, so that its value is -1, 0 or 1. `pool_size`, `scale`: for a claim about these items, the items
    with different outputs and their share of all; else None and 1. `metric` (U,): the metric's value of each unit in
    the sealed order, then of the units that nobody labels; None without metrics. `metric_outcomes` (U,): -1, 0, 1, or
    NaN where it said nothing. `sizes`, `asked` (U,): items of each unit, and those of them whose outputs differ; None
    where each unit is one item. `half_width`: how well a mean is to be known, on [-1, 1]; `direction`: a measure ends
    where it is known which side of 0 it lies on. `known_ties`: items that may get labels, but are
    ties by their texts; `known` (U,): which of the units, None where a unit is several items.
    """

    most_units: int
    outcomes_only: bool
    pool_size: int | None
    scale: float
    metric: Floats | None
    metric_outcomes: Floats | None
    sizes: Integers | None = None
    asked: Integers | None = None
    half_width: float | None = None
    direction: bool = False
    known_ties: int = 0
    known: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What the evidence of a pair says now. `low`, `high`: interval of the difference; `validity`: when it holds.

    `estimate` of the difference, NaN without values; `variance` of the values per unit. `log_e_*`: running maxima of
    log E; `log_threshold`, `log_threshold_equivalent`: what they face. `theta`: posterior probability that a is better;
    `mean_p`, `p_interval`: posterior means and intervals of the shares of (a, tie, b), `k_hat`, `flags`: how well they
    were computed. `equivalent`: whether an equivalence was reached, `equivalence_interval` what shows it;
    `effective_clusters`: clusters of equal size that would say as much.
    None: not of this rule.
    """

    estimate: float
    low: float
    high: float
    validity: Validity
    log_e_a: float | None = None
    log_e_b: float | None = None
    log_e_equivalent: float | None = None
    log_threshold: float | None = None
    log_threshold_equivalent: float | None = None
    theta: float | None = None
    p_value: float | None = None
    mean_p: tuple[float, float, float] | None = None
    p_interval: tuple[tuple[float, float], ...] | None = None
    k_hat: float | None = None
    flags: tuple[str, ...] = ()
    variance: float | None = None
    equivalent: bool = False
    equivalence_interval: tuple[float, float] | None = None
    effective_clusters: float | None = None


class StoppingRule(ABC, Generic[PlanT, EvidenceT]):
    """A rule keeps one record of evidence per pair, of a size that the items of its plan limit.

    `looks`: at which of them its verdicts hold. `takes_margin`: can find equivalence; `takes_metric`: uses metrics and
    judges, `predicts`: by predicting labels with them, which items that nobody labels make possible;
    `needs_items_per_pair`: the number of items must be fixed beforehand; `plans_items`: looking ends at a number of
    items of a pair, which the budget must pay for; `learns`: later evidence is bent by whoever withdraws an item before
    it is labelled, since they may know what waits behind it.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    looks: ClassVar[Looks] = "uncontrolled"
    takes_margin: ClassVar[bool] = False
    takes_metric: ClassVar[bool] = False
    predicts: ClassVar[bool] = False
    plans_items: ClassVar[bool] = False
    needs_items_per_pair: ClassVar[bool] = False
    learns: ClassVar[bool] = False

    def described(self, plans: Sequence[PlanT]) -> str:  # noqa: ARG002
        """The rule by what it does with these pairs."""
        return self.title

    @abstractmethod
    def guarantee(self, plans: Sequence[PlanT], settings: DecisionSettings) -> Guarantee:
        """What the verdicts on these pairs promise under these settings."""

    @abstractmethod
    def prepare(self, facts: Sequence[MeasureFacts], settings: DecisionSettings, batch: int) -> list[PlanT]:
        """One plan per pair, before any label.

        Raises:
            PlanError: a pair whose facts the rule cannot work with.
        """

    @abstractmethod
    def start(self, plan: PlanT) -> EvidenceT:
        """The evidence before any value."""

    @abstractmethod
    def advance(self, plan: PlanT, evidence: EvidenceT, value: UnitValue) -> EvidenceT:
        """With the value of the next unit of the sealed order."""

    def again(self, plan: PlanT, values: Iterable[UnitValue], seen: EvidenceT) -> EvidenceT:  # noqa: ARG002
        """The evidence of all units so far once more, some of which were withdrawn since; what a rule `seen` at its
        largest keeps, it keeps.
        """
        return reduce(partial(self.advance, plan), values, self.start(plan))

    @abstractmethod
    def decide(
        self, plans: Sequence[PlanT], evidence: Sequence[EvidenceT], settings: DecisionSettings, changed: int
    ) -> Mapping[int, Finding]:
        """Verdicts by number of the measure, after the evidence of `changed` has grown; repeated ones do no harm."""

    def units_to_decide(
        self,
        plans: Sequence[PlanT],
        started: Sequence[EvidenceT],
        values: Iterable[UnitValue],
        settings: DecisionSettings,
        number: int,
    ) -> int | None:
        """Units of one measure until a verdict on it, with these values and what all `started` with; None: never."""
        evidence = list(started)
        for unit, value in enumerate(values):
            evidence[number] = self.advance(plans[number], evidence[number], value)
            if number in self.decide(plans, evidence, settings, number):
                return unit + 1
        return None

    def evidence_now(self, plan: PlanT, evidence: EvidenceT) -> tuple[float, float, float | None] | None:  # noqa: ARG002
        """log E for a, for b, and of equivalence (None without a margin), for drawing; None where the rule has none."""
        return None

    def units_to_verdict(self, plan: PlanT, evidence: EvidenceT, summary: Summary) -> int | None:  # noqa: ARG002
        """Further units of an undecided pair until a verdict, as projected by a rule that plans items."""
        return None

    def metric_used(self, evidence: EvidenceT) -> bool:  # noqa: ARG002
        """Whether metrics and judges have entered the evidence of a pair."""
        return False

    def next_look(self, plan: PlanT, evidence: EvidenceT) -> int | None:  # noqa: ARG002
        """Units of a pair at which the rule looks next; None where it looks after every one."""
        return None

    @abstractmethod
    def summary(
        self, plans: Sequence[PlanT], evidence: Sequence[EvidenceT], settings: DecisionSettings
    ) -> list[Summary]:
        """What is known of every pair now."""


class PlanError(ValueError):
    """A rule that cannot work with a study as it is; `key` is the setting to change."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key
