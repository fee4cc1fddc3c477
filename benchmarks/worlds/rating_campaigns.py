"""Small campaigns of ratings for tests: studies, protocols in a line, people who rate; and ways to stop at a width."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from benchmarks.worlds.small_campaigns import NOW, opened
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiebreak.campaign import Protocol, State, init, next_tasks, step
from tiebreak.campaign.events import LabelGiven, TaskAssigned
from tiebreak.campaign.kinds import kind_of
from tiebreak.data.study import Study
from tiebreak.kernels.bounded_bets import LARGEST_FRACTION, kappa_prior, log_sum_exp
from tiebreak.settings.protocol import (
    DecisionSettings,
    LabelSettings,
    OrderSettings,
    PeopleSettings,
    RatedCriterion,
    RatingSettings,
)

Floats = NDArray[np.float64]
Rate = Callable[[TaskAssigned], Mapping[str, float]]

FIVES_80 = (0.05, 0.05, 0.05, 0.05, 0.8)
FIVES_95 = (0.01, 0.01, 0.01, 0.02, 0.95)
EVEN = (0.2, 0.2, 0.2, 0.2, 0.2)
"""Shares of ratings 1 to 5."""


def rated_study(
    systems: Sequence[str] = ("ant", "bee"),
    items: int = 60,
    *,
    cluster_size: int = 1,
    metric: Callable[[str, int], float | None] | None = None,
) -> Study:
    """`metric`: the score of a system on an item, None where it has none; its name is "m"."""
    names = [f"i{k:03d}" for k in range(items)]
    scored = [(of, k, metric(of, k)) for of in systems for k in range(items)] if metric else []
    return Study.from_tables(
        items=[{"item": name, "cluster": f"c{k // cluster_size:03d}"} for k, name in enumerate(names)],
        outputs=[{"item": name, "system": of, "text": f"{of} on {name}"} for of in systems for name in names],
        scores=[{"item": names[k], "system": of, "metric": "m", "value": at} for of, k, at in scored if at is not None]
        if scored
        else None,
        name="small",
    )


def rating_protocol(
    *,
    criteria: Sequence[RatedCriterion] = (RatedCriterion("clear", 1, 5),),
    labels: LabelSettings | None = None,
    decision: DecisionSettings | None = None,
    people: PeopleSettings | None = None,
    **ratings: Any,
) -> Protocol:
    """`ratings`: of `RatingSettings`; a half-width of .5 unless said."""
    said = {"half_width": 0.5, **ratings}
    return Protocol(
        labels=labels or LabelSettings(kind="rating"),
        decision=decision or DecisionSettings(rule="width"),
        people=people or PeopleSettings(),
        order=OrderSettings(seed=7),
        ratings=RatingSettings(criteria=tuple(criteria), **said),
    )


def open_ratings(protocol: Protocol | None = None, study: Study | None = None) -> State:
    return opened(init(protocol or rating_protocol(), study or rated_study()))


def rate(state: State, task: TaskAssigned, values: Mapping[str, float], **more: Any) -> State:
    label = {name: more.pop(name) for name in ("seconds", "comment") if name in more}
    response = kind_of(state.protocol).response(values, **more)  # type: ignore[call-arg]
    return step(state, LabelGiven(NOW, task.task, task.annotator, response, **label))


def ratings_run(
    state: State, values: Rate, people: Sequence[str] = ("ann",), at_once: int = 4, most: int = 100_000
) -> State:
    """People take turns to ask for tasks and rate, until nobody gets any."""
    while state.ended is None and most > 0:
        idle = 0
        for person in people:
            tasks = next_tasks(state, person, min(at_once, most), NOW)
            idle += not tasks
            most -= len(tasks)
            for task in tasks:
                state = step(state, task)
            for task in tasks:
                assert isinstance(task, TaskAssigned)
                state = rate(state, task, values(task))
        if idle == len(people):
            break
    return state


def drawn(shares: Sequence[float], seed: int) -> Rate:
    """Ratings of 1 to 5 at random, the same for the same output."""
    rng, known = np.random.default_rng(seed), {}

    def values(task: TaskAssigned) -> Mapping[str, float]:
        key = (task.system_a, task.item)
        if key not in known:
            known[key] = {"clear": float(1 + rng.choice(5, p=shares))}
        return known[key]

    return values


# ---- stopping at a width -----------------------------------------------------------------------------------------


def rating_draws(rng: np.random.Generator, shares: Sequence[float], runs: int, size: int) -> tuple[Floats, float]:
    """Ratings of 1 to 5 on [-1, 1] (runs, size), and their true mean."""
    values = np.linspace(-1.0, 1.0, len(shares))
    return values[rng.choice(len(shares), size=(runs, size), p=shares)], float(np.dot(values, shares))


def rating_pools(rng: np.random.Generator, shares: Sequence[float], runs: int, size: int) -> tuple[Floats, float]:
    """The same of pools of `size` ratings with exactly these shares, all of them in random order."""
    values = np.repeat(np.linspace(-1.0, 1.0, len(shares)), np.rint(np.array(shares) * size).astype(np.intp))
    return rng.permuted(np.tile(values, (runs, 1)), axis=1), float(values.mean())


def betting_sups(values: Floats, null: float, pool_size: int | None = None, half_width: float | None = None) -> Floats:
    """The largest log E (runs,) of bets on values (runs, n) against "mean <= null", by the definition."""
    prior, total = kappa_prior(half_width), np.zeros((len(values), 1))
    log_wealth, squares = np.tile(prior.log_weights, (len(values), 1)), np.zeros((len(values), 1))
    largest, refuted = np.zeros(len(values)), np.zeros(len(values), dtype=bool)
    for drawn, value in enumerate(values.T[..., None]):
        left = None if pool_size is None else pool_size - drawn
        mean = np.full_like(total, null) if left is None else np.clip((pool_size * null - total) / left, -1, 1)
        residual = np.maximum(squares - total**2 / max(drawn, 1), 0.0)
        scale = (1.0 if left is None else pool_size / left) / ((residual + 2.1) / (drawn + 3))
        bets = np.minimum(scale * prior.kappas, LARGEST_FRACTION / np.maximum(1 + mean, 1e-12))
        log_wealth += np.log1p(bets * (value - mean))
        total, squares = total + value, squares + value**2
        if left is not None:
            refuted |= (total - (left - 1) > pool_size * null + 1e-9)[:, 0]
        largest = np.maximum(largest, log_sum_exp(log_wealth))
    return np.where(refuted, np.inf, largest)


def sequence_misses(values: Floats, mean: float, alpha: float, pool_size: int | None = None) -> float:
    """Share of runs in which the confidence sequence of betting leaves out the true mean at any look: the most that any
    way to stop can make wrong.
    """
    threshold = np.log(2 / alpha)
    above, below = (betting_sups(sign * values, sign * mean, pool_size) >= threshold for sign in (1, -1))
    return float((above | below).mean())


def bernstein_misses(values: Floats, mean: float, alpha: float) -> float:
    """The same of empirical Bernstein stopping (Mnih et al. 2008), p = 1.1 and R = 2."""
    counts = np.arange(1, values.shape[-1] + 1)
    means = np.cumsum(values, axis=-1) / counts
    spread = np.sqrt(np.maximum(np.cumsum(values**2, axis=-1) / counts - means**2, 0.0))
    log = np.log(3 / (alpha * 0.1 / 1.1 / counts**1.1))
    reach = spread * np.sqrt(2 * log / counts) + 6 * log / counts
    return float((np.abs(means - mean) > reach).any(axis=-1).mean())


def t_stop_misses(values: Floats, mean: float, alpha: float, half_width: float, least: int = 10) -> float:
    """The same of a t interval that is looked at after every rating from the `least`-th on, and ends at its width."""
    counts = np.arange(1, values.shape[-1] + 1)
    means = np.cumsum(values, axis=-1) / counts
    squares = np.cumsum(values**2, axis=-1) - counts * means**2
    spread = np.sqrt(np.maximum(squares, 0.0) / np.maximum(counts - 1, 1) / counts)
    reach = np.where(counts >= least, stdtrit(np.maximum(counts - 1, 1), 1 - alpha / 2) * spread, np.inf)
    narrow = reach <= half_width
    stop = np.where(narrow.any(axis=-1), narrow.argmax(axis=-1), values.shape[-1] - 1)
    rows = np.arange(values.shape[0])
    return float((np.abs(means[rows, stop] - mean) > reach[rows, stop]).mean())
