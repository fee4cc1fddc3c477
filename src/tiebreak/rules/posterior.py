"""The metric-error posterior (metric-error-correction, Algorithms 1 and 2): for reproduction.

Where nobody and nothing ever ties the two-class model of the paper applies, to all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.metric_error import MetricErrorPosterior, metric_error_posterior, metric_error_theta
from tiebreak.rules.dirichlet import BatchPlan, check_single, posterior_excess, posterior_guarantee, posterior_validity
from tiebreak.rules.rule import Cells, Codes, Guarantee, MeasureFacts, Rule, RuleSettings, Summary, Units, by_sign

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_UNRELIABLE: Final = frozenset({"no-labels", "few-labels", "heavy-tail", "not-converged"})
"""Flags of the kernel under which a pair stays undecided: too few labels, or theta not known well enough."""


@dataclass(frozen=True, slots=True, eq=False)
class MetricOutcomes:
    """`looks`: when the rule does. `classes` (U,): 0, 1, 2 where the metric says a, tie, b, and -1 where it says
    nothing, in the sealed order; `totals` (3,): all of them counted. `forced`: two classes, no tie.
    """

    looks: BatchPlan
    classes: Counts
    totals: Counts
    forced: bool

    def metric_only(self, paired: Counts) -> Counts:
        """(3,): units of which only the metric says something, beside those `paired` (3, 3)."""
        return np.asarray(self.totals - paired.sum(axis=1))

    def counts(self, paired: Counts, human_only: Counts) -> tuple[Counts, Counts, Counts]:
        """As the kernel takes them, by the model's classes."""
        kept = np.array([0, 2] if self.forced else [0, 1, 2])
        return paired[np.ix_(kept, kept)], self.metric_only(paired)[kept], human_only[kept]


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """After `count` units: `paired` (C, 3, 3) by the metric's class and the human class; `human_only` (C, 3) without a
    metric value. `evidence` (C, 2): by how much the posterior exceeds what a verdict takes, at looks.

    Abandoned and withdrawn units have no human label: the metric's value of them stays among those without one.
    """

    count: int
    paired: Counts
    human_only: Counts
    evidence: Floats


