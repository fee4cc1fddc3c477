"""A survey with a column per item is a row per answer; other tables with several columns of answers are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, bound, imported, proposed

from tiebreak.errors import UsageError

SYSTEMS = ["system_a=:gpt,system_b=:llama"]
ASKED = [f"Frage {number}: Welche Antwort ist besser?" for number in (1, 2, 3)]
FORM: Rows = [
    ["Zeitstempel", "E-Mail-Adresse", *ASKED, "Anmerkungen"],
    ["17.05.2024", "anna@example.org", "Antwort A", "Antwort B", "Beide gleich gut", ""],
    ["18.05.2024", "bo@example.org", "Antwort B", "", "Antwort B", "schwer"],
]


def test_each_cell_is_an_answer(tmp_path: Path) -> None:
    found = imported(tmp_path, FORM, columns=SYSTEMS).preferences
    assert found.select("item", "annotator", "outcome").rows() == [
        ("item0001", "anna@example.org", "a"), ("item0002", "anna@example.org", "b"),
        ("item0003", "anna@example.org", "tie"), ("item0001", "bo@example.org", "b"),
        ("item0003", "bo@example.org", "b"),
    ]  # fmt: skip


def test_without_systems_it_says_how_to_name_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"system_a=:NAME,system_b=:NAME\nElse .* question, system_a and system_b"):
        proposed(tmp_path, FORM)


@pytest.mark.parametrize("person", ["ResponseId", "Comment"])
def test_people_without_a_name(person: str, tmp_path: Path) -> None:
    rows: Rows = [[person, "Q1", "Q2", "Q3"], ["R_1", "A", "B", "tie"], ["R_2", "B", "B", "A"]]
    study = imported(tmp_path, rows, columns=SYSTEMS)
    assert study.annotators == (("R_1", "R_2") if person == "ResponseId" else ("respondent1", "respondent2"))
    assert study.items is None
    assert set(study.preferences["item"]) == {"Q1", "Q2", "Q3"}


@pytest.mark.parametrize("word", ["Question", "Frage", "Task"])
def test_numbered_questions_are_no_inputs(word: str, tmp_path: Path) -> None:
    asked = [f"{word} {number}" for number in (1, 2, 3)]
    rows: Rows = [["ResponseId", *asked], ["R_1", "A", "B", "tie"], ["R_2", "B", "B", "A"]]
    assert imported(tmp_path, rows, columns=SYSTEMS).preferences.height == 6


@pytest.mark.parametrize(
    "head",
    [
        ["id", "Ann", "Bo", "Cem"],  # people
        ["id", "annotator 1", "annotator 2", "annotator 3"],
        ["rater", "more fluent?", "more accurate?", "better overall?"],  # one rater in two rows: about two items
        ["prompt", "Q 1", "Q 2", "Q 3"],
    ],
)
def test_other_columns_of_answers(head: list[str], tmp_path: Path) -> None:
    rows: Rows = [[*head, "model_x", "model_y"], ["p", "A", "B", "tie", "x", "y"], ["p", "B", "B", "A", "x", "y"]]
    proposal = proposed(tmp_path, rows, columns=["system_a=model_x,system_b=model_y"])
    assert not any(column.startswith("question") for column in bound(proposal).get("input", ()))
    assert proposal.files[0].rows == 2


def test_first_and_last_names_are_no_systems(tmp_path: Path) -> None:
    rows: Rows = [["Submission Date", "First Name", "Last Name", *ASKED]]
    rows += [[f"2024-05-0{n}", f"F{n}", f"L{n}", "Antwort A", "Antwort B", "Antwort A"] for n in range(1, 5)]
    study = imported(tmp_path, rows, columns=SYSTEMS)
    assert (study.systems, study.preferences.height) == (("gpt", "llama"), 12)
