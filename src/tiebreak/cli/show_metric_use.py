"""What metrics and judges did for a comparison, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tiebreak.results.metric_words import order_words, shares_words
from tiebreak.results.records import CriterionResult, MetricUse

_OUTCOMES = ("A better", "tie", "B better")


def show_metric_use(found: CriterionResult, console: Console) -> None:
    """Agreement with the humans, the confusion over all pairs, and what was saved; nothing without metrics."""
    uses = [pair.metric for pair in found.pairs if pair.metric is not None]
    if not uses:
        return
    names = escape(", ".join(uses[0].names))
    confusion = np.sum([use.confusion for use in uses], axis=0)
    total = int(confusion.sum())
    agreement = (
        f"agrees with the humans on {100 * np.trace(confusion) / total:.0f} % of {total:,} items" if total else ""
    )
    console.print(f"[bold]{names}[/] {agreement or 'judged no labelled item'}.")
    if total:
        console.print(_confusion_table(confusion))
    console.print(_saved_words(uses))
    mattered = shares_words(uses)
    if mattered:
        console.print(escape(mattered))
    for judge in found.judges:
        console.print(escape(order_words(judge)))


def _confusion_table(confusion: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("items where it says")
    for outcome in _OUTCOMES:
        table.add_column(f"humans: {outcome}", justify="right")
    for outcome, row in zip(_OUTCOMES, confusion, strict=True):
        table.add_row(outcome, *(f"{count:,}" for count in row))
    return table


def _saved_words(uses: Sequence[MetricUse]) -> str:
    unused = sum(not use.used for use in uses)
    saved = [use.saved for use in uses if use.saved is not None]
    words = []
    if saved:
        shares = sorted(saving.share for saving in saved)
        if len(saved) == 1:
            found = saved[0]
            amount = f"about {_percent(found.share)} of the labels [{_percent(found.low)}, {_percent(found.high)}]"
        else:
            middle = _percent(float(np.median(shares)))
            amount = f"{_percent(shares[0])} to {_percent(shares[-1])} of the labels, {middle} in the median pair"
        words.append(f"It saves {amount}." if shares[-1] >= 0.05 else f"It saves next to nothing: {amount}.")
    posterior = not saved and not unused
    if unused:
        whom = "any pair" if unused == len(uses) else f"{unused:,} of the {len(uses):,} pairs"
        words.append(
            f"It could not help {whom}: that needs more items without labels than with, and no clusters of items."
        )
    if posterior:
        words.append(f"It also judged {sum(use.unlabelled for use in uses):,} items that nobody labelled.")
    return escape(" ".join(words))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
