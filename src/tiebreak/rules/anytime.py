"""The default rule: evidence for a planned number of items, whose error rate holds at every look, for many pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.control_variate import RESERVED, most_with_companions, plan_companions, reserve_size
from tiebreak.kernels.outcome_regression import BinRows, input_rows, item_rows
from tiebreak.numbers import percent, plain
from tiebreak.records import UnitValue
from tiebreak.rules import planned
from tiebreak.rules.family import BOUNDED, Family
from tiebreak.rules.planned import PairPlan, PairState
from tiebreak.rules.rule import (
    EQUIVALENT,
    FINDINGS,
    FIXED_BUDGET,
    Cells,
    Codes,
    Finding,
    Guarantee,
    Looks,
    MeasureFacts,
    PlanError,
    Rule,
    RuleSettings,
    Summary,
    Units,
    Validity,
    scope_words,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AnytimeState:
    """The evidence of a `pair`, and what of it counts for verdicts, at its largest: `evidence` (C, D)."""

    pair: PairState
    evidence: Floats


class Anytime(Rule[PairPlan, AnytimeState]):
    """A direction at level alpha/(2K) over K pairs (Holm: alpha/(2K - j)), an equivalence at alpha/K on both sides.

    Evidence enters at its largest so far, so that pairs may be chosen by what other pairs show. False discovery rate:
    Benjamini-Yekutieli, because pairs stop at times that depend on each other. With a margin a direction also rejects
    that the difference lies beyond the far margin, so that a wrong direction and a wrong equivalence stay within alpha
    together.
    """

    name: ClassVar[str] = "anytime"
    sources: ClassVar[tuple[str, ...]] = ("waudbysmith2024",)
    title: ClassVar[str] = "test for a planned number of items, valid at every look"
    looks: ClassVar[Looks] = "every"
    controls_error: ClassVar[bool] = True
    takes_margin: ClassVar[bool] = True
    takes_metric: ClassVar[bool] = True
    predicts: ClassVar[bool] = True
    plans_items: ClassVar[bool] = True
    learns: ClassVar[bool] = True

    def guarantee(self, plans: Sequence[PairPlan], settings: RuleSettings) -> Guarantee:  # noqa: ARG002
        """What alpha bounds goes by the correction for many pairs."""
        chance = f"{BOUNDED[settings.multiplicity]} is at most alpha = {plain(settings.alpha)}"
        return Guarantee("hold at every look", f"{chance}, however often one looks")

    def prepare(self, facts: Sequence[MeasureFacts], settings: RuleSettings) -> list[PairPlan]:
        """Each pair is planned for the units that may get labels."""
        with_metric = [pair for pair in facts if pair.metric is not None]
        _check_companions(with_metric, settings)
        family = family_of(settings, len(facts))
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
                steps=planned.STEPS if pair.intervals else None,
                known=pair.known,
            )
            for pair in facts
        ]

    def start(self, plan: PairPlan, cells: int = 1) -> AnytimeState:
        """No evidence."""
        return _with_evidence(plan, planned.start(plan, cells))

    def advance(self, plan: PairPlan, state: AnytimeState, units: Units) -> tuple[AnytimeState, Floats]:
        """More units."""
        pair, path = planned.path(plan, state.pair, units.for_a, units.for_b, units.taught)
        return AnytimeState(pair, path[:, -1] if units.number else state.evidence), path

    def some(self, state: AnytimeState, cells: Cells) -> AnytimeState:
        """Some of the cells."""
        return AnytimeState(state.pair.of(cells), state.evidence[cells])

    def again(self, plan: PairPlan, values: Sequence[UnitValue], seen: AnytimeState) -> AnytimeState:
        """All bets as they were, with lower gains; the largest evidence so far was valid, and stands."""
        lowered = super().again(plan, values, seen)
        return _with_evidence(plan, planned.with_past(lowered.pair, seen.pair))

    def verdicts(self, plans: Sequence[PairPlan], evidence: Floats, settings: RuleSettings) -> Codes:  # noqa: ARG002
        """A direction goes before an equivalence."""
        faced = family_of(settings, evidence.shape[1]).faced(evidence)
        reached = evidence >= faced[:, None, None]
        direction = np.where(evidence[..., 0] >= evidence[..., 1], np.int8(1), np.int8(-1))
        codes = np.where(reached[..., :2].any(axis=-1), direction, np.int8(0))
        if evidence.shape[2] == 2:
            return np.asarray(codes)
        return np.asarray(np.where((codes == 0) & reached[..., 2], np.int8(EQUIVALENT), codes))

    def decide(
        self, plans: Sequence[PairPlan], states: Sequence[AnytimeState], settings: RuleSettings, changed: int
    ) -> Mapping[int, Finding]:
        """A verdict on one pair may bring others."""
        if states[changed].evidence.max() < math.log(1 / settings.alpha):
            return {}  # no threshold is lower, so that nothing has changed for any pair
        codes = self.verdicts(plans, np.stack([of.evidence for of in states], axis=1), settings)[0]
        return {int(k): FINDINGS[int(codes[k])] for k in np.flatnonzero(codes)}

    def described(self, plans: Sequence[PairPlan]) -> str:
        """With the most items of a pair: the plan is part of the promise."""
        if not plans:
            return self.title
        most = max(plan.planned for plan in plans)
        units = "clusters" if any(plan.weights is not None for plan in plans) else "items"
        return f"test planned for up to {most:,} {units} per pair, valid at every look"

    def units_to_verdict(self, plan: PairPlan, state: AnytimeState, summary: Summary) -> int | None:
        """With a chance of 80%, if values go on as they are on average."""
        if summary.log_threshold is None:
            return None
        equivalent = summary.log_threshold_equivalent
        level_equivalent = None if equivalent is None else math.exp(-equivalent)
        return planned.units_to_verdict(plan, state.pair, math.exp(-summary.log_threshold), level_equivalent)

    def metric_used(self, state: AnytimeState) -> bool:
        """From where the labels showed that the metric predicts them."""
        return state.pair.help is not None and state.pair.help.gate.opened

    def evidence_now(self, plan: PairPlan, state: AnytimeState) -> tuple[float, float, float | None]:
        """As it is now, not at its largest; of an equivalence the smaller of the best that either side has reached."""
        found = planned.evidence(plan, state.pair, now=True)
        for_a, for_b = found.directions[0].tolist()
        return for_a, for_b, None if found.equivalent is None else float(found.equivalent[0])

    def summary(
        self, plans: Sequence[PairPlan], states: Sequence[AnytimeState], settings: RuleSettings
    ) -> list[Summary]:
        """Intervals hold for all pairs at once under Holm and Bonferroni, for each pair otherwise."""
        family = family_of(settings, len(plans))
        thresholds = family.thresholds(np.stack([of.evidence[0] for of in states]))
        validity = anytime_validity(settings, len(plans), every_look=True)
        found = []
        for plan, of, threshold in zip(plans, states, thresholds.tolist(), strict=True):
            state = of.pair
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


def family_of(settings: RuleSettings, pairs: int) -> Family:
    """So many pairs that are tested together under these settings."""
    return Family(settings.alpha, settings.multiplicity, pairs, settings.margin is not None)


def anytime_validity(settings: RuleSettings, pairs: int, *, every_look: bool) -> Validity:
    """When an interval holds, of labels that keep coming or of a finished set."""
    level = f"{percent(1 - settings.alpha)}{' at every look' if every_look else ''}"
    scope = scope_words(settings.target)
    if settings.multiplicity in ("holm", "bonferroni") and pairs > 1:
        return Validity(f"{level}, for all {pairs:,} pairs at once, {scope}")
    return Validity(f"{level}, {'for this pair, ' if pairs > 1 else ''}{scope}")


def guarantee_of_a_set(settings: RuleSettings, provided: tuple[str, ...], *, with_budget: bool) -> Guarantee:
    """What verdicts on a finished set promise; `provided`: on trust."""
    return Guarantee(
        "hold for these labels as a finished set",
        chance=f"{BOUNDED[settings.multiplicity]} is at most {plain(settings.alpha)}",
        provided=((FIXED_BUDGET,) if with_budget else ()) + provided,
        advice="To look again and again while labels come, use a campaign",
    )


def _with_evidence(plan: PairPlan, pair: PairState) -> AnytimeState:
    return AnytimeState(pair, planned.evidence(plan, pair).for_verdicts(plan.family))


def _check_companions(facts: Sequence[MeasureFacts], settings: RuleSettings) -> None:
    """Refuse metrics where items form clusters, or where a pair has too few units that nobody labels."""
    for pair in facts:
        if not pair.outcomes_only:
            raise PlanError("decision.metrics", "a metric cannot help where items form clusters; leave it out")
        units = 0 if pair.metric is None else pair.metric.size
        room = most_with_companions(units)
        if pair.pool_size is None and pair.most_units > room:
            options = " and ".join([*["--metric"] * bool(settings.metrics), *["--judge"] * bool(settings.judges)])
            raise PlanError(
                "budget.items_per_pair",
                "for a claim about inputs a metric helps only through items that nobody labels, one for each that is "
                f"labelled, beside a quarter of them (at most {RESERVED}) that is set aside. Of {units:,} items of a "
                f"pair {pair.most_units:,} may be labelled, and {room:,} leave enough: lower --items-per-pair, leave "
                f"{options} out, add items, or make it a claim about these items (--target items)",
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


RULE: Final = Anytime()
