"""`tiebreak campaign collect` row by row: what is good counts at once, the rest is mended and collected again."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from pathlib import Path

import openpyxl
import pytest
from tests.cli.campaign_commands import events_in, fill, ok, refused, tasks_in
from tests.cli.killed_calls import killed_at_calls
from tests.sheets.sheet_makers import fill_workbook

from tiebreak.live import open_campaign

# ---- `tiebreak campaign collect` row by row: what is good counts at once, the rest is mended and collected again.


def labels(work: Path) -> dict[str, str]:
    return {
        record.assigned.task: record.label.response.outcome
        for record in open_campaign(work / "camp").ledger.labelled
        if record.label is not None
    }


def edit(path: Path, task: str, **cells: str) -> None:
    """Other cells in the row of a task, as somebody who mends it."""
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, rows[0])
    writer.writeheader()
    writer.writerows(row | (cells if row["task"] == task else {}) for row in rows)
    path.write_bytes(stream.getvalue().encode())


def test_good_rows_count_at_once_and_the_others_are_mended_in_a_file_of_their_own(work: Path) -> None:
    for name in ("ann", "bo"):
        ok(f"tiebreak campaign sheet camp --annotator {name} -n 4 -o {name}.csv")
    fill(work / "ann.csv", ["First text", "maybe", "Second text", "maybe"])
    fill(work / "bo.csv", ["First text", "", "Second text"])
    output = refused("tiebreak campaign collect camp ann.csv bo.csv", 4)
    assert "ann.csv: 2 new labels, 2 rows not taken row 3, answer (G3): 'maybe': not an answer; allowed are" in output
    assert "--answer 'maybe=first|second|tie|skip' (1 more row like this)" in output
    assert "bo.csv: 2 new labels, 2 not answered, for whoever comes next" in output
    assert len(labels(work)) == 4
    bad = [tasks_in(work / "ann.csv")[k] for k in (1, 3)]
    rows = list(csv.DictReader(io.StringIO((work / "ann-to-mend.csv").read_bytes().decode("utf-8-sig"))))
    assert [row["task"] for row in rows] == bad
    assert rows[0]["what to mend"].startswith("row 3: answer (G3): not an answer")
    assert rows[0]["first text"]  # what is to be judged stands there again
    for name in ("zeta", "eta-3b", "ann"):
        assert name not in (work / "ann-to-mend.csv").read_text()

    # One row is mended, the other not: it stands in the same file still, and no mended file is written over.
    edit(work / "ann-to-mend.csv", bad[0], answer="tie")
    mended = (work / "ann-to-mend.csv").read_bytes()
    assert "ann-to-mend.csv: 1 new label, 1 row not taken" in refused(
        "tiebreak campaign collect camp ann-to-mend.csv", 4
    )
    assert (work / "ann-to-mend.csv").read_bytes() == mended
    edit(work / "ann-to-mend.csv", bad[1], answer="A")
    assert "1 new label, 1 already known" in ok("tiebreak campaign collect camp ann-to-mend.csv")
    assert len(labels(work)) == 6

    # All of them again, in any order: nothing is lost, nothing counts twice, and nothing is left to mend.
    log = events_in(work / "camp")
    output = ok("tiebreak campaign collect camp ann-to-mend.csv ann.csv")
    assert "2 already known, 2 rows not understood whose tasks have an answer" in " ".join(output.split())
    assert events_in(work / "camp") == log
    assert len(list(work.glob("*to-mend*"))) == 1


def test_further_rows_to_mend_go_into_another_file(work: Path) -> None:
    ok("tiebreak campaign sheet camp --annotator ann -n 3 -o ann.csv")
    fill(work / "ann.csv", ["hm"])
    refused("tiebreak campaign collect camp ann.csv", 4)
    first = (work / "ann-to-mend.csv").read_bytes()
    fill(work / "ann.csv", ["hm", "what?"])
    assert "in ann-to-mend-2.csv" in refused("tiebreak campaign collect camp ann.csv", 4)
    assert (work / "ann-to-mend.csv").read_bytes() == first


def test_the_same_rows_to_mend_are_one_file_however_often_they_are_collected(work: Path) -> None:
    ok("tiebreak campaign sheet camp --annotator ann -n 3 -o ann.xlsx")
    path = work / "ann.xlsx"
    tasks = list(open_campaign(work / "camp").ledger.tasks)
    answers = {tasks[0]: "First text", tasks[1]: "hm", tasks[2]: "=1+1"}
    path.write_bytes(fill_workbook(path.read_bytes(), answers))
    for _ in range(2):
        output = refused("tiebreak campaign collect camp ann.xlsx", 4)
        assert "row 4 of Tasks, answer (F4): 'hm': not an answer" in output
        assert "row 5 of Tasks, answer (F5): '=1+1': a formula whose value the file does not hold" in output
        refused("tiebreak campaign collect camp ann-to-mend.xlsx", 4)
    assert [found.name for found in work.glob("*to-mend*")] == ["ann-to-mend.xlsx"]
    page = openpyxl.load_workbook(work / "ann-to-mend.xlsx").active
    header = [cell.value for cell in page[1]]
    assert header[:2] == ["what to mend", "task"]
    for line in (2, 3):
        page.cell(line, header.index("answer") + 1).value = "tie"
    page.parent.save(work / "ann-to-mend.xlsx")
    assert "2 new labels" in ok("tiebreak campaign collect camp ann-to-mend.xlsx")
    assert set(labels(work)) == set(tasks)


def test_words_of_others_and_seconds_that_are_none(work: Path) -> None:
    ok("tiebreak campaign sheet camp --annotator ann -n 4 -o ann.csv")
    fill(work / "ann.csv", ["A wins", "model_b", "both the same", "left"])
    edit(work / "ann.csv", tasks_in(work / "ann.csv")[1], seconds="1:30")
    edit(work / "ann.csv", tasks_in(work / "ann.csv")[2], seconds="2024-05-17")
    output = " ".join(ok("tiebreak campaign collect camp ann.csv --answer 'A wins=second'").split())
    assert "4 new labels, 2 of them without seconds (what stands there is no number of seconds)" in output
    assert "--answer 'x': write WORD=first" in refused("tiebreak campaign collect camp ann.csv --answer x", 2)


def test_comments_that_look_like_formulas_come_back_from_a_mended_file(work: Path) -> None:
    ok("tiebreak campaign sheet camp --annotator ann -n 2 -o ann.csv")
    fill(work / "ann.csv", ["hm", "tie"])
    task = tasks_in(work / "ann.csv")[0]
    edit(work / "ann.csv", task, comment="=1+1")
    refused("tiebreak campaign collect camp ann.csv", 4)
    assert "'=1+1" in (work / "ann-to-mend.csv").read_text()
    edit(work / "ann-to-mend.csv", task, answer="tie")
    ok("tiebreak campaign collect camp ann-to-mend.csv")
    label = open_campaign(work / "camp").ledger.tasks[task].label
    assert label.comment == "=1+1"


def test_a_sheet_with_tasks_of_two_people_is_remarked_on(work: Path) -> None:
    for name in ("ann", "bo"):
        ok(f"tiebreak campaign sheet camp --annotator {name} -n 2 -o {name}.csv")
        fill(work / f"{name}.csv", ["tie"] * 2)
    both = (work / "ann.csv").read_bytes() + (work / "bo.csv").read_bytes().removeprefix(b"\xef\xbb\xbf")
    (work / "both.csv").write_bytes(both)
    output = ok("tiebreak campaign collect camp both.csv")
    assert "4 new labels" in output
    assert "Tasks of 2 people are in this sheet: ann 2, bo 2" in output


def test_as_a_document(work: Path) -> None:
    ok("tiebreak campaign sheet camp --annotator ann -n 3 -o ann.csv")
    fill(work / "ann.csv", ["tie", "hm"])
    (work / "broken.xlsx").write_bytes(b"PK\x03\x04")
    text = refused("tiebreak campaign collect camp ann.csv broken.xlsx --json", 4)
    document, end = json.JSONDecoder().raw_decode(text)
    (sheet,) = document["sheets"]
    assert (sheet["new"], sheet["empty"], sheet["to_mend"], sheet["people"]) == (1, 1, "ann-to-mend.csv", {"ann": 3})
    (bad,) = sheet["not_taken"]
    assert (bad["row"], bad["problems"][0]["value"]) == (3, "hm")
    assert [found["sheet"] for found in document["refused"]] == ["broken.xlsx"]
    assert "1 sheet was not taken. broken.xlsx: this workbook cannot be read" in text[end:]


def test_nothing_that_can_be_read_is_exit_1(work: Path) -> None:
    (work / "broken.xlsx").write_bytes(b"PK\x03\x04")
    (work / "other.csv").write_text("task,answer\nt0,First text\nt1,First text\n")
    output = refused("tiebreak campaign collect camp broken.xlsx other.csv none.csv", 1)
    assert "3 sheets were not taken." in output
    assert "other.csv, row 2, column task (A2): 't0': not a task of this campaign" in output
    assert "(1 more row like this)" in output
    assert labels(work) == {}


def test_rows_are_mended_in_the_sheet_where_no_other_file_can_be_written(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    ok("tiebreak campaign sheet camp --annotator ann -n 2 -o ann.csv")
    fill(work / "ann.csv", ["tie", "hm"])
    monkeypatch.setattr("tiebreak.files.write_synced", full)
    refused("tiebreak campaign collect camp ann.csv", 4)
    assert len(labels(work)) == 1


def test_a_name_that_is_nearly_a_known_one_is_asked_about_before_tasks_go_out(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ok("tiebreak campaign sheet camp --annotator ann -n 2 -o ann.csv")
    log = events_in(work / "camp")
    output = refused("tiebreak campaign sheet camp --annotator Ann -n 2 -o Ann-2.csv", 2)
    assert (
        "Ann is new here, and ann is known: nothing was handed out. For the same person pass --annotator ann" in output
    )
    assert events_in(work / "camp") == log
    monkeypatch.setattr("tiebreak.cli.campaign.sheet.stdin_is_terminal", lambda: True)
    for said, code in ((False, 2), (True, 0)):
        monkeypatch.setattr("typer.confirm", lambda _, said=said: said)
        refused("tiebreak campaign sheet camp --annotator Ann -n 2 -o Ann-2.csv", code)
        assert (work / "Ann-2.csv").exists() is said
    ok("tiebreak campaign sheet camp --annotator anna --new -n 2 -o anna.csv")
    ok("tiebreak campaign sheet camp --annotator Ann -n 2 -o Ann-3.csv")  # known by now


def test_renamed_columns_are_said(work: Path) -> None:
    ok("tiebreak campaign sheet camp --annotator ann -n 4 -o ann.csv")
    fill(work / "ann.csv", ["First text", "no", "tie", "second"])
    text = (work / "ann.csv").read_text(encoding="utf-8-sig")
    (work / "ann.csv").write_text(text.replace("answer", "Your choice", 1).replace("task", "ID", 1), encoding="utf-8")
    error = refused("tiebreak campaign collect camp ann.csv", 1)
    assert "say which columns these are: --map answer=COLUMN" in error
    renamed = "--map 'answer=your CHOICE' --map task=id"
    assert "3 new labels, 1 row not taken" in refused(f"tiebreak campaign collect camp ann.csv {renamed}", 4)
    fill(work / "ann-to-mend.csv", ["tie"])  # which has the usual names
    assert "1 new label" in ok("tiebreak campaign collect camp ann-to-mend.csv")
    assert "3 already known" in refused(f"tiebreak campaign collect camp ann.csv {renamed}", 0)
    assert "'verdict' is no column of a sheet; these are task, answer, seconds, comment" in refused(
        "tiebreak campaign collect camp ann.csv --map verdict=x", 2
    )
    assert "write NAME=COLUMN" in refused("tiebreak campaign collect camp ann.csv --map answer", 2)


# ---- `tiebreak campaign collect` killed at any call of the system: no label is lost or counts twice, nothing is
# hidden.


@pytest.mark.skipif(sys.platform == "win32", reason="no fork on Windows")
def test_a_collect_that_is_killed_anywhere_is_made_good_by_the_next(
    work: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, answers in (("ann", ["first", "hm", "tie"]), ("bo", ["second", "first", "?"])):
        ok(f"tiebreak campaign sheet camp --annotator {name} -n 3 -o {name}.csv")
        fill(work / f"{name}.csv", answers)
    good = {tasks_in(work / f"{name}.csv")[k] for name, rows in (("ann", (0, 2)), ("bo", (0, 1))) for k in rows}
    begun = tmp_path_factory.mktemp("killed")
    modules = ["tiebreak.cli.campaign.sheet", "tiebreak.sheets.reading"]
    with killed_at_calls("campaign collect camp ann.csv bo.csv", modules) as run:
        shutil.copytree(work, begun / "whole")
        calls = int(run(10**6, begun / "whole")[1])
        assert calls > 10  # beside those that SQLite makes, which tests/store kills in
        taken = []
        for step in range(1, calls + 1):
            folder = begun / str(step)
            shutil.copytree(work, folder)
            assert run(step, folder) == (-9, "")
            taken.append(len(open_campaign(folder / "camp").ledger.answered))
            monkeypatch.chdir(folder)
            refused("tiebreak campaign collect camp ann.csv bo.csv", 4)
            ledger = open_campaign(folder / "camp").ledger
            assert sorted(ledger.answered) == sorted(good)
            assert {path.name for path in folder.glob("*to-mend*")} == {"ann-to-mend.csv", "bo-to-mend.csv"}
            assert not [path for path in folder.iterdir() if path.name.startswith(".")]
            shutil.rmtree(folder)
    assert taken == sorted(taken)
    assert {2, 4} <= set(taken) <= {0, 2, 4}  # a sheet's labels all at once
