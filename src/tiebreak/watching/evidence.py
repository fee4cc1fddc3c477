"""From a ledger to the evidence of every watched pair: units in the order of the looks that completed them.

Evidence is read at the ends of looks alone, and every choice within a look is by hash, so that looks may be taken
whenever anybody likes, also because of what was seen in the study.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiebreak.evidence.items import name_numbers
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.rules.rule import ValueSequence
from tiebreak.watching.labels import NEVER, ItemValues, LabelSource, PairLabels, item_values
from tiebreak.watching.ledger import Family, Ledger, Pair

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class WatchedEvidence:
    """The evidence of a pair, and what is none (yet), in labels: `waiting` for others on their item, `beyond` those
    that count, on items `outside` the sealed pool or clusters, on clusters that are `unfinished`, after their batch was
    closed (`late`), and on identical outputs (`tied`), which are ties whatever people say of them; `open_batches` with
    labels. `left`: items known by now that may still become evidence.
    """

    evidence: PairEvidence
    waiting: int
    beyond: int
    outside: int
    unfinished: int
    late: int
    tied: int
    open_batches: int
    left: int

    @property
    def room(self) -> int:
        """Units that may still be looked at: the plan ends at the number that was sealed."""
        return max((self.evidence.most_units or 0) - len(self.evidence.sequence), 0)

    @property
    def labelled_items(self) -> Indices:
        """The items in the evidence but those without an answer."""
        return self.evidence.items[~np.isnan(self.evidence.values)]

    @property
    def missing(self) -> int:
        """Items of closed batches whose answers never came: they count against whichever side is argued."""
        return int(np.isnan(self.evidence.values).sum())


@dataclass(frozen=True, slots=True)
class _Units:
    """Units (n,) of a pair: `items` (m,) that count, sorted by their `unit` (m,); `weights` (n,); `known` (n,): the
    look that listed each; `different` (n,): whether its outputs differ on any item; `hashes` (n,).
    """

    items: Indices
    unit: Indices
    weights: Floats
    known: Indices
    different: Bools
    hashes: NDArray[np.uint64]

    def last(self, values: Indices) -> Indices:
        """The largest (n,) of the values (m,) of each unit."""
        found = np.zeros(self.weights.size, dtype=np.intp)
        np.maximum.at(found, self.unit, values)
        return found


class LedgerEvidence:
    """The evidence of a ledger, pair by pair."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        frame = ledger.tables["items"]
        self.items = tuple(frame["item"])
        self._listed = frame["look"].to_numpy().astype(np.intp)
        names = frame["cluster"].unique(maintain_order=True)
        self._clusters = name_numbers(frame["cluster"], names.to_list())
        self._batches = tuple(frame["batch"].drop_nulls().unique(maintain_order=True))
        self._batch = np.full(len(self.items), -1, dtype=np.intp)
        batched = frame["batch"].is_not_null().to_numpy()
        self._batch[batched] = name_numbers(frame["batch"].drop_nulls(), self._batches)
        self._labels = LabelSource(ledger, self.items)
        self._texts = _texts(ledger, self.items)

    @cached_property
    def _is_clustered(self) -> bool:
        inputs = self.ledger.begun.settings.target == "inputs"
        return inputs and bool((np.bincount(self._clusters) > 1).any())

    def of_family(self, family: Family) -> list[WatchedEvidence]:
        """The evidence of its pairs, in their order."""
        return [
            self._of_pair(pair, per_item, family.look)
            for pair, per_item in zip(family.pairs, family.per_item, strict=True)
        ]

    def _of_pair(self, pair: Pair, per_item: int, joined: int) -> WatchedEvidence:
        settings = self.ledger.begun.settings
        given = self._labels.of_pair(pair)
        in_pool, same, known = self._pool(pair, given, joined)
        labels = given.where(~same[given.items])
        values = item_values(labels, len(self.items), per_item, settings.several, settings.tie_threshold)
        if settings.target == "items":
            in_pool = in_pool & (known <= joined)
        else:  # what somebody labelled belongs to the pool, though an output may not be in the study
            labelled = values.looks < NEVER
            known = np.where(labelled & ~in_pool, np.minimum(known, values.looks), known)
            in_pool = in_pool | labelled
        units = self._units(in_pool, same, known)
        counted = np.zeros(len(self.items), dtype=np.bool_)
        counted[units.items] = True
        outside = per_item * int(((values.looks < NEVER) & ~counted).sum())
        entered, shut, open_batches = self._entered(units, values, same, labels)
        looks, enters = values.looks[units.items], entered[units.unit]
        done = (looks < NEVER) & ~same[units.items]
        unfinished = per_item * int((done & (enters == NEVER) & (self._batch[units.items] < 0)).sum())
        late = per_item * int((done & (enters < NEVER) & (looks > enters)).sum())
        waits = units.different & (entered == NEVER) & ~shut
        make = self._of_pool if settings.target == "items" else self._of_inputs
        of_one = per_item * (2 if given.from_ratings else 1)
        evidence = make(pair, units, entered, values, same, int(in_pool.sum()), of_one)
        evidence = replace(evidence, most_units=self._planned(units, joined))
        whole = per_item == 1 or settings.several == "majority" or given.from_ratings
        if not whole or (self.ledger.begun.largest_cluster > 1 and settings.target == "inputs"):
            # By the terms, not by the values so far: what the next look shows must not change how the last one bet.
            evidence = replace(evidence, sequence=replace(evidence.sequence, outcomes_only=False))
        return WatchedEvidence(
            evidence=evidence,
            waiting=values.waiting,
            beyond=values.beyond,
            outside=outside,
            unfinished=unfinished,
            late=late,
            tied=given.items.size - labels.items.size,
            open_batches=open_batches,
            left=int(waits[units.unit].sum()),
        )

    def _pool(self, pair: Pair, given: PairLabels, joined: int) -> tuple[Bools, Bools, Indices]:
        """Of all items: those of the pair's pool, those with identical outputs, and the look that first knew each.

        Texts that come after labels change nothing for these: of a pair that had none when it joined nothing is read
        from texts, and an item that was labelled before its texts stays as it was.
        """
        of_first, of_second = self._texts.get(pair[1]), self._texts.get(pair[2])
        nowhere = np.zeros(len(self.items), dtype=np.bool_)
        if of_first is None or of_second is None or max(of_first[1].min(), of_second[1].min()) > joined:
            return ~nowhere, nowhere, self._listed
        (first, seen_first), (second, seen_second) = of_first, of_second
        labelled = np.full(len(self.items), NEVER, dtype=np.intp)
        np.minimum.at(labelled, given.items, given.looks)
        known = np.maximum(np.maximum(seen_first, seen_second), self._listed)
        late = known > labelled
        both = (first >= 0) & (second >= 0) & ~late
        return both | late, both & (first == second), np.where(late, self._listed, known)

    def _units(self, in_pool: Bools, same: Bools, known: Indices) -> _Units:
        """Single items, or clusters as they were first listed, larger ones cut by hash."""
        hashes = self._labels.hashes
        items = np.flatnonzero(in_pool)
        if not self._is_clustered:
            return _Units(items, np.arange(items.size), np.ones(items.size), known[items], ~same[items], hashes[items])
        clusters = self._clusters[items]
        first = np.full(int(self._clusters.max()) + 1, NEVER, dtype=np.intp)
        np.minimum.at(first, clusters, known[items])
        items = items[known[items] == first[clusters]]  # what joins a cluster later would make it another one
        items = items[np.lexsort((hashes[items], self._clusters[items]))]
        _, starts, unit, sizes = np.unique(
            self._clusters[items], return_index=True, return_inverse=True, return_counts=True
        )
        most = self.ledger.begun.largest_cluster
        kept = np.arange(items.size) - starts[unit] < most
        items, unit = items[kept], unit[kept]
        heads = items[np.searchsorted(unit, np.arange(sizes.size))]  # the first by hash stands for its cluster
        different = np.bincount(unit, ~same[items], sizes.size) > 0
        return _Units(items, unit, np.minimum(sizes, most) / most, known[heads], different, hashes[heads])

    def _planned(self, units: _Units, joined: int) -> int:
        """The units at which looking at a pair ends, by what the look listed at which it `joined`.

        A number of items stands for as many units as the listed items do: clusters, or for inputs like these identical
        outputs beside them.
        """
        listed = units.known <= joined
        asked = listed & units.different
        if self.ledger.begun.settings.target == "items":
            listed = asked
        items = self.ledger.begun.settings.items_per_pair
        if items is None:
            return max(int(listed.sum()), 1)
        of_items = int(asked[units.unit].sum())
        return max(round(items * int(listed.sum()) / of_items) if of_items else items, 1)

    def _entered(
        self, units: _Units, values: ItemValues, same: Bools, labels: PairLabels
    ) -> tuple[Indices, Bools, int]:
        """The look (n,) at which each unit enters, `NEVER` if none yet; which (n,) never will; open batches that have
        labels.

        A unit enters when the last of its items is complete; one of a batch, when the batch is closed.
        """
        complete = units.last(np.where(same[units.items], 0, values.looks[units.items]))
        batch = np.full(units.weights.size, -1, dtype=np.intp)
        batch[units.unit] = self._batch[units.items]
        if not (batch >= 0).any():
            return complete, np.zeros(complete.size, dtype=np.bool_), 0
        closed = np.array([self.ledger.closed.get(name, NEVER) for name in self._batches], dtype=np.intp)
        for number in range(len(self._batches)):
            members = batch == number
            closed[number] = min(closed[number], self._complete_at(units.known[members], complete[members]))
        begun = np.unique(self._batch[labels.items])
        begun = begun[begun >= 0]
        entered = np.where(batch >= 0, closed[batch], complete)
        shut = (batch >= 0) & (units.known > entered)  # listed into a batch that was closed
        entered[shut] = NEVER
        return entered, shut, int((closed[begun] == NEVER).sum())

    def _complete_at(self, known: Indices, complete: Indices) -> int:
        """The first look at which all units (n,) of a batch that were listed by then are complete; `NEVER` if none."""
        for look in range(1, self.ledger.looks + 1):
            there = known <= look
            if there.any() and complete[there].max() <= look:
                return look
        return NEVER

    def _of_pool(
        self, pair: Pair, units: _Units, entered: Indices, values: ItemValues, same: Bools, pool_size: int, of_one: int
    ) -> PairEvidence:
        """For a claim about the pool identical outputs are known ties: they are left out, the rest stands for all."""
        different = units.different
        chosen = np.flatnonzero(different & (entered < NEVER))
        chosen = chosen[np.lexsort((units.hashes[chosen], entered[chosen]))]
        items = units.items[chosen]
        missing = values.looks[items] > entered[chosen]
        for_a, for_b = np.where(missing, -1.0, values.for_a[items]), np.where(missing, 1.0, values.for_b[items])
        left = int(different.sum())
        scale = left / pool_size if pool_size else 0.0
        sequence = _sequence(for_a, for_b, entered[chosen], None, left, scale)
        found = np.where(missing, np.nan, (for_a + for_b) / 2)
        ties = units.items[~different]
        items, found = np.concatenate([items, ties]), np.concatenate([found, np.zeros(ties.size)])
        return self._pair_evidence(pair, items, same[items], found, sequence, pool_size, None, of_one)

    def _of_inputs(
        self, pair: Pair, units: _Units, entered: Indices, values: ItemValues, same: Bools, pool_size: int, of_one: int
    ) -> PairEvidence:
        """For inputs like these identical outputs come along in proportion, without asking."""
        different = units.different
        times = np.where(different, entered, self._free_entered(units, entered))
        chosen = np.flatnonzero(times < NEVER)
        chosen = chosen[np.lexsort((units.hashes[chosen], times[chosen]))]
        place = np.full(units.weights.size, -1, dtype=np.intp)
        place[chosen] = np.arange(chosen.size)
        taken = place[units.unit] >= 0
        items = units.items[taken][np.argsort(place[units.unit[taken]], kind="stable")]
        of_unit = np.sort(place[units.unit[taken]])
        late = (values.looks[items] > times[chosen][of_unit]) & ~same[items]
        sizes = np.bincount(of_unit, minlength=chosen.size)

        def means(given: Floats, where_missing: float) -> Floats:
            """Of each unit, by what evidence for one side may take for its items."""
            taken = np.where(same[items], 0.0, np.where(late, where_missing, given[items]))
            return np.clip(np.bincount(of_unit, taken, chosen.size) / sizes, -1, 1)

        for_a, for_b = means(values.for_a, -1.0), means(values.for_b, 1.0)
        weights = None if (units.weights == 1).all() else units.weights[chosen]
        sequence = _sequence(for_a, for_b, times[chosen], weights, None, 1.0)
        found = np.where(late, np.nan, (values.for_a + values.for_b)[items] / 2)
        found[same[items]] = 0.0
        clusters = int(chosen.size) if self._is_clustered else None
        return self._pair_evidence(pair, items, same[items], found, sequence, pool_size, clusters, of_one)

    def _free_entered(self, units: _Units, entered: Indices) -> Indices:
        """The look (n,) at which each unit of identical outputs comes along: as large a share of them, at each look,
        as the labelled ones are of the others."""
        times = np.full(units.weights.size, NEVER, dtype=np.intp)
        free = np.flatnonzero(~units.different)
        if not free.size:
            return times
        free = free[np.lexsort((units.hashes[free], units.known[free]))]
        begun = 0
        for look in range(1, self.ledger.looks + 1):
            others = int((units.different & (units.known <= look)).sum())
            there = int((units.known[free] <= look).sum())
            share = int((units.different & (entered <= look)).sum()) / others if others else 1.0
            end = max(begun, round(min(share, 1.0) * there))
            times[free[begun:end]] = look
            begun = end
        return times

    def _pair_evidence(
        self,
        pair: Pair,
        items: Indices,
        same: Bools,
        found: Floats,
        sequence: ValueSequence,
        pool_size: int,
        clusters: int | None,
        of_one: int,
    ) -> PairEvidence:
        """`items` (n,) with their values, NaN where an answer never came; `same` (n,): with identical outputs;
        `of_one`: labels behind each value.
        """
        return PairEvidence(
            criterion=pair[0],
            system_a=pair[1],
            system_b=pair[2],
            items=items,
            values=found,
            labels=np.where(same | np.isnan(found), 0, of_one),
            in_sequence=np.ones(items.size, dtype=np.bool_) if sequence.pool_size is None else ~same,
            sequence=sequence,
            pool_size=pool_size,
            identical=int(same.sum()),
            clusters=clusters,
            different=~same,
        )


