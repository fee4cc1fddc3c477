"""The power curve: what chance so many labels have of finding a difference, and what difference they find."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.planning.campaigns import PlannedOutcomes, grow_campaigns
from tiebreak.planning.result import PowerCurve, Reach
from tiebreak.simulate.engines.stopping import SimulatedRule

Floats = NDArray[np.float64]

CHANCE: Final = 0.8
"""The chance with which a difference counts as found."""

SMALLEST: Final = 0.01
_STEP: Final = 1.6  # between the differences that are simulated
_ROUND: Final = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Detection:
    """Answers (runs,) of one pair until it was found that the first system is better, infinite where it was not."""

    difference: float
    labels: Floats

    def chance(self, labels: float) -> float:
        """The chance of having found the difference by so many labels."""
        return float((self.labels <= labels).mean())

    def needed(self, chance: float = CHANCE) -> float:
        """Answers that find the difference with this chance."""
        return float(np.quantile(self.labels, chance, method="higher"))


def detections(
    differences: Sequence[float],
    ties: float,
    rule: SimulatedRule,
    most_items: int,
    runs: int,
    rng: np.random.Generator,
) -> list[Detection]:
    """Simulated campaigns of each difference, one answer an item."""
    found = []
    for difference in differences:
        runs_of = grow_campaigns(PlannedOutcomes(difference, ties, runs), [rule], most_items, rng)[rule]
        found.append(Detection(difference, np.where(runs_of.verdict == 1, runs_of.labels, np.inf)))
    return found


def grid_of_differences(ties: float, smallest: float = SMALLEST) -> list[float]:
    """From `smallest` to almost the largest difference, in steps of a factor of 1.6."""
    largest = 0.85 * (1 - ties)
    smallest = min(smallest, largest / _STEP)
    count = int(np.floor(np.log(largest / smallest) / np.log(_STEP))) + 1
    return [float(value) for value in np.geomspace(smallest, largest, max(count, 2))]


def smallest_found(grid: Sequence[Detection], labels: float) -> float | None:
    """The smallest difference that so many labels find with 80% chance, between the simulated ones; or None.

    Answers needed fall with the difference: interpolated on the logarithms of both; beyond the smallest difference that
    was found at all they grow with 1/difference^2.
    """
    known = [(found.needed(), found.difference) for found in grid if np.isfinite(found.needed())]
    needed = np.minimum.accumulate([need for need, _ in known]) if known else np.empty(0)
    if not known or labels < needed[-1]:
        return None
    if labels > needed[0]:
        return known[0][1] * math.sqrt(needed[0] / labels)
    sizes = np.log([difference for _, difference in known])
    return float(np.exp(np.interp(-np.log(labels), -np.log(needed), sizes)))


def power_curves(curves: Sequence[Detection], labels: Sequence[int]) -> tuple[PowerCurve, ...]:
    """The chances of the simulated differences at these numbers of labels."""
    return tuple(
        PowerCurve(found.difference, tuple(labels), tuple(found.chance(count) for count in labels)) for found in curves
    )


def reaches(grid: Sequence[Detection], labels: Sequence[int]) -> tuple[Reach, ...]:
    """What each number of labels finds."""
    return tuple(Reach(count, smallest_found(grid, count)) for count in labels)


def round_numbers(low: float, high: float) -> list[int]:
    """1, 2, 5, 10, 20, ... from the one at or below `low` to the one at or above `high`."""
    first = int(np.floor(np.log10(max(low, 1.0))))
    last = int(np.ceil(np.log10(max(high, low, 1.0)))) + 1
    series = [step * 10**power for power in range(first, last + 1) for step in _ROUND]
    below = [number for number in series if number <= max(low, 1.0)]
    above = [number for number in series if number >= high]
    start = below[-1] if below else series[0]
    return [number for number in series if start <= number <= (above[0] if above else series[-1])]


def with_steps_between(labels: Sequence[int], steps: int = 8) -> list[int]:
    """These numbers (rising) and some between each two, evenly on a logarithmic scale: for a smooth curve."""
    between = [round(float(value)) for low, high in pairwise(labels) for value in np.geomspace(low, high, steps + 1)]
    return sorted({*labels, *between})


_LOWEST, _HIGHEST = 0.8, 1.0  # capabilities, as in dynamic-human-evaluation
_LARGEST_MEAN, _LARGEST_SPREAD, _SMALLEST_SPREAD = 12.0, 4.0, 1e-3
