"""Exact sequential sign test of single labels: one boundary per level on the lead of wins over losses.

Given which items are ties, the signs of the others are a fair walk if neither system is better. The distribution of the
walk that has not crossed a boundary is kept, as a vector over the number of wins. At each untied item the boundary is
the smallest lead whose probability, together with what was spent before, stays within level * s(t/H) (`spending`), t
the items so far, ties among them, and H the planned number. So the chance of ever crossing is at most the level,
exactly, for every pattern of ties and at any look.

Several levels go side by side, from the highest to the lowest, and no boundary lies below that of a higher level: a
lead that crosses one level has crossed all higher ones, so that the lowest level crossed so far is a p-value.

The walk is fair because items come in an order that their outcomes do not know. An item that nobody will judge counts
as a loss for either side: a walk with such a step is never above one in which the step is fair.

Source: alpha spending by Lan & DeMets (1983), with the exact distribution in the place of the normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.spending_boundary import shares_by_unit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]

_SLACK: Final = 1e-12  # of a level, for rounding
_NEVER: Final = 2**40  # a lead that no walk has
_AT_ONCE: Final = 2**17  # numbers of `alive` that are worked on together: what a processor keeps near
_WINDOW: Final = 4  # numbers of wins looked at, from the highest down: more only where more could be crossed


class WalkPlan(NamedTuple):
    """`levels` (L,), from the highest to the lowest, of one direction each; `planned`: H items."""

    levels: Floats
    planned: int


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """After `items` items, of cells (C,) side by side.

    `untied` (C,): steps of each walk; `alive` (C, L, W): the chance of each number of wins without having crossed,
    zero beyond the steps so far; `spent` (C, L); `boundary` (C, L): the lead at which each level is crossed now.
    """

    items: int
    untied: Integers
    alive: Floats
    spent: Floats
    boundary: Integers

    def of(self, cells: NDArray[np.intp] | Bools) -> Walk:
        """Some of the cells."""
        untied = self.untied[cells]
        alive = self.alive[cells, :, : int(untied.max(initial=0)) + 1]
        return Walk(self.items, untied, alive, self.spent[cells], self.boundary[cells])


def start(plan: WalkPlan, cells: int = 1) -> Walk:
    """Before any item: nothing can be crossed."""
    count = plan.levels.size
    never = np.full((cells, count), _NEVER, dtype=np.int64)
    return Walk(0, np.zeros(cells, dtype=np.int64), np.ones((cells, count, 1)), np.zeros((cells, count)), never)


def advance(plan: WalkPlan, walk: Walk, untied: Bools) -> Walk:
    """With one more item, `untied` (C,) or a tie, which leaves the boundaries as they are.

    Beyond the plan nothing more is crossed.
    """
    items = walk.items + 1
    if not untied.any():
        boundary = walk.boundary if items <= plan.planned else np.full_like(walk.boundary, _NEVER)
        return Walk(items, walk.untied, walk.alive, walk.spent, boundary)
    if items > plan.planned or not untied.all():
        return path(plan, walk, untied[:, None])[0]
    alive = np.zeros((*walk.spent.shape, walk.alive.shape[-1] + 1))
    alive[..., :-1] = walk.alive
    spent, taken = walk.spent.copy(), walk.untied + 1
    allowed = plan.levels * (shares_by_unit(plan.planned)[items] + _SLACK)
    return Walk(items, taken, alive, spent, _step(alive, spent, walk.boundary, taken, allowed))


def path(plan: WalkPlan, walk: Walk, untied: Bools) -> tuple[Walk, Integers]:
    """With more items, `untied` (C, n) or ties; and the boundaries (C, n, L) after each of them."""
    cells, count = untied.shape
    taken = walk.untied + untied.sum(axis=1)
    alive = np.zeros((cells, plan.levels.size, int(taken.max(initial=0)) + 1))
    alive[..., : walk.alive.shape[-1]] = walk.alive
    spent, found = walk.spent.copy(), np.empty((cells, count, plan.levels.size), dtype=np.int64)
    order = np.argsort(-untied.sum(axis=1), kind="stable")
    size = max(1, _AT_ONCE // max(alive[:1].size, 1))
    for first in range(0, cells, size):
        some = order[first : first + size]
        moved, cost = alive[some], spent[some]
        found[some] = _path(plan, walk, some, moved, cost, untied[some])
        alive[some], spent[some] = moved, cost
    found[:, max(plan.planned - walk.items, 0) :] = _NEVER
    last = found[:, -1] if count else walk.boundary
    return Walk(walk.items + count, taken, alive, spent, last), found


def _path(plan: WalkPlan, walk: Walk, some: NDArray[np.intp], alive: Floats, spent: Floats, untied: Bools) -> Integers:
    """The boundaries (c, n, L) of some cells, those with most steps first; `alive` and `spent` of them change."""
    untied = untied.copy()
    untied[:, max(plan.planned - walk.items, 0) :] = False  # beyond the plan
    steps, taken = untied.sum(axis=1), walk.untied[some]
    places = np.argsort(~untied, axis=1, kind="stable")  # of the steps, then of the ties
    share = shares_by_unit(plan.planned)[walk.items + 1 :]
    boundaries = np.empty((int(steps.max(initial=0)) + 1, *spent.shape), dtype=np.int64)
    boundaries[0] = walk.boundary[some]
    for step in range(boundaries.shape[0] - 1):
        going = int(np.searchsorted(-steps, -step))  # the first of them
        taken[:going] += 1
        reached = alive[:going, :, : int(taken[:going].max()) + 1]
        allowed = plan.levels * (share[places[:going, step], None] + _SLACK)
        boundaries[step + 1] = boundaries[step]
        boundaries[step + 1, :going] = _step(reached, spent[:going], boundaries[step, :going], taken[:going], allowed)
    done = np.cumsum(untied, axis=1)
    return np.asarray(boundaries[done, np.arange(done.shape[0])[:, None]])


def crossed(boundary: Integers, lead: Integers) -> Integers:
    """How many levels (..., D) a `lead` (..., D) of wins over losses crosses, of boundaries (..., L).

    Looked at after every item, the largest so far is what counts.
    """
    return np.asarray((lead[..., None] >= boundary[..., None, :]).sum(axis=-1))


def _step(alive: Floats, spent: Floats, boundary: Integers, steps: Integers, allowed: Floats) -> Integers:
    """One fair step of every walk: `alive` and `spent` change; the boundaries that spend up to `allowed` (C, L)."""
    alive[..., 1:] += alive[..., :-1]
    alive /= 2
    # The highest number of wins not crossed before is one more than it was; only a few below it can be crossed now.
    highest = np.minimum((boundary + steps[:, None] + 1) // 2, steps[:, None])
    window = _WINDOW
    while True:
        places = highest[..., None] - np.arange(window)
        chances = np.where(places >= 0, np.take_along_axis(alive, np.maximum(places, 0), axis=-1), 0.0)
        within = np.cumsum(chances, axis=-1) <= (allowed - spent)[..., None]
        if window > alive.shape[-1] or not within[..., -1].any():
            break
        window *= 4
    lead = np.maximum.accumulate(2 * (highest - within.sum(axis=-1) + 1) - steps[:, None], axis=-1)
    is_crossed = 2 * places - steps[:, None, None] >= lead[..., None]
    spent += np.where(is_crossed, chances, 0.0).sum(axis=-1)
    kept = np.where(is_crossed, 0.0, chances)
    np.put_along_axis(alive, np.maximum(places, 0), np.where(places >= 0, kept, alive[..., :1]), axis=-1)
    return np.asarray(lead)
