"""A pair of systems as a source judged it: one value per item, a mean where systems have several samples of it.

Values of numbered comparisons, found by their numbers.

How far a judge's answer hangs on the order in which it sees two outputs, and what asking in both orders does.

A judge's single replies: one per order shown, where its table says which output stood on the left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.auditing.comparisons import Comparisons, PairOfSystems
from tiebreak.auditing.estimates import mean_estimate, share_estimate
from tiebreak.data.columns import one_way_round
from tiebreak.data.study import Study
from tiebreak.evidence.automatic import serving
from tiebreak.evidence.items import ItemIndex, name_numbers
from tiebreak.evidence.ordering import drawn_clusters
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.records import OUTCOME_CODES, Target
from tiebreak.results.audits import Orders

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Places = NDArray[np.intp]

OnPair = Callable[[PairOfSystems], Floats]
"""From a pair of places to what is said of it (n_items,), positive for the first, NaN where nothing is."""


@dataclass(frozen=True, slots=True)
class JudgedItems:
    """What a source says of a pair of systems: `values` (n_items,), a mean over pairs of samples, NaN where it says
    nothing; `comparisons` (n_items,) behind each; `tied` (n_items,): items that it judged on which both systems wrote
    the same, in all samples.
    """

    values: Floats
    comparisons: Counts
    tied: NDArray[np.bool_]

    @classmethod
    def of(cls, on_pair: OnPair, places: Sequence[PairOfSystems], index: ItemIndex) -> JudgedItems:
        """From its values on all pairs of places."""
        size = len(index.items)
        total, count, different = np.zeros(size), np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        for pair in places:
            values = on_pair(pair)
            there = ~np.isnan(values)
            same = index.have_identical_outputs(*pair)
            total[there] += values[there]
            count += there
            different += there & ~same
        values = np.where(count > 0, total / np.maximum(count, 1), np.nan)
        return cls(values, count, (count > 0) & (different == 0))

    @property
    def items(self) -> Places:
        """Items that it judged."""
        return np.flatnonzero(self.comparisons)


@dataclass(frozen=True, slots=True)
class ItemMeans:
    """Means (n,) of values by item, and the variance (n,) of each if its labels, and which of its samples have any,
    were drawn again: what is left to chance of an item that was drawn.
    """

    values: Floats
    noise: Floats


@dataclass(frozen=True, slots=True)
class LabelledItems:
    """Items (n,) that people labelled and the source judged, and the comparisons (m,) that both made.

    By comparison: `member` (m,), a place in `items`; `human`, `said` (m,) in [-1, 1]; `label_noise` (m,), the variance
    of the former if the same people were asked again, 0 where nobody was asked twice. By item: `labels` (n,);
    `panel` (n,): of them where its value is their mean, 1 where it is one outcome; `judged` (n,) comparisons.
    """

    items: Places
    member: Places
    human: Floats
    said: Floats
    label_noise: Floats
    labels: Counts
    panel: Counts
    judged: Counts

    @classmethod
    def of(cls, parts: Sequence[PairEvidence], on_pair: OnPair, judged: JudgedItems) -> LabelledItems:
        """From the evidence on all pairs of places; `on_pair`: the source's outcomes."""
        rows: list[tuple[Places, Floats, Floats, Floats, Counts, Counts]] = []
        for part in parts:
            said = on_pair((part.system_a, part.system_b))[part.items]
            there = part.asked & ~np.isnan(said)
            labels = part.labels[there]
            noise = np.zeros(labels.size) if part.variances is None else part.variances[there] / labels
            panel = np.ones_like(labels) if part.variances is None else labels
            rows.append((part.items[there], part.values[there], said[there], noise, labels, panel))
        item, human, said, noise, labels, panel = (np.concatenate(of) for of in zip(*rows, strict=True))
        items, member = np.unique(item, return_inverse=True)
        total, of_panel = (np.bincount(member, weights=of, minlength=items.size) for of in (labels, panel))
        total, of_panel = total.astype(np.int64), of_panel.astype(np.int64)
        return cls(items, member, human, said, noise, total, of_panel, judged.comparisons[items])

    @property
    def several(self) -> bool:
        """Whether any item has several comparisons, labelled or not."""
        return bool((self.judged > 1).any())

    def means(self, values: Floats, label_noise: Floats) -> ItemMeans:
        """Of values (m,) with the variance (m,) of each if people were asked again."""
        size = self.items.size
        count = np.bincount(self.member, minlength=size)
        mean = np.bincount(self.member, weights=values, minlength=size) / count
        labels = np.bincount(self.member, weights=label_noise, minlength=size) / count**2
        squares = np.bincount(self.member, weights=(values - mean[self.member]) ** 2, minlength=size)
        within = squares / np.maximum(count - 1, 1)  # the variance of an item's comparisons
        known = count > 1
        others = float(within[known].mean()) if known.any() else float(mean.var())
        within = np.where(known, within, others)
        return ItemMeans(mean, within * (1 / count - 1 / self.judged) + labels)

    def among(self, which: NDArray[np.bool_]) -> LabelledItems:
        """Some items (n,)."""
        rows, places = which[self.member], np.cumsum(which) - 1
        return LabelledItems(
            self.items[which],
            places[self.member[rows]],
            self.human[rows],
            self.said[rows],
            self.label_noise[rows],
            self.labels[which],
            self.panel[which],
            self.judged[which],
        )