def _sequence(
    for_a: Floats, for_b: Floats, entered: Indices, weights: Floats | None, pool: int | None, scale: float
) -> ValueSequence:
    """What is bet on, in the order of the looks at which units `entered`."""
    outcomes = bool(np.isin(np.concatenate([for_a, for_b]), (-1.0, 0.0, 1.0)).all())
    ends = np.flatnonzero(np.diff(np.append(entered, NEVER))) + 1
    return ValueSequence(for_a, for_b, outcomes, pool, scale, weights, ends)


def _texts(ledger: Ledger, items: Sequence[str]) -> dict[str, tuple[Indices, Indices]]:
    """Of each system, for every item: a number for its text (-1: none), and the look that saw it."""
    frame = ledger.tables["outputs"]
    numbers = name_numbers(frame["item"], items)
    codes = (frame["digest"].rank("dense") - 1).to_numpy().astype(np.intp)
    looks = frame["look"].to_numpy().astype(np.intp)
    found = {}
    groups = frame.with_row_index("row").partition_by("system", as_dict=True)
    for (system,), part in groups.items():
        rows = part["row"].to_numpy().astype(np.intp)
        text = np.full(len(items), -1, dtype=np.intp)
        seen = np.full(len(items), NEVER, dtype=np.intp)
        text[numbers[rows]], seen[numbers[rows]] = codes[rows], looks[rows]
        found[str(system)] = (text, seen)
    return found
