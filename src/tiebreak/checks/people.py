"""Checks of the people behind the labels: how few gave most, and what stood on the left of their screens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import polars as pl

from tiebreak.checks.associations import FEWEST_ITEMS, P_VALUE, TEST, within_groups
from tiebreak.checks.kinds import Check
from tiebreak.checks.labels import Labels, on_criterion
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.numbers import in_percent, some_names
from tiebreak.records import Notice

FEWEST_LABELS: Final = 30
FEW_ANNOTATORS: Final = 2
TOP_SHARE: Final = 0.5
CROWD: Final = 5
TOP_THREE_SHARE: Final = 0.8
POSITION_DEVIATION: Final = 0.1
SIDE_DEVIATION: Final = 0.05


def few_annotators(labels: Labels) -> Iterable[Notice]:
    """One or two people, or a few of many, gave most labels of the evidence: the verdict is about them."""
    people, ranked = len(labels.by_annotator), labels.by_annotator[:3]
    total = sum(count for _, count in labels.by_annotator)
    if total < FEWEST_LABELS:
        return
    top, top_three = ranked[0][1] / total, sum(count for _, count in ranked) / total
    what = "ratings" if labels.of == "means" else "labels"
    if people <= FEW_ANNOTATORS:
        names = " and ".join(name for name, _ in ranked)
        text = f"All {total:,} {what} come from {'one annotator' if people == 1 else 'two annotators'} ({names})."
    elif top > TOP_SHARE:
        text = f"{ranked[0][0]} gave {in_percent(top)} of the {total:,} {what} ({people} annotators)."
    elif people >= CROWD and top_three > TOP_THREE_SHARE:
        names = some_names([name for name, _ in ranked])
        text = f"Three of {people} annotators ({names}) gave {in_percent(top_three)} of the {total:,} {what}."
    else:
        return
    text += f" The result is about their taste: spread further {what} over more annotators."
    details = {
        "labels": total,
        "annotators": people,
        "top": [{"annotator": name, "share": count / total} for name, count in ranked],
    }
    yield Notice("few-annotators", text, details)


def one_sided_positions(labels: Labels) -> Iterable[Notice]:
    """A system was mostly on one side of the screen."""
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
    if found:
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
    if abs(share - 0.5) > SIDE_DEVIATION:
        side, part = ("left", share) if share > 0.5 else ("right", 1 - share)
        text = (
            f"Annotators chose the output on the {side} in {in_percent(part)} of {int(used.sum()):,} labels, with the "
            "systems held fixed. Keep positions balanced within each pair, and check the annotators who always "
            "answer the same side."
        )
        yield Notice("position-bias", text, {"labels": int(used.sum()), "left_share": share})


KINDS: Final = (
    Check(
        "few-annotators",
        "one or a few people gave most labels",
        "spread further labels over more people",
        {
            "labels": FEWEST_LABELS,
            "annotators": FEW_ANNOTATORS,
            "top_share": TOP_SHARE,
            "crowd": CROWD,
            "top_three_share": TOP_THREE_SHARE,
        },
        few_annotators,
    ),
    Check(
        "one-sided-positions",
        "one system stood on the left too often",
        "show both orders equally often",
        {"deviation": POSITION_DEVIATION, **TEST},
        one_sided_positions,
    ),
    Check(
        "position-bias",
        "one side of the screen wins too often",
        "balance positions",
        {"deviation": SIDE_DEVIATION, **TEST},
        position_bias,
    ),
)
