"""Evidence for one pair when the number of labels is limited beforehand: bets that look at what may still be reached.

The process is that of `kernels.hedge`, with a metric's help or without. It is an e-process, so that everything that
holds for the others holds here: thresholds of a family, Holm's steps, e-BH, a look at every label. What it does not
have by itself is that evidence against a smaller null value is never weaker, because its bets depend on the wealth so
far. Verdict, equivalence and interval need that (a wrong direction must imply a wrong "difference below the margin",
or the two errors add up), so it is taken care of here: on a grid of null values fixed beforehand,

    E*(m) = min(E(m), smallest over grid values g < m of the running maximum of E(g)).

E* is at most E(m), so that it errs no more often, and falls in m. A direction stands once zero and every grid value
below it have been rejected; the interval is what the same grid leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import hedge, help_gate
from tiebreak.kernels.hedge import hedge_table
from tiebreak.kernels.metric_help import MetricHelp, no_help
from tiebreak.rules.anytime import EvidenceProcess, Priors, Times
from tiebreak.rules.family import FamilyRule
from tiebreak.rules.sequence import ValueSequence

Floats = NDArray[np.float64]

RESERVE_FOR_FDR = 0.2


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """What the bets aim at: wealth 1/level within the budget.

    `level` in (0, 1/2): that of one direction in its family. `reserve` in [0, 1): share of the wealth that stays in the
    mixture over bet sizes.
    """

    level: float
    reserve: float = 0.0


def budget_plan(pairs: int, rule: FamilyRule, *, with_margin: bool) -> BudgetPlan:
    """The level that the first verdict of a family faces: alpha over its 2K directions, or what e-BH asks of one.

    For the false discovery rate a fifth of the wealth is kept back: there a verdict may need less (or, after others,
    much less) than the goal, and the hedge by itself ends with all or nothing.
    """
    if not rule.by_discoveries:
        family = 1 if rule.multiplicity == "none" else max(pairs, 1)
        return BudgetPlan(rule.alpha / (2 * family))
    total = max(pairs, 1) * (3 if with_margin else 2)
    harmonic = 1.0 if rule.independent_stops else float(np.sum(1.0 / np.arange(1, total + 1)))
    return BudgetPlan(rule.alpha / (total * harmonic), RESERVE_FOR_FDR)


class BudgetedProcess(EvidenceProcess):
    """The e-process of one pair of which at most `most_units` units will ever be labelled.

    `assistance`: a metric's help made from the same sequence, or None; it begins where the labels before show that it
    predicts them (`help_gate`). `margin`: that of the comparison; its null values are made together with zero, others
    when they are asked for. Units after the budget change nothing.

    Raises:
        ValueError: a budget below one unit.
    """

    def __init__(
        self,
        sequence: ValueSequence,
        assistance: MetricHelp | None,
        plan: BudgetPlan,
        most_units: int,
        priors: Priors,
        *,
        margin: float | None = None,
        regression: bool = True,
    ) -> None:
        if most_units < 1:
            raise ValueError(f"a budget must be at least one unit, not {most_units}")
        self.sequence = sequence
        self._help = None if assistance is None else _from_where_it_is_clear(sequence, assistance)
        self._plan = plan
        self._most = most_units
        self._prior = priors.assisted if assistance is not None and regression else priors.bounded
        self._asked = tuple(sequence.unit_null(null) for null in ((0.0,) if margin is None else (-margin, 0.0)))
        self._made: dict[int, tuple[dict[float, Floats], Floats]] = {}

    def log_e_path(self, side: int, null: float = 0.0, looks: Times = slice(None)) -> Floats:
        """log E* after each unit; nonincreasing in the null for the null values made together."""
        unit_null = self.sequence.unit_null(null)
        paths, _ = self._side(side)
        if unit_null not in paths:
            return self._weakest(side, (unit_null,))[0][unit_null][looks]
        return paths[unit_null][looks]

    def interval(self, log_threshold: float) -> tuple[float, float]:
        """All differences that no look has rejected, to the grid's step of 0.01."""
        count, scale = len(self.sequence), self.sequence.scale
        if count == 0 or count == self.sequence.pool_size:
            return super().interval(log_threshold)
        low = hedge.lower_limit(lambda _: self._side(1)[1], log_threshold)
        high = hedge.upper_limit(lambda _: self._side(-1)[1], log_threshold)
        return scale * low, scale * high

    def _side(self, side: int) -> tuple[dict[float, Floats], Floats]:
        """Paths of E* at the null values asked for, and the running maxima of E at all grid values."""
        if side not in self._made:
            self._made[side] = self._weakest(side, self._asked)
        return self._made[side]

    def _weakest(self, side: int, asked: tuple[float, ...]) -> tuple[dict[float, Floats], Floats]:
        grid = np.linspace(-1.0, 1.0, hedge.STEPS + 1)[1:-1]
        nulls = np.union1d(grid, asked)
        played = self._play(side, nulls)
        best = np.maximum.accumulate(played, axis=1) if played.shape[1] else played
        paths = {}
        for null in asked:
            place = int(np.searchsorted(nulls, null))
            below = best[:place]
            paths[null] = np.minimum(played[place], below.min(axis=0)) if place else played[place]
        on_grid = best[np.searchsorted(nulls, grid)]
        return paths, on_grid[:, -1].copy() if best.shape[1] else np.zeros(grid.size)

    def _play(self, side: int, nulls: Floats) -> Floats:
        """log E (J, n) of the hedge at null values (J,)."""
        values = self.sequence.for_a if side > 0 else self.sequence.for_b
        assistance = self._help
        if assistance is None:
            weighted = values if self.sequence.weights is None else self.sequence.weights * values
            assistance = no_help(weighted, self.sequence.pool_size)
        share = self._plan.reserve
        table = hedge_table(self._plan.level * (1 - share))
        reserve = hedge.Reserve(share, self._prior) if share else None
        weights = self.sequence.weights
        return hedge.log_e_path(values, assistance, table, self._most, side, nulls, reserve, weights)


def _from_where_it_is_clear(sequence: ValueSequence, assistance: MetricHelp) -> MetricHelp:
    starts = help_gate.openings(sequence.for_a, assistance.centred)
    return help_gate.gated(assistance, no_help(sequence.for_a, sequence.pool_size), starts)
