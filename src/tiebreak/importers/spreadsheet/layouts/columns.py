"""A table with other columns in place of some of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from tiebreak.tabular.spreadsheet import Sheet


def with_columns(
    sheet: Sheet, instead: Mapping[str, Mapping[str, Sequence[str]]], without: Collection[str] = (), remark: str = ""
) -> Sheet:
    """The table in which the columns of each key of `instead` stand in its place, and those of `without` are gone.

    `remark`: what was taken to be so, a sentence.
    """
    columns: list[str] = []
    cells: list[Sequence[str]] = []
    for place, column in enumerate(sheet.columns):
        if column in instead:
            columns += instead[column]
            cells += instead[column].values()
        elif column not in without:
            columns.append(column)
            cells.append([row[place] for row in sheet.rows])
    rows = tuple(zip(*cells, strict=True)) if cells else tuple(() for _ in sheet.rows)
    remarks = (*sheet.remarks, remark) if remark else sheet.remarks
    return replace(sheet, columns=tuple(columns), rows=rows, remarks=remarks)


def with_rows(sheet: Sheet, columns: Sequence[str], rows: Iterable[tuple[int, Sequence[str]]], remark: str) -> Sheet:
    """The table with other columns and rows, each with the place of the row that it is from."""
    placed = list(rows)
    return replace(
        sheet,
        columns=tuple(columns),
        rows=tuple(tuple(row) for _, row in placed),
        lines=tuple(sheet.lines[place] for place, _ in placed),
        sources=tuple(sheet.sources[place] for place, _ in placed) if sheet.sources else (),
        remarks=(*sheet.remarks, remark),
    )
