"""A column for each pair of systems is a row for each answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, imported, proposed

VOTES: Rows = [["item", "gpt vs llama", "gpt vs mistral", "rater"], ["q1", "gpt", "B", "ann"], ["q2", "tie", "", "bo"]]


def test_each_cell_is_an_answer_about_its_pair(tmp_path: Path) -> None:
    found = imported(tmp_path, VOTES).preferences
    assert found.select("item", "system_a", "system_b", "outcome").rows() == [
        ("q1", "gpt", "llama", "a"), ("q1", "gpt", "mistral", "b"), ("q2", "gpt", "llama", "tie"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "others",
    [{"model_a": "gpt", "model_b": "llama"}, {"gpt answer": "So it is.", "llama answer": "It is so."}],
)
def test_tables_that_say_who_is_compared_stay(others: dict[str, str], tmp_path: Path) -> None:
    rows: Rows = [["item", "gpt vs llama", *others], *([f"q{n}", "A", *others.values()] for n in range(3))]
    (file,) = proposed(tmp_path, rows).files
    assert file.rows == 3
    assert "outputs" in file.shape or file.get("system_a") is not None or "per system" in file.shape
