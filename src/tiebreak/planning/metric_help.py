"""Simulated campaigns with a metric's help: the kernels of `compare --metric`, for one label an item."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels import metric_help
from tiebreak.kernels.companions import plan_companions, reserve_size
from tiebreak.kernels.outcome_regression import regress_inputs, regress_items
from tiebreak.planning.population import Population
from tiebreak.records import Target
from tiebreak.rules.anytime import assisted_paths
from tiebreak.simulate.engines.engine import CampaignRuns
from tiebreak.simulate.people.crowd import draw_labels, draw_people
from tiebreak.simulate.people.metrics import correlated_scores
from tiebreak.simulate.people.workers import tie_probability

Floats = NDArray[np.float64]

_FIRST: Final = 250  # labels before the first check; doubled as long as any run goes on
_RUNS_AT_ONCE: Final = 50
_CELLS: Final = 2_000_000  # items that are simulated at once
_LARGEST_POOL: Final = 200_000  # ten times the most labels: more items hardly say more
_SLACK: Final = 0.005  # correlations are given to two digits
_LABELS_EXPECTED: Final = 100  # as `compare` has it while labels come in: at least so many more


def check_correlation(population: Population, correlation: float) -> None:
    """Raise `UsageError` for a correlation with single labels that no metric can have, because people disagree."""
    largest = population.largest_correlation()
    if not 0 < correlation <= largest + _SLACK:
        raise UsageError(
            f"a metric correlates with single labels by more than 0 and here by at most {largest:.2f}, because two "
            f"people's labels correlate by {population.rates().agreement:.2f} only; {correlation:g} is not possible"
        )


def assisted_campaigns(
    population: Population,
    correlation: float,
    target: Target,
    pool: int,
    log_threshold: float,
    most_items: int,
    runs: int,
    rng: np.random.Generator,
) -> CampaignRuns:
    """Campaigns of one label an item, with a metric on all `pool` items that correlates so with a single label.

    `most_items` may be at most the pool; for inputs like these half of it, because every label wants at least one
    unlabelled item beside it, and some are set aside. Raises `UsageError` for an impossible correlation.
    """
    check_correlation(population, correlation)
    pool = min(pool, _LARGEST_POOL)
    most_items = min(most_items, pool if target == "items" else (pool - reserve_size(pool)) // 2)
    at_once = max(1, min(_RUNS_AT_ONCE, _CELLS // pool))
    parts = [
        _part(population, correlation, target, pool, log_threshold, most_items, min(at_once, runs - start), rng)
        for start in range(0, runs, at_once)
    ]
    return CampaignRuns.joined(parts)


def _part(
    population: Population,
    correlation: float,
    target: Target,
    pool: int,
    log_threshold: float,
    most_items: int,
    runs: int,
    rng: np.random.Generator,
) -> CampaignRuns:
    latent = np.clip(population.mean + population.spread * rng.normal(size=(runs, pool)), -1.0, 1.0)
    people = draw_people(len(population.crowd()), runs, most_items, 1, rng)
    labels = draw_labels(population.crowd(), people, latent[:, :most_items], rng)[:, :, 0]
    share = min(correlation / population.largest_correlation(), 1.0)
    scores = correlated_scores(_mean_label(population, latent), share, rng)
    verdict, items = np.zeros(runs, dtype=np.int8), np.full(runs, most_items)
    rows, count = np.arange(runs), min(_FIRST, most_items)
    while rows.size:
        outcomes = labels[rows, :count].astype(np.float64)
        found = _help(outcomes, scores[rows], target)
        undecided = np.ones(rows.size, dtype=np.bool_)
        at = np.full(rows.size, count + 1)
        for side in (1, -1):
            reached = assisted_paths(outcomes, found, side) >= log_threshold
            first = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, count + 1)
            better = first < at
            verdict[rows[better]], items[rows[better]] = side, first[better]
            at[better] = first[better]
            undecided &= ~better
        if count == most_items:
            break
        rows, count = rows[undecided], min(2 * count, most_items)
    return CampaignRuns(verdict, items, items.copy())


def _mean_label(population: Population, latent: Floats) -> Floats:
    """What people say of an item on average, up to a factor."""
    return np.asarray((1 - tie_probability(population.tie_threshold, latent)) * latent)


def _help(outcomes: Floats, scores: Floats, target: Target) -> metric_help.MetricHelp:
    """What `compare` makes of the metric for these labels (runs, count) and the scores of all items (runs, pool)."""
    count = outcomes.shape[1]
    drawn, rest = scores[:, :count], scores[:, count:]
    if target == "items":
        return regress_items(outcomes, drawn, rest)
    reserved = reserve_size(rest.shape[1])
    plan = plan_companions(np.maximum(_LABELS_EXPECTED, np.arange(count)), rest.shape[1] - reserved)
    plans = np.broadcast_to(plan, outcomes.shape)
    return regress_inputs(outcomes, drawn, rest[:, reserved:], plans, rest[:, :reserved])
