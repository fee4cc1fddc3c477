"""The metric-error posterior after each batch (metric-error-correction, Algorithms 1 and 2): for reproduction.

Without a metric it is the paper's human-only protocol: the Dirichlet posterior of the labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.stopping.rule import MeasureFacts, PlanError, StoppingRule, Summary
from tiebreak.kernels.metric_error import MetricErrorPosterior, decide, metric_error_posterior, metric_error_theta
from tiebreak.records import UnitValue, Verdict
from tiebreak.results.comparison_terms import scope_words
from tiebreak.results.guarantee import Guarantee, Validity
from tiebreak.results.numbers import percent
from tiebreak.settings.protocol import DecisionSettings

Counts = NDArray[np.int64]

_UNRELIABLE: Final = frozenset({"no-labels", "few-labels", "heavy-tail", "not-converged"})


@dataclass(frozen=True, slots=True, eq=False)
class MetricOutcomes:
    """`classes` (U,): 0, 1, 2 where the metric says a, tie, b, and -1 where it says nothing (everywhere without a
    metric), in the sealed order; `totals` (3,): all of them counted. `batch`, `most_units`: when the rule looks.
    `scale`: the share of these items that are no known ties.
    """

    classes: Counts
    totals: Counts
    batch: int
    most_units: int
    scale: float


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """`paired` (3, 3): units by the metric's class and the human class; `human_only` (3,): without a metric value.

    Abandoned and withdrawn units have no human label: the metric's value of them stays among those without one.
    """

    count: int
    paired: Counts
    human_only: Counts


class Posterior(StoppingRule[MetricOutcomes, Confusion]):
    """a where theta > 1 - alpha/2, b where theta < alpha/2, looked at after every batch of a pair and at its end."""

    name: ClassVar[str] = "posterior"
    title: ClassVar[str] = "metric-error posterior after every batch"
    takes_metric: ClassVar[bool] = True

    def guarantee(self, plans: Sequence[MetricOutcomes], settings: DecisionSettings) -> Guarantee:  # noqa: ARG002
        """For one look."""
        return Guarantee(
            "are posterior statements for one look, not error rates (at gamma 0.05, looks after every batch of 10 "
            "labels err in about 30% of the pairs of equal systems within 500 labels)"
        )

    def prepare(self, facts: Sequence[MeasureFacts], settings: DecisionSettings, batch: int) -> list[MetricOutcomes]:  # noqa: ARG002
        """The metric's outcomes, counted once."""
        return [_metric_outcomes(pair, batch) for pair in facts]

    def start(self, plan: MetricOutcomes) -> Confusion:  # noqa: ARG002
        """No labels."""
        return Confusion(0, np.zeros((3, 3), dtype=np.int64), np.zeros(3, dtype=np.int64))

    def advance(self, plan: MetricOutcomes, evidence: Confusion, value: UnitValue) -> Confusion:
        """One more unit, by the side of its value."""
        paired, human_only = evidence.paired, evidence.human_only
        if value.for_a == value.for_b:
            human, metric = 1 - int(np.sign(value.for_a)), int(plan.classes[evidence.count])
            if metric < 0:
                human_only = human_only.copy()
                human_only[human] += 1
            else:
                paired = paired.copy()
                paired[metric, human] += 1
        return Confusion(evidence.count + 1, paired, human_only)

    def decide(
        self,
        plans: Sequence[MetricOutcomes],
        evidence: Sequence[Confusion],
        settings: DecisionSettings,
        changed: int,
    ) -> Mapping[int, Verdict]:
        """Only the pair that changed, and only after a whole batch."""
        plan, of = plans[changed], evidence[changed]
        if not of.count or (of.count % plan.batch and of.count < plan.most_units):
            return {}
        theta, flags = metric_error_theta(of.paired, _metric_only(plan, of), of.human_only)
        if _UNRELIABLE & set(flags):
            return {}
        side = decide(theta, settings.alpha)
        return {changed: "a" if side > 0 else "b"} if side else {}

    def metric_used(self, evidence: Confusion) -> bool:
        """Wherever it said something of a labelled item."""
        return bool(evidence.paired.any())

    def next_look(self, plan: MetricOutcomes, evidence: Confusion) -> int:
        """After the batch that is being labelled, or at the end."""
        return min((evidence.count // plan.batch + 1) * plan.batch, plan.most_units)

    def summary(
        self, plans: Sequence[MetricOutcomes], evidence: Sequence[Confusion], settings: DecisionSettings
    ) -> list[Summary]:
        """Posterior means and credible intervals."""
        level = f"{percent(1 - settings.alpha)} posterior probability under the metric-error model, for this pair"
        validity = Validity(f"{level}, {scope_words(settings.target)}")
        found = []
        for plan, of in zip(plans, evidence, strict=True):
            if not of.count:
                found.append(Summary(math.nan, -plan.scale, plan.scale, validity, theta=0.5))
                continue
            posterior = _posterior(plan, of, settings)
            known = np.array([0.0, 1.0 - plan.scale, 0.0])  # ties, whatever the labels say of the other items
            means, lows, highs = (
                (known + plan.scale * of_p).tolist() for of_p in (posterior.mean_p, posterior.p_low, posterior.p_high)
            )
            k_hat = posterior.k_hat
            found.append(
                Summary(
                    plan.scale * posterior.difference_mean,
                    plan.scale * posterior.difference_low,
                    plan.scale * posterior.difference_high,
                    validity,
                    theta=posterior.theta,
                    mean_p=(means[0], means[1], means[2]),
                    p_interval=tuple(zip(lows, highs, strict=True)),
                    k_hat=k_hat if k_hat is not None and math.isfinite(k_hat) else None,
                    flags=posterior.flags,
                )
            )
        return found


def _metric_outcomes(pair: MeasureFacts, batch: int) -> MetricOutcomes:
    if not pair.outcomes_only:
        raise PlanError("decision.rule", "the rule posterior counts single items, but here they form clusters")
    if pair.metric_outcomes is None:
        return MetricOutcomes(
            np.full(pair.most_units, -1), np.zeros(3, dtype=np.int64), batch, pair.most_units, pair.scale
        )
    known = ~np.isnan(pair.metric_outcomes)
    classes = np.where(known, 1 - np.nan_to_num(pair.metric_outcomes), -1).astype(np.int64)
    totals = np.bincount(classes[known], minlength=3).astype(np.int64)
    return MetricOutcomes(classes, totals, batch, pair.most_units, pair.scale)


def _posterior(plan: MetricOutcomes, of: Confusion, settings: DecisionSettings) -> MetricErrorPosterior:
    """From the paired units, and the metric's outcomes on all others."""
    return metric_error_posterior(of.paired, _metric_only(plan, of), of.human_only, credibility=1 - settings.alpha)


def _metric_only(plan: MetricOutcomes, of: Confusion) -> Counts:
    """(3,): units of which only the metric says something."""
    return np.asarray(plan.totals - of.paired.sum(axis=1))
