"""Checks of what stood on the left of people's screens, and of which side they chose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import polars as pl

from tiebreak.checks.labels import FEWEST_ITEMS, P_VALUE, TEST, Check, Labels, on_criterion, within_groups
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.messages.notices import NoticeKind
from tiebreak.numbers import in_percent
from tiebreak.records import Notice

POSITION_DEVIATION: Final = 0.1
SIDE_DEVIATION: Final = 0.05

POSITIONS: Final = NoticeKind(
    "positions",
    "one system stood on the left too often, or one side of the screen wins too often",
    "show both orders equally often",
    {"shown": POSITION_DEVIATION, "chosen": SIDE_DEVIATION, **TEST},
)


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
        if abs(share - 0.5) > POSITION_DEVIATION and p_value < P_VALUE / len(parts) and units >= FEWEST_ITEMS:
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
        yield POSITIONS.notice(said + advice, **details)


def _left_share(frame: pl.DataFrame) -> tuple[float, float, int]:
    """Share of labels with `side` 1, sign test over items (annotators of one item may share a screen), and items."""
    per_item = frame.group_by("unit").agg(pl.col("side").sum())["side"].to_numpy()
    test = sign_test(float((per_item > 0).sum()), float((per_item < 0).sum()))
    return float((frame["side"].to_numpy() > 0).mean()), float(test.p_two_sided), int(per_item.size)


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
        yield POSITIONS.notice(text, labels=int(used.sum()), left_share=share)


CHECKS: Final = (Check(POSITIONS, one_sided_positions), Check(POSITIONS, position_bias))
