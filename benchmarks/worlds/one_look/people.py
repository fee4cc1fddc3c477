"""Two equal systems for which people have tastes: the test of `--people random`, and the one over items alone.

A person's taste for one of the systems is a normal number of log-odds, or the same for all either way ("camps"); items
favour a system by normal log-odds, and 20 % of labels are ties.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from benchmarks.cells import ALPHAS, Cell, Counts, Measure, Rng
from scipy.special import stdtr

from tiebreak.kernels.two_way import TwoWayMean, two_way_mean
from tiebreak.rules.finished import FinishedSet, FinishedSets

Design = Literal["all items", "3 people an item", "items of their own"]
DESIGNS: tuple[tuple[Design, int, int, float], ...] = (
    ("all items", 4, 40, 0.5),
    ("all items", 6, 40, 0.5),
    ("all items", 10, 20, 0.5),
    ("all items", 20, 10, 0.5),
    ("all items", 40, 20, 0.5),
    ("all items", 10, 4, 4.0),
    ("all items", 10, 6, 4.0),
    ("all items", 20, 8, 4.0),
    ("3 people an item", 12, 60, 0.5),
    ("items of their own", 8, 160, 0.5),
    ("items of their own", 20, 100, 0.5),
)
"""Who answers about what, people, items, and the standard deviation of items in logits."""
RUNS = 2_000
FEW = 10
"""With fewer people or items a world is a corner."""
_TIES = 0.2


def study(
    rng: Rng, design: Design, people: int, items: int, of_items: float, tastes: float, *, camps: bool
) -> tuple[TwoWayMean, FinishedSet]:
    """The two tests of one simulated panel."""
    leaning = rng.choice([-tastes, tastes], people) if camps else rng.normal(0, tastes, people)
    log_odds = leaning[None, :] + rng.normal(0, of_items, (items, 1))
    answers = np.where(rng.random((items, people)) < 1 / (1 + np.exp(-log_odds)), 1.0, -1.0)
    answers[rng.random(answers.shape) < _TIES] = 0.0
    asked = np.ones(answers.shape, dtype=bool)
    if design == "items of their own":
        asked = np.arange(items)[:, None] % people == np.arange(people)[None, :]
    elif design == "3 people an item":
        asked = rng.random(answers.shape).argsort(axis=1) < 3
    item, person = np.nonzero(asked)
    person = np.unique(person, return_inverse=True)[1]
    labels, values = asked.sum(axis=1), answers[asked]
    means = np.bincount(item, values) / labels
    variances = (np.bincount(item, values**2) - labels * means**2) / np.maximum(labels - 1, 1)
    finished = FinishedSet(means, labels, variances if labels.max() > 1 else None)
    return two_way_mean(values, 1 / (items * labels[item]), item, person, items), finished


def counted(design: Design, people: int, items: int, of_items: float, tastes: float, *, camps: bool) -> Measure:
    """Wrong directions of the test, and of a t test over items."""

    def measure(rng: Rng, runs: int) -> Counts:
        found = {f"{kind} {alpha}": 0.0 for kind in ("wrong", "control") for alpha in ALPHAS}
        for _ in range(runs):
            mean, finished = study(rng, design, people, items, of_items, tastes, camps=camps)
            look, of_these = mean.look(), FinishedSets([finished])
            p = min(max(look.p_a, of_these.p_a[0]), max(look.p_b, of_these.p_b[0]))
            over_items = 2 * stdtr(items - 1, -abs(mean.estimate) / np.sqrt(mean.of_items))
            for alpha in ALPHAS:
                found[f"wrong {alpha}"] += 2 * p <= alpha
                found[f"control {alpha}"] += bool(over_items <= alpha)
        return found

    return measure


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    for design, people, items, of_items in DESIGNS:
        for tastes, camps in ((0.0, False), (0.5, False), (1.0, False), (3.0, True)):
            leaning = "camps of 3 logits" if camps else f"tastes of {tastes:g} logits"
            yield Cell(
                "people",
                f"{people} people, {items} items, {design}, {leaning}",
                "corner" if min(people, items) < FEW else "ordinary",
                counted(design, people, items, of_items, tastes, camps=camps),
                RUNS,
                (design, people, items, of_items, tastes, camps),
            )
