"""Rows about a system's output, where the study has several of it for the item and none of this name."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from tiebreak.data.schema import TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.errors import Problem
from tiebreak.importers.importer import ImportedRows
from tiebreak.results.numbers import counted, some_names

_OUTPUT = ("item", "system", "sample")
_SHOWN = 5


def other_samples(
    study: Study, tables: Mapping[TableName, pl.DataFrame], rows: ImportedRows
) -> tuple[dict[TableName, pl.Series], list[Problem]]:
    """Which rows of each table (True) name none of the samples that there are of their output, or no sample; only
    tables that have such rows, and one problem for each.
    """
    outputs = _outputs(study, tables)
    named = outputs.filter(pl.col("sample").is_not_null()).select("item", "system").unique()
    found: dict[TableName, pl.Series] = {}
    problems = []
    for table in (name for name in tables if name != "outputs" and named.height):
        frame = tables[table].with_row_index("row")
        for system, sample in TABLES[table].samples:
            asked = _asked(frame, system, sample).join(named, on=("item", "system"), how="semi", maintain_order="left")
            lost = asked.join(outputs, on=_OUTPUT, how="anti", nulls_equal=True, maintain_order="left")
            if lost.height:
                wrong = frame["row"].is_in(lost["row"].implode())
                found[table] = found.get(table, wrong) | wrong
                problems.append(_problem(lost, outputs, sample, rows))
    return found, problems


def unnamed_outputs(study: Study, tables: Mapping[TableName, pl.DataFrame], rows: ImportedRows) -> list[Problem]:
    """New outputs without a sample, of items and systems of which the study has named ones."""
    new = tables.get("outputs")
    if new is None or study.outputs is None:
        return []
    named = study.outputs.filter(pl.col("sample").is_not_null())
    bare = new if "sample" not in new.columns else new.filter(pl.col("sample").is_null())
    lost = bare.join(named, on=("item", "system"), how="semi", maintain_order="left")
    return [] if not lost.height else [_problem(lost.with_columns(sample=None), named, "sample", rows)]


def _outputs(study: Study, tables: Mapping[TableName, pl.DataFrame]) -> pl.DataFrame:
    """Item, system and sample of all outputs, the study's and the new ones."""
    empty = pl.DataFrame(schema=dict.fromkeys(_OUTPUT, pl.String))
    new = tables.get("outputs")
    parts = [empty, *(part for part in (study.outputs, new) if part is not None)]
    return pl.concat(parts, how="diagonal_relaxed").select(_OUTPUT).unique(maintain_order=True)


def _asked(rows: pl.DataFrame, system: str, sample: str) -> pl.DataFrame:
    named = pl.col(sample) if sample in rows.columns else pl.lit(None, pl.String)
    return rows.select("row", "item", system=pl.col(system), sample=named.cast(pl.String))


def _problem(lost: pl.DataFrame, outputs: pl.DataFrame, column: str, rows: ImportedRows) -> Problem:
    item, system, sample = lost.select(_OUTPUT).row(0)
    of = outputs.filter((pl.col("item") == item) & (pl.col("system") == system))["sample"].drop_nulls().to_list()
    which = "names none of them" if sample is None else f"names {sample}"
    cure = f"--map {column}=COLUMN names them" if sample is None else "mend the file, or add that output first"
    message = (
        f"the study has several outputs of {system} for this item (samples {some_names(of, _SHOWN)}), and the file "
        f"{which} ({counted(lost.height, 'row')}): {cure}"
    )
    return rows.place("item", str(item), message)
