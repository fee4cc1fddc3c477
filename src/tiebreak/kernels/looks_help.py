"""A metric's help for a pool whose labels come in looks: all that is expected of a look, fixed at its start.

Between two looks nothing is known of the order of labels, so that predictions f, variances and the gate are those of
the labels before the look. f is that of `outcome_regression` or `control_variate` after these; which of the looks has
help says `help_gate`, whose score goes through the labels so far one by one.

Units without a metric value have the mean of the predictions for the undrawn ones that have one: nothing is said of
them, also where units with a value are labelled first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import control_variate, help_gate, outcome_regression
from tiebreak.kernels.bounded_mean import KappaPrior
from tiebreak.kernels.log_space import log_sum_exp
from tiebreak.kernels.looks import Expected, looks_of, pool_growth, starts_of
from tiebreak.kernels.metric_bins import bin_numbers, cut_points
from tiebreak.kernels.metric_help import shrinking

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class HelpAtLooks:
    """What was fixed at the start of each of L looks at a pool of `pool_size`.

    `predictions` (n,): f of the units drawn; `means`, `highest`, `lowest` (L,): of f over what was undrawn;
    `variances` (L,): expected of h - f + fbar. `begins`: the first look with help, from 0; L where there is none.
    """

    predictions: Floats
    means: Floats
    highest: Floats
    lowest: Floats
    variances: Floats
    begins: int
    pool_size: int

    def expected(self, side: int) -> Expected:
        """The same for evidence for a (side 1) or b (-1)."""
        return Expected(side * self.predictions, side * self.means, self.highest if side > 0 else -self.lowest)


def regression_at_looks(
    outcomes: Floats, drawn: Floats, undrawn: Floats, known: tuple[Bools, Bools], ends: Indices
) -> HelpAtLooks:
    """Outcomes (n,) in {-1, 0, 1} of a pool and one metric: its values `drawn` (n,) and `undrawn` (N - n,).

    `known` (n,), (N - n,): which units have a value; those of the others are any. `ends` (L,) as in `looks`.

    Raises:
        ValueError: a metric value that is not finite, or shapes that do not fit.
    """
    metric = np.concatenate([drawn, undrawn])
    rows = outcome_regression.item_rows(drawn, undrawn)
    win, loss = outcome_regression.probabilities(outcomes, rows.slots, rows.means)
    found = outcome_regression.help_from(win, loss, np.arange(outcomes.size), rows)
    slots = bin_numbers(metric, cut_points(metric))
    starts = starts_of(ends)
    predicted = (win - loss)[starts][:, slots]
    return _frozen(predicted, np.concatenate(known), found.variances[starts], ends, (outcomes, found.centred))


def control_at_looks(
    values: Floats, drawn: Floats, undrawn: Floats, known: tuple[Bools, Bools], ends: Indices
) -> HelpAtLooks:
    """Values (n,) in [-1, 1] of a pool and one or several metrics: `drawn` (n, M) and `undrawn` (N - n, M).

    `known` (n,), (N - n,): which units have a value of any; `ends` (L,) as in `looks`.

    Raises:
        ValueError: a metric value that is not finite, or shapes that do not fit.
    """
    metric, slopes, variances = control_variate.fit_items(values, drawn, undrawn)
    centred = control_variate.control_items(values, drawn, undrawn).centred
    starts = starts_of(ends)
    return _frozen(slopes[starts] @ metric.T, np.concatenate(known), variances[starts], ends, (values, centred))


def _frozen(
    predicted: Floats, known: Bools, variances: Floats, ends: Indices, scored: tuple[Floats, Floats]
) -> HelpAtLooks:
    """From predictions (L, N) at the start of each look for all units, the drawn ones first, `known` (N,) or not.

    `scored`: values (n,), and what was predicted of them one by one.
    """
    starts, count = starts_of(ends), scored[0].size
    undrawn = np.arange(known.size) >= starts[:, None]
    counted = undrawn & known
    there = counted.any(axis=1)
    means = np.where(counted, predicted, 0.0).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
    highest = np.where(there, np.where(counted, predicted, -np.inf).max(axis=1, initial=-np.inf), 0.0)
    lowest = np.where(there, np.where(counted, predicted, np.inf).min(axis=1, initial=np.inf), 0.0)
    look = looks_of(ends)
    of_drawn = np.where(known[:count], predicted[look, np.arange(count)], means[look])
    opening = int(help_gate.openings(*scored))
    begins = int(np.searchsorted(starts, opening)) if opening < count else ends.size
    return HelpAtLooks(of_drawn, means, highest, lowest, variances, begins, known.size)


def log_e_at_looks(
    alone: Floats, values: Floats, ends: Indices, assistance: HelpAtLooks, prior: KappaPrior, side: int, null: float
) -> Floats:
    """log E at the end of each look (L,) against "side * mean <= null": `alone` (L,) until the help begins.

    `values` (n,): what evidence for this side bets on. The wealth of the labels alone is divided over the bets as they
    would have gained so far with the help, against the null 0.
    """
    begins, pool = assistance.begins, assistance.pool_size
    if begins >= ends.size:
        return alone
    scales = shrinking(values.size, pool) / assistance.variances[looks_of(ends)]
    expected = assistance.expected(side)
    past = int(ends[begins - 1])
    would = Expected(expected.predictions[:past], expected.means[:begins], expected.highest[:begins])
    gained = prior.log_weights + pool_growth(values[:past], ends[:begins], prior, 0.0, pool, scales[:past], would).sum(
        axis=0
    )
    shares = gained - log_sum_exp(gained)
    growth = pool_growth(values, ends, prior, null, pool, scales, expected, begins)
    helped = alone[begins - 1] + log_sum_exp(shares + np.cumsum(growth, axis=0))
    return np.concatenate([alone[:begins], np.where(np.isposinf(alone[begins:]), np.inf, helped)])
