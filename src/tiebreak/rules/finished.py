"""One look at finished labels: which test suits the evidence of a pair, and the tests of many pairs at once.

| claim | an item's value | test |
| --- | --- | --- |
| inputs like these | one outcome | exact test of the score, Tango's interval (`paired_outcomes`) |
| inputs like these | the mean of several labels | sign flips and score test, both (`unit_means`) |
| inputs like these, in clusters | either | the same two of cluster sums |
| these items, whole clusters drawn | either | the same, without replacement |
| these items | one outcome | exact, without replacement (`paired_pool`); all labelled: the sign of the mean |
| these items | the mean of several labels | the same two, without replacement |
| either | a difference of mean ratings | the same two, with a nearer unseen item |
| inputs and people like these | labels | the same of people, and two-way variances (`two_way`) |
| any, with metrics that help | either | the same of values adjusted by held-out regression (`metric_means`) |

What an item's value is follows from how it was labelled, never from the values themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.held_out_regression import HeldOut
from tiebreak.kernels.metric_means import MetricMeans, metric_cluster_means, metric_means
from tiebreak.kernels.one_look import OneLook, with_known
from tiebreak.kernels.paired_outcomes import paired_outcomes, paired_pool
from tiebreak.kernels.score_interval import ANYWHERE, DIFFERENCES
from tiebreak.kernels.unit_means import ClusterPool, Pool, grouped_means, item_means, lattice

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TestKind = Literal["outcomes", "means", "clusters", "people", "pool", "whole-pool"]

TEST_WORDS: Final[dict[TestKind, str]] = {
    "outcomes": "exact score test",
    "means": "joint sign-flip and score test",
    "clusters": "joint sign-flip and score test over clusters",
    "people": "two-way test over items and people",
    "pool": "exact test without replacement",
    "whole-pool": "count of all items",
}
SOURCES: Final[dict[TestKind, tuple[str, ...]]] = {
    "outcomes": ("suissa1991", "tango1998"),
    "means": ("canay2017",),
    "clusters": ("canay2017",),
    "people": ("cameron2011", "canay2017"),
}
"""What to cite for a test, by the keys of `messages.bibliography`."""
EXACT: Final[frozenset[TestKind]] = frozenset(("outcomes", "pool", "whole-pool"))
"""Tests that err with at most their level, whatever the data; the others do so about."""

_STREAK: Final = 40


@dataclass(frozen=True, slots=True)
class FinishedSet:
    """The labels of one pair, in no order.

    `values` (n,) in [-1, 1], positive for a; `labels` (n,) >= 1 behind each; `variances` (n,) of the labels of an item
    where values are means of several, None where each is one outcome. `clusters` (n,): items with the same number
    depend on one another; None: independent. `pool_size` >= n: number of items of the claim, None for inputs like
    these; `pool_clusters`: number of its clusters, where whole `clusters` were drawn from it. `claim_size` >= n: number
    of items of a claim about these items, where that is known though `pool_size` is of no use. `scale` in [0, 1]: share
    of all items that these stand for, the others being known ties. `points`: rating points of a value of 1, of
    differences of mean ratings; estimates and intervals are in points then. `metrics` (n, M) on the labelled items and
    `pool_metrics` (N, M) on all items, the labelled among them, NaN where absent; None without any.

    Raises:
        ValueError: clusters of a pool whose number of clusters is not given.
    """

    values: Floats
    labels: Integers
    variances: Floats | None = None
    clusters: NDArray[np.intp] | None = None
    pool_size: int | None = None
    pool_clusters: int | None = None
    claim_size: int | None = None
    scale: float = 1.0
    metrics: Floats | None = None
    pool_metrics: Floats | None = None
    points: float | None = None

    def __post_init__(self) -> None:
        if self.clusters is not None and (self.pool_size is None) != (self.pool_clusters is None):
            raise ValueError("whole clusters of a pool were drawn: say how many clusters it has, or name no pool")

    @property
    def counts(self) -> tuple[int, int, int]:
        """Items that favour a, neither and b."""
        return int((self.values > 0).sum()), int((self.values == 0).sum()), int((self.values < 0).sum())


class FinishedCounts(NamedTuple):
    """All that the tests of one outcome per item need to know of a pair: the counts of a `FinishedSet`."""

    wins: int
    ties: int
    losses: int
    pool_size: int | None = None
    scale: float = 1.0


class _Test(Protocol):
    """Tests of pairs of one kind, as arrays (k,)."""

    @property
    def p_a(self) -> Floats: ...

    @property
    def p_b(self) -> Floats: ...

    def interval(self, level: float) -> tuple[Floats, Floats]: ...


class FinishedSets:
    """The tests of K pairs, each by the test that suits its evidence, all at once where they are alike.

    `estimates` (K,) of the difference over all items, nan without labels; `p_a`, `p_b` (K,): one-sided p-values, small
    where a, where b is better; `smallest_p` (K,): the smallest that either could have been, had all units that lean to
    a side leaned to one (had all labels agreed it may be smaller: `all_agreeing`). `helped`: what metrics did, by the
    number of the pair, where there were any.

    A metric changes the test of a pair only where held-out regression chose it in some fold; without that the test is
    the one for labels alone.
    """

    def __init__(self, given: Iterable[FinishedSet | FinishedCounts]) -> None:
        counted: dict[int, FinishedCounts] = {}
        scales = []
        self.helped: dict[int, HeldOut] = {}
        self._looks: dict[int, OneLook] = {}
        for k, of in enumerate(given):  # one at a time: those of all pairs together would not fit into memory
            if isinstance(of, FinishedCounts):
                scales.append(of.scale)
                counted[k] = of
                continue
            scales.append(of.scale * (of.points or 1.0))
            assisted = _with_metrics(of) if of.metrics is not None and of.values.size else None
            if assisted is not None:
                self.helped[k] = assisted.help
            if assisted is not None and assisted.help.used.any():
                self._looks[k] = _known(of, assisted.test)
            elif of.clusters is None and of.variances is None:
                counted[k] = FinishedCounts(*of.counts, of.pool_size, of.scale)
            else:
                self._looks[k] = _known(of, _look(of))
        self._scale = np.array(scales)
        self.estimates, self.p_a, self.p_b, self.smallest_p = (np.ones(len(scales)) for _ in range(4))
        self._tests: list[tuple[NDArray[np.intp], _Test]] = []
        for in_pool in (False, True):
            self._count({k: counts for k, counts in counted.items() if (counts.pool_size is not None) == in_pool})
        for k, look in self._looks.items():
            self.p_a[k], self.p_b[k], self.smallest_p[k] = look.p_a, look.p_b, look.smallest_p
            self.estimates[k] = look.estimate
        self.estimates *= self._scale

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Low and high (K,) at `level` a side: low > 0 exactly where p_a <= level, high < 0 where p_b <= level."""
        low, high = np.empty(self._scale.size), np.empty(self._scale.size)
        for places, tests in self._tests:
            low[places], high[places] = tests.interval(level)
        for k, look in self._looks.items():
            low[k], high[k] = look.interval(level)
        return self._scale * low, self._scale * high

    def _count(self, alike: Mapping[int, FinishedCounts]) -> None:
        """Pairs whose evidence is counts."""
        if not alike:
            return
        at = np.array(list(alike), dtype=np.intp)
        wins, ties, losses = np.array([of[:3] for of in alike.values()], dtype=np.float64).T
        pool = np.array([of.pool_size or 0 for of in alike.values()], dtype=np.float64)
        total = wins + ties + losses
        tests: _Test = paired_pool(wins, ties, losses, pool) if pool.any() else paired_outcomes(wins, ties, losses)
        self.p_a[at], self.p_b[at] = tests.p_a, tests.p_b
        self.estimates[at] = np.where(total > 0, (wins - losses) / np.maximum(total, 1), np.nan)
        self.smallest_p[at] = _of_perfect_streaks(wins + losses, ties, pool)
        self._tests.append((at, tests))


