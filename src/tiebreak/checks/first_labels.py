"""Warnings of the label rule `first`: whoever is fastest decides, and may be one person, or of another opinion."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import rel_entr

from tiebreak.checks.labels import Labels, on_criterion
from tiebreak.checks.order import two_sided
from tiebreak.checks.thresholds import FEWEST_ITEMS, FIRST_DIFFERENCE, FIRST_SHARE, P_VALUE
from tiebreak.records import Notice
from tiebreak.results.numbers import in_percent, number

Floats = NDArray[np.float64]

_CELL = ["pair", "item", "sample_a", "sample_b"]
_ADVICE = "With --several mean every label counts."


def one_person_first(labels: Labels) -> Iterable[Notice]:
    """Of several people on an item, one person is first far more often than chance would have it."""
    frame = _timed(labels)
    if frame is None:
        return
    cells = frame.select(pl.struct(_CELL).n_unique()).item()
    own = frame.group_by("annotator", "unit").agg(
        first=pl.col("is_first").sum(),
        chance=pl.col("chance").sum(),
        mean_first=pl.col("is_first").mean(),
        mean_chance=pl.col("chance").mean(),
    )
    people = own["annotator"].n_unique()
    often = (pl.col("first").sum().over("annotator") - pl.col("chance").sum().over("annotator")) / cells > FIRST_SHARE
    found = []
    for part in own.filter(often).partition_by("annotator"):
        share, chance = (float(part[column].sum()) / cells for column in ("first", "chance"))
        # Somebody who is as fast as the others of an item is first with chance one over their number.
        p_value = _upper_tail(part["mean_first"].to_numpy(), part["mean_chance"].to_numpy())
        if p_value < P_VALUE / people:
            found.append((share - chance, str(part["annotator"][0]), share, chance))
    if found:
        _, name, share, chance = max(found)
        text = (
            f"With the label rule first {name} decides {in_percent(share)} of {cells:,} questions that several people "
            f"answered, where chance would have it in {in_percent(chance)}: the verdicts are about the taste of the "
            f"fastest. {_ADVICE}"
        )
        details: dict[str, object] = {"annotator": name, "questions": cells, "share": share, "by_chance": chance}
        yield Notice("one-person-first", text, details)


def _upper_tail(values: Floats, chances: Floats) -> float:
    """At least the chance of so large a sum of independent `values` (n,) in [0, 1] with means `chances` (n,) in (0, 1).

    exp(-n KL(mean of values, mean of chances)): Hoeffding (1963), theorem 1. It holds for few units as well.
    """
    share, chance = float(values.mean()), float(chances.mean())
    if share <= chance:
        return 1.0
    return math.exp(-values.size * float(rel_entr(share, chance) + rel_entr(1 - share, 1 - chance)))


def first_labels_differ(labels: Labels) -> Iterable[Notice]:
    """In a pair, the first labels of items favour another system than the labels after them, or less or more so."""
    frame = _timed(labels)
    if frame is None:
        return
    own, others = pl.col("value").filter(pl.col("is_first") == 1), pl.col("value").filter(pl.col("is_first") == 0)
    cells = frame.group_by(*_CELL, maintain_order=True).agg(
        first=own.first(), others=others.mean(), unit=pl.col("unit").first(), criterion=pl.col("criterion").first()
    )
    parts = cells.partition_by("pair", maintain_order=True)
    found = []
    for part in parts:
        difference = (part["first"] - part["others"]).to_numpy()
        mean = float(difference.mean())
        sums = np.bincount(part["unit"].to_numpy(), weights=difference).astype(np.float64)
        large = part["unit"].n_unique() >= FEWEST_ITEMS and abs(mean) > FIRST_DIFFERENCE
        if large and two_sided(sums) < P_VALUE / len(parts):
            found.append((abs(mean), part))
    if found:
        part = max(found, key=lambda entry: entry[0])[1]
        first, others_mean = (float(np.mean(part[column].to_numpy())) for column in ("first", "others"))
        row = frame.filter(pl.col("pair") == part["pair"][0]).row(0, named=True)
        a, b = row["system_a"], row["system_b"]
        text = (
            f"With the label rule first only the first label of an item counts. In {len(found):,} of {len(parts):,} "
            f"pairs the later ones say something else, most so in {a} and {b}{on_criterion(row['criterion'])}: the "
            f"difference is {number(first)} by the first labels of {part.height:,} items, and {number(others_mean)} by "
            f"the others. {_ADVICE}"
        )
        details: dict[str, object] = {
            "pairs": len(found),
            "system_a": a,
            "system_b": b,
            "items": part.height,
            "first": first,
            "others": others_mean,
        }
        yield Notice("first-labels-differ", text, details)


def _timed(labels: Labels) -> pl.DataFrame | None:
    """Preferences on items of a pair with several, all timed, one of them the first; None under other label rules.

    Added: `is_first` 1 or 0, and `chance`, one over the labels of the item. (Where times are missing or equal several
    labels count, and nobody is first by being fast.)
    """
    if labels.label_rule != "first" or labels.preferences.height == 0:
        return None
    time = pl.col("time")
    frame = labels.preferences.with_columns(
        several=pl.len().over(_CELL),
        timed=time.is_not_null().all().over(_CELL),
        earliest=time.min().over(_CELL),
    )
    frame = frame.filter((pl.col("several") > 1) & pl.col("timed")).with_columns(
        is_first=(time == pl.col("earliest")).cast(pl.Int64), chance=1 / pl.col("several")
    )
    frame = frame.filter(pl.col("is_first").sum().over(_CELL) == 1)
    return frame if frame.height else None
