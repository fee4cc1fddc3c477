"""A column per answer, of which one is ticked, is one column of answers; other columns of 0 and 1 are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import imported

from tiebreak.errors import InputError

SIDES = ["item", "model_a", "model_b"]
PAIR = ("gpt", "llama")


def table(answers: list[str], ticks: list[tuple[object, ...]]) -> list[list[object]]:
    return [[*SIDES, *answers], *([f"q{row}", *PAIR, *boxes] for row, boxes in enumerate(ticks))]


@pytest.mark.parametrize(
    ("answers", "marks"),
    [
        (["winner_model_a", "winner_model_b", "winner_tie"], (1, 0)),
        (["Answer.pref.left", "Answer.pref.right", "Answer.pref.same"], ("true", "false")),
        (["A is better", "B is better", "no difference"], ("x", "")),
        (["vote 1", "vote 2", "vote tie"], (1, 0)),
    ],
)
def test_the_ticked_column_is_the_answer(answers: list[str], marks: tuple[object, object], tmp_path: Path) -> None:
    yes, no = marks
    rows = table(answers, [(yes, no, no), (no, yes, no), (no, no, yes), (yes, no, no)])
    if "left" in answers[0]:
        rows[0][1:3] = ["left_model", "right_model"]
    study = imported(tmp_path, rows)
    assert study.preferences["outcome"].to_list() == ["a", "b", "tie", "a"]


def test_a_row_without_a_tick_has_no_answer(tmp_path: Path) -> None:
    ticks = [(1, 0, 0)] * 10 + [(0, 0, 0)]
    study = imported(tmp_path, table(["winner_a", "winner_b", "winner_tie"], ticks))
    assert study.preferences.height == 10


def test_two_ticks_are_an_error_at_their_row(tmp_path: Path) -> None:
    ticks = [(1, 0, 0)] * 10 + [(1, 1, 0)]
    with pytest.raises(InputError, match=r"row 12, column winner: 'a \+ b': not an outcome"):
        imported(tmp_path, table(["winner_a", "winner_b", "winner_tie"], ticks))
