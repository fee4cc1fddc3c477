"""Warnings about the values that the labels make."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tiebreak.checks.labels import Labels, on_criterion
from tiebreak.checks.thresholds import FEWEST_ITEMS, TIE_SHARE
from tiebreak.records import Notice
from tiebreak.results.numbers import counted, in_percent

_SHOWN = 60  # characters of an input
_COSTLY = 0.5  # units of evidence over items, or fewer


def many_ties(labels: Labels) -> Iterable[Notice]:
    """Most items of a criterion tie, over all its pairs."""
    for found in labels.evidence.criteria:
        tied = sum(pair.ties for pair in found.summaries)
        total = sum(pair.items for pair in found.summaries)
        if total >= FEWEST_ITEMS and tied > TIE_SHARE * total:
            text = (
                f"{in_percent(tied / total)} of {total:,} compared items tie{on_criterion(found.criterion)}. Ties do "
                "not say who is better: ask a finer question, lower the tie threshold, or set a margin and let "
                "equivalence be the verdict."
            )
            details: dict[str, object] = {"criterion": found.criterion, "items": total, "share": tied / total}
            yield Notice("many-ties", text, details)


def repeated_inputs(labels: Labels) -> Iterable[Notice]:
    """Items that repeat an input were made one cluster; where that costs half of the units, it is said first."""
    index = labels.evidence.index
    if index.clustered_by != "input":
        return
    sizes = np.bincount(index.clusters)
    repeated = sizes[sizes > 1]
    compared = [pair for found in labels.evidence.criteria for pair in found.summaries if pair.clusters is not None]
    few = sum(pair.clusters or 0 for pair in compared) <= _COSTLY * sum(pair.items for pair in compared)
    items, inputs = int(repeated.sum()), counted(repeated.size, "input")
    text = (
        f"{items:,} items repeat {inputs}; items with the same input are one unit of evidence for --target inputs. If "
        "something else ties items together, name it in the column cluster of the items table; if they are independent "
        "(the input is a domain, or an instruction), give each a value of its own there."
    )
    code = "few-inputs" if compared and few else "repeated-inputs"
    yield Notice(code, text, {"items": items, "inputs": int(repeated.size)})


def shared_inputs(labels: Labels) -> Iterable[Notice]:
    """One input stands in so many items that it is an instruction; the items count as independent."""
    shared = labels.evidence.index.shared_inputs
    if not shared:
        return
    items, first = sum(found.items for found in shared), shared[0]
    shown = first.text if len(first.text) <= _SHOWN else first.text[:_SHOWN] + "…"
    what = f"one input ({shown!r})"
    if len(shared) > 1:
        what = f"{len(shared)} inputs (first: {shown!r}, {first.items:,} items)"
    text = (
        f"{items:,} items share {what}. That is taken for an instruction, "
        "not for repeats, and the items count as independent. If they are repeats of one question, or parts of one "
        "document, name it in the column cluster of the items table."
    )
    yield Notice("shared-inputs", text, {"items": items, "inputs": len(shared), "first": first.text})
