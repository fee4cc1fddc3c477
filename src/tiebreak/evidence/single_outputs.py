"""A study of single outputs: systems that have several samples of an item become as many as there are samples.

What a judge says and what people say is about two outputs. Where systems have several of an item, a comparison is one
of a sample of each. So every sample gets a place, its number within its item and system, and every place a system of
its own: all tables are then about one output per item and system, as everywhere else. The units stay the items, however
many of their samples are compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from tiebreak.data.schema import TABLES
from tiebreak.data.study import Study

_KEY = ("item", "system", "sample")


@dataclass(frozen=True, slots=True)
class SingleOutputs:
    """The `study` of places; `system_of`: the system that each of its systems is a place of, sorted as they are."""

    study: Study
    system_of: Mapping[str, str]

    @classmethod
    def of(cls, study: Study) -> SingleOutputs:
        """A study without several samples keeps the names of its systems."""
        columns = [(frame, *side) for name, frame in study.tables.items() for side in TABLES[name].samples]
        if all(frame[sample].null_count() == frame.height for frame, _, sample in columns):
            return cls(study, {name: name for name in study.systems})
        mentioned = [
            frame.select("item", system=pl.col(system), sample=pl.col(sample)) for frame, system, sample in columns
        ]
        outputs = pl.concat(mentioned).unique().with_columns(place=_place())
        if not outputs["place"].max():
            return cls(_without_samples(study), {name: name for name in study.systems})
        names = pl.DataFrame({"system": study.systems}).with_row_index("number")
        numbered = pl.col("number").cast(pl.String).str.zfill(9) + "." + pl.col("place").cast(pl.String).str.zfill(9)
        outputs = outputs.join(names, on="system").with_columns(name=numbered)
        known = outputs.select("name", "system").unique().sort("name")
        return cls(_with_places(study, outputs), dict(known.iter_rows()))


def _place() -> pl.Expr:
    """The number of a sample within its item and system. A row that names none is about the only one, where there is
    one, and else about an output of which nobody knows which it is.
    """
    within, named = ("item", "system"), pl.col("sample").n_unique() - pl.col("sample").has_nulls().cast(pl.UInt32)
    nameless = pl.when(named.over(within) > 1).then(named.over(within)).otherwise(0)
    return (pl.col("sample").rank("dense").over(within) - 1).fill_null(nameless)


def _without_samples(study: Study) -> Study:
    tables = {
        name: frame.with_columns(pl.lit(None, pl.String).alias(sample) for _, sample in TABLES[name].samples)
        for name, frame in study.tables.items()
    }
    return replace(study, **tables)  # type: ignore[arg-type]


def _with_places(study: Study, outputs: pl.DataFrame) -> Study:
    """Names of places for those of systems, also where a table says what was shown on the left."""
    named = outputs.select(*_KEY, "name")
    tables = {}
    for name, frame in study.tables.items():
        sides = TABLES[name].samples
        if not sides:
            continue
        for system, sample in sides:
            found = named.rename({"system": system, "sample": sample, "name": f"place of {system}"})
            frame = frame.join(found, on=["item", system, sample], how="left", nulls_equal=True, maintain_order="left")
        if "left" in frame.columns:
            frame = frame.with_columns(
                left=pl.when(pl.col("left") == pl.col("system_a"))
                .then("place of system_a")
                .when(pl.col("left") == pl.col("system_b"))
                .then("place of system_b")
            )
        renamed = [pl.col(f"place of {system}").alias(system) for system, _ in sides]
        nameless = [pl.lit(None, pl.String).alias(sample) for _, sample in sides]
        tables[name] = frame.with_columns(*renamed, *nameless).drop(f"place of {system}" for system, _ in sides)
    return replace(study, **tables)  # type: ignore[arg-type]
