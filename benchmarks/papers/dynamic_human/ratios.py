"""How many times One Worker's labels each method of dynamic-human-evaluation takes, on the same workers and items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from benchmarks.papers.dynamic_human.runs import (
    LAST_CROSSING,
    METHODS,
    SETTINGS,
    TABLE_3,
    Z99,
    Average,
    Floats,
    simulated,
)
from benchmarks.papers.dynamic_human.tables import CAPABILITY, D, Redrawn, Redraws, Row

from tiebreak.simulate.people.crowd import Crowd, capable_workers
from tiebreak.simulate.people.workers import difficulties

HEADER = (
    *("capability", "mean difficulty", "method", "paper", "ratio", "deviation", "low", "high", "paper within"),
    *("labels", "decided"),
)
ONE = "One Worker"
WIDER = ((0.5, 1.0), (0.0, 1.0))  # the paper names no figures: these are ours


def within_redraws(of: Redraws, name: str) -> Floats:
    """One ratio per redraw: the method's average to One Worker's, both over the same workers and items."""
    return np.array(of[name].averages) / np.array(of[ONE].averages)


def items_for(items: int, low: float, high: float) -> int:
    """As many times more items as the square of the mean capability asks for, in whole hundreds."""
    factor = (sum(CAPABILITY) / (low + high)) ** 2
    return math.ceil(items * factor / 100) * 100


def wider_redraws(
    number: int, capability: tuple[float, float], iterations: int, redraws: int, seed: int, workers: int
) -> dict[str, Redrawn]:
    """All methods in a setting of Table 3 with workers of other capabilities: the last crossing, undecided iterations
    with all their labels.
    """
    mean, items = SETTINGS[number]
    averages: dict[str, list[float]] = {name: [] for name in METHODS}
    decided: dict[str, list[float]] = {name: [] for name in METHODS}
    for redraw in range(redraws):
        rng = np.random.default_rng([seed, 7, number, WIDER.index(capability), redraw])
        crowd = Crowd.of(capable_workers(100, *capability, rng))
        drawn = difficulties(mean, items_for(items, *capability), rng)
        for name, (runs,) in simulated(crowd, drawn, [(LAST_CROSSING, D)], iterations, seed + redraw, workers).items():
            averages[name].append(Average.of(runs, all_runs=True).mean)
            decided[name].append(float(runs.decided.mean()))
    return {name: Redrawn(averages[name], decided[name]) for name in METHODS}


def ratios(own: Sequence[Redraws], iterations: int, redraws: int, seed: int, workers: int) -> Iterator[Row]:
    """`own`: the redraws of Table 3, by setting; iterations, redraws: of the wider capabilities."""
    for (mean, _), of in zip(SETTINGS, own, strict=True):
        printed = dict(zip(METHODS, (average for average, _, _ in TABLE_3[mean]), strict=True))
        for name in METHODS:
            if name != ONE:
                found, paper = within_redraws(of, name), printed[name] / printed[ONE]
                inside = bool(abs(paper - found.mean()) <= Z99 * found.std(ddof=1))
                yield "0.8 to 1", mean, name, paper, *_spread(found), "yes" if inside else "no", None, None
    for low, high in WIDER:
        for number, (mean, _) in enumerate(SETTINGS):
            of = wider_redraws(number, (low, high), iterations, redraws, seed, workers)
            for name in METHODS:
                spread = (1.0, None, None, None) if name == ONE else _spread(within_redraws(of, name))
                labels, decided = float(np.mean(of[name].averages)), float(np.mean(of[name].decided))
                yield f"{low:g} to {high:g}", mean, name, None, *spread, None, labels, decided


def _spread(found: Floats) -> tuple[float, float, float, float]:
    return float(found.mean()), float(found.std(ddof=1)), float(found.min()), float(found.max())
