"""Rows of judges into the study that they are about, in place of those that they are to replace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.data.columns import one_way_round
from tiebreak.data.provenance import Meaning, add_signatures, read_signatures
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.numbers import counted
from tiebreak.scoring.changing import change_table
from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.rows import NewRows, table_of
from tiebreak.scoring.judges.signature import alike, meaning_of
from tiebreak.scoring.judges.work.pairs import Key

_KEYS: Final = {
    "judge_preferences": ("item", "system_a", "system_b", "sample_a", "sample_b", "left"),
    "scores": ("item", "system", "sample"),
}
_NAMES: Final = {"judge_preferences": "judge", "scores": "metric"}


def known_answers(study: Study, judge: Judge, *, overwrite: bool) -> frozenset[Key]:
    """Keys of the judge's answers that the study has, made as they would be made now; without those that are unscored.
    None to be overwritten: their texts may have changed, and where they have not, the replies are kept.

    Raises:
        UsageError: it has some that were made otherwise, and they are not to be replaced.
    """
    mine = _of_judge(study, judge)
    if mine is None or overwrite:
        return frozenset()
    others = mine.filter(~_made_alike(study, judge))
    if others.height:
        signature = others["signature"][0]
        made = f"made by {signature}" if signature else "that do not say what made them"
        raise UsageError(
            f"the study has {counted(others.height, 'answer')} of {judge.name} {made}, and now they would be made in "
            "another way (signatures.jsonl says how they were made): --overwrite replaces them; or give the judge "
            "another name"
        )
    scored = mine.filter(_made_alike(study, judge) & pl.col(_answer(judge)).is_not_null())
    return frozenset(_turned(scored).select(_KEYS[table_of(judge)]).iter_rows())


def store(path: Path, new: NewRows, *, overwrite: bool) -> Study:
    """Put rows into the study at a path, whatever was added to it since it was read; the study afterwards. There must
    be some: a judge of which nothing came overwrites nothing.

    Raises:
        InputError, TiebreakError: the study is damaged by now, or cannot be written.
    """
    add_signatures(path, new.meanings)

    change_table(path, new.table, lambda study: _merged(study, new, overwrite=overwrite))
    return read_study(path)


def _merged(study: Study, new: NewRows, *, overwrite: bool) -> pl.DataFrame:
    """The table with the new rows, in place of answers to the same questions."""
    old = study.tables_as_read.get(new.table)
    if old is None:
        return new.frame
    rows = old.with_row_index("row")
    key = [*_KEYS[new.table], _NAMES[new.table], "criterion"]
    if overwrite and new.table == "judge_preferences":
        key.remove("left")  # where texts became equal, or are no longer, there are other rows than before
    again = _turned(rows.select("row", *key))
    again = again.join(_turned(new.frame).select(key).unique(), on=key, how="semi", nulls_equal=True)
    gone = set(again["row"].to_list())
    mine = _of_judge(study, new.judge, rows)
    if overwrite and mine is not None:
        gone |= set(mine.filter(~_made_alike(study, new.judge))["row"].to_list())
    kept = rows.filter(~pl.col("row").is_in(list(gone))).drop("row")
    return pl.concat([kept, new.frame], how="diagonal_relaxed")


def _of_judge(study: Study, judge: Judge, rows: pl.DataFrame | None = None) -> pl.DataFrame | None:
    """The rows of a judge on its criterion."""
    table = table_of(judge)
    frame = study.tables.get(table) if rows is None else rows
    if frame is None:
        return None
    criterion = pl.lit(judge.settings.criterion, pl.String)
    return frame.filter((pl.col(_NAMES[table]) == judge.name) & pl.col("criterion").eq_missing(criterion))


def _made_alike(study: Study, judge: Judge) -> pl.Expr:
    """Which rows have a signature of this judge as it is now, whatever its model has rejected."""
    now = meaning_of(judge, frozenset())
    known: Mapping[str, Meaning] = {} if study.path is None else read_signatures(study.path)
    same = [signature for signature, meaning in known.items() if alike(meaning, now)]
    return pl.col("signature").is_in(same).fill_null(value=False)


def _answer(judge: Judge) -> str:
    return "value" if judge.settings.grades else "outcome"


def _turned(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of pairs with the system that comes first by name as the first."""
    return one_way_round(frame) if "system_a" in frame.columns else frame
