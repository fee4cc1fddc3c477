"""Judgements of one judge into the table of a study, beside those that it has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tiebreak.data.signatures import Meaning, add_signatures
from tiebreak.data.study import Study
from tiebreak.data.writers import replace_tables, stamps_of
from tiebreak.errors import TiebreakError, UsageError

Question = tuple[str, str, str | None, str, str | None]
"""Item, system_a, sample_a, system_b, sample_b."""


def answered_by(study: Study, judge: str, criterion: str | None, signatures: Mapping[str, Meaning]) -> set[Question]:
    """What a judge of these signatures has answered on a criterion, either way round.

    Raises:
        UsageError: the study has answers of a judge of this name that have another signature, or none.
    """
    if study.judge_preferences is None:
        return set()
    mine = study.judge_preferences.filter(
        (pl.col("judge") == judge) & pl.col("criterion").eq_missing(pl.lit(criterion, pl.String))
    )
    foreign = mine.filter(~pl.col("signature").is_in(list(signatures)) | pl.col("signature").is_null())
    if foreign.height:
        raise UsageError(
            f"{foreign.height:,} answers of a judge {judge!r} are there that came about otherwise (their signature is "
            f"{foreign['signature'][0] or 'not known'}); take another --name, or --overwrite"
        )
    rows = mine.select("item", "system_a", "sample_a", "system_b", "sample_b").iter_rows()
    found: set[Question] = set()
    for item, a, sample_a, b, sample_b in rows:
        found |= {(item, a, sample_a, b, sample_b), (item, b, sample_b, a, sample_a)}
    return found


def add_judgements(
    study: Study, judge: str, criterion: str | None, new: pl.DataFrame, meanings: Mapping[str, Meaning],
    *, overwrite: bool = False,
) -> None:  # fmt: skip
    """Rows of `judge_preferences` behind those that are there; `overwrite`: in place of this judge's on the criterion.

    What signatures stand for is written first: no row is ever there without it.

    Raises:
        TiebreakError: the study lies in no folder, has changed since it was read, or cannot be written.
    """
    if study.path is None:
        raise TiebreakError("judgements are written into a study folder, and this study lies in none")
    path = Path(study.path)
    stamps = stamps_of(path)
    old = study.tables_as_read.get("judge_preferences")
    if old is not None and overwrite:
        mine = (pl.col("judge") == judge) & pl.col("criterion").eq_missing(pl.lit(criterion, pl.String))
        old = old.filter(~mine)
    add_signatures(path, meanings)
    frame = new if old is None or not old.height else pl.concat([old, new], how="diagonal_relaxed")
    replace_tables(path, {"judge_preferences": frame}, stamps)
