"""Labels to a decision, against reference figures: a valid process that never decides would be worthless.

One direction at 1/alpha, on pools of items. Each figure may be worse than its reference by 5 % and three standard
errors of the run. The references were measured on earlier prototypes.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.simulation import chunks, pool_outcomes
from numpy.typing import NDArray
from tests.kernels.crossings import (
    equivalence_labels,
    pool_direction_labels,
    standard_error,
)

Floats = NDArray[np.float64]

POOL_SMALL_RUNS, POOL_FULL_RUNS = 150, 2_000


def check_no_worse(labels: Floats, reference: float) -> None:
    """The mean is at most the reference plus 5 % and three standard errors of this run."""
    assert labels.mean() <= 1.05 * reference + 3 * standard_error(labels), (labels.mean(), reference)
    # Far below the reference something else would be wrong: the references are within a factor of their bounds.
    assert labels.mean() >= 0.6 * reference, (labels.mean(), reference)


BOUNDED_MEAN = [(1_000, 292), (100_000, 513)]  # difference .1, 30 % ties, alpha .05
EQUIVALENCE = [(500, 295), (1_000, 422), (5_000, 663)]  # difference 0, 30 % ties, margin .1, alpha .05


def check_bounded_mean(pool_size: int, reference: float, runs: int) -> None:
    outcomes = pool_outcomes(np.random.default_rng(207), runs, pool_size, 0.1, 0.3, min(pool_size, 5_000))
    check_no_worse(pool_direction_labels(outcomes, pool_size, 0.05), reference)


def check_equivalence(pool_size: int, reference: float, runs: int, spread: float = 0.15) -> None:
    labels = []
    rng = np.random.default_rng(208)
    for chunk in chunks(runs, 1_000):
        outcomes = pool_outcomes(rng, chunk, pool_size, 0.0, 0.3)
        labels.append(equivalence_labels(outcomes, pool_size, 0.1, 0.05, spread))
    check_no_worse(np.concatenate(labels), reference)


def test_bounded_mean_on_a_pool() -> None:
    check_bounded_mean(*BOUNDED_MEAN[0], runs=POOL_SMALL_RUNS)


def test_equivalence_on_a_pool() -> None:
    check_equivalence(*EQUIVALENCE[1], runs=POOL_SMALL_RUNS)


@pytest.mark.full
@pytest.mark.parametrize(("pool_size", "reference"), BOUNDED_MEAN)
def test_bounded_mean_on_a_pool_in_full(pool_size: int, reference: float) -> None:
    check_bounded_mean(pool_size, reference, POOL_FULL_RUNS)


@pytest.mark.full
@pytest.mark.parametrize(("pool_size", "reference"), EQUIVALENCE)
def test_equivalence_on_a_pool_in_full(pool_size: int, reference: float) -> None:
    check_equivalence(pool_size, reference, POOL_FULL_RUNS)
