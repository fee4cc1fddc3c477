"""Checks of the items: those that belong together, and are not named as clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.checks.kinds import Check
from tiebreak.checks.labels import FEWEST_ITEMS, P_VALUE, TEST, Labels, two_sided
from tiebreak.evidence.items import MOST_REPEATS, MOST_SHARE
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.messages.notices import NoticeKind
from tiebreak.numbers import counted, number
from tiebreak.records import Notice

NEIGHBOUR_CORRELATION: Final = 0.1

_SHOWN: Final = 60  # characters of an input

TOGETHER: Final = NoticeKind(
    "items-belong-together",
    "neighbouring items have like values, or several have the same input, and no `cluster` says so",
    "name the document or question in the column `cluster` of items",
    {"correlation": NEIGHBOUR_CORRELATION, **TEST, "repeats": MOST_REPEATS, "share": MOST_SHARE},
)


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
        yield TOGETHER.notice(text, correlation=correlation, neighbours=links)


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


def repeated_inputs(labels: Labels) -> Iterable[Notice]:
    """Several items have the same input: they were made one cluster or, if very many do, taken as independent."""
    index = labels.evidence.index
    if index.clustered_by == "input":
        sizes = np.bincount(index.clusters)
        repeated = sizes[sizes > 1]
        items = int(repeated.sum())
        text = (
            f"{items:,} items repeat {counted(repeated.size, 'input')}, and items with the same input count as one "
            "unit. If they are independent, give each a value of its own in the column cluster of items."
        )
        yield TOGETHER.notice(text, items=items, inputs=int(repeated.size), one_unit=True)
    if index.shared_inputs:
        shared = index.shared_inputs
        items, first = sum(found.items for found in shared), shared[0].text
        shown = repr(first if len(first) <= _SHOWN else first[:_SHOWN] + "…")
        what = f"the input {shown}" if len(shared) == 1 else f"{len(shared)} inputs, most of them {shown}"
        text = (
            f"{items:,} items share {what}. It is taken for an instruction, and the items count as independent. If "
            "they repeat one question, name it in the column cluster of items."
        )
        yield TOGETHER.notice(text, items=items, inputs=len(shared), one_unit=False, first=first)


CHECKS: Final = (Check(TOGETHER, neighbouring_items), Check(TOGETHER, repeated_inputs))
