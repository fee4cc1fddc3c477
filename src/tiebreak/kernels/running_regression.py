"""The regression of `outcome_regression`, one label at a time: same predictions, refitted with each outcome.

What the metric alone says (bins, sets, companions) is known before any label; only the two logistic regressions move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import outcome_regression as batch
from tiebreak.kernels.metric_help import HelpStep
from tiebreak.kernels.outcome_regression import BinRows

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RunningRegression:
    """After `count` outcomes: constants and slopes (2,) of the win and the loss regression; number of wins and losses
    `hits` (2,), sums of the bin means at them `hits_x` (2,), and labels per bin `seen` (1, K).
    """

    count: int
    constant: Floats
    slope: Floats
    hits: Floats
    hits_x: Floats
    seen: Floats


def start(rows: BinRows) -> RunningRegression:
    """Before any outcome."""
    width = rows.means.shape[-1]
    constant = np.full(2, batch.START_CONSTANT)
    return RunningRegression(0, constant, batch.START_SLOPES, np.zeros(2), np.zeros(2), np.zeros((1, width)))


def help_before(state: RunningRegression, rows: BinRows) -> HelpStep:
    """What the metric says before the next label, that of row `state.count`.

    Raises:
        IndexError: there is no such row.
    """
    t = state.count
    if t >= rows.slots.size:
        raise IndexError(f"a row for label {t + 1}, but there are {rows.slots.size}")
    past = np.array([t])
    fitted = batch.logistic(state.constant, state.slope, rows.means)[None]
    win, loss = batch.compatible(fitted, past)
    row = slice(t, t + 1)
    plan = None if rows.plan is None else rows.plan[row]
    one = BinRows(rows.slots[row], rows.sets[row], rows.expected[row], rows.means, rows.pool_size, plan)
    found = batch.help_from(win, loss, past, one)
    return found.step(0)


def after(state: RunningRegression, rows: BinRows, outcome: int) -> RunningRegression:
    """With one more outcome in {-1, 0, 1}, of the item of row `state.count`."""
    slot = int(rows.slots[state.count])
    hit = np.array([outcome > 0, outcome < 0], dtype=np.float64)
    seen = state.seen.copy()
    seen[0, slot] += 1
    hits, hits_x = state.hits + hit, state.hits_x + hit * rows.means[slot]
    fitted = batch.logistic(state.constant, state.slope, rows.means)
    powers = batch.powers_of(rows.means)
    constant, slope = batch.newton_step(state.constant, state.slope, hits, hits_x, seen, fitted, powers)
    return RunningRegression(state.count + 1, constant, slope, hits, hits_x, seen)