class Posterior(Rule[MetricOutcomes, Confusion]):
    """a where theta > 1 - gamma/2, b where theta < gamma/2, looked at after every batch of a pair and at its end."""

    name: ClassVar[str] = "posterior"
    sources: ClassVar[tuple[str, ...]] = ("deriu2023",)
    title: ClassVar[str] = "metric-error posterior"
    level: ClassVar[str] = "gamma"
    by_batches: ClassVar[bool] = True
    takes_metric: ClassVar[bool] = True
    needs_metric: ClassVar[bool] = True

    def guarantee(self, plans: Sequence[MetricOutcomes], settings: RuleSettings) -> Guarantee:  # noqa: ARG002
        """For one look."""
        return posterior_guarantee("the metric-error model")

    def prepare(self, facts: Sequence[MeasureFacts], settings: RuleSettings) -> list[MetricOutcomes]:
        """The metric's outcomes, counted once."""
        check_single(facts, self.name)
        outcomes = [
            np.full(of.most_units, np.nan) if of.metric_outcomes is None else of.metric_outcomes for of in facts
        ]
        forced = all(of.forced_choice and not of.known_ties for of in facts)
        forced = forced and not any((metric == 0).any() for metric in outcomes)
        plans = []
        for of, metric in zip(facts, outcomes, strict=True):
            known = ~np.isnan(metric)
            classes = np.where(known, 1 - np.nan_to_num(metric), -1).astype(np.int64)
            totals = np.bincount(classes[known], minlength=3).astype(np.int64)
            plans.append(
                MetricOutcomes(BatchPlan(settings.alpha, of.batch, of.most_units, of.scale), classes, totals, forced)
            )
        return plans

    def start(self, plan: MetricOutcomes, cells: int = 1) -> Confusion:  # noqa: ARG002
        """No labels."""
        paired, alone = np.zeros((cells, 3, 3), dtype=np.int64), np.zeros((cells, 3), dtype=np.int64)
        return Confusion(0, paired, alone, np.full((cells, 2), -np.inf))

    def advance(self, plan: MetricOutcomes, state: Confusion, units: Units) -> tuple[Confusion, Floats]:
        """More units, by the side of their values."""
        labels = units.labels
        path = np.full((*labels.shape, 2), -np.inf)
        paired, alone, count = state.paired.copy(), state.human_only.copy(), state.count
        for unit in range(units.number):
            labelled = np.flatnonzero(~np.isnan(labels[:, unit]))
            human = (1 - np.sign(labels[labelled, unit])).astype(np.int64)
            metric = int(plan.classes[count])
            if metric < 0:
                alone[labelled, human] += 1
            else:
                paired[labelled, metric, human] += 1
            count += 1
            if plan.looks.looks_after(np.array([count]))[0]:
                for cell in range(len(labels)):
                    path[cell, unit] = _excess(plan, paired[cell], alone[cell])
        last = path[:, -1] if units.number else state.evidence
        return Confusion(count, paired, alone, last), path

    def some(self, state: Confusion, cells: Cells) -> Confusion:
        """Some of the cells."""
        return Confusion(state.count, state.paired[cells], state.human_only[cells], state.evidence[cells])

    def verdicts(self, plans: Sequence[MetricOutcomes], evidence: Floats, settings: RuleSettings) -> Codes:  # noqa: ARG002
        """Beyond the level."""
        return by_sign(evidence)

    def metric_used(self, state: Confusion) -> bool:
        """Wherever it said something of a labelled item."""
        return bool(state.paired.any())

    def next_look(self, plan: MetricOutcomes, state: Confusion) -> int:
        """After a batch."""
        return plan.looks.next_look(state.count)

    def summary(
        self, plans: Sequence[MetricOutcomes], states: Sequence[Confusion], settings: RuleSettings
    ) -> list[Summary]:
        """Posterior means and credible intervals."""
        validity = posterior_validity("the metric-error model", settings)
        found = []
        for plan, of in zip(plans, states, strict=True):
            scale = plan.looks.scale
            if not of.count:
                found.append(Summary(math.nan, -scale, scale, validity, theta=0.5))
                continue
            posterior = metric_error_posterior(
                *plan.counts(of.paired[0], of.human_only[0]), credibility=1 - settings.alpha
            )
            means, lows, highs = (_shares(plan, of_p) for of_p in (posterior.mean_p, posterior.p_low, posterior.p_high))
            found.append(
                Summary(
                    scale * posterior.difference_mean,
                    scale * posterior.difference_low,
                    scale * posterior.difference_high,
                    validity,
                    theta=posterior.theta,
                    mean_p=(means[0], means[1], means[2]),
                    p_interval=tuple(zip(lows, highs, strict=True)),
                    k_hat=_k_hat(posterior),
                    flags=posterior.flags,
                )
            )
        return found


def _excess(plan: MetricOutcomes, paired: Counts, human_only: Counts) -> Floats:
    theta, flags = metric_error_theta(*plan.counts(paired, human_only))
    if _UNRELIABLE & set(flags):
        return np.full(2, -np.inf)
    return posterior_excess(np.asarray(theta), plan.looks.gamma)


def _shares(plan: MetricOutcomes, of_classes: Floats) -> list[float]:
    """Of a win, a tie and a loss among all items: known ties are ties, whatever the labels say of the others."""
    of_all = np.insert(of_classes, 1, 0.0) if plan.forced else of_classes
    known = np.array([0.0, 1.0 - plan.looks.scale, 0.0])
    shares: list[float] = (known + plan.looks.scale * of_all).tolist()
    return shares


def _k_hat(posterior: MetricErrorPosterior) -> float | None:
    return posterior.k_hat if posterior.k_hat is not None and math.isfinite(posterior.k_hat) else None


RULE: Final = Posterior()
