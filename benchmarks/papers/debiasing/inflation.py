"""What the paper calls a perfect metric contains the rating itself: how much that inflates, by simulation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from benchmarks.papers.debiasing.experts import rated_rows

from tiebreak.kernels.data_efficiency import perfect_metric


class Inflation(NamedTuple):
    """With `people` per output: what no metric exceeds, what a perfect metric is as the paper has it, and leave-one-out
    (medians over studies); `limit`: (1 + gamma)/gamma.
    """

    gamma: float
    people: int
    limit: float
    as_in_paper: float
    leave_one_out: float
    ceiling: float


def inflation(gamma: float, people: int, *, studies: int = 40, outputs: int = 2_000, seed: int = 1) -> Inflation:
    """Normal outputs of variance 1, ratings of variance gamma around them."""
    rng = np.random.default_rng([seed, people, round(1000 * gamma)])
    found = []
    for _ in range(studies):
        worth = rng.normal(size=(outputs, 1))
        of = perfect_metric(rated_rows(worth + np.sqrt(gamma) * rng.normal(size=(outputs, people))))
        found.append((of.as_in_paper, of.leave_one_out, of.ceiling))
    in_paper, without, ceiling = np.median(np.array(found, dtype=np.float64), axis=0).tolist()
    return Inflation(gamma, people, (1 + gamma) / gamma, in_paper, without, ceiling)
