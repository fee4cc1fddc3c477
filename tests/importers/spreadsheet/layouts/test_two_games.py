"""A judge's two games in one row are two answers, each with who was shown first."""

from __future__ import annotations

from pathlib import Path

from tests.importers.spreadsheet.made_files import save

from tiebreak.importers.in_python import ImportedStudy, read_csv

VOTES = [["question_id", "model_a", "model_b", "winner", "annotator"], [81, "x", "y", "model_b", "ann"]]
GAMES = ["question_id", "model_1", "model_2", "g1_winner", "g2_winner", "judge", "g1_user_prompt", "g1_judgment",
         "g2_user_prompt", "g2_judgment"]  # fmt: skip
ASKED = ["gpt-4", "[First] x [Second] y", "[[A]]", "[First] y [Second] x", "[[B]]"]


def read(folder: Path, *games: tuple[str, str], columns: dict[str, list[str]] | None = None) -> ImportedStudy:
    votes = save(folder, "votes.csv", VOTES)
    rows = [[81 + number, "x", "y", *winners, *ASKED] for number, winners in enumerate(games)]
    judge = save(folder, "judge.csv", [GAMES, *rows])
    return read_csv(votes, judge_files=[judge], winner="error=skip", map=columns)


def test_each_game_is_an_answer(tmp_path: Path) -> None:
    study = read(tmp_path, ("model_1", "model_2"), ("tie", "error"))
    assert study.judge_preferences is not None
    found = study.judge_preferences.select("item", "left", "outcome", "reply").rows()
    assert found == [
        ("81", "x", "a", "[[A]]"), ("81", "y", "b", "[[B]]"), ("82", "x", "tie", "[[A]]"), ("82", "y", None, "[[B]]"),
    ]  # fmt: skip
    assert study.items is None, "what the judge was asked is no input"
