"""Puts the scores of a run into the study's folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tiebreak.data.provenance import add_signatures
from tiebreak.data.schema import TableName
from tiebreak.data.settings_file import add_directions
from tiebreak.data.writers import Stamp, replace_tables
from tiebreak.scoring.records import ScoreResult


def write_scores(result: ScoreResult, path: Path, read: Mapping[str, Stamp]) -> bool:
    """What signatures stand for first, then whether more is better, then the tables, so that no score is there without
    them; whether any table was written. `read`: the stamps of the folder when the study was read.

    Raises:
        TiebreakError: somebody has changed the folder since, or it cannot be written. The chunks are kept, so that the
            next run is short.
    """
    add_signatures(path, result.meanings)
    add_directions(path, result.directions)
    tables: dict[TableName, pl.DataFrame] = {}
    written = result.study.tables_as_read
    if result.outputs_changed:
        tables["outputs"] = written["outputs"]
    if result.scores_changed:
        tables["scores"] = written.get("scores", pl.DataFrame())
    if tables:
        replace_tables(path, tables, read)
    return bool(tables)
