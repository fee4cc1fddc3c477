"""Passages, and whether they support an output, in tables of people."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, bound, imported, proposed

from tiebreak.errors import InputError, TiebreakError
from tiebreak.importers.spreadsheet.support_words import support_in, yes_in

OUTPUTS: Rows = [
    ["qid", "question", "system", "answer"],
    ["q1", "What is a pothole?", "snet", "A hole in a road."], ["q1", "What is a pothole?", "fastqa", "A cup."],
]  # fmt: skip
ROAD, PIT = "A pothole is a hole in a roadway.", "In geology a pothole is a pit in the bed of a river."
PASSAGES: Rows = [["qid", "pid", "passage"], ["q1", 1, f"{ROAD} It grows."], ["q1", 2, f"{PIT} It grows."]]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("supports", "supports"), ("SUPPORTED", "supports"), ("Entailment", "supports"), ("yes", "supports"),
        ("1.0", "supports"), ("Refutes", "contradicts"), ("contradiction", "contradicts"), ("neutral", "neither"),
        ("NOT ENOUGH INFO", "neither"), ("no", "neither"), ("0", "neither"), ("not supported", "neither"),
        ("maybe", None), ("", None), ("2", None),
    ],
)  # fmt: skip
def test_words_of_support(cell: str, said: str | None) -> None:
    assert support_in(cell) == said


def test_yes_and_no() -> None:
    assert [yes_in(cell) for cell in ("Yes", "TRUE", "1", "no", "False", "0.0", "perhaps", "")] == [
        True, True, True, False, False, False, None, None,
    ]  # fmt: skip


def test_three_files(tmp_path: Path) -> None:
    judged: Rows = [
        ["qid", "system", "pid", "supported", "worker", "seconds", "plausible"],
        ["q1", "snet", 1, "yes", "w1", 10, "yes"], ["q1", "snet", 2, "no", "w1", 12, "yes"],
        ["q1", "fastqa", "", "", "w1", 3, "no"],
    ]  # fmt: skip
    found = proposed(tmp_path, OUTPUTS, PASSAGES, judged)
    assert [file.shape for file in found.files] == ["outputs", "passages", "ratings and spans"]
    assert bound(found, 1) == {"item": ("qid",), "passage": ("pid",), "passage_text": ("passage",)}
    assert found.confidence >= 0.9
    made = found.build("s")
    study = made.study
    assert study.notices == ()
    assert study.passages is not None
    assert study.passages.rows() == [("q1", "1", f"{ROAD} It grows."), ("q1", "2", f"{PIT} It grows.")]
    assert study.spans is not None
    assert study.spans.select("item", "system", "annotator", "passage", "support", "seconds").rows() == [
        ("q1", "snet", "w1", "1", "supports", 10.0), ("q1", "snet", "w1", "2", "neither", 12.0),
    ]  # fmt: skip
    assert study.ratings is not None
    assert study.ratings.select("system", "criterion", "value").rows() == [
        ("snet", "plausible", 1.0), ("fastqa", "plausible", 0.0),
    ]  # fmt: skip
    assert [(reading.cell, reading.meaning, reading.count) for reading in made.readings] == [
        ("yes", "supports", 1), ("no", "neither", 1),
    ]  # fmt: skip
    assert dict(study.settings.scale) == {"plausible": (0, 1)}


def test_everything_in_one_file(tmp_path: Path) -> None:
    """Outputs and passages repeat in each row; the cells say that `label` is a support."""
    rows: Rows = [
        ["question", "answer", "system", "paragraph_id", "paragraph", "label", "worker", "start", "end"],
        ["What is a pothole?", "A hole.", "snet", "p1", f"{ROAD} It grows.", "SUPPORTS", "w1", 0, 33],
        ["What is a pothole?", "A hole.", "snet", "p2", f"{PIT} It grows.", "REFUTES", "w1", "", ""],
        ["What is a pothole?", "A cup.", "fastqa", "p1", f"{ROAD} It grows.", "NOT ENOUGH INFO", "w1", "", ""],
    ]
    study = imported(tmp_path, rows)
    assert set(study.tables) == {"items", "passages", "outputs", "spans"}
    assert study.spans is not None
    assert study.spans.select("passage", "support", "start", "end").rows() == [
        ("p1", "supports", 0.0, 33.0), ("p2", "contradicts", None, None), ("p1", "neither", None, None),
    ]  # fmt: skip
    assert study.notices == ()


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["maybe", "", "", "yes"], r"column supported: 'maybe': not clear; write supports, contradicts or neither"),
        (["yes", 5, 3, "yes"], r"column end: '3': a span ends before its start"),
        (["yes", "x", "", "yes"], r"column start: 'x': not a place in the passage"),
        (["yes", 4, "", "yes"], r"column end: '': a span needs its start and its end"),
        (["yes", "", "", "no"], r"column plausible: 'no': another answer than at .*row 2 about the same output, by w1"),
    ],
)
def test_what_cannot_be_read_is_named(cells: list[object], said: str, tmp_path: Path) -> None:
    rows: Rows = [
        ["qid", "system", "pid", "worker", "supported", "start", "end", "plausible"],
        ["q1", "snet", 1, "w1", "yes", 0, 4, "yes"], ["q1", "snet", 2, "w1", *cells],
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"table0.csv, row 3, " + said):
        imported(tmp_path, rows)


def test_a_passage_with_two_texts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"row 4, column passage: .*passage 2 of item q1 has another text at"):
        imported(tmp_path, OUTPUTS, [*PASSAGES, ["q1", 2, "A text that is another one, and as long as theirs."]])


def test_passages_alone_are_no_study(tmp_path: Path) -> None:
    with pytest.raises(TiebreakError, match="passages make no study alone"):
        imported(tmp_path, PASSAGES)


def test_columns_that_somebody_names(tmp_path: Path) -> None:
    rows: Rows = [["a", "b", "c", "d", "e"], ["q1", "x", "p1", "refuted", "no"]]
    said = ["item=a,system=b,passage=c,support=d,sensible=e,annotator=:ann"]
    study = imported(tmp_path, rows, columns=said)
    assert study.spans is not None
    assert study.spans["support"].to_list() == ["contradicts"]
    assert study.ratings is not None
    assert study.ratings.select("criterion", "value").rows() == [("sensible", 0.0)]
