"""A column for each pair of systems is a row for each answer."""

from __future__ import annotations

from pathlib import Path

from tests.importers.spreadsheet.made_files import Rows, imported

VOTES: Rows = [["item", "gpt vs llama", "gpt vs mistral", "rater"], ["q1", "gpt", "B", "ann"], ["q2", "tie", "", "bo"]]


def test_each_cell_is_an_answer_about_its_pair(tmp_path: Path) -> None:
    found = imported(tmp_path, VOTES).preferences
    assert found.select("item", "system_a", "system_b", "outcome").rows() == [
        ("q1", "gpt", "llama", "a"), ("q1", "gpt", "mistral", "b"), ("q2", "gpt", "llama", "tie"),
    ]  # fmt: skip
