"""When a metric's help begins: once the labels so far show that it predicts them.

A predictor costs labels while it is being learnt, and one that predicts nothing costs them for good (with 16 useless
metrics a sixth of the verdicts). So evidence is that of the labels alone until the past is clear, and the helped bets
take over from there. Before each label stands what was predicted of it, f - fbar (`MetricHelp.centred`), and the past
mean of the labels, mu; after it the score grows by

    ((h - mu)^2 - (h - mu - (f - fbar))^2) / (2 v),

v the variance of h about mu so far: a likelihood ratio of normal errors, whose chance of ever coming to 3.5 is about
exp(-3.5) = 3 % where nothing is predicted. From the first label before which the score has come so far, and not before
the ninth, the wealth of the labels alone grows by the factors of the help. (A metric of correlation 0.9 takes about ten
labels to get there, one of 0.5 about forty.)

Valid: whether a label's factor is that of the labels alone or that of the help is known before the label, and either
has conditional mean at most one. The wealth at the opening is divided over the bet sizes as they would have gained
until then against the null 0, whichever null is tested: those weights do not depend on the null, so that the path falls
in the null like both of its parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.bounded_mean import KappaPrior, log_sum_exp
from tiebreak.kernels.metric_help import MetricHelp, impossible, log_factors

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

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


def after(gate: Gate, value: float, centred: float) -> Gate:
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


def log_shares(labels: Floats, metric_help: MetricHelp, prior: KappaPrior, side: int, starts: Integers) -> Floats:
    """How the wealth is divided over the bet sizes (..., J) when the help begins: logarithms of shares that sum to 1.

    `starts` (...): as `openings` has them.
    """
    factors = log_factors(labels, metric_help, prior, side, 0.0)
    before = np.arange(labels.shape[-1]) < starts[..., None]
    gained = prior.log_weights + np.where(before[..., None], factors, 0.0).sum(axis=-2)
    return np.asarray(gained - log_sum_exp(gained)[..., None])


def log_e_path(
    alone: Floats,
    labels: Floats,
    metric_help: MetricHelp,
    prior: KappaPrior,
    side: int,
    null: float,
    starts: Integers,
    shares: Floats,
) -> Floats:
    """log E after each label (..., n) against "side * mean <= null": `alone` (..., n) until the help begins.

    `alone`: that of the labels alone against the same null; `starts` and `shares` of `openings` and `log_shares`.
    """
    factors = log_factors(labels, metric_help, prior, side, null)
    helped = np.arange(labels.shape[-1]) >= starts[..., None]
    gained = np.cumsum(np.where(helped[..., None], factors, 0.0), axis=-2) + shares[..., None, :]
    at_start = np.take_along_axis(alone, np.maximum(starts - 1, 0)[..., None], axis=-1)
    path = np.where(helped, at_start + log_sum_exp(gained), alone)
    if metric_help.pool_size is None:
        return path
    return np.where(impossible(side * labels, null, metric_help.pool_size), np.inf, path)


def gated(metric_help: MetricHelp, alone: MetricHelp, starts: Integers) -> MetricHelp:
    """The help with that of the labels `alone` in its place before it begins: for bets that look at wealth."""
    helped = np.arange(metric_help.centred.shape[-1]) >= starts[..., None]

    def chosen(ours: Floats, theirs: Floats) -> Floats:
        return np.where(helped, ours, theirs)

    return MetricHelp(
        chosen(metric_help.centred, alone.centred),
        chosen(metric_help.above, alone.above),
        chosen(metric_help.below, alone.below),
        chosen(metric_help.reach_above, alone.reach_above),
        chosen(metric_help.reach_below, alone.reach_below),
        chosen(metric_help.variances, alone.variances),
        metric_help.pool_size,
    )


def _before(terms: Floats) -> Floats:
    return np.cumsum(terms, axis=-1) - terms
