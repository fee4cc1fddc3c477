"""Simulated annotators: who they are, what they answer for two outputs of known quality, and who is asked.

The model is that of dynamic-human-evaluation (Thorleiksdóttir et al. 2022, section 3.1): a worker of capability c
who sees two outputs that differ by d prefers the better one with probability (c d + 1) / 2. Added here: ties, which
are likely only when d is small; a preference for one side of the screen; answers given without reading; and leanings
toward a system whatever its outputs are. `crowd.py` draws for many workers, items and runs at once.

Where the answers of a simulated campaign come from: one interface for agents, old labels and pre-drawn matrices.

What simulated people judge: latent differences of pairs, qualities of many systems, clusters of items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.campaign.events import Response, TaskAssigned
from tiebreak.errors import UsageError
from tiebreak.records import TIE, A, B
from tiebreak.settings.shared import LARGEST_PRICE, LARGEST_QUALITY, LEAST_SECONDS, MOST_SECONDS

FloatArray = NDArray[np.float64]

_SPREAD_OF_LOG_SECONDS: Final = 0.5
_SHARE_SPREAD: Final = 0.3


@dataclass(frozen=True, slots=True)
class Worker:
    """One simulated annotator.

    `capability` in [0, 1]: 0 answers at random, 1 sees every difference for what it is.
    `tie_threshold` >= 0: a difference d is called a tie with probability max(0, 1 - |d| / tie_threshold), so never
    beyond the threshold and always at d = 0; 0: never answers "tie"; above 1: may do so at any difference.
    `side_preference` in [-1, 1]: in this share of the answers that are no ties, the worker takes a side without
    comparing: the left one if positive, the right one if negative.
    `spam_rate` in [0, 1]: share of answers drawn evenly from a, tie and b.
    `seconds_median` >= 0.001: median time for one answer, in seconds.
    `leanings`: systems and how much better, in [-1, 1], the worker sees their outputs than they are; none is 0.
    `price` >= 0: what one answer costs.

    Raises `UsageError` for a value outside its range (NaN included), or two leanings toward one system.
    """

    capability: float
    tie_threshold: float
    side_preference: float
    spam_rate: float
    seconds_median: float
    leanings: tuple[tuple[str, float], ...] = ()
    price: float = 0.0

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise UsageError(f"a worker's {name} must be from {low:g} to {high:,.12g}, not {value!r}")
        for system, lean in self.leanings:
            if not -1.0 <= lean <= 1.0:
                raise UsageError(f"a worker's leaning toward {system} must be from -1 to 1, not {lean!r}")
        if len({system for system, _ in self.leanings}) < len(self.leanings):
            raise UsageError(f"a worker has two leanings toward one system: {self.leanings!r}")

    def lean(self, system_a: str, system_b: str) -> float:
        """By how much the worker sees `system_a` nearer to `system_b` or farther above it than it is, in [-2, 2]."""
        known = dict(self.leanings)
        return known.get(system_a, 0.0) - known.get(system_b, 0.0)


_RANGES: Final = {
    "capability": (0.0, 1.0),
    "tie_threshold": (0.0, float(LARGEST_QUALITY)),
    "side_preference": (-1.0, 1.0),
    "spam_rate": (0.0, 1.0),
    "seconds_median": (LEAST_SECONDS, float(MOST_SECONDS)),
    "price": (0.0, float(LARGEST_PRICE)),
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
    traits = (worker.capability, worker.tie_threshold, worker.side_preference, worker.spam_rate)
    a, tie = answer_chances(*traits, d, np.asarray(a_on_left, dtype=np.bool_))
    return np.stack([a, tie, 1 - a - tie], axis=-1)


def answer_chances(
    capability: float | FloatArray,
    tie_threshold: float | FloatArray,
    side_preference: float | FloatArray,
    spam_rate: float | FloatArray,
    difference: FloatArray,
    a_on_left: NDArray[np.bool_],
) -> tuple[FloatArray, FloatArray]:
    """P(a) and P(tie) of answers; all arguments broadcast: one worker on many items, or another worker on each."""
    side = np.asarray(side_preference)
    takes_a = a_on_left == (side > 0)
    tie = tie_probability(tie_threshold, difference)
    a_if_no_tie = (1 - np.abs(side)) * (capability * difference + 1) / 2 + np.abs(side) * takes_a
    attention = 1 - np.asarray(spam_rate)
    spam = np.asarray(spam_rate) / 3
    return attention * (1 - tie) * a_if_no_tie + spam, attention * tie + spam


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
    return attentive_share(worker) * (1 - tie_probability(worker.tie_threshold, d)) * d


def attentive_share(worker: Worker) -> float:
    """(1 - spam_rate) (1 - |side_preference|) capability: what is left of a difference that the worker sees."""
    return (1 - worker.spam_rate) * (1 - abs(worker.side_preference)) * worker.capability


def draw_seconds(worker: Worker, count: int, rng: np.random.Generator) -> FloatArray:
    """Time per answer in seconds, log-normal around the worker's median, at least 1 and to a tenth, shape (count,)."""
    seconds = worker.seconds_median * np.exp(rng.normal(0.0, _SPREAD_OF_LOG_SECONDS, count))
    return np.maximum(np.round(seconds, 1), 1.0)


def draw_panel(size: int, rng: np.random.Generator) -> tuple[Worker, ...]:
    """A panel as one meets it: capable people, of whom two favour a side and one answers fast and carelessly.

    Capabilities are U(0.85, 1). Panels of fewer than three have the careful ones only.
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


def tie_probability(tie_threshold: float | FloatArray, difference: FloatArray) -> FloatArray:
    """max(0, 1 - |d| / tie_threshold), and 0 for whoever never answers "tie"; arguments broadcast."""
    threshold = np.asarray(tie_threshold, dtype=np.float64)
    scaled = np.abs(difference) / np.where(threshold > 0, threshold, 1.0)
    return np.where(threshold > 0, np.maximum(0.0, 1.0 - scaled), 0.0)


class SimulatedAnswer(NamedTuple):
    """A response, the seconds that it took, and its price."""

    response: Response
    seconds: float
    price: float


class AnswerSource(Protocol):
    """The people of one run. Asked in the order of simulated time; a source keeps what it needs to be consistent."""

    @property
    def people(self) -> int:
        """How many work at the same time."""

    def answer(self, person: int, task: TaskAssigned) -> SimulatedAnswer:
        """What a person (from 0) says of a task."""


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
