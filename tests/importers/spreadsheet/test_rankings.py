"""Rankings of several systems become preferences for their pairs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.test_plan import imported, rows, save

from tiebreak.errors import InputError

EXPECTED = {
    ("1", "x", "y", "ann", "a"), ("1", "x", "z", "ann", "a"), ("1", "y", "z", "ann", "b"),
    ("2", "x", "y", "bo", "b"), ("2", "x", "z", "bo", "b"), ("2", "y", "z", "bo", "a"),
}  # fmt: skip
TABLES = {
    "a column of ranks per system": [
        ["item", "annotator", "x", "y", "z"], ["1", "ann", "1", "3", "2"], ["2", "bo", "3", "1", "2"],
    ],
    "columns that say rank": [
        ["item", "annotator", "rank_x", "rank_y", "rank_z"], ["1", "ann", "1", "3", "2"], ["2", "bo", "3", "1", "2"],
    ],
    "a row per rank": [
        ["item", "annotator", "system", "rank"],
        ["1", "ann", "x", "1"], ["1", "ann", "y", "3"], ["1", "ann", "z", "2"],
        ["2", "bo", "x", "3"], ["2", "bo", "y", "1"], ["2", "bo", "z", "2"],
    ],
    "a cell": [["item", "annotator", "Ranking"], ["1", "ann", "x > z > y"], ["2", "bo", "y>z>x"]],
}  # fmt: skip


@pytest.mark.parametrize("form", TABLES)
def test_forms(form: str, tmp_path: Path) -> None:
    result = imported(save(tmp_path / "r.csv", TABLES[form]))
    found = rows(result, "preferences", "item", "system_a", "system_b", "annotator", "outcome")
    assert set(found) == EXPECTED
    assert len(found) == 6
    (said,) = [sentence for sentence in result.assumptions if "every pair" in sentence]
    assert ("the smaller rank is the better (1 is the best)" in said) == (form != "a cell")


def test_equal_ranks_are_ties(tmp_path: Path) -> None:
    result = imported(save(tmp_path / "r.csv", [["item", "ranking"], ["1", "x = y > z"]]))
    found = rows(result, "preferences", "system_a", "system_b", "outcome")
    assert found == [("x", "y", "tie"), ("x", "z", "a"), ("y", "z", "a")]


def test_what_is_no_rank(tmp_path: Path) -> None:
    table = [["item", "system", "rank"], ["1", "x", "1"], ["1", "y", "good"]]
    with pytest.raises(InputError, match="row 3, column rank: 'good': not a rank"):
        imported(save(tmp_path / "r.csv", table), map_="rank=rank")
