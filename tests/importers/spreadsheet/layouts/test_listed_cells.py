"""Cells that hold JSON are taken apart."""

from __future__ import annotations

import json
from pathlib import Path

from tests.importers.spreadsheet.made_files import bound, imported, proposed

PAIR = ["item", "model_a", "model_b"]


def test_answers_of_a_task(tmp_path: Path) -> None:
    """As Mechanical Turk's newer forms write them into one cell."""
    answers = [{"better": {"A": won == "a", "B": won == "b"}, "why": "so"} for won in "abba"]
    rows = [[*PAIR, "Answer.taskAnswers"], *([k, "gpt", "llama", json.dumps([a])] for k, a in enumerate(answers))]
    assert bound(proposed(tmp_path, rows))["outcome"] == ("Answer.taskAnswers.better",)
    assert imported(tmp_path, rows).preferences["outcome"].to_list() == ["a", "b", "b", "a"]


def test_lists_as_python_writes_them(tmp_path: Path) -> None:
    """What pandas saves of a conversation as CSV."""
    talk = [{"role": "user", "content": "Where's Lima?"}, {"role": "assistant", "content": "In Peru."}]
    study = imported(tmp_path, [["item", "model", "conversation"], ["q1", "gpt", repr(talk)]])
    assert study.outputs is not None
    assert study.outputs["text"].to_list() == ["In Peru."]
    assert study.items is not None
    assert study.items["input"].to_list() == ["Where's Lima?"]


def test_json_that_systems_wrote_stays(tmp_path: Path) -> None:
    lists, objects = ['["Lima"]', '["Quito"]'], ['{"city": "Lima"}', '{"city": "Quito"}']
    for cells in (lists, objects, ["[1, 2]", "[2, 1]"], ["[see]", "[]"]):
        rows = [["prompt", "model", "response"], *([f"Why {n}?", "gpt", cell] for n, cell in enumerate(cells))]
        study = imported(tmp_path, rows)
        assert study.outputs is not None
        assert study.outputs["text"].to_list() == cells
