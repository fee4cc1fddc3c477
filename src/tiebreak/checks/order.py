"""Warnings about order: neighbouring items that are alike, outcomes that change from early to late labels.

Does one thing go with another within pairs? A test that survives dependence between the rows of an item.

Warnings about metrics and judges: nobody knows how wrong they are, or one confusion does not speak for all pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

from tiebreak.checks.labels import Labels
from tiebreak.checks.thresholds import (
    AGREEMENT_SPREAD,
    FEWEST_ITEMS,
    NEIGHBOUR_CORRELATION,
    ORDER_CHANGE,
    P_VALUE,
)
from tiebreak.data.study import Study
from tiebreak.evidence.automatic_names import known_judges, known_metrics
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.validated import unvalidated
from tiebreak.numbers import in_percent, listed_names, number
from tiebreak.records import Notice
from tiebreak.results.records import PairResult

SMALLEST_GROUP = 10
"""Rows a group needs: centring makes the rows of small groups dependent, which would inflate the test."""


@dataclass(frozen=True, slots=True)
class Association:
    """`slope` of y on x and their `correlation` within groups; `p_value` two-sided; `clusters`: independent units."""

    slope: float
    correlation: float
    p_value: float
    clusters: int


def within_groups(x: Floats, y: Floats, groups: Integers, clusters: Integers) -> Association | None:
    """Pooled association of x and y (n,) within groups (pairs of systems), rows of one cluster (item) dependent.

    Both are centred within their group. The statistic is the sum over clusters of the products of x and y, divided
    by the root of the sum of its squares: about standard normal where the clusters are independent and nothing
    goes with anything, whatever happens within a cluster. Groups of fewer than 10 rows are left out. None if no row
    is left or x or y does not vary within groups.
    """
    together = WithinGroups(int(clusters.max(initial=-1)) + 1)
    together.add(x, y, groups, clusters)
    return together.association()


class WithinGroups:
    """`within_groups` of more rows than are held at once: they come a few whole groups at a time.

    `clusters`: how many there are, numbered from 0.
    """

    def __init__(self, clusters: int) -> None:
        self._sums: Floats = np.zeros(clusters)
        self._present = np.zeros(clusters, dtype=np.bool_)
        self._spread_x = self._spread_y = self._total = 0.0

    def add(self, x: Floats, y: Floats, groups: Integers, clusters: Integers) -> None:
        """All rows (n,) of these groups; a number of a group may come again for another one."""
        large = np.bincount(groups)[groups] >= SMALLEST_GROUP if groups.size else np.zeros(0, dtype=np.bool_)
        x, y = centred(x[large], groups[large]), centred(y[large], groups[large])
        products = x * y
        self._spread_x += float((x * x).sum())  # x @ x of long rows starts threads, which cost far more
        self._spread_y += float((y * y).sum())
        self._total += float(products.sum())
        np.add.at(self._sums, clusters[large], products)
        self._present[clusters[large]] = True  # few of all items, where the rows are those of one pair

    def association(self) -> Association | None:
        """Over all groups so far."""
        if self._spread_x <= 0 or self._spread_y <= 0:
            return None
        return Association(
            slope=self._total / self._spread_x,
            correlation=self._total / float(np.sqrt(self._spread_x * self._spread_y)),
            p_value=two_sided(self._sums[self._present]),
            clusters=int(self._present.sum()),
        )


def centred(values: Floats, groups: Integers) -> Floats:
    """Values (n,) minus the mean of their group; rounding errors of constant groups are cut to 0."""
    if values.size == 0:
        return values
    counts = np.maximum(np.bincount(groups), 1)
    rest = values - (np.bincount(groups, weights=values) / counts)[groups]
    return np.where(np.abs(rest) < 1e-12, 0.0, rest)


def two_sided(sums: Floats) -> float:
    """p-value of "independent terms with mean 0 add up to this", by their self-normalised sum; 1 for no variation."""
    scale = float(np.sqrt(sums @ sums))
    return float(2 * ndtr(-abs(float(sums.sum())) / scale)) if scale > 0 else 1.0


Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


def neighbouring_items(labels: Labels) -> Iterable[Notice]:
    """Items next to each other in the items table have similar values, and no cluster column says so.

    The lag-1 correlation is pooled over pairs and criteria: products of centred neighbouring values, summed at the
    first item of the two. Those sums are uncorrelated when items are independent, however much pairs share.
    """
    index = labels.evidence.index
    if index.clustered_by == "cluster":
        return
    rank = _listed_rank(labels)
    sums = np.zeros(len(index.items))
    links, squares = 0, 0.0
    for pair in labels.evidence.pairs:
        items, values = _as_listed(pair, rank)
        values = values - (values.mean() if values.size else 0.0)
        # Sums of products and no `@`, which starts threads for long rows: they cost several hundred times as much.
        products, squared = values[:-1] * values[1:], values * values
        # Items that repeat an input are one unit of evidence already: what they share is accounted for.
        if index.clustered_by is not None:
            of_items = index.clusters[items]
            apart = of_items[:-1] != of_items[1:]
            products *= apart
            links += int(np.count_nonzero(apart))
            squares += float((squared[:-1] * apart).sum() + (squared[1:] * apart).sum()) / 2
        else:
            links += products.size
            squares += float(squared[:-1].sum() + squared[1:].sum()) / 2
        sums[items[:-1]] += products
    used = sums[sums != 0]
    if used.size < FEWEST_ITEMS or squares <= 0:
        return
    correlation, p_value = float(sums.sum()) / squares, two_sided(used)
    if correlation > NEIGHBOUR_CORRELATION and p_value < P_VALUE:
        text = (
            f"Neighbouring items correlate {number(correlation)} (over {links:,} pairs of neighbours), as the "
            "segments of one document or the turns of one conversation do. For --target inputs the items table needs "
            "a column cluster that names the document, or the error rate is above alpha."
        )
        yield Notice("neighbouring-items-correlate", text, {"correlation": correlation, "neighbours": links})


def _as_listed(pair: PairEvidence, rank: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The items of a pair that somebody was asked about, and their values, by the rank of each item."""
    items, values = pair.items, pair.values
    if not pair.labels.all():
        items, values = items[pair.labels > 0], values[pair.labels > 0]
    ranks = rank[items]
    if (ranks[1:] > ranks[:-1]).all():
        return items, values
    order = np.argsort(ranks)
    return items[order], values[order]


