"""Outputs that repeat: a system that gives one text for many inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

import polars as pl

from tiebreak.data.study import Study
from tiebreak.data.validation import BLANK
from tiebreak.records import Notice
from tiebreak.results.numbers import in_percent, some_names

REPEATED_SHARE: Final = 0.05
REPEATED_OUTPUTS: Final = 5
"""A system is named if so many, and more than this share, of its outputs repeat the text of another item."""

THRESHOLDS: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {"repeated-outputs": {"share": REPEATED_SHARE, "outputs": REPEATED_OUTPUTS}}
)
"""Code to thresholds by name, mirrored by docs/warnings.md."""


def text_notices(study: Study) -> Iterable[Notice]:
    """Systems that gave the same non-blank text for items with different inputs."""
    if study.outputs is None:
        return
    rows = study.outputs.select("item", "system", "text")
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
