"""Lists within JSON records: their shapes, and records with one as several records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiebreak.errors import InputError, UsageError
from tiebreak.tabular.json_lists import Nested, nested_in, numbered
from tiebreak.tabular.spreadsheet import read_sheet

VOTE = {"by": "ann", "says": ["A", "B"]}
TALK = [{"role": "user", "content": "why?"}]


def write(folder: Path, *records: dict[str, object]) -> str:
    path = folder / "file.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def test_the_shapes_of_lists() -> None:
    found = nested_in(
        numbered([{"id": 1, "votes": [VOTE, {"at": 3}], "talk": TALK}, {"in": {"tags": ["x", "y"]}, "votes": []}])
    )
    assert found.beside == ("id", "talk")
    votes, tags = found.lists
    assert (votes.path, votes.names, votes.lengths, votes.most) == ("votes", ("by", "says", "at"), (2, 0), 2)
    assert (tags.path, tags.names, tags.lengths, tags.is_pair) == ("in.tags", (), (0, 2), True)


def test_elements_are_rows_with_what_stands_beside_them(tmp_path: Path) -> None:
    path = write(tmp_path, {"id": 1, "votes": [VOTE, {"by": "bo"}]}, {"id": 2, "votes": []}, {"id": 3})
    sheet = read_sheet(path, lambda _: [("votes",)])
    assert sheet.columns == ("id", "votes.by", "votes.says.0", "votes.says.1")
    assert sheet.rows == (("1", "ann", "A", "B"), ("1", "bo", "", ""), ("2", "", "", ""), ("3", "", "", ""))
    assert (sheet.lines, sheet.elements) == ((1, 1, 2, 3), {"votes.by", "votes.says.0", "votes.says.1"})


def test_lists_side_by_side(tmp_path: Path) -> None:
    path = write(tmp_path, {"in": {"models": ["gpt", "llama"], "n": 1}, "texts": ["x", "y"]})

    def both(found: Nested) -> list[tuple[str, ...]]:
        assert [one.path for one in found.lists] == ["in.models", "texts"]
        return [one.keys for one in found.lists]

    sheet = read_sheet(path, both)
    assert (sheet.columns, sheet.rows) == (("in.models", "in.n", "texts"), (("gpt", "1", "x"), ("llama", "1", "y")))
    path = write(tmp_path, {"texts": ["x", "y"], "in": {}}, {"texts": ["x"], "in": {"models": ["gpt", "llama"]}})
    with pytest.raises(InputError, match=r"line 2: lists .* have different lengths \(texts 1, in.models 2\)"):
        read_sheet(path, lambda _: [("texts",), ("in", "models")])


def test_a_list_named_by_its_path(tmp_path: Path) -> None:
    record = {
        "id": 1,
        "votes": [{"by": "ann", "on": [{"k": "A", "t": ["p"]}, {"k": "B"}]}],
        "tags": ["x"],
        "talk": TALK,
    }
    path = write(tmp_path, record, {"id": 2})
    sheet = read_sheet(f"{path}#votes.on")
    assert sheet.columns == ("id", "votes.by", "votes.on.k", "votes.on.t.0", "talk.0.content", "talk")
    assert sheet.rows[:2] == (("1", "ann", "A", "p", "why?", ""), ("1", "ann", "B", "", "why?", ""))
    assert [row[0] for row in sheet.rows] == ["1", "1", "2"]
    with pytest.raises(UsageError, match=r"there is no list 'on' \(it has votes, tags\)"):
        read_sheet(f"{path}#on")
