"""Sheets that come back without the ids of their tasks: what their rows show says which they are, or nothing does."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.sheets.sheet_makers import AT, page_of, saved, small_study

from tiebreak.campaign import Protocol
from tiebreak.errors import InputError
from tiebreak.live import LiveCampaign, create_campaign, open_campaign
from tiebreak.settings.protocol import LabelSettings
from tiebreak.sheets.collecting import CollectedSheet, collect_sheet
from tiebreak.sheets.handing_out import hand_out

Row = dict[str, str]


def campaign(folder: Path, people: int = 1) -> LiveCampaign:
    protocol = Protocol(labels=LabelSettings(labelling="majority", per_item=3)) if people > 1 else Protocol()
    create_campaign(folder / "campaign", protocol, small_study(12), at=AT)
    return open_campaign(folder / "campaign")


def sheet(of: LiveCampaign, annotator: str, n: int = 3) -> list[Row]:
    """The rows of somebody's new sheet, all answered."""
    file = hand_out(of, annotator, n, now=AT, ending=".csv").file
    rows = list(csv.DictReader(io.StringIO(file.decode("utf-8-sig"), newline="")))
    return [row | {"answer": "First text"} for row in rows]


def collected(of: LiveCampaign, rows: Sequence[Row], *, without: str = "task") -> CollectedSheet:
    text = io.StringIO()
    columns = [name for name in rows[0] if name != without]
    writer = csv.DictWriter(text, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return collect_sheet(of, text.getvalue().encode(), "sheet.csv", at=AT)


def test_rows_without_ids_are_known_by_their_texts(tmp_path: Path) -> None:
    of = campaign(tmp_path)
    rows = sheet(of, "ann")
    found = collected(of, rows[::-1]).content
    assert {label.task for label in found.labels} == {row["task"] for row in rows}
    assert found.people == {"ann": 3}
    assert collected(of, rows).content.known == 3, "with its ids it says the same"


def test_a_workbook_whose_column_was_removed(tmp_path: Path) -> None:
    of = campaign(tmp_path)
    book, page = page_of(hand_out(of, "ann", 3, now=AT, ending=".xlsx").file)
    header = next(row for row in page.iter_rows() if any(cell.value == "task" for cell in row))
    column = {str(cell.value): cell.column for cell in header}
    for row in range(header[0].row + 1, header[0].row + 4):
        page.cell(row, column["answer"]).value = "First text"
    page.delete_cols(column["task"])
    assert len(collect_sheet(of, saved(book), "sheet.xlsx", at=AT).content.labels) == 3


def test_one_id_that_was_lost_is_found_and_others_are_left_alone(tmp_path: Path) -> None:
    of = campaign(tmp_path)
    rows = sheet(of, "ann")
    lost = [rows[0] | {"task": ""}, *rows[1:]]
    assert len(collected(of, lost, without="").content.labels) == 3


def test_of_two_people_with_one_text_the_whole_sheet_says_whose_it_is(tmp_path: Path) -> None:
    """Majorities of three: ann and bob judge the same items, and see some in the same order."""
    of = campaign(tmp_path, people=3)
    anns, bobs = sheet(of, "ann", 12), sheet(of, "bob", 12)
    texts = [{(row["input"], row["first text"]) for row in rows} for rows in (anns, bobs)]
    assert texts[0] & texts[1], "some rows look alike"
    assert texts[0] != texts[1], "and not all"
    assert collected(of, anns).content.people == {"ann": 12}
    assert collected(of, bobs).content.people == {"bob": 12}


def test_a_row_that_may_be_of_two_tasks_or_of_none_is_handed_back(tmp_path: Path) -> None:
    of = campaign(tmp_path, people=3)
    anns, bobs = sheet(of, "ann", 12), sheet(of, "bob", 12)
    shown = {(row["input"], row["first text"]) for row in bobs}
    both = next(row for row in anns if (row["input"], row["first text"]) in shown)
    with pytest.raises(InputError, match="texts are not those of one task alone"):
        collected(of, [both])
    changed = [anns[0] | {"first text": "another text"}, *anns[1:]]
    found = collected(of, changed).content
    assert len(found.labels) == 11
    (bad,) = found.bad
    assert bad.row.line == 2
