"""What a metric says of labels before they come, and from when on it may help.

Before each draw there is a set of items of which the next label's is equally likely to be any: the items not yet drawn
(a claim about these items), or the labelled item with its fresh unlabelled companions (a claim about inputs like
these). A predictor f, made from past labels and the metric, says what to expect of each; fbar is its mean over the set.
Since f - fbar has mean zero over the set, taking a multiple of it from a bet's gain (`planned_bets`) leaves the bet
fair, whatever f is: a useless, inverted or adversarial metric costs labels, never validity. f comes from
`outcome_regression` (outcomes) or `control_variate` (bounded values, several metrics).

A predictor costs labels while it is being learnt, and one that predicts nothing costs them for good (with 16 useless
metrics a sixth of the verdicts). So evidence is that of the labels alone until the past is clear, and the helped bets
take over from there. Before each label stands what was predicted of it, f - fbar, and the past mean of the labels, mu;
after it the score grows by

    ((h - mu)^2 - (h - mu - (f - fbar))^2) / (2 v),

v the variance of h about mu so far: a likelihood ratio of normal errors, whose chance of ever coming to 3.5 is about
exp(-3.5) = 3 % where nothing is predicted. From the first label before which the score has come so far, and not before
the ninth, the metric helps. (A metric of correlation 0.9 takes about ten labels to get there, one of 0.5 about forty.)

All arrays may have leading axes (pairs, or runs of a simulation) in front of the ones that are named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


class HelpStep(NamedTuple):
    """What a metric says before a unit, one number or one of each cell (C,): `centred` f - fbar of it; `above`,
    `below`: the largest f - fbar and fbar - f of all units that it could be, `reach_above`, `reach_below`: what these
    were expected to be before its companions were drawn; `variance` expected of h - f + fbar.
    """

    centred: Floats
    above: Floats
    below: Floats
    reach_above: Floats
    reach_below: Floats
    variance: Floats


@dataclass(frozen=True, slots=True)
class MetricHelp:
    """What was known before each draw; the same for both directions and all null values.

    `centred` (..., n): f - fbar of the labelled item. `above`, `below` (..., n): the largest f - fbar and fbar - f in
    the set. `reach_above`, `reach_below` (..., n): what these were expected to be before the set was drawn.
    `variances` (..., n): the variance expected of h - f + fbar, v_t. `pool_size`: N for a claim about these N items,
    None for inputs like these.
    """

    centred: Floats
    above: Floats
    below: Floats
    reach_above: Floats
    reach_below: Floats
    variances: Floats
    pool_size: int | None

    def step(self, unit: int) -> HelpStep:
        """What was known before one draw: arrays (...)."""
        columns = (self.centred, self.above, self.below, self.reach_above, self.reach_below, self.variances)
        return HelpStep(*(np.asarray(column[..., unit]) for column in columns))


_CLEAR = 3.5
_FEWEST_LABELS = 8
_PRIOR_SQUARES, _PRIOR_COUNT = 2.1, 3.0  # of v, as in bounded_mean


@dataclass(frozen=True, slots=True)
class Gate:
    """After `count` labels: their sum, the squares about the past means, and the score of what was predicted."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    score: float = 0.0
    opened: bool = False


def gate_after(gate: Gate, value: float, centred: float) -> Gate:
    """With one more label in [-1, 1], of which f - fbar = `centred` was predicted. Once open, it stays so."""
    if gate.opened:
        return gate
    surprise = value - gate.total / (gate.count + 1)
    variance = (gate.squares + _PRIOR_SQUARES) / (gate.count + _PRIOR_COUNT)
    score = gate.score + (surprise**2 - (surprise - centred) ** 2) / (2 * variance)
    count = gate.count + 1
    opened = count >= _FEWEST_LABELS and score >= _CLEAR
    return Gate(count, gate.total + value, gate.squares + surprise**2, score, opened)


def openings(values: Floats, centred: Floats) -> Integers:
    """Labels (...) before the first that the help may see, of values (..., n); n where it never begins.

    `centred` (..., n): what was predicted, as in `MetricHelp`.
    """
    count = values.shape[-1]
    if not count:
        return np.zeros(values.shape[:-1], dtype=np.intp)
    past = np.arange(count)
    surprise = values - _before(values) / (past + 1)
    variance = (_before(surprise**2) + _PRIOR_SQUARES) / (past + _PRIOR_COUNT)
    scores = _before((surprise**2 - (surprise - centred) ** 2) / (2 * variance))
    is_open = (scores >= _CLEAR) & (past >= _FEWEST_LABELS)
    return np.asarray(np.where(is_open.any(axis=-1), is_open.argmax(axis=-1), count), dtype=np.intp)


def _before(terms: Floats) -> Floats:
    return np.cumsum(terms, axis=-1) - terms