def _listed_rank(labels: Labels) -> NDArray[np.intp]:
    """A number for each item of the index that grows with its place in the first table that lists it: items, outputs,
    preferences, ratings; then items of no such table.
    """
    tables, index = labels.study.tables, labels.evidence.index
    rank, before = np.full(len(index.items), -1, dtype=np.intp), 0
    for name in ("items", "outputs", "preferences", "ratings"):
        if name in tables:
            numbers = index.numbers(tables[name]["item"])
            first = np.full(rank.size, -1, dtype=np.intp)
            first[numbers[::-1]] = np.arange(numbers.size)[::-1]  # the last assignment is that of the first row
            fresh = (rank < 0) & (first >= 0)
            rank[fresh] = first[fresh] + before
            before += numbers.size
    nowhere = rank < 0
    rank[nowhere] = before + np.arange(int(nowhere.sum()))
    return rank


def suspicious_order(labels: Labels) -> Iterable[Notice]:
    """Outcomes drift with the labels' places, over all pairs as the file names them, or in single pairs.

    The test is that of the slope of the outcome on the place, the size the change from one half of the labels to the
    other. Ratings carry no time, and are left out.
    """
    value, pair, unit = labels.column("value"), labels.codes("pair"), labels.codes("unit")
    if value.size == 0:
        return
    place, written = labels.column("place"), labels.column("written")
    pairs = np.unique(pair)
    drifting = []
    by_pair = np.lexsort((place, pair))
    for code, own in zip(pairs, np.split(by_pair, np.searchsorted(pair[by_pair], pairs[1:])), strict=True):
        change = _change(
            np.arange(own.size, dtype=np.float64), value[own], np.zeros(own.size, dtype=np.intp), unit[own], pairs.size
        )
        if change is not None:
            drifting.append((change, int(code)))
    # As written: a pair that the file has both ways round is two groups, in each of which a sorted column shows.
    groups = 2 * pair + (written > 0)
    pooled = _change(place, value * written, groups, unit, 1)
    if pooled is not None and len(drifting) in (0, pairs.size):
        where = "over all pairs, as the file orders the systems,"
        if pairs.size == 1:
            where = f"in {labels.pair_name(int(pairs[0]))},"
        yield _drift(where, pooled, {"pairs": None})
    elif drifting:
        change, code = max(drifting, key=lambda entry: abs(entry[0]))
        where = f"in {len(drifting):,} of {pairs.size:,} pairs, most in {labels.pair_name(code)},"
        yield _drift(where, change, {"pairs": len(drifting)})


