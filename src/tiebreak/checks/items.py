"""Checks of the items and their outputs: items that belong together, odd texts, a preference for length."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.checks.labels import FEWEST_ITEMS, P_VALUE, TEST, Check, Labels, WithinGroups, two_sided
from tiebreak.data.validation import BLANK
from tiebreak.evidence.items import MOST_REPEATS, MOST_SHARE, name_numbers
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.messages.notices import NoticeKind
from tiebreak.numbers import counted, in_percent, number, some_parts
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


LENGTH_CORRELATION: Final = 0.25
IDENTICAL_SHARE: Final = 0.05
IDENTICAL_ITEMS: Final = 5

LENGTH: Final = NoticeKind(
    "length-explains-preference",
    "winning goes with the length of the texts",
    "check the instructions, or compare outputs of similar length",
    {"correlation": LENGTH_CORRELATION, **TEST},
)
ODD: Final = NoticeKind(
    "odd-outputs",
    "two systems wrote the same text for many items, or an output has no visible character",
    "check that no file was copied; remove rows where a run failed",
    {"share": IDENTICAL_SHARE, "items": IDENTICAL_ITEMS},
)


def length_preference(labels: Labels) -> Iterable[Notice]:
    """Within pairs, the longer (or the shorter) of two outputs is the preferred one.

    Within pairs, because a better system may well write longer texts: what counts is that the same system wins
    where its text is longer than usual, compared with its rival's.
    """
    lengths = _lengths(labels)
    if lengths is None:
        return
    row = labels.evidence.index.text_row
    together = WithinGroups(len(labels.evidence.index.items))
    longer = unequal = 0
    for pair in labels.evidence.pairs:
        if pair.system_a not in row or pair.system_b not in row:
            continue
        first, second = (lengths[row[name], pair.items] for name in (pair.system_a, pair.system_b))
        used = (pair.values != 0) & (first >= 0) & (second >= 0)
        ratio, win = np.log1p(first[used]) - np.log1p(second[used]), np.sign(pair.values[used])
        one_group = np.zeros(ratio.size, dtype=np.intp)
        together.add(ratio, win, one_group, labels.evidence.index.clusters[pair.items[used]])
        longer += int(np.count_nonzero(ratio * win > 0))
        unequal += int(np.count_nonzero(ratio))
    found = together.association()
    if found is None or found.clusters < FEWEST_ITEMS or found.p_value >= P_VALUE:
        return
    if abs(found.correlation) > LENGTH_CORRELATION:
        wins = longer / unequal
        word, share = ("longer", wins) if found.correlation > 0 else ("shorter", 1 - wins)
        text = (
            f"Preference goes with length: within a pair it correlates {number(abs(found.correlation))} with being "
            f"the {word} text, which wins {in_percent(share)} of {unequal:,} non-tied items. Check the "
            "instructions to annotators, or compare outputs of similar length."
        )
        yield LENGTH.notice(text, correlation=found.correlation, longer_wins=wins, items=unequal)


def _lengths(labels: Labels) -> NDArray[np.float64] | None:
    """Characters (n_systems, n_items) of each output, of several samples their mean, -1 where there is none."""
    outputs, index = labels.study.outputs, labels.evidence.index
    if outputs is None:
        return None
    shape = len(index.text_row), len(index.items)
    cells = name_numbers(outputs["system"], list(index.text_row)) * shape[1] + index.numbers(outputs["item"])
    characters = outputs["text"].fill_null("").str.len_chars().to_numpy()
    samples = np.bincount(cells, minlength=shape[0] * shape[1])
    total = np.bincount(cells, weights=characters, minlength=samples.size)
    return np.where(samples > 0, total / np.maximum(samples, 1), -1.0).reshape(shape)


def identical_outputs(labels: Labels) -> Iterable[Notice]:
    """Pairs of systems that wrote the same text for more than a few items."""
    index = labels.evidence.index
    if index.texts is None:
        return
    systems = sorted(set(index.text_row) & set(labels.study.candidates))  # to write as a reference does is no tie
    found = []
    for i, first in enumerate(systems):
        for second in systems[i + 1 :]:
            texts_a, texts_b = index.texts[index.text_row[first]], index.texts[index.text_row[second]]
            both = (texts_a >= 0) & (texts_b >= 0)
            same = int((both & (texts_a == texts_b)).sum())
            if same >= IDENTICAL_ITEMS and same > IDENTICAL_SHARE * both.sum():
                found.append((same / int(both.sum()), same, first, second))
    if found:
        found.sort(key=lambda entry: (-entry[0], entry[2:]))
        share, same, first, second = found[0]
        others = ""
        if len(found) > 1:
            others = f", and {counted(len(found) - 1, 'more pair')} for more than {in_percent(IDENTICAL_SHARE)}"
        text = (
            f"{first} and {second} wrote the same text for {same:,} items ({in_percent(share)}){others}: check "
            "that no file was copied."
        )
        listed = [{"system_a": a, "system_b": b, "items": count, "share": part} for part, count, a, b in found]
        yield ODD.notice(text, pairs=listed)


def empty_outputs(labels: Labels) -> Iterable[Notice]:
    """Outputs without a visible character."""
    outputs = labels.study.outputs
    if outputs is None:
        return
    blank = pl.col("text").fill_null("").str.contains(BLANK)
    counts = outputs.filter(blank).group_by("system").len().sort(["len", "system"], descending=[True, False])
    total = int(counts["len"].sum())
    if total:
        by_system = dict(counts.iter_rows())
        names = some_parts([f"{system} {count:,}" for system, count in by_system.items()])
        text = (
            f"{total:,} of {outputs.height:,} outputs are empty or blank ({names}). If the run failed there, remove "
            "the rows; if the system said nothing, leave them."
        )
        yield ODD.notice(text, outputs=total, systems=by_system)


CHECKS: Final = (
    Check(TOGETHER, neighbouring_items),
    Check(TOGETHER, repeated_inputs),
    Check(LENGTH, length_preference),
    Check(ODD, identical_outputs),
    Check(ODD, empty_outputs),
)
