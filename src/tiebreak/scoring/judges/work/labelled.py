"""What people have labelled, so that a judge need not be asked about it."""

from __future__ import annotations

import polars as pl

from tiebreak.data.study import Study


def labelled_pairs(study: Study, criterion: str | None) -> frozenset[tuple[str, str, str]]:
    """Item and pair of systems, in alphabetical order, with a preference or with ratings of both outputs."""
    found: set[tuple[str, str, str]] = set()
    if study.preferences is not None:
        rows = _serving(study.preferences, criterion).select("item", "system_a", "system_b").unique()
        found |= {(item, min(a, b), max(a, b)) for item, a, b in rows.iter_rows()}
    if study.ratings is not None:
        rated = _serving(study.ratings, criterion).select("item", "system").unique()
        both = rated.join(rated, on="item", suffix="_b").filter(pl.col("system") < pl.col("system_b"))
        found |= set(both.select("item", "system", "system_b").iter_rows())
    return frozenset(found)


def rated_outputs(study: Study, criterion: str | None) -> frozenset[tuple[str, str]]:
    """Item and system with a rating."""
    if study.ratings is None:
        return frozenset()
    return frozenset(_serving(study.ratings, criterion).select("item", "system").unique().iter_rows())


def _serving(labels: pl.DataFrame, criterion: str | None) -> pl.DataFrame:
    """Labels on a criterion; those on any where a judge has none."""
    return labels if criterion is None else labels.filter(pl.col("criterion") == criterion)
