"""Warnings about who answered, how often, and what was on the left of their screens.

Warnings of the label rule `first`: whoever is fastest decides, and may be one person, or of another opinion.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import rel_entr

from tiebreak.checks.labels import Labels, on_criterion
from tiebreak.checks.order import two_sided, within_groups
from tiebreak.checks.thresholds import (
    CROWD,
    FEW_ANNOTATORS,
    FEWEST_ITEMS,
    FEWEST_LABELS,
    FIRST_DIFFERENCE,
    FIRST_SHARE,
    LEFT_DEVIATION,
    P_VALUE,
    POSITION_DEVIATION,
    TOP_SHARE,
    TOP_THREE_SHARE,
    UNEVEN_SHARE,
)
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.numbers import in_percent, number, some_names
from tiebreak.records import Notice


def few_annotators(labels: Labels) -> Iterable[Notice]:
    """One or two people, or a few of many, gave most labels of the evidence: the verdict is about them."""
    people, ranked = len(labels.by_annotator), labels.by_annotator[:3]
    total = sum(count for _, count in labels.by_annotator)
    if total < FEWEST_LABELS:
        return
    top, top_three = ranked[0][1] / total, sum(count for _, count in ranked) / total
    whose = "one person's" if people == 1 else "few people's"
    what, result = "labels", "verdicts"
    if labels.of == "means":
        what, result = "ratings", "means"
    elif labels.of == "looks":
        what = "labels seen"
    elif labels.of == "campaign" or total < labels.total:
        what = "labels in evidence"
    about = f"{result} are about {whose} taste: spread further {what.split()[0]} over more annotators."
    advice = f" {about.capitalize()}"
    if people == 1 and labels.of != "campaign":  # in a table one name may stand for the average of many
        said = f"All {total:,} {what} have one annotator's name ({ranked[0][0]})."
        advice = f" If that is one person, no average, {about}"
    elif people <= FEW_ANNOTATORS:
        names = " and ".join(name for name, _ in ranked)
        said = f"All {total:,} {what} come from {'one annotator' if people == 1 else 'two annotators'} ({names})."
    elif top > TOP_SHARE:
        said = f"{ranked[0][0]} gave {in_percent(top)} of the {total:,} {what} ({people} annotators)."
    elif people >= CROWD and top_three > TOP_THREE_SHARE:
        names = some_names([name for name, _ in ranked])
        said = f"Three of {people} annotators ({names}) gave {in_percent(top_three)} of the {total:,} {what}."
    else:
        return
    details = {
        "labels": total,
        "annotators": people,
        "top": [{"annotator": name, "share": count / total} for name, count in ranked],
    }
    yield Notice("few-annotators", said + advice, details)


def one_sided_positions(labels: Labels) -> Iterable[Notice]:
    """A system was mostly on one side of the screen, over all pairs as the file names them, or in single pairs."""
    frame = labels.preferences.filter(pl.col("side").is_not_null())
    if frame.height == 0:
        return
    advice = " A liking for one side of the screen would count as one for a system: show both orders equally often."
    parts = frame.partition_by("pair", maintain_order=True)
    found = []
    for part in parts:
        share, p_value, units = _left_share(part)
        if _far(share, p_value, units, len(parts)):
            found.append((abs(share - 0.5), share, part))
    share, p_value, units = _left_share(frame.with_columns(side=pl.col("side") * pl.col("written")))
    if _far(share, p_value, units, 1) and len(found) in (0, len(parts)):
        said = f"system_a was on the left for {in_percent(share)} of {frame.height:,} labels."
        yield Notice("one-sided-positions", said + advice, {"labels": frame.height, "left_share": share})
    elif found:
        _, share, part = max(found, key=lambda entry: entry[0])
        first, second = part["system_a"][0], part["system_b"][0]
        said = (
            f"In {len(found):,} of {len(parts):,} pairs one system was mostly on the left, most so in {first} and "
            f"{second}{on_criterion(part['criterion'][0])}: {first} for {in_percent(share)} of {part.height:,} labels."
        )
        details: dict[str, object] = {
            "pairs": len(found),
            "system_a": first,
            "system_b": second,
            "labels": part.height,
            "left_share": share,
        }
        yield Notice("one-sided-positions", said + advice, details)


def _left_share(frame: pl.DataFrame) -> tuple[float, float, int]:
    """Share of labels with `side` 1, sign test over items (annotators of one item may share a screen), and items."""
    per_item = frame.group_by("unit").agg(pl.col("side").sum())["side"].to_numpy()
    test = sign_test(float((per_item > 0).sum()), float((per_item < 0).sum()))
    return float((frame["side"].to_numpy() > 0).mean()), float(test.p_two_sided), int(per_item.size)


def _far(share: float, p_value: float, units: int, tests: int) -> bool:
    return abs(share - 0.5) > POSITION_DEVIATION and p_value < P_VALUE / tests and units >= FEWEST_ITEMS


def position_bias(labels: Labels) -> Iterable[Notice]:
    """Annotators choose one side of the screen more often, with the systems held fixed."""
    used = ~np.isnan(labels.column("side")) & (labels.column("value") != 0)
    found = within_groups(
        labels.column("side")[used],
        labels.column("value")[used],
        labels.codes("pair")[used],
        labels.codes("unit")[used],
    )
    if found is None or found.clusters < FEWEST_ITEMS or found.p_value >= P_VALUE:
        return
    # Side and value are both -1 or 1, so that the slope is P(a | a left) - P(a | a right).
    share = 0.5 + found.slope / 2
    if abs(share - 0.5) > LEFT_DEVIATION:
        side, part = ("left", share) if share > 0.5 else ("right", 1 - share)
        text = (
            f"Annotators chose the output on the {side} in {in_percent(part)} of {int(used.sum()):,} labels, with the "
            "systems held fixed. Keep positions balanced within each pair, and check the annotators who always "
            "answer the same side."
        )
        yield Notice("position-bias", text, {"labels": int(used.sum()), "left_share": share})


def uneven_panels(labels: Labels) -> Iterable[Notice]:
    """Majority votes of panels of different sizes are mixed."""
    if labels.label_rule != "majority":
        return
    for found in labels.evidence.criteria:
        panels: Counter[int] = Counter()
        for pair in found.pairs:
            panels.update(dict(enumerate(np.bincount(pair.labels).tolist())))
        sizes = sorted(size for size, count in panels.items() if size and count)
        if not sizes:
            continue
        usual = max(sizes, key=lambda size: panels[size])
        uneven = 1 - panels[usual] / sum(panels[size] for size in sizes)
        if uneven > UNEVEN_SHARE:
            text = (
                f"Items carry {sizes[0]} to {sizes[-1]} labels{on_criterion(found.criterion)}, {in_percent(uneven)} "
                f"of them not the usual {usual}. What a majority says depends on how many vote: use "
                "the label rule mean or first, or collect the missing labels."
            )
            details: dict[str, object] = {
                "criterion": found.criterion,
                "smallest": sizes[0],
                "largest": sizes[-1],
                "share": uneven,
            }
            yield Notice("uneven-panels", text, details)


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