def all_agreeing(of: FinishedSet) -> FinishedSet:
    """The same labels, had all that are no ties been for a: a split panel could have agreed, and so could a cluster."""
    if of.variances is None:
        return replace(of, values=np.abs(of.values))
    untied = np.round(of.variances * (of.labels - 1) + of.labels * of.values**2)  # each is worth a square of 1
    untied = np.minimum(untied, of.labels)  # the variance of means over samples is more than that of their labels
    variances = (untied - untied**2 / of.labels) / np.maximum(of.labels - 1, 1)
    return replace(of, values=untied / of.labels, variances=variances)


def least_streak(of: FinishedSet, level: float, ties: int = 0) -> int:
    """The fewest units that must agree, with all their labels, for a verdict at `level` in (0, 1/2), all others being
    ties, and at least so many of these: by the test itself. More than there are where not even all of them do.

    Raises:
        ValueError: no units.
    """
    units = of.values.size if of.clusters is None else np.unique(of.clusters).size
    if not units:
        raise ValueError("without any unit nothing is known of those that must agree")
    low, high = 0, 1
    while FinishedSets([_streak(of, high, max(units, high + ties))]).p_a[0] > level:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        decided = FinishedSets([_streak(of, middle, max(units, middle + ties))]).p_a[0] <= level
        low, high = (low, middle) if decided else (middle, high)
    return high


