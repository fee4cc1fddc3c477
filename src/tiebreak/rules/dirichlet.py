"""The Dirichlet posterior of the human counts (metric-error-correction, the protocol without a metric)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.metric_error import FEW_LABELS
from tiebreak.kernels.reproduced import dirichlet_posterior, dirichlet_theta
from tiebreak.numbers import percent
from tiebreak.rules.rule import (
    Cells,
    Codes,
    Guarantee,
    Integers,
    MeasureFacts,
    PlanError,
    Rule,
    RuleSettings,
    Summary,
    Units,
    Validity,
    by_sign,
    scope_words,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """`gamma` of the verdicts. `batch`, `most_units`: when the rule looks, None: at the end only; `scale`: the share of
    these items that are no known ties.
    """

    gamma: float
    batch: int | None
    most_units: int
    scale: float

    def looks_after(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the rule looks after so many units."""
        batch = self.most_units if self.batch is None else self.batch
        return np.asarray((counts % max(batch, 1) == 0) | (counts == self.most_units))

    def next_look(self, count: int) -> int:
        """After the batch that is being labelled, or at the end."""
        batch = self.most_units if self.batch is None else self.batch
        return min((count // max(batch, 1) + 1) * batch, self.most_units)


@dataclass(frozen=True, slots=True, eq=False)
class HumanCounts:
    """After `count` units: `wins`, `ties` and `losses` (C,); abandoned and withdrawn units have no label.

    `evidence` (C, 2): by how much the posterior exceeds what a verdict takes, at looks.
    """

    count: int
    wins: Integers
    ties: Integers
    losses: Integers
    evidence: Floats


class Dirichlet(Rule[BatchPlan, HumanCounts]):
    """a where theta > 1 - gamma/2, b where theta < gamma/2, at looks with ten labels or more; theta = P(p_a > p_b)."""

    name: ClassVar[str] = "dirichlet"
    sources: ClassVar[tuple[str, ...]] = ("deriu2023",)
    title: ClassVar[str] = "Dirichlet posterior of the human counts"
    level: ClassVar[str] = "gamma"
    by_batches: ClassVar[bool] = True

    def guarantee(self, plans: Sequence[BatchPlan], settings: RuleSettings) -> Guarantee:  # noqa: ARG002
        """For one look."""
        return posterior_guarantee("a uniform prior")

    def prepare(self, facts: Sequence[MeasureFacts], settings: RuleSettings) -> list[BatchPlan]:
        """When to look."""
        check_single(facts, self.name)
        return [BatchPlan(settings.alpha, of.batch, of.most_units, of.scale) for of in facts]

    def start(self, plan: BatchPlan, cells: int = 1) -> HumanCounts:  # noqa: ARG002
        """No labels."""
        none = np.zeros(cells, dtype=np.int64)
        return HumanCounts(0, none, none, none, np.full((cells, 2), -np.inf))

    def advance(self, plan: BatchPlan, state: HumanCounts, units: Units) -> tuple[HumanCounts, Floats]:
        """More units, by the side of their values."""
        labels = units.labels
        path = np.full((*labels.shape, 2), -np.inf)
        if not units.number:
            return state, path
        wins, ties, losses = (
            before[:, None] + np.cumsum(one, axis=1)
            for before, one in ((state.wins, labels > 0), (state.ties, labels == 0), (state.losses, labels < 0))
        )
        counts = state.count + np.arange(1, units.number + 1)
        at = np.flatnonzero(plan.looks_after(counts))
        theta = dirichlet_theta(wins[:, at], losses[:, at])
        enough = (wins + ties + losses)[:, at] >= FEW_LABELS
        path[:, at] = np.where(enough[..., None], posterior_excess(theta, plan.gamma), -np.inf)
        return HumanCounts(int(counts[-1]), wins[:, -1], ties[:, -1], losses[:, -1], path[:, -1]), path

    def some(self, state: HumanCounts, cells: Cells) -> HumanCounts:
        """Some of the cells."""
        of = state
        return HumanCounts(of.count, of.wins[cells], of.ties[cells], of.losses[cells], of.evidence[cells])

    def verdicts(self, plans: Sequence[BatchPlan], evidence: Floats, settings: RuleSettings) -> Codes:  # noqa: ARG002
        """Beyond the level."""
        return by_sign(evidence)

    def next_look(self, plan: BatchPlan, state: HumanCounts) -> int:
        """After a batch."""
        return plan.next_look(state.count)

    def summary(
        self, plans: Sequence[BatchPlan], states: Sequence[HumanCounts], settings: RuleSettings
    ) -> list[Summary]:
        """Posterior mean and credible interval of the difference."""
        validity = posterior_validity("a uniform prior", settings)
        found = []
        for plan, of in zip(plans, states, strict=True):
            wins, ties, losses = int(of.wins[0]), int(of.ties[0]), int(of.losses[0])
            if not of.count:
                found.append(Summary(math.nan, -plan.scale, plan.scale, validity, theta=0.5))
                continue
            posterior = dirichlet_posterior(wins, ties, losses, credibility=1 - settings.alpha)
            found.append(
                Summary(
                    plan.scale * posterior.difference_mean,
                    plan.scale * posterior.difference_low,
                    plan.scale * posterior.difference_high,
                    validity,
                    theta=posterior.theta,
                )
            )
        return found


def check_single(facts: Sequence[MeasureFacts], rule: str) -> None:
    """Raise PlanError where units are clusters."""
    if any(not of.outcomes_only for of in facts):
        raise PlanError("decision.rule", f"the rule {rule} counts single items, but here they form clusters")


def posterior_excess(theta: Floats, gamma: float) -> Floats:
    """(..., 2): how far theta (...) lies above 1 - gamma/2, and below gamma/2."""
    return np.stack([theta - (1 - gamma / 2), gamma / 2 - theta], axis=-1)


def posterior_guarantee(under: str) -> Guarantee:
    """What posterior statements are worth."""
    return Guarantee(
        f"are posterior statements under {under} for one look, not error rates (at gamma 0.05, looks after every batch "
        "of 10 labels err in about 30% of the pairs of equal systems within 500 labels)"
    )


def posterior_validity(under: str, settings: RuleSettings) -> Validity:
    """When a credible interval holds."""
    level = f"{percent(1 - settings.alpha)} posterior probability under {under}, for this pair"
    return Validity(f"{level}, {scope_words(settings.target)}")


RULE: Final = Dirichlet()
