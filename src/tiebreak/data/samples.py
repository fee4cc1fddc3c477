"""Studies in which systems have several outputs for one item, where one is wanted."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from tiebreak.data.schema import TABLES
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem


def with_one_sample(study: Study, who: str) -> Study:
    """The study without names of samples, which one output per item and system does not need.

    Raises:
        InputError: some system has several samples for an item; it names the first. `who` takes one ("a campaign").
    """
    mentioned = [
        frame.select("item", system=pl.col(system), sample=pl.col(sample)).drop_nulls()
        for name, frame in study.tables.items()
        for system, sample in TABLES[name].samples
    ]
    found = [frame for frame in mentioned if frame.height]
    if not found:
        return study
    counted = pl.concat(found).unique().group_by("item", "system").len().filter(pl.col("len") > 1)
    if counted.height:
        item, system, samples = counted.sort("item", "system").row(0)
        items = counted["item"].n_unique()
        message = (
            f"systems have several samples of {items:,} item{'s' if items > 1 else ''} (the first: item {item}, system "
            f"{system}, with {samples:,}), and {who} takes one output per item and system: keep one sample of each"
        )
        raise InputError([Problem(str(study.path or study.name), message)])
    tables = {
        name: frame.with_columns(pl.lit(None, pl.String).alias(sample) for _, sample in TABLES[name].samples)
        for name, frame in study.tables.items()
    }
    return replace(study, **tables)  # type: ignore[arg-type]
