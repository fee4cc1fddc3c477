"""The rule `anytime` on values that are all there: what other tests compare verdicts, curves and boundaries with."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.rules.family import Family
from tiebreak.rules.planned_set import PairScan, plan_set, scan
from tiebreak.rules.rule import ValueSequence


def scan_of(
    values: ArrayLike,
    *,
    alpha: float = 0.05,
    pairs: int = 1,
    planned: int | None = None,
    pool: int | None = None,
    margin: float | None = None,
    help_: MetricHelp | None = None,
    bets: bool = False,
) -> PairScan:
    """The evidence of one pair among so many (Bonferroni), planned for its values or more; `bets`: not by the walk."""
    sequence = ValueSequence.complete(np.asarray(values, dtype=np.float64), pool)
    if bets:
        ends = np.arange(1, len(sequence) + 1)
        sequence = ValueSequence(sequence.for_a, sequence.for_b, sequence.outcomes_only, pool, looks=ends)
    family = Family(alpha, "bonferroni", pairs, margin is not None)
    (found,) = scan([plan_set(family, sequence, most=planned, margin=margin, help_=help_)])
    return found


def decides(values: ArrayLike, **options: float | None) -> bool:
    """Whether a direction is found at any look; options of `scan_of`."""
    found = scan_of(values, **options)  # type: ignore[arg-type]
    return bool((found.directions >= -math.log(found.plan.family.first_level)).any())


def first_decision(values: ArrayLike, **options: float | None) -> int | None:
    """Units until a direction is found."""
    found = scan_of(values, **options)  # type: ignore[arg-type]
    reached = (found.directions >= -math.log(found.plan.family.first_level)).any(axis=1)
    return int(reached.argmax()) + 1 if reached.any() else None


def least_wins(alpha: float = 0.05, pairs: int = 1) -> int:
    """The smallest plan that wins throughout decide."""
    return next(count for count in range(1, 100) if decides(np.ones(count), alpha=alpha, pairs=pairs))
