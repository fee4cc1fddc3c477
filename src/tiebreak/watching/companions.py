"""Sets of items for a claim about inputs like these with metrics: drawn once, by the seed of the first look.

In a set are items that were listed with all that a pair needs, its outputs and metric values, at the first look, and of
which no label had been seen by then. All pairs of the first look have the same sets. The item of a set that is labelled
first counts for a pair, and the others are its companions (`kernels.companion_sets`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.companion_sets import CompanionSets, drawn_sets, rank_scores
from tiebreak.watching.labels import NEVER, hashed
from tiebreak.watching.ledger import Ledger
from tiebreak.watching.looks import Pair
from tiebreak.watching.scores import SealedMetrics

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Texts = dict[str, tuple[Indices, Indices]]


class SealedSets:
    """The sets of a ledger. `items`: names, to which numbers refer; `texts`: of each system, for every item the number
    of its text and the look that saw it.
    """

    def __init__(self, ledger: Ledger, items: Sequence[str], texts: Texts, metrics: SealedMetrics) -> None:
        self._items, self._texts, self._metrics = items, texts, metrics
        self._listed = ledger.tables["items"]["look"].to_numpy() == 1
        self._places = hashed(items, f"{ledger.begun.seed} sets")
        pairs, companions = ledger.families[0].pairs, ledger.begun.settings.companions
        self._values = {pair: self._values_of(pair) for pair in (pairs if companions is not None else ())}
        able, written = (np.zeros(len(items), dtype=np.bool_) for _ in range(2))
        for pair, values in self._values.items():
            able |= ~np.isnan(values).all(axis=1)
            written |= self._there(pair)
        chosen = np.flatnonzero(able)
        self._size = 1 + (companions or 0)
        self.sets = np.full(len(items), -1, dtype=np.intp)
        self.sets[chosen] = drawn_sets(self._places[chosen], self._size)
        self._alone = np.flatnonzero(written & (self.sets < 0) & ~metrics.labelled_at_first)
        self._order = hashed(items, f"{ledger.begun.seed} to label")

    def _values_of(self, pair: Pair) -> Floats:
        """Values (n_items, M) of the metrics that serve a pair; NaN for what cannot be in a set."""
        _, values = self._metrics.of_pair(pair, np.full(self._listed.size, NEVER))
        return np.where(self._there(pair)[:, None], values, np.nan)

    def _there(self, pair: Pair) -> NDArray[np.bool_]:
        """Which items (n_items,) were listed at the first look, with different outputs where the pair has any."""
        there: NDArray[np.bool_] = self._listed
        of_first, of_second = self._texts.get(pair[1]), self._texts.get(pair[2])
        if of_first is not None and of_second is not None and max(of_first[1].min(), of_second[1].min()) == 1:
            (first, seen_first), (second, seen_second) = of_first, of_second
            there = there & (seen_first == 1) & (seen_second == 1) & (first != second)
        return there

    @property
    def drawn(self) -> int:
        """How many there are."""
        return int(self.sets.max(initial=-1)) + 1

    @property
    def labelled(self) -> int:
        """How many of them have an item with a label."""
        return int(np.unique(self.sets[(self.sets >= 0) & self._metrics.labelled]).size)

    def of_pair(self, pair: Pair) -> CompanionSets | None:
        """The sets of all items (n_items,) as they are for a pair; None where no item of it has a companion, as for
        pairs that joined later.
        """
        if pair not in self._values:
            return None
        values = self._values[pair]
        sets = np.where(np.isnan(values).all(axis=1), -1, self.sets)
        inside = sets >= 0
        members = np.bincount(sets[inside], minlength=self.drawn)
        if not (members > 1).any():
            return None
        return CompanionSets(sets, rank_scores(values, sets), np.where(inside, members[sets], 1))

    def to_label(self) -> list[str]:
        """One item of each set, one that has a label, else the first by chance; and as large a share of the items that
        are in no set, as a claim about inputs like these is about them too. In random order.
        """
        inside = np.flatnonzero(self.sets >= 0)
        order = inside[np.lexsort((self._places[inside], ~self._metrics.labelled[inside], self.sets[inside]))]
        heads = order[np.append(True, np.diff(self.sets[order]) != 0)] if order.size else order
        others = self._alone[np.argsort(self._places[self._alone], kind="stable")][:: self._size]
        chosen = np.concatenate([heads, others])
        return [self._items[number] for number in chosen[np.argsort(self._order[chosen], kind="stable")]]
