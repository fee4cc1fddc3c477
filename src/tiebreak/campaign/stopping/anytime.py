"""The default rule: betting evidence whose error rate holds at every look, with the family of pairs accounted for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.stopping.planned import metric_rows, refuse_too_many
from tiebreak.campaign.stopping.rule import MeasureFacts, StoppingRule, Summary
from tiebreak.kernels import multiplicity
from tiebreak.records import UnitValue, Verdict
from tiebreak.results.comparison_terms import BOUNDED, anytime_validity
from tiebreak.results.numbers import plain
from tiebreak.results.terms import Looks
from tiebreak.rules import running
from tiebreak.rules.anytime import Priors
from tiebreak.rules.family import FamilyRule, simultaneous_log_threshold
from tiebreak.rules.running import RunningEvidence, RunningPlan, SupEvidence
from tiebreak.settings.protocol import DecisionSettings

Floats = NDArray[np.float64]


class Anytime(StoppingRule[RunningPlan, RunningEvidence]):
    """A direction at E >= 2K/alpha over K pairs (Holm: (2K - j)/alpha), an equivalence at K/alpha on both sides.

    Evidence enters by its running maximum, so that pairs may be chosen by what other pairs show. False discovery rate:
    Benjamini-Yekutieli on 1/sup E, because pairs stop at times that depend on each other.
    """

    name: ClassVar[str] = "anytime"
    title: ClassVar[str] = "anytime-valid betting test (e-process)"
    looks: ClassVar[Looks] = "every"
    takes_margin: ClassVar[bool] = True
    takes_metric: ClassVar[bool] = True
    predicts: ClassVar[bool] = True

    def guarantee(self, plans: Sequence[RunningPlan], settings: DecisionSettings) -> str:  # noqa: ARG002
        """What alpha bounds goes by the correction for many pairs."""
        chance = f"{BOUNDED[settings.multiplicity]} is at most alpha = {plain(settings.alpha)}"
        return f"hold at every look: {chance}, however often one looks"

    def prepare(self, facts: Sequence[MeasureFacts], settings: DecisionSettings, batch: int) -> list[RunningPlan]:  # noqa: ARG002
        """The priors and the table of outcomes are shared by all pairs."""
        priors = Priors.default()
        factors = running.outcome_factors(priors, settings.margin) if settings.target == "inputs" else None
        with_metric = [pair for pair in facts if pair.metric is not None]
        refuse_too_many(with_metric, settings, lambda units: self._wins_decide(units, len(facts), settings))
        return [
            running.running_plan(
                priors,
                margin=settings.margin,
                outcomes_only=pair.outcomes_only,
                pool_size=pair.pool_size,
                scale=pair.scale,
                rows=None if pair.metric is None else metric_rows(pair, pair.metric),
                factors=factors,
                weights=None if pair.sizes is None else pair.sizes / pair.sizes.max(),
            )
            for pair in facts
        ]

    def _wins_decide(self, units: int, pairs: int, settings: DecisionSettings) -> bool:
        """Whether so many wins decide a pair among others without evidence; about inputs, from labels alone, among
        which known ties change nothing.
        """
        plan = running.running_plan(
            Priors.default(), margin=settings.margin, outcomes_only=True, pool_size=None, scale=1.0, rows=None
        )
        wins = itertools.repeat(UnitValue.labelled(1.0), units)
        return self.units_to_decide([plan] * pairs, [running.start(plan)] * pairs, wins, settings, 0) is not None

    def start(self, plan: RunningPlan) -> RunningEvidence:
        """No evidence."""
        return running.start(plan)

    def advance(self, plan: RunningPlan, evidence: RunningEvidence, value: UnitValue) -> RunningEvidence:
        """One more bet."""
        return running.advance(plan, evidence, value)

    def again(self, plan: RunningPlan, values: Iterable[UnitValue], seen: RunningEvidence) -> RunningEvidence:
        """All bets as they were, with lower gains; the largest evidence so far was valid, and stands."""
        return running.again(plan, values, seen)

    def learns(self, plan: RunningPlan) -> bool:
        """What a metric predicts; other bets allow for every label that could be missing."""
        return plan.rows is not None

    def decide(
        self,
        plans: Sequence[RunningPlan],  # noqa: ARG002
        evidence: Sequence[RunningEvidence],
        settings: DecisionSettings,
        changed: int,
    ) -> Mapping[int, Verdict]:
        """A direction goes before an equivalence."""
        grown = evidence[changed].sup
        if max(grown.for_a, grown.for_b, grown.equivalent or 0.0) < math.log(1 / settings.alpha):
            return {}  # no threshold is lower, so that nothing has changed for any pair
        sup = [of.sup for of in evidence]
        directions, equivalence = _thresholds(sup, settings)
        found: dict[int, Verdict] = {}
        for k, (pair, threshold) in enumerate(zip(sup, directions.tolist(), strict=True)):
            if max(pair.for_a, pair.for_b) >= threshold:
                found[k] = "a" if pair.for_a >= pair.for_b else "b"
            elif pair.equivalent is not None and pair.equivalent >= equivalence:
                found[k] = "equivalent"
        return found

    def metric_used(self, evidence: RunningEvidence) -> bool:
        """From where the labels showed that the metric predicts them."""
        return evidence.help is not None and evidence.help.gate.opened

    def evidence_now(self, plan: RunningPlan, evidence: RunningEvidence) -> tuple[float, float, float | None]:
        """As it is now, not at its largest; of an equivalence the smaller of the best that either side has reached."""
        log_e = evidence.wealth.log_e[:, plan.zero]
        return float(log_e[0]), float(log_e[1]), evidence.sup.equivalent

    def summary(
        self, plans: Sequence[RunningPlan], evidence: Sequence[RunningEvidence], settings: DecisionSettings
    ) -> list[Summary]:
        """Intervals hold for all pairs at once under Holm and Bonferroni, for each pair otherwise."""
        sup = [of.sup for of in evidence]
        directions, equivalence = _thresholds(sup, settings)
        simultaneous = simultaneous_log_threshold(len(plans), FamilyRule(settings.alpha, settings.multiplicity))
        validity = anytime_validity(settings, len(plans), every_look=True)
        found = []
        for plan, of, pair, threshold in zip(plans, evidence, sup, directions, strict=True):
            low, high = running.interval(plan, of, simultaneous)
            found.append(
                Summary(
                    estimate=plan.scale * of.mean,
                    low=low,
                    high=high,
                    validity=validity,
                    log_e_a=pair.for_a,
                    log_e_b=pair.for_b,
                    log_e_equivalent=pair.equivalent,
                    log_threshold=float(threshold),
                    log_threshold_equivalent=None if settings.margin is None else equivalence,
                    equivalent=pair.equivalent is not None and pair.equivalent >= equivalence,
                    variance=of.variance,
                )
            )
        return found


def _thresholds(sup: Sequence[SupEvidence], settings: DecisionSettings) -> tuple[Floats, float]:
    """(K,) log thresholds of the directions, and that of an equivalence."""
    pairs, alpha = len(sup), settings.alpha
    if settings.multiplicity in ("fdr", "fdr-any"):
        threshold = _fdr_threshold(sup, alpha)
        return np.full(pairs, threshold), threshold
    if settings.multiplicity == "holm" and settings.margin is None:
        table = np.array([[pair.for_a, pair.for_b] for pair in sup])
        return multiplicity.holm_directions(table, alpha).log_threshold, math.inf
    family = 1 if settings.multiplicity == "none" else pairs
    return np.full(pairs, math.log(2 * family / alpha)), math.log(family / alpha)


def _fdr_threshold(sup: Sequence[SupEvidence], alpha: float) -> float:
    """The common log threshold at which Benjamini-Yekutieli arrives; with no rejection, that of a first one."""
    rows = [(pair.for_a, pair.for_b, pair.equivalent) for pair in sup]
    candidates = np.array([value for row in rows for value in row if value is not None])
    found = int(multiplicity.benjamini_yekutieli(multiplicity.p_from_sup(candidates), alpha).sum())
    harmonic = float(np.sum(1.0 / np.arange(1, candidates.size + 1)))
    return math.log(candidates.size * harmonic / alpha) - math.log(max(found, 1))
