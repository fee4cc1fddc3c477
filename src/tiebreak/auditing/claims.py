"""What a claim is about, inputs like these or these items, and what is independent of what in it.

For inputs like these the units are items, or clusters of them. For these items the claim is about the comparisons that
a source made: people labelled a random part of them, item by item, or whole clusters where those were drawn. The
figures of an audit then take the labels as they are, so that nothing is left to chance where all are there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.evidence.ordering import drawn_clusters
from tiebreak.kernels.unit_means import ClusterPool
from tiebreak.records import Target

Places = NDArray[np.intp]

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Units:
    """Of comparisons (n,): `of` (n,), the number of each one's unit; `seen`: the share of the claim that they are, 0
    for inputs like these, 1 where it is about no others.
    """

    of: Places
    seen: float = 0.0

    def among(self, which: NDArray[np.bool_]) -> Units:
        """Those of a part, which is drawn like the whole."""
        return Units(self.of[which], self.seen)

    def pool(self, units: int) -> ClusterPool | None:
        """The pool that so many units were drawn from."""
        return ClusterPool(max(math.ceil(units / self.seen - _ROUNDING), units), np.zeros(units)) if self.seen else None

    @property
    def shrink(self) -> float:
        """What is left of a standard error."""
        return math.sqrt(1 - self.seen)


@dataclass(frozen=True, slots=True)
class Claim:
    """`about` inputs like these or these items; `unit_of` (n_items,): the unit of every item. `pool`: comparisons that
    a claim about these items is about; None where clusters were drawn but labelled in part, so that it cannot help.
    """

    about: Target
    unit_of: Places
    pool: int | None = None

    @classmethod
    def about_items(cls, labelled: Places, judged: Places, comparisons: int, clusters: Places) -> Claim:
        """From the items that people labelled among those that the source judged, and its comparisons of them;
        `clusters` (n_items,).
        """
        drawn = drawn_clusters(labelled, judged, clusters)
        if drawn is None:
            return cls("items", np.arange(clusters.size), comparisons)
        return cls("items", clusters, None if drawn.in_pool is None else comparisons)

    def units(self, items: Places, pool: int | None = None) -> Units:
        """Of comparisons on these items (n,), drawn from a `pool` of their own where one is given, else the claim's."""
        whole = self.pool if pool is None else pool
        drawn = self.about == "items" and whole
        return Units(self.unit_of[items], min(items.size / whole, 1.0) if drawn and whole else 0.0)
