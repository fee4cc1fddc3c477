"""Ratings in words beside their number, and in stars, are numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, imported


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
