"""Puts scores and judgements into tables of a study, beside what it has from others, whatever was added since it was
read.

What signatures stand for is written first: no row is ever there without it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.data.columns import completed, one_way_round
from tiebreak.data.provenance import Meaning, add_signatures
from tiebreak.data.readers import read_study
from tiebreak.data.schema import TableName
from tiebreak.data.study import Study
from tiebreak.data.writers import replace_tables, stamps_of, until_unchanged
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.numbers import counted

_OUTPUT: Final = ("item", "system", "sample")


@dataclass(frozen=True, slots=True)
class MergedScores:
    """A table of scores; `replaced`: how many of the old ones are other ones now, or gone. `changed`: whether the table
    is another one.
    """

    frame: pl.DataFrame
    replaced: int
    changed: bool


def refuse_others(rows: pl.DataFrame, what: str, of: str, signatures: Collection[str], rename: str) -> None:
    """What has one name is made in one way. `what`: score or answer; `of`: whose, in words; `rename`: how to give the
    new ones another name.

    Raises:
        UsageError: some of the rows have none of these signatures.
    """
    foreign = rows.filter(~pl.col("signature").is_in(list(signatures)) | pl.col("signature").is_null())
    if foreign.height:
        known = foreign["signature"][0]
        now = f"by {next(iter(signatures))}" if len(signatures) == 1 else "otherwise (signatures.jsonl says how it was)"
        made = f"made by {known}, and new ones would be made {now}"
        unknown = "without a signature, so that nothing says how they were made"
        raise UsageError(
            f"the study has {counted(foreign.height, what)} {of} {made if known else unknown}: --overwrite replaces "
            f"them; or {rename}"
        )


ANOTHER_NAME: Final = "give the new ones another --name"


def scores_of(rows: pl.DataFrame, keys: pl.Series, known: pl.DataFrame, name: str, signature: str) -> pl.DataFrame:
    """The scores of those rows (item, system, sample) whose keys have a value among the `known`."""
    found = rows.select(_OUTPUT).with_columns(keys.alias("key"))
    found = found.join(known, on="key", how="left", maintain_order="left").filter(pl.col("value").is_not_null())
    named = found.select(
        "item", "system", pl.lit(name).alias("metric"), "value", "sample", pl.lit(signature).alias("signature")
    )
    return completed(named, "scores")


def merged(
    old: pl.DataFrame | None, fresh: pl.DataFrame, name: str, signature: str, outputs: pl.DataFrame
) -> MergedScores:
    """The table with the `fresh` scores of a metric in place of all that it had of it for these outputs, and of all
    that were made by another signature.
    """
    if old is None:
        return MergedScores(fresh, 0, changed=bool(fresh.height))
    rows = old.with_row_index("row")
    mine = rows.filter(pl.col("metric") == name)
    there = mine.join(outputs.select(_OUTPUT), on=_OUTPUT, how="semi", nulls_equal=True)["row"]
    gone = mine.filter(pl.col("row").is_in(there.implode()) | pl.col("signature").ne_missing(pl.lit(signature)))
    both = gone.join(fresh, on=_OUTPUT, how="left", nulls_equal=True, suffix=" new")
    same = (pl.col("value") == pl.col("value new")) & pl.col("signature").eq_missing(pl.col("signature new"))
    replaced = both.filter(~same.fill_null(False)).height
    if not replaced and gone.height == fresh.height:
        return MergedScores(old, 0, changed=False)
    kept = rows.join(gone.select("row"), on="row", how="anti", maintain_order="left").drop("row")
    return MergedScores(pl.concat([kept, fresh], how="diagonal_relaxed"), replaced, changed=True)


Question = tuple[str, str, str | None, str, str | None]
"""Item, system_a, sample_a, system_b, sample_b."""
_QUESTION: Final = ("item", "system_a", "sample_a", "system_b", "sample_b")

Replaced = Callable[[Study, pl.DataFrame], pl.DataFrame]
"""Of the rows of a table in the study as it is now, with their numbers in a column `row`, those that are to go."""


def write_rows(
    path: Path, table: TableName, new: pl.DataFrame, meanings: Mapping[str, Meaning], replaced: Replaced
) -> None:
    """Put rows into a table of the study at a path, in place of those `replaced`; whatever was added to it since it was
    read stays. Where somebody writes into the study meanwhile, it is read again.

    Raises:
        InputError, TiebreakError: the study is damaged by now, or cannot be written.
    """
    add_signatures(path, meanings)

    def change() -> None:
        stamps, now = stamps_of(path), read_study(path)
        table_now, old = new, now.tables_as_read.get(table)
        if old is not None:
            rows = old.with_row_index("row")
            kept = rows.join(replaced(now, rows).select("row"), on="row", how="anti", maintain_order="left").drop("row")
            table_now = pl.concat([kept, new], how="diagonal_relaxed") if kept.height else new
        replace_tables(path, {table: table_now}, stamps)

    until_unchanged(change)


def of_judge(rows: pl.DataFrame, judge: str, criterion: str | None) -> pl.DataFrame:
    """The rows of a judge on a criterion: judge preferences, or the scores of one that grades, or of any metric."""
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
    refuse_others(mine, "answer", f"of {judge}", signatures, ANOTHER_NAME)
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
        refuse_others(mine, "answer", f"of {judge}", meanings, ANOTHER_NAME)  # that somebody has given since
        return one_way_round(mine).join(one_way_round(new).select(_QUESTION), on=_QUESTION, nulls_equal=True)

    write_rows(study.path, "judge_preferences", new, meanings, replaced)
