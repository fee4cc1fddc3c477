"""Fresh unlabelled companions: what a metric is compared with for a claim about inputs like these.

The mean of the metric over a pool is as random as the pool, so that it may not be taken for the population's. Instead
the t-th labelled item gets k_t unlabelled companions, drawn with it and never used again. Given the past these k_t + 1
items are exchangeable, so that the labelled one is as likely as any of them: whatever is predicted from the metric has
the mean over the set as its conditional mean, exactly.

What makes it so, and what callers must keep: the order of the items is random and fixed before any label; k_t is
decided before the t-th item is drawn; no item is used twice; reserved items are used for scales and cut points only;
no label of the t-th item has trained the metric.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from tiebreak.records import MOST_COMPANIONS

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

RESERVED = 100


def plan_companions(labels_left: NDArray[np.number], unlabelled: int, most: int = MOST_COMPANIONS) -> Integers:
    """How many companions k_t (n,) each labelled item gets, so that `unlabelled` items last for the labels expected.

    `labels_left` (n,), >= 1: the labels still expected before the t-th draw, itself included (n_max - t for a budget;
    any guess from the past otherwise). k_t = round(unlabelled left / labels left), between 0 and `most` and never more
    than are left. When nothing is left the metric is not used.
    """
    plan = np.zeros(labels_left.size, dtype=np.intp)
    left = unlabelled
    for t, expected in enumerate(labels_left):
        plan[t] = min(int(np.floor(left / max(float(expected), 1.0) + 0.5)), most, left)
        left -= int(plan[t])
    return plan


def reserve_size(unlabelled: int) -> int:
    """How many unlabelled items to set aside for scales and cut points: 100, or a quarter of a small pool."""
    return min(RESERVED, unlabelled // 4)


def most_with_companions(units: int) -> int:
    """How many of the units may be labelled, where each needs one of its own among those that are neither labelled nor
    set aside.
    """

    def short(labelled: int) -> bool:
        others = units - labelled
        return others - reserve_size(others) < labelled

    return bisect_left(range(units + 1), True, key=short) - 1


def means_with_companions(drawn: Floats, pool: Floats, plan: Integers) -> Floats:
    """Mean (n,) over each labelled item and its companions: `drawn` (n,) or (n, M), `pool` (U,) or (U, M) in order.

    Raises:
        ValueError: the plan uses more companions than the pool holds.
    """
    ends = _ends(plan, pool.shape[0])
    running = np.concatenate([np.zeros_like(pool[:1]), np.cumsum(pool, axis=0)]) if pool.shape[0] else None
    if running is None:  # every set is the labelled item alone
        return drawn.copy()
    sums = running[ends] - running[ends - plan]
    return np.asarray((drawn + sums) / (plan + 1 if drawn.ndim == 1 else (plan + 1)[:, None]))


def counts_with_companions(drawn: Integers, pool: Integers, plan: Integers, slots: int) -> Floats:
    """How many items of each slot (n, slots) are in each set: the labelled item's slot (n,) and its companions' (U,).

    Raises:
        ValueError: the plan uses more companions than the pool holds.
    """
    _ends(plan, pool.shape[0])
    companions = companion_owners(plan)
    owner = np.concatenate([np.arange(plan.size), companions])
    slot = np.concatenate([drawn, pool[: companions.size]])
    return np.bincount(owner * slots + slot, minlength=plan.size * slots).reshape(plan.size, slots).astype(np.float64)


def companion_owners(plan: Integers) -> Integers:
    """To which labelled item each of the first sum(plan) unlabelled items goes."""
    return np.repeat(np.arange(plan.size), plan)


def _ends(plan: Integers, unlabelled: int) -> Integers:
    ends = np.cumsum(plan)
    if plan.size and int(ends[-1]) > unlabelled:
        raise ValueError(f"the plan uses {int(ends[-1])} companions, but there are {unlabelled} unlabelled items")
    return ends
