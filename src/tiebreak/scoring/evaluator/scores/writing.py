"""Scores of what was trained into the table of a study, beside those that it has."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

from tiebreak.data.provenance import Meaning, add_signatures
from tiebreak.data.study import Study
from tiebreak.data.writers import add_directions
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.scoring.writing import change_table

_KEY = ("item", "system", "sample", "metric", "criterion")


def refuse_others(study: Study, metric: str, criterion: str | None, signatures: Collection[str]) -> None:
    """Scores of one name are made in one way.

    Raises:
        UsageError: the study has scores of this name on the criterion with another signature, or none.
    """
    every = study.tables_as_read.get("scores")
    if every is None:
        return
    mine = every.filter(_is(metric, criterion))["signature"]
    others = mine.filter(~mine.is_in(list(signatures)).fill_null(False))
    if len(others):
        raise UsageError(
            f"{len(others):,} scores called {metric} are there that came about otherwise (their signature is "
            f"{others[0] or 'not known'}); take another --name, or --overwrite"
        )


def add_scores(study: Study, new: pl.DataFrame, meanings: Mapping[str, Meaning], *, overwrite: bool = False) -> None:
    """Rows of `scores` in place of those about the same; `overwrite`: of all by these metrics on these criteria.
    Whatever was added to the study since it was read stays.

    What signatures stand for is written first, then that more is better: no score is ever there without them.

    Raises:
        UsageError: by now the study has scores of such a name and criterion with another signature, or none.
        TiebreakError: the study lies in no folder, or cannot be written.
    """
    if study.path is None:
        raise TiebreakError("scores are written into a study folder, and this study lies in none")
    add_signatures(study.path, meanings)
    add_directions(study.path, dict.fromkeys(new["metric"].unique(maintain_order=True), True))

    def changed(now: Study) -> pl.DataFrame:
        old = now.tables_as_read.get("scores")
        if old is None:
            return new
        if not overwrite:  # somebody else may have scored since the study was read
            for metric, criterion in new.select("metric", "criterion").unique(maintain_order=True).iter_rows():
                refuse_others(now, metric, criterion, meanings)
        key = ("metric", "criterion") if overwrite else _KEY
        kept = old.join(new.select(key).unique(), on=key, how="anti", nulls_equal=True, maintain_order="left")
        return pl.concat([kept, new], how="diagonal_relaxed") if kept.height else new

    change_table(study.path, "scores", changed)


def _is(metric: str, criterion: str | None) -> pl.Expr:
    return (pl.col("metric") == metric) & pl.col("criterion").eq_missing(pl.lit(criterion, pl.String))
