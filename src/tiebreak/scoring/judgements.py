"""Judgements of one judge into a table of a study, beside what the study has from others.

What signatures stand for is written first: no row is ever there without it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.data.columns import one_way_round
from tiebreak.data.provenance import Meaning, add_signatures
from tiebreak.data.schema import TableName
from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.scoring.writing import change_table

Question = tuple[str, str, str | None, str, str | None]
"""Item, system_a, sample_a, system_b, sample_b."""
_QUESTION: Final = ("item", "system_a", "sample_a", "system_b", "sample_b")

Replaced = Callable[[Study, pl.DataFrame], pl.DataFrame]
"""Of the rows of a table in the study as it is now, with their numbers in a column `row`, those that are to go."""


def write_judgements(
    path: Path, table: TableName, new: pl.DataFrame, meanings: Mapping[str, Meaning], replaced: Replaced
) -> None:
    """Put rows into a table of the study at a path; whatever was added to it since it was read stays.

    Raises:
        InputError, TiebreakError: the study is damaged by now, or cannot be written.
    """
    add_signatures(path, meanings)

    def changed(now: Study) -> pl.DataFrame:
        old = now.tables_as_read.get(table)
        if old is None:
            return new
        rows = old.with_row_index("row")
        kept = rows.join(replaced(now, rows).select("row"), on="row", how="anti", maintain_order="left").drop("row")
        return pl.concat([kept, new], how="diagonal_relaxed") if kept.height else new

    change_table(path, table, changed)


def of_judge(rows: pl.DataFrame, judge: str, criterion: str | None) -> pl.DataFrame:
    """The rows of a judge on a criterion: judge preferences, or the scores of one that grades."""
    name = "judge" if "judge" in rows.columns else "metric"
    return rows.filter((pl.col(name) == judge) & pl.col("criterion").eq_missing(pl.lit(criterion, pl.String)))


def answered_by(
    study: Study, judge: str, criterion: str | None, signatures: Mapping[str, Meaning]
) -> dict[Question, str | None]:
    """What a judge of these signatures has answered on a criterion, either way round; and the hash of what it read,
    None where it is not known.

    Raises:
        UsageError: the study has answers of a judge of this name that have another signature, or none.
    """
    every = study.tables_as_read.get("judge_preferences")
    if every is None:
        return {}
    mine = of_judge(every, judge, criterion)
    _refuse_others(mine, judge, signatures)
    answered: dict[Question, str | None] = {}
    for item, a, sample_a, b, sample_b, texts in mine.select(*_QUESTION, "texts").iter_rows():
        answered |= {(item, a, sample_a, b, sample_b): texts, (item, b, sample_b, a, sample_a): texts}
    return answered


def add_judgements(
    study: Study, judge: str, criterion: str | None, new: pl.DataFrame, meanings: Mapping[str, Meaning],
    *, overwrite: bool = False,
) -> None:  # fmt: skip
    """Rows of `judge_preferences` in place of this judge's answers to the same questions on the criterion, or
    (`overwrite`) of all its answers on it.

    Raises:
        UsageError: by now the study has answers of a judge of this name that have another signature, or none.
        TiebreakError: the study lies in no folder, or cannot be written.
    """
    if study.path is None:
        raise TiebreakError("judgements are written into a study folder, and this study lies in none")

    def replaced(_: Study, rows: pl.DataFrame) -> pl.DataFrame:
        mine = of_judge(rows, judge, criterion)
        if overwrite:
            return mine
        _refuse_others(mine, judge, meanings)  # somebody else may have begun since the study was read
        return one_way_round(mine).join(one_way_round(new).select(_QUESTION), on=_QUESTION, nulls_equal=True)

    write_judgements(study.path, "judge_preferences", new, meanings, replaced)


def _refuse_others(rows: pl.DataFrame, judge: str, signatures: Collection[str]) -> None:
    """Raise UsageError where answers of a judge have none of these signatures."""
    foreign = rows.filter(~pl.col("signature").is_in(list(signatures)) | pl.col("signature").is_null())
    if foreign.height:
        raise UsageError(
            f"{foreign.height:,} answers of a judge {judge!r} are there that came about otherwise (their signature is "
            f"{foreign['signature'][0] or 'not known'}); take another --name, or --overwrite"
        )
