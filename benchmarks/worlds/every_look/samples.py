"""Worlds: where simulated campaigns happen, with the truth about them known.

A world fixes what the claim is about, how many items there are, how often the systems tie, by how much they differ and
what a metric knows. `Sample` holds many campaigns of one world side by side, in the order of their labels; what
several rules need of it is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from benchmarks.worlds import metric_simulation as metrics
from benchmarks.worlds import simulation
from numpy.typing import NDArray

from tiebreak.kernels.metric_help import MetricHelp

Floats = NDArray[np.float64]
Rng = np.random.Generator
Target = Literal["inputs", "items"]


def three_at_once(rng: Rng, outcomes: Floats) -> Floats:
    """Three metrics (..., 3): one of correlation 0.5, one useless, one heavy-tailed."""
    makers = (metrics.correlated(0.5), metrics.correlated(0.0), metrics.heavy_tailed)
    return np.stack([make(rng, outcomes) for make in makers], axis=-1)


def metric_title(name: str) -> str:
    """A metric's name as results have it. (The names themselves stay as they are: seeds are made from them.)"""
    return name.replace("rho .", "rho 0.")


METRICS = {"rho 0": metrics.correlated(0.0), **metrics.METRICS, "three": three_at_once}
VALUES_AT_ONCE = {False: 1_000_000, True: 150_000}  # labels simulated side by side without and with a metric


@dataclass(frozen=True, slots=True)
class World:
    """`size`: items N; `labels`: how many of them are labelled at most, in random order; `ties`: share of ties.

    `difference`: P(a preferred) - P(b preferred); for `items` that of the pool, exactly. `metric`: a name of `METRICS`,
    known on all N items, or None. For `inputs` with a metric the unlabelled items are companions. `annotators`: 1, or
    the number of labels an item whose mean is its value (difference 0, and `ties` does not apply).
    """

    target: Target
    size: int
    labels: int
    ties: float
    difference: float = 0.0
    metric: str | None = None
    annotators: int = 1

    @property
    def margin(self) -> float:
        """The margin that a user would set here: 0.2 for up to 1,000 items, 0.1 for more."""
        return 0.2 if self.size <= 1_000 else 0.1

    @property
    def title(self) -> str:
        """In words, such as `items, 250 of 300 items, 30% ties, metric rho 0.5`."""
        labelled = "" if self.labels == self.size else f"{self.labels:,} of "
        ties = f"{self.annotators} annotators" if self.annotators > 1 else f"{self.ties:.0%} ties"
        metric = "" if self.metric is None else f", metric {metric_title(self.metric)}"
        return f"{self.target}, {labelled}{self.size:,} items, {ties}{metric}"


@dataclass(frozen=True)
class Sample:
    """Campaigns of a world: values (runs, n) in the order of labelling, and what the metric knows."""

    world: World
    values: Floats
    campaigns: metrics.Campaigns | None = None

    @cached_property
    def counts(self) -> tuple[Floats, Floats, Floats]:
        """Wins, ties and losses (runs, n) after each label."""
        return tuple(np.cumsum(self.values == code, axis=1, dtype=np.float64) for code in (1, 0, -1))  # type: ignore[return-value]

    @property
    def pool_size(self) -> int | None:
        """N for a claim about these items, None for inputs like these."""
        return self.world.size if self.world.target == "items" else None

    @cached_property
    def regression(self) -> MetricHelp:
        """The metric's help by the regression on outcomes."""
        return metrics.regression(self._with_metric)

    @cached_property
    def linear(self) -> MetricHelp:
        """The metric's help by the straight line."""
        return metrics.linear(self._with_metric)

    @property
    def _with_metric(self) -> metrics.Campaigns:
        if self.campaigns is None:
            raise ValueError(f"there is no metric in {self.world}")
        return self.campaigns


def draw(world: World, rng: Rng, runs: int) -> Sample:
    """`runs` campaigns; every one has its own pool, or fresh inputs, and its own metric."""
    if world.annotators > 1:
        return Sample(world, _mean_values(world, rng, runs))
    if world.metric is None:
        return Sample(world, _outcomes(world, rng, runs).astype(np.float64))
    make = METRICS[world.metric]
    if world.target == "inputs":
        fresh = metrics.inputs_campaigns(rng, runs, world.size, world.labels, world.difference, world.ties, make)
        return Sample(world, fresh.outcomes, fresh)
    pool = rng.permuted(np.tile(metrics.pool_of(world.size, world.difference, world.ties), (runs, 1)), axis=1)
    metric = make(rng, pool)
    n = world.labels
    return Sample(world, pool[:, :n], metrics.Campaigns(pool[:, :n], metric[:, :n], metric[:, n:]))


def chunk_size(world: World) -> int:
    """How many campaigns to simulate side by side."""
    return max(1, VALUES_AT_ONCE[world.metric is not None] // world.labels)


def _outcomes(world: World, rng: Rng, runs: int) -> NDArray[np.int8]:
    if world.target == "inputs":
        return simulation.iid_outcomes(rng, runs, world.labels, world.difference, world.ties)
    outcomes = simulation.pool_outcomes(rng, runs, world.size, world.difference, world.ties)
    return outcomes[:, : world.labels]


def _mean_values(world: World, rng: Rng, runs: int) -> Floats:
    """Mean labels; a pool is made of values and their opposites, so that its difference is exactly zero."""
    if world.target == "inputs":
        return simulation.mean_labels(rng, runs, world.labels, world.annotators)
    half = simulation.mean_labels(rng, runs, world.size // 2, world.annotators)
    return np.asarray(rng.permuted(np.concatenate([half, -half], axis=1), axis=1)[:, : world.labels])
