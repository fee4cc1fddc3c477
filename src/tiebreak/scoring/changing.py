"""A table of a study folder, changed whatever was added to the study since somebody read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from tiebreak.data.readers import read_study
from tiebreak.data.schema import TableName
from tiebreak.data.study import Study
from tiebreak.data.writers import replace_tables, stamps_of, until_unchanged


def change_table(path: Path, table: TableName, changed: Callable[[Study], pl.DataFrame]) -> None:
    """Put what `changed` makes of the study, as it is now, in place of a table; again where somebody wrote meanwhile.

    Raises:
        InputError, TiebreakError: the study is damaged by now, or cannot be written.
    """

    def change() -> None:
        stamps, study = stamps_of(path), read_study(path)
        replace_tables(path, {table: changed(study)}, stamps)

    until_unchanged(change)
