"""Files of every kind, by one interface."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from tests.importers.made import save

from tiebreak.errors import InputError
from tiebreak.tabular.source import Source


def test_a_spreadsheet_has_its_rows_and_sheets(tmp_path: Path) -> None:
    rows = [["item", "grade"], ["q1", 4], ["q2", 5]]
    path = save(tmp_path, "a.xlsx", {"ann": rows, "bo": rows})
    source = Source(path)
    assert source.unit == "row"
    found = list(source.records())
    assert [line for line, _ in found] == [2, 3, 2, 3]
    assert [(row["sheet"], row["item"]) for _, row in found] == [
        (of, item) for of in ("ann", "bo") for item in ("q1", "q2")
    ]
    assert source.file_of(3).endswith("a.xlsx#bo")
    own = [row for _, row in Source(f"{path}#bo").records()]
    assert own == [{"item": "q1", "grade": "4"}, {"item": "q2", "grade": "5"}]


def test_parquet_is_read_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiebreak.tabular.source._SLICE", 2)
    rows = [{"item": str(n), "meta": {"n": n}} for n in (1, 2, 3)]
    source = Source(save(tmp_path, "a.parquet", rows))
    assert list(source.records()) == list(enumerate(rows, 1))
    assert source.unit == "record"


def test_a_damaged_parquet_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match=r"a\.parquet: this Parquet file cannot be read"):
        list(Source(str(tmp_path / "a.parquet")).records())
    assert Source(str(tmp_path / "a.parquet")).first == ()


def test_other_kinds_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(b"\x1f\x8b\x08rest")
    with pytest.raises(InputError, match="compressed"):
        Source(str(tmp_path / "a.csv.gz"))
    assert Source(str(tmp_path)).is_folder


def test_json_lines_are_read_in_bounded_memory(tmp_path: Path) -> None:
    line = '{"id": "%d", "text": "' + "word " * 200 + '"}\n'
    with (tmp_path / "long.jsonl").open("w", encoding="utf-8") as stream:
        stream.writelines(line % number for number in range(10_000))
    size = (tmp_path / "long.jsonl").stat().st_size
    source = Source(str(tmp_path / "long.jsonl"))
    tracemalloc.start()
    count = sum(1 for _ in source.records())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 10_000
    assert peak < size / 20
