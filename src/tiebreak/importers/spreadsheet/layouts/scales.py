"""Ratings in words beside their number, or in stars: `5 - very good`, `4 (gut)`, `★★★☆☆`."""

from __future__ import annotations

import re
from typing import Final

from tiebreak.importers.spreadsheet.fields import folded
from tiebreak.importers.spreadsheet.layouts.columns import with_columns
from tiebreak.importers.spreadsheet.numbers import is_measure_name
from tiebreak.tabular.spreadsheet import Sheet

_LABELLED: Final = re.compile(r"(?P<number>\d+)\s*(?:[-–—:=.)]\s*\D+|\(\D+\))")
_STARS: Final = re.compile(r"(?P<stars>[★⭐*]+)️?[☆✩]*")


def with_numbers_of_scales(sheet: Sheet, said: frozenset[str]) -> Sheet:
    """The table in which ratings of one scale are numbers; a word that stands for two numbers is no scale."""
    for column in sheet.columns:
        if folded(column) in said or not is_measure_name(column):
            continue
        cells = [cell.strip() for cell in sheet.values(column)]
        for number_of in (_labelled, _stars):
            numbers = {cell: number_of(cell) for cell in set(cells) - {""}}
            if all(cell.isdigit() for cell in numbers):
                break  # blanks, or numbers already
            if all(numbers.values()):
                told = {cell: number or "" for cell, number in numbers.items()} | {"": ""}
                example = min(numbers)
                remark = f"{column} is read by its numbers: {example!r} is {told[example]}."
                sheet = with_columns(sheet, {column: {column: [told[cell] for cell in cells]}}, remark=remark)
                break
    return sheet


def _labelled(cell: str) -> str | None:
    match = _LABELLED.fullmatch(cell)
    return match["number"] if match is not None else cell if cell.isdigit() else None


def _stars(cell: str) -> str | None:
    match = _STARS.fullmatch(cell)
    return str(len(match["stars"])) if match is not None else None
