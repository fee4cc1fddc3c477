"""Two equal systems for which people have tastes: the test of `--people random`, and the one over items alone.

A person's taste for one of the systems is a normal number of log-odds, or the same for all either way ("camps"); items
favour a system by normal log-odds with a standard deviation of .5, and 20 % of labels are ties.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from benchmarks.cells import ALPHAS, Cell, Counts, Measure, Rng
from scipy.special import stdtr

from tiebreak.kernels.two_way import TwoWayMean, two_way_mean

Design = Literal["all items", "3 people an item", "items of their own"]
DESIGNS: tuple[tuple[Design, int, int], ...] = (
    ("all items", 4, 40),
    ("all items", 6, 40),
    ("all items", 10, 20),
    ("all items", 20, 10),
    ("all items", 40, 20),
    ("3 people an item", 12, 60),
    ("items of their own", 8, 160),
    ("items of their own", 20, 100),
)
RUNS = 4_000
_OF_ITEMS, _TIES = 0.5, 0.2


def study(rng: Rng, design: Design, people: int, items: int, tastes: float, *, camps: bool) -> TwoWayMean:
    """The mean of one simulated panel."""
    leaning = rng.choice([-tastes, tastes], people) if camps else rng.normal(0, tastes, people)
    log_odds = leaning[None, :] + rng.normal(0, _OF_ITEMS, (items, 1))
    answers = np.where(rng.random((items, people)) < 1 / (1 + np.exp(-log_odds)), 1.0, -1.0)
    answers[rng.random(answers.shape) < _TIES] = 0.0
    asked = np.ones(answers.shape, dtype=bool)
    if design == "items of their own":
        asked = np.arange(items)[:, None] % people == np.arange(people)[None, :]
    elif design == "3 people an item":
        asked = rng.random(answers.shape).argsort(axis=1) < 3
    item, person = np.nonzero(asked)
    person = np.unique(person, return_inverse=True)[1]
    weights = 1 / (items * asked.sum(axis=1)[item])
    return two_way_mean(answers[asked], weights, item, person, items)


def counted(design: Design, people: int, items: int, tastes: float, *, camps: bool) -> Measure:
    """Wrong directions of the test, and of a t test over items."""

    def measure(rng: Rng, runs: int) -> Counts:
        found = {f"{kind} {alpha}": 0.0 for kind in ("wrong", "control") for alpha in ALPHAS}
        for _ in range(runs):
            mean = study(rng, design, people, items, tastes, camps=camps)
            look = mean.look()
            over_items = 2 * stdtr(items - 1, -abs(mean.estimate) / np.sqrt(mean.of_items))
            for alpha in ALPHAS:
                found[f"wrong {alpha}"] += 2 * min(look.p_a, look.p_b) <= alpha
                found[f"control {alpha}"] += bool(over_items <= alpha)
        return found

    return measure


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    for design, people, items in DESIGNS:
        for tastes, camps in ((0.0, False), (0.5, False), (1.0, False), (3.0, True)):
            leaning = "camps of 3 logits" if camps else f"tastes of {tastes:g} logits"
            yield Cell(
                "people",
                f"{people} people, {items} items, {design}, {leaning}",
                "ordinary",
                counted(design, people, items, tastes, camps=camps),
                RUNS,
                (design, people, items, tastes, camps),
            )
