"""Documents of JSON in the forms that programs write: each is the table that a person would see in it, or an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiebreak.errors import InputError, UsageError
from tiebreak.tabular.spreadsheet import Sheet, read_sheet

ROWS = (("q1", "x"), ("q2", "y"))


def read(folder: Path, document: object, part: str = "", *, indent: int | None = None) -> Sheet:
    path = folder / "file.json"
    path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    return read_sheet(f"{path}{part}")


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "document",
    [
        {"columns": ["id", "text"], "data": [["q1", "x"], ["q2", "y"]]},
        {"columns": ["id", "text"], "index": [0, 1], "data": [["q1", "x"], ["q2", "y"]]},
        {"id": ["q1", "q2"], "text": ["x", "y"]},
        {"id": {"0": "q1", "1": "q2"}, "text": {"0": "x", "1": "y"}},
        {"schema": {"fields": [{"name": "id"}]}, "data": [{"id": "q1", "text": "x"}, {"id": "q2", "text": "y"}]},
        [["id", "text"], ["q1", "x"], ["q2", "y"]],
    ],
)
def test_tables_as_pandas_and_others_write_them(document: object, indent: int | None, tmp_path: Path) -> None:
    sheet = read(tmp_path, document, indent=indent)
    assert (sheet.columns, sheet.rows) == (("id", "text"), ROWS)


def test_what_is_beside_a_list_and_above_it_is_said_of_all_its_rows(tmp_path: Path) -> None:
    inner = {"results": [{"id": "q1"}, {"id": "q2"}], "seed": 7}
    sheet = read(tmp_path, {"model": "gpt", "info": {"by": "ann"}, "run": inner})
    assert sheet.columns == ("id", "model", "info.by", "seed")
    assert sheet.rows == (("q1", "gpt", "ann", "7"), ("q2", "gpt", "ann", "7"))
    assert sheet.beside == {"model", "info.by", "seed"}


def test_what_a_row_says_itself_counts(tmp_path: Path) -> None:
    sheet = read(tmp_path, {"id": "run7", "outputs": [{"id": "q1"}, {"text": "x"}]})
    assert (sheet.columns, sheet.rows) == (("id", "text"), (("q1", ""), ("", "x")))


def test_columns_of_lists_beside_a_value(tmp_path: Path) -> None:
    sheet = read(tmp_path, {"model": "gpt", "outputs": ["x", "y"]})
    assert (sheet.columns, sheet.rows) == (("outputs", "model"), (("x", "gpt"), ("y", "gpt")))


def test_several_lists_of_one_kind_are_one_table(tmp_path: Path) -> None:
    sheet = read(tmp_path, {"train": [{"id": "q1"}, {"id": "q2"}], "test": [{"id": "q3"}]})
    assert (sheet.columns, sheet.rows) == (("id", "split"), (("q1", "train"), ("q2", "train"), ("q3", "test")))
    assert sheet.lines == (1, 2, 3)
    others = read(tmp_path, {"gpt": {"runs": [{"id": "q1"}]}, "llama": {"runs": [{"id": "q1"}], "seed": 1}})
    assert others.columns == ("key", "runs.0.id", "seed")  # an object of records, with their names
    named = read(tmp_path, {"all": {"gpt": [{"id": "q1"}], "llama": [{"id": "q2"}]}})
    assert (named.columns, named.rows) == (("id", "list"), (("q1", "all.gpt"), ("q2", "all.llama")))


def test_what_is_not_read_is_counted(tmp_path: Path) -> None:
    sheet = read(tmp_path, {"data": [{"id": "q1"}], "tags": ["a", "b"], "info": {"names": ["x"]}})
    assert (sheet.rows, sheet.unread) == ((("q1",),), (("the list tags", 2), ("the list info.names", 1)))


def test_several_tables_are_refused_with_their_paths(tmp_path: Path) -> None:
    document = {"run": {"outputs": [{"id": "q1", "text": "x"}]}, "votes": [{"id": "q1", "winner": "A"}]}
    for indent in (None, 1):
        with pytest.raises(InputError, match="several lists of objects, with different keys") as caught:
            read(tmp_path, document, indent=indent)
        assert f"'{tmp_path}/file.json#run.outputs' '{tmp_path}/file.json#votes'" in str(caught.value).replace('"', "'")


def test_a_list_can_be_named(tmp_path: Path) -> None:
    document = {"run": {"outputs": [{"id": "q1", "text": "x"}]}, "votes": [{"id": "q1", "by": [{"winner": "A"}]}]}
    sheet = read(tmp_path, document, "#run.outputs")
    assert (sheet.columns, sheet.rows, sheet.stem) == (("id", "text"), (("q1", "x"),), "file")
    within = read(tmp_path, document, "#votes.by")
    assert (within.columns, within.rows) == (("id", "by.winner"), (("q1", "A"),))
    with pytest.raises(
        UsageError, match=r"there is no list 'vote': did you mean votes\? \(it has run.outputs, votes\)"
    ):
        read(tmp_path, document, "#vote")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"prompt": ["a", "b"], "gpt": ["x", "y", "z"]}, r"its lists have different lengths.*\(prompt 2, gpt 3\)"),
        ({"id": 1, "kind": "x", "tags": ["a", "b"]}, "the document holds no list of objects"),
        ([["q1", "x"], ["q2"]], "the document holds no list of objects"),
        ([["q1", "q1"], ["x", "y"]], "the document holds no list of objects"),
        ({"columns": ["id"], "data": [["q1", "x"]]}, "columns and data are no table: not every row has a value"),
    ],
)
def test_what_is_no_table(document: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, document, indent=1)
