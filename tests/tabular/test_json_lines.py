"""JSON Lines as the source of an import: the same table as the CSV file of the same cells, or an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiebreak.errors import InputError
from tiebreak.tabular.spreadsheet import read_sheet


def write(folder: Path, text: str, name: str = "votes.jsonl") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_objects_are_rows_under_all_keys(tmp_path: Path) -> None:
    text = '{"id": 1, "text": "a, \\"b\\"\\nc", "score": 0.10}\n\n{"id": 2, "score": null, "late": true}\n'
    sheet = read_sheet(write(tmp_path, text))
    assert sheet.columns == ("id", "text", "score", "late")
    assert sheet.rows == (("1", 'a, "b"\nc', "0.10", ""), ("2", "", "", "true"))
    assert (sheet.lines, sheet.stem) == ((1, 3), "votes")


def test_the_same_table_as_from_csv(tmp_path: Path) -> None:
    objects = read_sheet(write(tmp_path, '{"item": "q1", "gpt": "Lima", "llama": "Cusco"}\n'))
    table = read_sheet(write(tmp_path, "item,gpt,llama\nq1,Lima,Cusco\n", "votes.csv"))
    assert (objects.columns, objects.rows) == (table.columns, table.rows)


def test_a_byte_order_mark_and_the_other_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": "1", "b": "2"}\r\n{"a": "3", "b": "4"}')
    assert read_sheet(str(path)).rows == (("1", "2"), ("3", "4"))


def test_one_column_of_short_texts_is_no_title(tmp_path: Path) -> None:
    assert read_sheet(write(tmp_path, '{"text": "x"}\n{"text": "y"}\n')).rows == (("x",), ("y",))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"a": 1}\n{"a": \n', 2, "no JSON object on a line of its own"),
        ('[{"a": 1}]', 1, "no JSON object on a line of its own; write one flat object per line"),
        ('{\n  "a": 1\n}\n', 1, "no JSON object on a line of its own"),
        ('{"a": 1}\n7\n', 2, "no JSON object on a line of its own"),
        ('{"a": 1}\n{"a": [1, 2]}\n', 2, "a list or an object in a cell"),
    ],
)
def test_what_is_refused(text: str, line: int, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_sheet(write(tmp_path, text))
    (problem,) = caught.value.problems
    assert problem.line == line
    assert message in problem.message


def test_every_nested_cell_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_sheet(write(tmp_path, '{"a": {"b": 1}, "c": []}\n{"a": {}}\n'))
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [(1, "a"), (1, "c"), (2, "a")]
