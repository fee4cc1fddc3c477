"""Simulated annotators: who they are, what they answer for two outputs of known quality, and who is asked.

The model is that of dynamic-human-evaluation (Thorleiksdóttir et al. 2022, section 3.1): a worker of capability c
who sees two outputs that differ by d prefers the better one with probability (c d + 1) / 2. Added here: ties, which
are likely only when d is small; a preference for one side of the screen; and answers given without reading.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError
from tiebreak.records import TIE, A, B

FloatArray = NDArray[np.float64]

_SPREAD_OF_LOG_SECONDS: Final = 0.5
_SHARE_SPREAD: Final = 0.3


@dataclass(frozen=True, slots=True)
class Worker:
    """One simulated annotator.

    `capability` in [0, 1]: 0 answers at random, 1 sees every difference for what it is.
    `tie_threshold` in [0, 1]: a difference d is called a tie with probability max(0, 1 - |d| / tie_threshold), so
    never beyond the threshold and always at d = 0; 0: never answers "tie".
    `side_preference` in [-1, 1]: in this share of the answers that are no ties, the worker takes a side without
    comparing: the left one if positive, the right one if negative.
    `spam_rate` in [0, 1]: share of answers drawn evenly from a, tie and b.
    `seconds_median` > 0: median time for one answer, in seconds.

    Raises `UsageError` for a value outside its range (NaN included).
    """

    capability: float
    tie_threshold: float
    side_preference: float
    spam_rate: float
    seconds_median: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            low, high = _RANGES[field.name]
            if not low <= value <= high or (field.name == "seconds_median" and value == 0):
                allowed = "more than 0" if field.name == "seconds_median" else f"from {low:g} to {high:g}"
                raise UsageError(f"a worker's {field.name} must be {allowed}, not {value!r}")


_RANGES: Final = {
    "capability": (0.0, 1.0),
    "tie_threshold": (0.0, 1.0),
    "side_preference": (-1.0, 1.0),
    "spam_rate": (0.0, 1.0),
    "seconds_median": (0.0, float(np.finfo(np.float64).max)),
}


def quality_difference(quality_a: ArrayLike, quality_b: ArrayLike) -> FloatArray:
    """The latent difference d = quality_a - quality_b, clipped to [-1, 1] as in the paper. Shapes broadcast."""
    difference = np.asarray(quality_a, dtype=np.float64) - np.asarray(quality_b, dtype=np.float64)
    return np.clip(difference, -1.0, 1.0)


def outcome_probabilities(worker: Worker, difference: ArrayLike, a_on_left: ArrayLike) -> FloatArray:
    """P(a), P(tie), P(b) of a worker's answer, shape (n, 3); each row sums to 1.

    `difference`: d in [-1, 1], shape (n,); `a_on_left`: whether system_a's output was on the left, shape (n,) or ().
    """
    d = np.asarray(difference, dtype=np.float64)
    takes_a = np.asarray(a_on_left, dtype=np.bool_) == (worker.side_preference > 0)
    side = abs(worker.side_preference)
    tie = _tie_probability(worker, d)
    a_if_no_tie = (1 - side) * (worker.capability * d + 1) / 2 + side * takes_a
    honest = np.stack([(1 - tie) * a_if_no_tie, tie, (1 - tie) * (1 - a_if_no_tie)], axis=-1)
    return (1 - worker.spam_rate) * honest + worker.spam_rate / 3


def draw_outcomes(
    worker: Worker, difference: ArrayLike, a_on_left: ArrayLike, rng: np.random.Generator
) -> NDArray[np.int8]:
    """One answer per difference: `A` (1), `TIE` (0) or `B` (-1), shape (n,). Arguments as above."""
    probabilities = outcome_probabilities(worker, difference, a_on_left)
    uniform = rng.random(probabilities.shape[:-1])
    is_a = uniform < probabilities[..., 0]
    is_b = uniform >= probabilities[..., 0] + probabilities[..., 1]
    return np.where(is_a, A, np.where(is_b, B, TIE)).astype(np.int8)


def expected_outcome(worker: Worker, difference: ArrayLike) -> FloatArray:
    """P(a) - P(b) of an answer whose sides are drawn by a fair coin; an odd function of `difference`, shape (n,).

    The side preference cancels between the two layouts, and leaves only the answers it spoils:
    (1 - spam_rate) (1 - |side_preference|) (1 - P(tie)) capability d.
    """
    d = np.asarray(difference, dtype=np.float64)
    attention = (1 - worker.spam_rate) * (1 - abs(worker.side_preference)) * worker.capability
    return attention * (1 - _tie_probability(worker, d)) * d


def draw_seconds(worker: Worker, count: int, rng: np.random.Generator) -> FloatArray:
    """Time per answer in seconds, log-normal around the worker's median, at least 1 and to a tenth, shape (count,)."""
    seconds = worker.seconds_median * np.exp(rng.normal(0.0, _SPREAD_OF_LOG_SECONDS, count))
    return np.maximum(np.round(seconds, 1), 1.0)


