"""A sheet or a file for each person, and no column that says who it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import openpyxl
import pytest
from tests.importers.spreadsheet.made_files import save

from tiebreak.importers.in_python import ImportedStudy, read_csv

HEAD = ["item", "model_a", "model_b", "Which is better?"]
SAID = ["A", "B", "=", "A"]


def answers(*questions: int) -> list[list[object]]:
    return [HEAD, *([f"q{n}", "gpt", "llama", SAID[n % 4]] for n in questions)]


def of_sheets(folder: Path, sheets: Mapping[str, list[list[object]]]) -> ImportedStudy:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(row)
    path = folder / "votes.xlsx"
    book.save(path)
    return read_csv(str(path), accept=0.4)


def of_files(folder: Path, files: Mapping[str, list[list[object]]]) -> ImportedStudy:
    return read_csv(*(save(folder, f"{name}.csv", rows) for name, rows in files.items()), accept=0.4)


@pytest.mark.parametrize("read", [of_sheets, of_files])
@pytest.mark.parametrize(
    ("parts", "people"),
    [
        ({"Ann": answers(0, 1, 2, 3), "Çelik": answers(3, 2, 1)}, ("Ann", "Çelik")),
        ({"Ann": answers(0, 1), "Bo": answers(2, 3)}, None),  # each has asked others
        ({"Sheet1": answers(0, 1), "Sheet2": answers(0, 1)}, None),
        ({"Ann": answers(0, 1, 0, 1), "Bo": answers(0, 1)}, None),  # no person is asked twice: these are several
    ],
)
def test_people_by_sheet_and_by_file(
    read: object, parts: dict[str, list[list[object]]], people: tuple[str, ...] | None, tmp_path: Path
) -> None:
    assert callable(read)
    study = read(tmp_path, parts)
    assert study.preferences.height == sum(len(rows) - 1 for rows in parts.values())
    if people is None:
        assert all(name.startswith("annotator") for name in study.annotators)
    else:
        assert study.annotators == people
