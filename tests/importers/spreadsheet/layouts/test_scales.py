"""Ratings in words beside their number, and in stars, are numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, bound, imported, proposed


def table(name: str, cells: list[str]) -> Rows:
    rows = [[f"Why {n}?", "xy"[n % 2], f"So {n}.", "ann", cell] for n, cell in enumerate(cells)]
    return [["prompt", "model", "output", "rater", name], *rows]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1 - poor", "5 – very good", "3 - fair", "5"], [1, 5, 3, 5]),
        (["4 (gut)", "2 (schlecht)", "", "4 (gut)"], [4, 2, 4]),
        (["★★★☆☆", "★", "★★★★★", "★★"], [3, 1, 5, 2]),
    ],
)
def test_scales(cells: list[str], numbers: list[float], tmp_path: Path) -> None:
    study = imported(tmp_path, table("rating", cells))
    assert study.ratings is not None
    assert study.ratings["value"].to_list() == numbers


def test_nothing_is_said_of_numbers(tmp_path: Path) -> None:
    for cells, said in ((["1", "5", "", "3"], False), (["1", "5 - good", "", "3"], True)):
        remarks = proposed(tmp_path, table("rating", cells)).build("s").assumptions
        assert any("is read by its numbers" in remark for remark in remarks) == said


@pytest.mark.parametrize(
    ("name", "cells"),
    [("rating", ["good", "5 - very good", "3", "1"]), ("remark", ["1 - see", "2 - see", "3 - see", "4 - see"])],
)
def test_other_cells_stay(name: str, cells: list[str], tmp_path: Path) -> None:
    assert "value" not in bound(proposed(tmp_path, table(name, cells)))
