"""What the order of the segments does to the paper's protocol on WMT21, humans only: many orders at once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.metric_error.data import GAMMA, SEGMENTS, Domain, Floats, Signs, eleven_systems, judged, tallies
from numpy.typing import NDArray
from scipy.special import betainc

from tiebreak.data.study import Study

Indices = NDArray[np.intp]

ALL_REFERENCES = ("ref-A", "ref-B", "ref-C", "ref-D")
BATCHES = (5, 10, 20, 25, 50, 100)


@dataclass(frozen=True)
class Looks:
    """Counts (L, K, 3) of a preferred, tie, b preferred after each batch; `sizes` (L,): labels of a pair by then."""

    counts: Floats
    sizes: Floats

    @classmethod
    def of(cls, signs: Signs, batch: int) -> Looks:
        """From signs (n, K) in the order in which they are asked for; the last batch may be smaller."""
        running = np.cumsum(tallies(signs), axis=0, dtype=np.float64)
        sizes = np.append(np.arange(batch, len(signs), batch), len(signs))
        return cls(running[sizes - 1], sizes.astype(np.float64))


def protocol(of: Domain, order: Sequence[int], batch: int) -> tuple[Floats, float]:
    """Error types (4,) and share of labels of Algorithm 2 without a metric, all pairs in the same order of items.

    theta is that of the Dirichlet posterior of the labels: the chance that a Beta(wins + 1, losses + 1) is above 1/2.
    """
    looks = Looks.of(of.human_signs[np.asarray(order)], batch)
    won, lost = looks.counts[..., 0], looks.counts[..., 2]
    theta = betainc(lost + 1, won + 1, 0.5)
    sides = (theta > 1 - GAMMA / 2).astype(np.int64) - (theta < GAMMA / 2)
    decided = sides != 0
    at = np.where(decided.any(axis=0), decided.argmax(axis=0), len(sides) - 1)
    pairs = np.arange(len(of.pairs))
    counts = looks.counts[at, pairs] + 1
    found = judged(of, sides[at, pairs], counts / counts.sum(axis=1, keepdims=True), float(looks.sizes[at].sum()))
    return np.array([found.correct, found.inversion, found.omission, found.insertion]), found.labels


@dataclass(frozen=True)
class RandomOrders:
    """The protocol in many random orders that all pairs share: shares of labels and of insertions, one per order."""

    labels: Floats
    insertion: Floats


@dataclass(frozen=True)
class OrderTest:
    """Document order, as all pairs share it, beside random orders of segments and of `stretches` of neighbours."""

    labels: float
    insertion: float
    segments: RandomOrders
    neighbours: RandomOrders
    stretches: int


def order_test(of: Domain, batch: int, orders: int, rng: np.random.Generator) -> OrderTest:
    """`orders` permutations of all segments, and as many of the stretches with the segments of each in their order."""
    types, labels = protocol(of, range(of.items), batch)
    together = stretches(of)
    single = np.split(np.arange(of.items), of.items)
    return OrderTest(
        labels,
        float(types[3]),
        random_orders(of, single, batch, orders, rng),
        random_orders(of, together, batch, orders, rng),
        len(together),
    )


def stretches(of: Domain) -> list[Indices]:
    """Places of the labelled segments, cut wherever segments in between are not labelled: documents, more or less."""
    numbers = np.array([int(name) for name in of.labelled])
    return np.split(np.arange(of.items), np.flatnonzero(np.diff(numbers) > 1) + 1)


def random_orders(
    of: Domain, blocks: Sequence[Indices], batch: int, orders: int, rng: np.random.Generator
) -> RandomOrders:
    """Blocks of segments in random order, each kept together."""
    found = []
    for _ in range(orders):
        order = np.concatenate([blocks[k] for k in rng.permutation(len(blocks))])
        types, labels = protocol(of, order.tolist(), batch)
        found.append((labels, types[3]))
    labels, insertion = np.array(found).T
    return RandomOrders(labels, insertion)


@dataclass(frozen=True)
class Setting:
    """One reading of what the paper did on WMT21, in document order: correct verdicts, insertions, share of labels."""

    references: tuple[str, ...]
    segments: int
    batch: int
    correct: float
    insertion: float
    labels: float

    def prints(self, correct: float, insertion: float, labels: float) -> bool:
        """Whether it rounds to these figures of two digits."""
        ours, printed = (self.correct, self.insertion, self.labels), (correct, insertion, labels)
        return all(abs(mine - theirs) <= 0.005 for mine, theirs in zip(ours, printed, strict=True))


def settings(wmt: Study) -> list[Setting]:
    """Which three references, the first 500 or all segments, batches of 5 to 100."""
    found = []
    for references in itertools.combinations(ALL_REFERENCES, 3):
        for segments in (SEGMENTS, None):
            of = eleven_systems(wmt, references, segments)
            for batch in BATCHES:
                types, labels = protocol(of, range(of.items), batch)
                found.append(Setting(references, of.items, batch, float(types[0]), float(types[3]), labels))
    return found