@dataclass(frozen=True, slots=True)
class DrawnItems:
    """How the labelled items of a pair were drawn: `units` (n,) of them; of a claim about these items `pool_items` and
    `pool_units` of the pool, None for inputs like these.
    """

    units: Places
    pool_items: int | None = None
    pool_units: int | None = None

    @classmethod
    def of(cls, labelled: Places, judged: Places, index: ItemIndex, target: Target) -> DrawnItems:
        """Of `labelled` (n,) items among those `judged` (N,)."""
        if target == "inputs":
            return cls(index.clusters[labelled])
        drawn = drawn_clusters(labelled, judged, index.clusters)
        if drawn is None:
            return cls(labelled, judged.size, judged.size)
        return cls(drawn.numbers, None if drawn.in_pool is None else judged.size, drawn.in_pool)

    @property
    def alone(self) -> bool:
        """Whether every item is a unit."""
        return np.unique(self.units).size == self.units.size


def places_of(cells: Places, known: Places) -> Places:
    """Where each cell (r,) stands among the `known` (n,) ones, each there once; -1 where it does not."""
    if not known.size:
        return np.full(cells.size, -1, dtype=np.intp)
    order = np.argsort(known)
    place = order[np.minimum(np.searchsorted(known[order], cells), known.size - 1)]
    return np.where(known[place] == cells, place, -1)


def looked_up(cells: Places, known: Places, values: Floats) -> Floats:
    """The values (n,) of the `known` cells at each cell (r,), NaN where it is not among them."""
    place = places_of(cells, known)
    return np.where(place >= 0, values[place], np.nan) if values.size else np.full(cells.size, np.nan)


@dataclass(frozen=True, slots=True)
class Replies:
    """The scored replies of a judge, sorted by comparison; `unscored` have no outcome.

    Arrays (r,): `cell`, a number for the comparison; `item`; `left`: 1 where the system first by name stood
    on the left, -1 where the other one did, 0 where that is not known; `said`, positive for the first by name.
    """

    systems: tuple[str, ...]
    item_count: int
    cell: Places
    item: Places
    left: NDArray[np.int8]
    said: Floats
    unscored: int

    @classmethod
    def of(cls, study: Study, index: ItemIndex, judge: str, criterion: str | None) -> Replies:
        """Those that serve a criterion."""
        frame = serving(study.judge_preferences, "judge", judge, criterion)
        scored = frame.filter(pl.col("outcome").is_not_null())
        first, second = pl.col("system_a"), pl.col("system_b")
        left = pl.when(pl.col("left") == first).then(1).when(pl.col("left") == second).then(-1).otherwise(0)
        said = pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Int8)
        rows = one_way_round(scored).select("item", first, second, left=left.cast(pl.Int8), said=said)
        items = index.numbers(rows["item"])
        one, other = (name_numbers(rows[name], study.systems) for name in ("system_a", "system_b"))
        cells = _cells(one, other, items, len(study.systems), len(index.items))
        order = np.lexsort((rows["left"].to_numpy(), cells))
        return cls(
            study.systems,
            len(index.items),
            cells[order],
            items[order],
            rows["left"].to_numpy()[order],
            rows["said"].to_numpy().astype(np.float64)[order],
            frame.height - scored.height,
        )

    def cells_of(self, of: Comparisons) -> Places:
        """The number (n,) of each comparison."""
        first, second = of.sides({name: place for place, name in enumerate(self.systems)})
        return _cells(first, second, of.item, len(self.systems), self.item_count)

    def both_orders(self) -> tuple[Places, Places]:
        """Places of the replies with the first by name on the left, and with the other, of comparisons with both."""
        right_first, left_first = np.flatnonzero(self.left == -1), np.flatnonzero(self.left == 1)
        _, of_right, of_left = np.intersect1d(self.cell[right_first], self.cell[left_first], return_indices=True)
        return left_first[of_left], right_first[of_right]


def _cells(first: Places, second: Places, items: Places, systems: int, count: int) -> Places:
    return np.asarray((first * systems + second) * count + items, dtype=np.intp)


def orders(of: Comparisons, replies: Replies, alpha: float) -> Orders | None:
    """None where no comparison was answered in both orders."""
    one, other = replies.both_orders()
    if not one.size:
        return None
    first, second = replies.said[one], replies.said[other]
    people = np.sign(looked_up(replies.cell[one], replies.cells_of(of), of.human))
    asked = ~np.isnan(people)
    right = ((first == people).astype(np.float64) + (second == people)) / 2
    joint = np.where(first == second, first, 0.0) == people
    every = of.claim.units(replies.item[one], np.unique(replies.cell).size)
    labelled = of.claim.units(replies.item[one][asked])
    return Orders(
        flips=share_estimate(first != second, every, alpha),
        reversals=int((first * second == -1).sum()),
        one_order=share_estimate(right[asked], labelled, alpha),
        together=share_estimate(joint[asked], labelled, alpha),
        gain=mean_estimate((joint - right)[asked], labelled, alpha),
    )
