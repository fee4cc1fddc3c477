"""Rows about pairs of systems, all the same way round: what is said of a and b is then said of b and a."""

from __future__ import annotations

from typing import Final

import polars as pl

_MIRRORED: Final = {"a": "b", "tie": "tie", "b": "a"}
_SIDES: Final = (("system_a", "system_b"), ("sample_a", "sample_b"), ("p_a", "p_b"))


def one_way_round(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with system_a before system_b by name; samples, probabilities and the outcome turn with them."""
    turned = pl.col("system_a") > pl.col("system_b")
    sides = [pair for pair in _SIDES if set(pair) <= set(frame.columns)]
    changed = [
        pl.when(turned).then(pl.col(other)).otherwise(pl.col(own)).alias(own)
        for pair in sides
        for own, other in (pair, pair[::-1])
    ]
    if "outcome" in frame.columns:
        outcome = pl.col("outcome").cast(pl.String)
        changed.append(pl.when(turned).then(outcome.replace(_MIRRORED)).otherwise(outcome).alias("outcome"))
    return frame.with_columns(changed)
