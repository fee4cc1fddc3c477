"""The default rule: evidence for a planned number of items, whose error rate holds at every look, for many pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.stopping.rule import MeasureFacts, PlanError, StoppingRule, Summary
from tiebreak.kernels.control_variate import RESERVED, most_with_companions, plan_companions, reserve_size
from tiebreak.kernels.outcome_regression import BinRows, input_rows, item_rows
from tiebreak.records import UnitValue, Verdict
from tiebreak.results.comparison_terms import BOUNDED, anytime_validity
from tiebreak.results.guarantee import Guarantee
from tiebreak.results.numbers import plain
from tiebreak.results.terms import Looks
from tiebreak.rules import planned
from tiebreak.rules.planned import Family, PairPlan, PairState
from tiebreak.settings.protocol import DecisionSettings

Floats = NDArray[np.float64]


class PlannedEvidence(NamedTuple):
    """The evidence of a pair, and what of it counts for verdicts (D,), at its largest: a campaign compares that of all
    pairs after each label.
    """

    state: PairState
    largest: Floats


class Planned(StoppingRule[PairPlan, PlannedEvidence]):
    """A direction at level alpha/(2K) over K pairs (Holm: alpha/(2K - j)), an equivalence at alpha/K on both sides.

    Evidence enters at its largest so far, so that pairs may be chosen by what other pairs show. False discovery rate:
    Benjamini-Yekutieli, because pairs stop at times that depend on each other. With a margin a direction also rejects
    that the difference lies beyond the far margin, so that a wrong direction and a wrong equivalence stay within alpha
    together.
    """

    name: ClassVar[str] = "anytime"
    title: ClassVar[str] = "test for a planned number of items, valid at every look"
    looks: ClassVar[Looks] = "every"
    takes_margin: ClassVar[bool] = True
    takes_metric: ClassVar[bool] = True
    predicts: ClassVar[bool] = True
    plans_items: ClassVar[bool] = True
    learns: ClassVar[bool] = True

    def guarantee(self, plans: Sequence[PairPlan], settings: DecisionSettings) -> Guarantee:  # noqa: ARG002
        """What alpha bounds goes by the correction for many pairs."""
        chance = f"{BOUNDED[settings.multiplicity]} is at most alpha = {plain(settings.alpha)}"
        return Guarantee("hold at every look", f"{chance}, however often one looks")

    def prepare(self, facts: Sequence[MeasureFacts], settings: DecisionSettings, batch: int) -> list[PairPlan]:  # noqa: ARG002
        """Each pair is planned for the units that may get labels."""
        with_metric = [pair for pair in facts if pair.metric is not None]
        _refuse_too_many(with_metric, settings, lambda units: self._wins_decide(units, len(facts), settings))
        family = _family(settings, len(facts))
        return [
            planned.plan_pair(
                family,
                pair.most_units,
                margin=settings.margin,
                outcomes_only=pair.outcomes_only,
                pool_size=pair.pool_size,
                scale=pair.scale,
                rows=None if pair.metric is None else _metric_rows(pair, pair.metric),
                weights=None if pair.sizes is None else pair.sizes / pair.sizes.max(),
                known=pair.known,
            )
            for pair in facts
        ]

    def _wins_decide(self, units: int, pairs: int, settings: DecisionSettings) -> bool:
        """Whether so many wins decide a pair among others without evidence; about inputs, from labels alone, among
        which known ties change nothing.
        """
        plan = planned.plan_pair(_family(settings, pairs), units, margin=settings.margin, steps=None)
        wins = itertools.repeat(UnitValue.labelled(1.0), units)
        return self.units_to_decide([plan] * pairs, [self.start(plan)] * pairs, wins, settings, 0) is not None

    def start(self, plan: PairPlan) -> PlannedEvidence:
        """No evidence."""
        return _with_largest(plan, planned.start(plan))

    def advance(self, plan: PairPlan, evidence: PlannedEvidence, value: UnitValue) -> PlannedEvidence:
        """One more unit."""
        for_a, for_b = np.array([value.for_a]), np.array([value.for_b])
        if value.taught == value.for_a == value.for_b:
            return _with_largest(plan, planned.advance(plan, evidence.state, for_a))
        learnt = np.array([math.nan if value.taught is None else value.taught])
        return _with_largest(plan, planned.advance(plan, evidence.state, for_a, for_b, learnt))

    def again(self, plan: PairPlan, values: Iterable[UnitValue], seen: PlannedEvidence) -> PlannedEvidence:
        """All bets as they were, with lower gains; the largest evidence so far was valid, and stands."""
        lowered = super().again(plan, values, seen)
        return _with_largest(plan, planned.with_past(lowered.state, seen.state))

    def decide(
        self,
        plans: Sequence[PairPlan],  # noqa: ARG002
        evidence: Sequence[PlannedEvidence],
        settings: DecisionSettings,
        changed: int,
    ) -> Mapping[int, Verdict]:
        """A direction goes before an equivalence."""
        if evidence[changed].largest.max() < math.log(1 / settings.alpha):
            return {}  # no threshold is lower, so that nothing has changed for any pair
        sup = np.stack([of.largest for of in evidence])
        reached = sup >= _family(settings, len(sup)).thresholds(sup)[:, None]
        which = np.where(reached, sup, -np.inf)[:, :2].argmax(axis=1)
        return {
            int(k): _DIRECTIONS[which[k]] if reached[k, :2].any() else "equivalent"
            for k in np.flatnonzero(reached.any(axis=1))
        }

    def described(self, plans: Sequence[PairPlan]) -> str:
        """With the numbers of items: the plan is part of the promise."""
        if not plans:
            return self.title
        least, most = min(plan.planned for plan in plans), max(plan.planned for plan in plans)
        between = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        units = "clusters" if any(plan.weights is not None for plan in plans) else "items"
        return f"test planned for up to {between} {units} per pair, valid at every look"

    def units_to_verdict(self, plan: PairPlan, evidence: PlannedEvidence, summary: Summary) -> int | None:
        """With a chance of 80%, if values go on as they are on average."""
        if summary.log_threshold is None:
            return None
        equivalent = summary.log_threshold_equivalent
        level_equivalent = None if equivalent is None else math.exp(-equivalent)
        return planned.units_to_verdict(plan, evidence.state, math.exp(-summary.log_threshold), level_equivalent)

    def metric_used(self, evidence: PlannedEvidence) -> bool:
        """From where the labels showed that the metric predicts them."""
        return evidence.state.help is not None and evidence.state.help.gate.opened

    def evidence_now(self, plan: PairPlan, evidence: PlannedEvidence) -> tuple[float, float, float | None]:
        """As it is now, not at its largest; of an equivalence the smaller of the best that either side has reached."""
        found = planned.evidence(plan, evidence.state, now=True)
        for_a, for_b = found.directions[0].tolist()
        return for_a, for_b, None if found.equivalent is None else float(found.equivalent[0])

    def summary(
        self, plans: Sequence[PairPlan], evidence: Sequence[PlannedEvidence], settings: DecisionSettings
    ) -> list[Summary]:
        """Intervals hold for all pairs at once under Holm and Bonferroni, for each pair otherwise."""
        family = _family(settings, len(plans))
        thresholds = family.thresholds(np.stack([of.largest for of in evidence]))
        validity = anytime_validity(settings, len(plans), every_look=True)
        found = []
        for plan, (state, _), threshold in zip(plans, evidence, thresholds.tolist(), strict=True):
            low, high = planned.interval(plan, state, family.simultaneous)
            pair, easing = planned.evidence(plan, state), plan.family.easing
            for_a, for_b = pair.directions[0].tolist()
            equivalent = None if pair.equivalent is None else float(pair.equivalent[0])
            found.append(
                Summary(
                    estimate=plan.scale * float(state.mean[0]),
                    low=low,
                    high=high,
                    validity=validity,
                    log_e_a=for_a,
                    log_e_b=for_b,
                    log_e_equivalent=equivalent,
                    log_threshold=threshold,
                    log_threshold_equivalent=None if equivalent is None else threshold - easing,
                    equivalent=equivalent is not None and equivalent + easing >= threshold,
                    variance=float(state.variance[0]),
                )
            )
        return found


_DIRECTIONS: Final[tuple[Verdict, Verdict]] = ("a", "b")


def _family(settings: DecisionSettings, pairs: int) -> Family:
    return Family(settings.alpha, settings.multiplicity, pairs, settings.margin is not None)


def _with_largest(plan: PairPlan, state: PairState) -> PlannedEvidence:
    return PlannedEvidence(state, planned.evidence(plan, state).for_verdicts(plan.family)[0])


def _refuse_too_many(facts: Sequence[MeasureFacts], settings: DecisionSettings, decides: Callable[[int], bool]) -> None:
    """Raise PlanError where a metric leaves a pair too few units that nobody labels, with a budget that every pair has
    room for, wherever its known ties stand in the order: these cost nothing, and another seed has another order. Where
    wins throughout would not decide a pair with it (`decides`, by units), it is no way out.
    """
    if any(not pair.outcomes_only for pair in facts):
        raise PlanError("decision.metrics", "a metric cannot help where items form clusters; leave it out")
    rooms = [
        (pair, most_with_companions(pair.metric.size))
        for pair in facts
        if pair.metric is not None and pair.pool_size is None
    ]
    if all(pair.most_units <= room for pair, room in rooms):
        return
    budget = min(room - pair.known_ties for pair, room in rooms)
    smaller = f"set it to {budget:,} or less (--items-per-pair), " if budget > 0 and decides(budget) else ""
    options = " and ".join([*["--metric"] * bool(settings.metrics), *["--judge"] * bool(settings.judges)])
    short = next(pair for pair, room in rooms if pair.most_units > room)
    units = 0 if short.metric is None else short.metric.size
    others = units - short.most_units
    left, reserved = others - reserve_size(others), reserve_size(others)
    raise PlanError(
        "budget.items_per_pair",
        "for a claim about inputs a metric helps only through items that nobody labels: one for each that is labelled, "
        f"beside a quarter of them (at most {RESERVED}) that is set aside to find scales. If {short.most_units:,} of "
        f"the {units:,} items of a pair may be labelled, {others:,} are not, and without the {reserved:,} set aside "
        f"{left:,} are left: {smaller}leave {options} out, add items, or make it a claim about these items "
        "(--target items)",
    )


def _metric_rows(pair: MeasureFacts, metric: Floats) -> BinRows:
    """What the metric says of the units in their order; for inputs like these with unlabelled companions."""
    labelled, others = metric[: pair.most_units], metric[pair.most_units :]
    if pair.pool_size is not None:
        return item_rows(labelled, others)
    reserved = reserve_size(others.size)
    left = np.maximum(labelled.size - np.arange(labelled.size), 1)
    plan = plan_companions(left, others.size - reserved)
    return input_rows(labelled, others[reserved:], plan, others[:reserved])