def _change(place: Floats, value: Floats, groups: Integers, units: Integers, tests: int) -> float | None:
    """The change from the first half of the labels to the second, if it is large and no chance."""
    found = within_groups(place / value.size, value, groups, units)
    if found is None or found.clusters < FEWEST_ITEMS or found.p_value >= P_VALUE / tests:
        return None
    change = _between_halves(place, value, groups)
    return change if abs(change) > ORDER_CHANGE else None


def _between_halves(place: Floats, value: Floats, groups: Integers) -> float:
    """The mean value of the second half of each group less that of the first, over groups by their size: in [-2, 2]."""
    order = np.lexsort((place, groups))
    halves = [np.array_split(own, 2) for own in np.split(order, np.cumsum(np.bincount(groups))[:-1])]
    large = [(first, second) for first, second in halves if first.size + second.size >= SMALLEST_GROUP]
    changes = [float(value[second].mean() - value[first].mean()) for first, second in large]
    return float(np.average(changes, weights=[first.size + second.size for first, second in large]))


def _drift(where: str, change: float, details: dict[str, object]) -> Notice:
    text = (
        f"Outcomes drift with the order of the labels: {where} the mean outcome changes by {number(change)} from "
        "the first half of the labels to the second. Check whether the file is sorted by outcome, or whether people, "
        "instructions or items changed along the way."
    )
    return Notice("suspicious-order", text, {"change": change, **details})


def metric_errors_differ(pairs: Sequence[PairResult]) -> list[Notice]:
    """Raised if agreement with the humans varies between pairs by more than chance, and by more than matters.

    Chi-square test of equal agreement over the pairs of one criterion with at least 30 items on which both judged;
    the size is the standard deviation of the true agreements (total variance less binomial variance).
    """
    used = [pair.metric for pair in pairs if pair.metric is not None]
    totals = np.array([np.sum(use.confusion) for use in used], dtype=np.float64)
    agreed = np.array([np.trace(np.array(use.confusion)) for use in used], dtype=np.float64)
    enough = totals >= FEWEST_ITEMS
    totals, agreed = totals[enough], agreed[enough]
    if totals.size < 2 or not 0 < agreed.sum() < totals.sum():
        return []
    overall = agreed.sum() / totals.sum()
    variance = overall * (1 - overall)
    chi_square = float(((agreed - totals * overall) ** 2 / (totals * variance)).sum())
    p_value = float(chdtrc(totals.size - 1, chi_square))
    shares = agreed / totals
    spread = float(np.sqrt(max(shares.var() - (variance / totals).mean(), 0.0)))
    if p_value >= P_VALUE or spread <= AGREEMENT_SPREAD:
        return []
    names = listed_names(used[0].names)
    text = (
        f"The errors of {names} differ between pairs: it agrees with the humans on {in_percent(shares.min())} to "
        f"{in_percent(shares.max())} of the items of a pair. Do not carry its confusion from one pair to another; "
        "verdicts here fit it to each pair."
    )
    details = {"low": float(shares.min()), "high": float(shares.max()), "spread": spread, "p_value": p_value}
    return [Notice("metric-errors-differ", text, dict(details))]


def unvalidated_alone(
    study: Study, criterion: str | None, metrics: Sequence[str], judges: Sequence[str]
) -> list[Notice]:
    """Raised of metrics and judges that decide alone where people labelled nothing of what they judged; ("all",) takes
    every one. Beside human labels the words on each say so.
    """
    metrics = known_metrics(study, criterion) if tuple(metrics) == ("all",) else metrics
    judges = known_judges(study, criterion) if tuple(judges) == ("all",) else judges
    found = unvalidated(study, metrics, judges, criterion)
    if not found:
        return []
    about = f" on {criterion}" if criterion is not None else ""
    text = (
        f"Unvalidated: {listed_names(found)}. People labelled nothing that was judged{about}, so that nobody knows how "
        "wrong this is."
    )
    return [Notice("unvalidated", text, {"criterion": criterion, "names": list(found)})]
