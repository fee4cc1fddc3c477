"""Simulated tournaments, for tests of which pair to ask next."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from benchmarks.worlds.leaderboards import all_pairs
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.kernels.davidson import DavidsonFit, davidson, outcome_probabilities
from tiebreak.kernels.strengths import most_informative, winner_only

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Choice = Callable[[DavidsonFit, Integers, int, np.random.Generator], Integers]
Measure = Callable[[Floats, Floats], float | tuple[float, ...]]
"""Of the estimated and the true strengths."""


def random_matching(fit: DavidsonFit, pairs: Integers, count: int, rng: np.random.Generator) -> Integers:  # noqa: ARG001
    """Every pair equally likely at every game."""
    return rng.integers(len(pairs), size=count)


CHOICES: dict[str, Choice] = {
    "random": random_matching,
    "most informative": most_informative,
    "winner only": winner_only,
}


def play(
    choose: Choice, truth: Floats, log_nu: float, checkpoints: Integers, rng: np.random.Generator, batch: int = 5
) -> list[Floats]:
    """Estimated strengths after each of `checkpoints` games, which are multiples of `batch`.

    Games are asked `batch` at a time and their outcomes drawn from the Davidson model with these strengths.
    """
    pairs = all_pairs(len(truth))
    shares = outcome_probabilities(truth[pairs[:, 0]] - truth[pairs[:, 1]], log_nu)
    counts = np.zeros((len(pairs), 3))
    estimates: list[Floats] = []
    fit = davidson(len(truth), pairs, counts)
    for played in range(batch, int(checkpoints[-1]) + 1, batch):
        rows = choose(fit, pairs, batch, rng)
        outcomes = (rng.random(batch)[:, None] > shares[rows].cumsum(axis=1)[:, :2]).sum(axis=1)
        np.add.at(counts, (rows, outcomes), 1)
        if choose is not random_matching or played in checkpoints:  # random matching does not look at the fit
            fit = davidson(len(truth), pairs, counts, start=fit)
        if played in checkpoints:
            estimates.append(fit.beta)
    return estimates


def agreement(estimate: Floats, truth: Floats) -> float:
    """Share of the pairs that the estimate has in the true order."""
    pairs = all_pairs(len(truth))
    first, second = pairs.T
    return float(np.mean((estimate[first] - estimate[second]) * (truth[first] - truth[second]) > 0))


def winner_found(estimate: Floats, truth: Floats) -> float:
    """1 if the system estimated best is the best."""
    return float(np.argmax(estimate) == np.argmax(truth))


def success(
    choose: Choice,
    measure: Measure,
    systems: int,
    spread: float,
    checkpoints: Integers,
    runs: int,
    seed: int,
    log_nu: float = 0.0,
    batch: int = 5,
) -> Floats:
    """`measure` (runs, checkpoints, ...) over tournaments of systems whose strengths are quantiles of N(0, spread^2).

    Quantiles, not draws: how near the nearest systems are would otherwise decide more than the way of choosing.
    """
    found = []
    quantiles = spread * ndtri((np.arange(systems) + 0.5) / systems)
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        truth = rng.permutation(quantiles)
        found.append([measure(e, truth) for e in play(choose, truth, log_nu, checkpoints, rng, batch)])
    return np.array(found)