def draw_panel(size: int, rng: np.random.Generator) -> tuple[Worker, ...]:
    """A panel as one meets it: capable people, of whom two favour a side and one answers fast and carelessly.

    Capabilities are U(.85, 1). Panels of fewer than three have the careful ones only.
    """
    if size < 1:
        raise UsageError(f"a panel needs at least one worker, not {size}")
    odd = {0: (0.25, 0.0), 1: (-0.2, 0.0), 2: (0.0, 0.3)} if size > 2 else {}
    panel = []
    for place in rng.permutation(size):
        side, spam = odd.get(int(place), (rng.uniform(-0.04, 0.04), rng.uniform(0.0, 0.03)))
        panel.append(
            Worker(
                capability=rng.uniform(0.85, 1.0),
                tie_threshold=rng.uniform(0.1, 0.3),
                side_preference=side,
                spam_rate=spam,
                seconds_median=rng.uniform(3.0, 5.0) if spam >= 0.3 else rng.uniform(10.0, 25.0),
            )
        )
    return tuple(panel)


def draw_shares(size: int, rng: np.random.Generator) -> FloatArray:
    """The share of all labels that each of `size` workers gives: unequal, none twice another's; sums to 1."""
    weights = rng.uniform(1 - _SHARE_SPREAD, 1 + _SHARE_SPREAD, size)
    shares: FloatArray = weights / weights.sum()
    return shares


def assign_workers(shares: FloatArray, items: int, labels_per_item: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Different workers for every item, shape (items, labels_per_item), as indices into `shares`.

    Worker w is asked on an item with probability exactly `labels_per_item * shares[w]` (systematic sampling along
    the shares in random order), so the mean over workers of an expectation is the mean weighted by shares.
    Raises `UsageError` when a share is above 1 / labels_per_item: that worker would be asked twice on one item.
    """
    if shares.max() * labels_per_item > 1:
        raise UsageError(
            f"{labels_per_item} labels per item need {labels_per_item} different workers, "
            f"but one worker has {shares.max():.0%} of the labels; ask for at most {int(1 / shares.max())}"
        )
    order = rng.permuted(np.broadcast_to(np.arange(shares.size), (items, shares.size)), axis=1)
    ends = np.cumsum(shares[order], axis=1)
    points = (rng.random((items, 1)) + np.arange(labels_per_item)) / labels_per_item
    # Rounding may leave the last end a hair below 1 and a point beyond it.
    places = np.minimum((points[:, :, None] >= ends[:, None, :]).sum(axis=2), shares.size - 1)
    return np.take_along_axis(order, places, axis=1)


def _tie_probability(worker: Worker, difference: FloatArray) -> FloatArray:
    if worker.tie_threshold == 0:
        return np.zeros_like(difference)
    return np.maximum(0.0, 1.0 - np.abs(difference) / worker.tie_threshold)
