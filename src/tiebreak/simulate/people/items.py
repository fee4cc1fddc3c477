"""What simulated people judge: latent differences of pairs, qualities of many systems, clusters of items."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError

Floats = NDArray[np.float64]

PAPER_VARIANCE: Final = 0.1


def difficulties(mean: float, items: int, rng: np.random.Generator, variance: float = PAPER_VARIANCE) -> Floats:
    """The paper's items: latent differences N(mean, variance) clipped to [-1, 1], shape (items,).

    The paper writes N(mu, 0.1); its figures come out with 0.1 as the variance, not as the standard deviation.
    Raises `UsageError` for no items or a negative variance.
    """
    if items < 1 or not variance >= 0:
        raise UsageError(f"items must be at least 1 and the variance at least 0, not {items} and {variance}")
    return np.clip(rng.normal(mean, math.sqrt(variance), items), -1.0, 1.0)


def cluster_numbers(items: int, size: int) -> NDArray[np.int64]:
    """Clusters 0, 0, ..., 1, 1, ... of `size` neighbouring items, the last one possibly smaller, shape (items,)."""
    if size < 1:
        raise UsageError(f"a cluster has at least 1 item, not {size}")
    return np.arange(items) // size


def output_qualities(
    systems: ArrayLike,
    spread: float,
    clusters: NDArray[np.int64],
    rng: np.random.Generator,
    intraclass: float = 0.0,
) -> Floats:
    """Latent quality of every output, shape (items, systems): its system's quality plus noise of its own.

    `systems` (S,): mean qualities, higher is better. `spread`: standard deviation of a system's outputs. `clusters`
    (items,): numbers from 0; two outputs of one system in one cluster have noise that correlates by `intraclass` in
    [0, 1]. Raises `UsageError` for values outside their ranges.
    """
    quality = np.asarray(systems, dtype=np.float64)
    if quality.ndim != 1 or not np.isfinite(quality).all():
        raise UsageError("the qualities of systems must be a list of finite numbers")
    if not spread >= 0 or not 0 <= intraclass <= 1:
        raise UsageError(f"the spread must be at least 0 and intraclass in [0, 1], not {spread} and {intraclass}")
    shared = rng.normal(size=(int(clusters.max(initial=-1)) + 1, quality.size))[clusters]
    own = rng.normal(size=(clusters.size, quality.size))
    return quality + spread * (math.sqrt(intraclass) * shared + math.sqrt(1 - intraclass) * own)
