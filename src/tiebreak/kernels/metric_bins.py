"""Quantile bins of a metric, symmetric under a change of sign: swapping the two systems mirrors the bins exactly.

A value that equals a cut point gets a bin of its own between its neighbours, so that a metric with few values (a judge
that answers win, tie or loss) is not cut through the middle of a value, and so that negating the metric reverses the
bins instead of shifting ties from one bin to the next.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

BINS = 10


def cut_points(reference: Floats, bins: int = BINS) -> Floats:
    """The bins - 1 quantiles (..., bins - 1) of the reference values (..., R), R >= 1, halfway between two values.

    Repeated cut points (a metric with few values) are kept: the slots between them stay empty.
    """
    ordered = np.sort(reference, axis=-1)
    size = ordered.shape[-1]
    numerators = size * np.arange(1, bins)
    upper = numerators // bins
    lower = np.where(numerators % bins == 0, upper - 1, upper)
    return np.asarray((ordered[..., lower] + ordered[..., upper]) / 2)


def bin_numbers(metric: Floats, cuts: Floats) -> Integers:
    """Slot (..., n) of each metric value (..., n): from 0 to 2 C for C cut points (..., C), odd on a cut point.

    Leading axes of both are the same, or `cuts` has none.
    """
    if cuts.ndim == 1:
        return np.asarray(np.searchsorted(cuts, metric, "left") + np.searchsorted(cuts, metric, "right"))
    slots = np.empty(metric.shape, dtype=np.intp)
    for place in np.ndindex(metric.shape[:-1]):
        slots[place] = bin_numbers(metric[place], cuts[place])
    return slots


def bin_means(reference: Floats, cuts: Floats) -> Floats:
    """Mean of the standardised reference values in each of the 2 C + 1 slots; (..., 2 C + 1).

    A slot without reference values lies on the line between its neighbours. A reference without spread gives zeros.
    """
    if reference.ndim > 1:
        rows = [bin_means(reference[place], cuts[place]) for place in np.ndindex(reference.shape[:-1])]
        return np.array(rows).reshape(*reference.shape[:-1], -1)
    slots = np.arange(2 * cuts.size + 1)
    largest = float(np.abs(reference).max())
    scaled = reference / largest if largest > 0 else reference  # squares of huge values would overflow
    spread = float(scaled.std())
    if not spread > 1e-12:
        return np.zeros(slots.size)
    numbers = bin_numbers(reference, cuts)
    counts = np.bincount(numbers, minlength=slots.size)
    sums = np.bincount(numbers, weights=(scaled - scaled.mean()) / spread, minlength=slots.size)
    filled = counts > 0
    return np.interp(slots, slots[filled], sums[filled] / counts[filled])
