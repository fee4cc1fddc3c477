"""Headers of two rows, titles above the header, and what survey programs write below it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import save, save_workbook

from tiebreak.tabular.headers import Sheet
from tiebreak.tabular.source import read_sheet

Rows = list[list[object]]
GROUPED: Rows = [
    ["", "", "old", "", "new", ""],
    ["ID", "Question", "Answer", "Fluency", "Answer", "Fluency"],
    [1, "Why?", "So.", 3, "Thus.", 5],
    [2, "How?", "No.", 2, "Yes.", 4],
]
JOINED = ("ID", "Question", "old Answer", "old Fluency", "new Answer", "new Fluency")


def of_csv(folder: Path, rows: Rows) -> Sheet:
    return read_sheet(save(folder, "f.csv", rows))


def test_names_under_cells_that_are_merged_or_not(tmp_path: Path) -> None:
    """Beside columns with names of their own."""
    blank = [[cell if cell != "" else None for cell in row] for row in GROUPED]
    merged = read_sheet(save_workbook(tmp_path / "f.xlsx", {"Sheet": blank}, ("C1:D1", "E1:F1")))
    for sheet in (merged, of_csv(tmp_path, GROUPED)):
        assert (sheet.columns, sheet.lines) == (JOINED, (3, 4))


@pytest.mark.parametrize(
    "rows",
    [
        [["", "prompt", "answer"], [0, "Why?", "So."], [1, "How?", "No."]],  # the index of pandas
        [["id", "text", ""], ["1", "So.", "x"], ["2", "No.", "y"]],  # a remark beside the table
        [["id", "answers", ""], ["q1", "So.", "Thus."], ["q2", "No.", "Yes."]],  # two answers: no numbers tell
        [["id", "scores", ""], ["q1", "4", "5"], ["q2", "3", "2"]],
    ],
)
def test_a_first_row_of_data_stays_one(rows: Rows, tmp_path: Path) -> None:
    assert len(of_csv(tmp_path, rows).rows) == 2


def test_notes_above_the_header(tmp_path: Path) -> None:
    table: Rows = [["Question", "A", "B", "Winner", "Rater"], *(["Why?", "So.", "Thus.", "A", "ann"] for _ in range(3))]
    notes: Rows = [["Evaluation, second round"], ["exported by", "ann"], []]
    for delimiter in (",", ";"):
        lines = (delimiter.join(f'"{cell}"' for cell in row) for row in [*notes, *table])
        sheet = read_sheet(save(tmp_path, "f.csv", "\n".join(lines)))
        assert (sheet.columns, sheet.lines) == (tuple(table[0]), (5, 6, 7))


def test_qualtrics_and_surveymonkey(tmp_path: Path) -> None:
    head: Rows = [["StartDate", "Q1"], ["Start Date", "Which is better?"]]
    ids: Rows = [['{"ImportId":"startDate"}', '{"ImportId":"QID1"}']]
    rows: Rows = [*head, *ids, ["2024-05-17", "A"], ["2024-05-18", "B"]]
    sheet = of_csv(tmp_path, rows)
    assert (sheet.columns, sheet.lines) == (("StartDate", "Which is better?"), (4, 5))
    rows = [["Respondent ID", "Which is better?"], ["", "Response"], ["118", "A"], ["119", "B"]]
    sheet = of_csv(tmp_path, rows)
    assert (sheet.columns, sheet.lines) == (("Respondent ID", "Which is better?"), (3, 4))


def test_surveymonkey_names_the_choices_of_a_question_below_it(tmp_path: Path) -> None:
    head: Rows = [
        ["Respondent ID", "Collector ID", "Which is better?", "Rate each text", "", "Why?"],
        ["", "", "Response", "Text A", "Text B", "Open-Ended Response"],
    ]
    sheet = of_csv(tmp_path, [*head, ["1", "7", "A", "3", "4", "so"], ["2", "7", "B", "2", "4", ""]])
    asked = ("Which is better?", "Rate each text Text A", "Rate each text Text B", "Why?")
    assert sheet.columns == ("Respondent ID", "Collector ID", *asked)
    assert len(sheet.rows) == 2
