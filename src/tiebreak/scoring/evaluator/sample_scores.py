"""Scores of single samples from comparisons (learning-to-compare, RQ1): points against common references."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

COMMON_REFERENCES = 50
POINTS = (3.0, 1.0, 0.0)
"""For beating a reference, for a draw, for losing against it."""


def common_references(candidates: Places, generator: np.random.Generator, count: int = COMMON_REFERENCES) -> Places:
    """Machine-generated samples of systems that are not scored, drawn once; all of them where there are no more."""
    if candidates.size <= count:
        return np.sort(candidates)
    return np.sort(generator.choice(candidates, size=count, replace=False))


def reference_points(outcomes: NDArray[np.int8]) -> Floats:
    """The mean points of each sample (n,) from its outcomes against common references (n, r): 1, 0 or -1.

    Between 0 (beaten by all) and 3 (beats all).
    """
    win, draw, loss = POINTS
    return np.where(outcomes > 0, win, np.where(outcomes < 0, loss, draw)).mean(axis=1)


Compare = Callable[[Places, Places], NDArray[np.int8]]
"""Outcomes (n,) of samples a (n,) against b (n,)."""


def points_against(samples: Places, references: Places, compare: Compare) -> Floats:
    """`reference_points` of samples (n,), each compared with all references."""
    a, b = np.repeat(samples, references.size), np.tile(references, samples.size)
    return reference_points(compare(a, b).reshape(samples.size, references.size))
