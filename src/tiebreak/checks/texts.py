"""Warnings about the outputs themselves: identical, empty, repeated, or preferred for their length.

Warnings about the values that the labels make.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.checks.labels import Labels, on_criterion
from tiebreak.checks.order import WithinGroups
from tiebreak.checks.thresholds import (
    ASKED_ON_IDENTICAL,
    EMPTY_OUTPUTS,
    FEWEST_ITEMS,
    IDENTICAL_ITEMS,
    IDENTICAL_SHARE,
    LENGTH_CORRELATION,
    P_VALUE,
    REPEATED_OUTPUTS,
    REPEATED_SHARE,
    TIE_SHARE,
)
from tiebreak.data.validation import BLANK
from tiebreak.evidence.items import name_numbers
from tiebreak.numbers import counted, in_percent, number, some_names
from tiebreak.records import Notice


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
        details: dict[str, object] = {
            "correlation": found.correlation,
            "longer_wins": wins,
            "items": unequal,
        }
        yield Notice("length-explains-preference", text, details)


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
        pairs = len(systems) * (len(systems) - 1) // 2
        who, most = f"{first} and {second} wrote", ""
        if pairs > 1:
            who = f"{len(found):,} of {pairs:,} pairs of systems wrote"
            most = f", {'namely' if len(found) == 1 else 'most'} {first} and {second}"
        text = (
            f"{who} the same text for more than {in_percent(IDENTICAL_SHARE)} of their items{most} ({same:,} items, "
            f"{in_percent(share)}). These are ties: check that no file was copied."
        )
        listed = [{"system_a": a, "system_b": b, "items": count, "share": part} for part, count, a, b in found]
        yield Notice("identical-outputs", text, {"pairs": listed})


def empty_outputs(labels: Labels) -> Iterable[Notice]:
    """Outputs without a visible character."""
    outputs = labels.study.outputs
    if outputs is None:
        return
    blank = pl.col("text").fill_null("").str.contains(BLANK)
    counts = outputs.filter(blank).group_by("system").len().sort(["len", "system"], descending=[True, False])
    total = int(counts["len"].sum())
    if total >= EMPTY_OUTPUTS:
        by_system = dict(counts.iter_rows())
        names = some_names([f"{system} {count:,}" for system, count in by_system.items()])
        text = (
            f"{total:,} of {outputs.height:,} outputs are empty or blank ({names}). If the run failed there, remove "
            "the rows; if the system said nothing, leave them."
        )
        yield Notice("empty-outputs", text, {"outputs": total, "systems": by_system})


def labels_on_identical(labels: Labels) -> Iterable[Notice]:
    """Preferences that were asked where both outputs are the same text."""
    index, frame = labels.evidence.index, labels.preferences
    known = frame.filter(
        pl.col("system_a").is_in(list(index.text_row)) & pl.col("system_b").is_in(list(index.text_row))
    )
    if index.texts is None or known.height == 0:
        return
    items = index.numbers(known["item"])
    first, second = (
        index.texts[known[side].replace_strict(index.text_row, return_dtype=pl.Int64).to_numpy(), items]
        for side in ("system_a", "system_b")
    )
    same = (first == second) & (first >= 0)
    count = int(same.sum())
    if count >= ASKED_ON_IDENTICAL:
        decided = float((known["value"].to_numpy()[same] != 0).mean())
        text = (
            f"{count:,} of {frame.height:,} preferences were asked about two identical outputs; {in_percent(decided)} "
            "of them prefer one all the same. They count as ties: do not ask about such items."
        )
        yield Notice("labels-on-identical-outputs", text, {"labels": count, "not_tied": decided})


def repeated_outputs(labels: Labels) -> Iterable[Notice]:
    """Systems that gave the same non-blank text for items with different inputs."""
    study = labels.study
    systems = _with_a_repeated_text(labels)
    if study.outputs is None or not systems:
        return
    rows = study.outputs.select("item", "system", "text").filter(pl.col("system").is_in(systems))
    if study.items is not None:
        rows = rows.join(study.items.select("item", "input"), on="item", how="left")
    else:
        rows = rows.with_columns(input=pl.lit(None, dtype=pl.String))
    # Items that share an input may well share an output; without an input every item is its own.
    given = pl.col("input").fill_null("").str.strip_chars() != ""
    rows = rows.with_columns(asked=pl.when(given).then(pl.col("input")).otherwise(pl.col("item")))
    rows = rows.filter(~pl.col("text").fill_null("").str.contains(BLANK))
    repeats = pl.col("asked").n_unique().over("system", "text") > 1
    counted = (
        rows.with_columns(repeats=repeats).group_by("system").agg(outputs=pl.len(), repeated=pl.col("repeats").sum())
    )
    found = counted.filter(
        (pl.col("repeated") >= REPEATED_OUTPUTS) & (pl.col("repeated") > REPEATED_SHARE * pl.col("outputs"))
    ).sort(["repeated", "system"], descending=[True, False])
    if found.height:
        by_system = {row["system"]: (row["repeated"], row["outputs"]) for row in found.iter_rows(named=True)}
        names = some_names([f"{name} {count:,} of {total:,}" for name, (count, total) in by_system.items()])
        text = (
            f"Some systems give one text for several inputs, in more than {in_percent(REPEATED_SHARE)} of their "
            f"outputs: {names}. Check that their files are aligned with the items."
        )
        yield Notice("repeated-outputs", text, {"systems": {name: count for name, (count, _) in by_system.items()}})


def _with_a_repeated_text(labels: Labels) -> list[str]:
    """Systems that may have written a text for more than one item; of several samples only their texts could tell."""
    outputs, index = labels.study.outputs, labels.evidence.index
    if outputs is None or index.texts is None:
        return []
    if outputs["sample"].null_count() < outputs.height:
        return list(index.text_row)
    return [name for name, row in index.text_row.items() if _repeats(index.texts[row])]


def _repeats(texts: NDArray[np.int32]) -> bool:
    """Whether a number of a text, not the -1 of a missing one, is there twice."""
    written = np.sort(texts[texts >= 0])
    return bool((written[1:] == written[:-1]).any())


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
