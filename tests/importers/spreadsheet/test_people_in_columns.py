"""A column for each person, as `--map 'annotator=Anna|Bea'` says it."""

from __future__ import annotations

from pathlib import Path

from tests.importers.spreadsheet.made_files import Rows, imported, proposed

from tiebreak.importers.importer import SURE_ENOUGH

RATED: Rows = [
    ["model", "prompt", "output", "Anna", "Bea"],
    ["x", "Q1?", "Yes.", 5, 4], ["y", "Q1?", "No.", 2, ""], ["x", "Q2?", "I.", 4, 5], ["y", "Q2?", "You.", 3, 2],
]  # fmt: skip
PEOPLE = ["annotator=Anna|Bea"]
OF_X = [("Anna", "overall", 5.0), ("Bea", "overall", 4.0), ("Anna", "overall", 4.0), ("Bea", "overall", 5.0)]


def ratings(tmp_path: Path, rows: Rows, columns: list[str]) -> list[tuple[object, ...]]:
    frame = imported(tmp_path, rows, columns=columns).ratings
    assert frame is not None
    return frame.filter(frame["system"] == "x").select("annotator", "criterion", "value").rows()


def test_each_column_has_the_ratings_of_one_person(tmp_path: Path) -> None:
    plan = proposed(tmp_path, RATED, columns=PEOPLE)
    assert plan.confidence >= SURE_ENOUGH
    made = plan.build("s")
    assert made.study.annotators == ("Anna", "Bea")
    assert made.study.criteria == ("overall",)
    assert ratings(tmp_path, RATED, PEOPLE) == OF_X


def test_a_scale_in_a_name_and_a_criterion_that_is_said(tmp_path: Path) -> None:
    rows: Rows = [["model", "prompt", "output", "Anna (1-5)", "Bea (1-5)"], *RATED[1:]]
    study = imported(tmp_path, rows, columns=["annotator=Anna (1-5)|Bea (1-5),criterion=:fluency"])
    assert study.annotators == ("Anna", "Bea")
    assert study.settings.scale == {"fluency": (1.0, 5.0)}


def test_beside_a_pair_they_say_who_won(tmp_path: Path) -> None:
    rows: Rows = [["item", "model_a", "model_b", "Anna", "Bea"], ["1", "x", "y", 1, 2], ["2", "x", "y", 2, 1]]
    frame = imported(tmp_path, rows, columns=PEOPLE).preferences
    assert frame is not None
    assert sorted(frame.select("item", "annotator", "outcome").rows()) == [
        ("1", "Anna", "a"), ("1", "Bea", "b"), ("2", "Anna", "b"), ("2", "Bea", "a"),
    ]  # fmt: skip