def _streak(of: FinishedSet, agreeing: int, units: int) -> FinishedSet:
    """So many units, at least those there are, of which some agree: the largest clusters, or any items."""
    clusters, sizes = None, np.ones(units, dtype=np.int64)
    if of.clusters is not None:
        known = np.sort(np.unique(of.clusters, return_counts=True)[1])[::-1]
        sizes = np.concatenate([known, np.full(units - known.size, max(1, round(float(known.mean()))))])
        clusters = np.repeat(np.arange(sizes.size), sizes)
    values = np.repeat(np.arange(sizes.size) < agreeing, sizes).astype(np.float64)
    labels = np.resize(np.sort(of.labels)[::-1], values.size)
    return FinishedSet(
        values=values,
        labels=labels,
        variances=None if of.variances is None else np.zeros(values.size),
        clusters=clusters,
        pool_size=None if of.pool_size is None else max(of.pool_size, values.size + 1),
        pool_clusters=None if of.pool_clusters is None else max(of.pool_clusters, sizes.size + 1),
    )


def _of_perfect_streaks(untied: Floats, ties: Floats, pool: Floats) -> Floats:
    """The p-values (k,) had all untied items agreed; beyond 40 of them 2^-40, which is below all levels.

    Ties are what the test knows of the share of ties: with many of them a streak can have less than 2^-n.
    """
    p: Floats = np.where((pool > 0) & (pool == untied + ties), 0.0, 0.5**_STREAK)
    few = (untied <= _STREAK) & (p > 0)
    if few.any():
        counts, back = np.unique(np.stack([untied[few], ties[few], pool[few]]), axis=1, return_inverse=True)
        agreed, tied, size = counts
        streaks = paired_pool(agreed, tied, 0, size) if size.any() else paired_outcomes(agreed, tied, 0)
        p[few] = streaks.p_a[back]
    return p


def kind_of_test(*, clustered: bool, of_means: bool, in_pool: bool, whole: bool = False) -> TestKind:
    """The test for evidence of this kind; `whole`: every item of the pool is labelled."""
    if whole and not of_means:
        return "whole-pool"
    if clustered:
        return "clusters"
    if of_means:
        return "means"
    return "pool" if in_pool else "outcomes"


def _with_metrics(of: FinishedSet) -> MetricMeans:
    """The test with metrics, or without them where they do not help. An outcome is the mean of its one label."""
    if of.metrics is None or of.pool_metrics is None:
        raise ValueError("a test with metrics needs those of the labelled items and those of all items")
    labels = of.labels if of.variances is not None else np.ones(of.values.size, dtype=np.int64)
    if of.clusters is not None:
        return metric_cluster_means(
            of.values, of.clusters, _denominator(of), of.metrics, of.pool_metrics, _cluster_pool(of)
        )
    return metric_means(of.values, labels, of.metrics, of.pool_metrics, _pool(of))


def _pool(of: FinishedSet) -> Pool | None:
    variances = np.zeros(of.values.size) if of.variances is None else of.variances
    return None if of.pool_size is None else Pool(of.pool_size, variances)


def _cluster_pool(of: FinishedSet) -> ClusterPool | None:
    """Label noise in the order of the clusters' numbers: that of a sum is the sum of its items'."""
    if of.pool_clusters is None or of.clusters is None:
        return None
    noise = np.zeros(of.values.size)
    if of.variances is not None:  # an item with one label is taken to be like those with several
        several = of.labels > 1
        noise = np.where(several, of.variances, of.variances[several].mean() if several.any() else 0.0) / of.labels
    _, member = np.unique(of.clusters, return_inverse=True)
    return ClusterPool(of.pool_clusters, np.bincount(member, weights=noise).astype(np.float64))


def _known(of: FinishedSet, look: OneLook) -> OneLook:
    """With what a claim about these labels leaves possible; that fresh labels would say the same is never certain."""
    size = of.pool_size if of.claim_size is None else of.claim_size
    if size is None or not of.values.size or (of.variances is not None and (of.labels > 1).any()):
        return look
    return with_known(look, math.fsum(of.values), of.values.size, size)


def _look(of: FinishedSet) -> OneLook:
    unseen = ANYWHERE if of.points is None else DIFFERENCES
    if of.clusters is not None and of.values.size:
        _, member = np.unique(of.clusters, return_inverse=True)
        sizes: Floats = np.bincount(member).astype(np.float64)
        sums = np.bincount(member, weights=of.values).astype(np.float64)
        return grouped_means(sums, sizes, _denominator(of), _cluster_pool(of), unseen=unseen)
    return item_means(of.values, of.labels, _pool(of), _denominator(of), unseen=unseen)


def _denominator(of: FinishedSet) -> int | None:
    """The lattice on which sums of the values lie; None where it would be too fine to be one."""
    return 1 if of.variances is None else lattice(of.values, of.labels)
