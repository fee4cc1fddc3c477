"""Files that tests write, and what is made of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl

from tiebreak.importers.draft import Draft
from tiebreak.importers.plans import FilePlan, ReadOptions, plan_files
from tiebreak.importers.reading import Imported, imported


def save(folder: Path, name: str, rows: Any) -> str:
    """A text as it is, a JSON document, JSON Lines of objects, a workbook of rows by sheet, or a table (Parquet, TSV,
    or else CSV) of rows or objects; its path.
    """
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(rows, str):
        path.write_text(rows, encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    elif path.suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".xlsx":
        save_workbook(path, rows)
    else:
        table = [list(rows[0]), *(row.values() for row in rows)] if isinstance(rows[0], Mapping) else rows
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, delimiter="\t" if path.suffix == ".tsv" else ",").writerows(table)
    return str(path)


def save_workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[object]]], merged: Sequence[str] = ()) -> str:
    """A workbook of these sheets, by title; `merged`: cells of the first that are one, such as A1:B1."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    for cells in merged:
        book.worksheets[0].merge_cells(cells)
    book.save(path)
    return str(path)


def planned(*files: str, **options: object) -> tuple[FilePlan, ...]:
    """How files are read."""
    return plan_files(files, ReadOptions(**options))  # type: ignore[arg-type]


def drafted(file: str, **options: object) -> Draft:
    """The draft of one file."""
    (plan,) = planned(file, **options)
    assert plan.draft is not None
    return plan.draft


def read(*files: str, **options: object) -> Imported:
    """The study of files of which nothing is open."""
    plans = planned(*files, **options)
    for plan in plans:
        assert plan.is_whole, plan.draft
    return imported(plans, "study")


def read_as(tool: str, *files: str, **options: object) -> Imported:
    """The study of files, all of which one tool's format knows."""
    plans = planned(*files, **options)
    assert [plan.format and plan.format.name for plan in plans] == [tool]
    return imported(plans, "study")


def fields(**columns: str | Sequence[str]) -> str:
    """The part of a recipe that says which column each field is."""
    return "[fields]\n" + "".join(f"{name} = {json.dumps(column)}\n" for name, column in columns.items())


def by_recipe(folder: Path, file: str, recipe: str) -> Imported:
    """The study of a file by a recipe, which has at most twelve lines."""
    assert len([line for line in recipe.splitlines() if line.strip()]) <= 12
    path = folder / "recipe.toml"
    path.write_text(recipe, encoding="utf-8")
    return read(file, recipes=[str(path)])


def rows_of(frame: pl.DataFrame | None, *columns: str) -> list[tuple[object, ...]]:
    """The rows of a table, of these columns."""
    assert frame is not None
    return list(frame.select(columns).iter_rows())


def cells_of(frame: pl.DataFrame | None, column: str) -> list[object]:
    """The cells of one column of a table."""
    return [cell for (cell,) in rows_of(frame, column)]
