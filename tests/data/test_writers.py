"""What is written reads back the same, and a folder is never half-written."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.importers.made import cells_of

from tiebreak.data import writers
from tiebreak.data.readers import read_study
from tiebreak.data.settings import StudySettings
from tiebreak.data.study import Study
from tiebreak.data.writers import Format, write_study
from tiebreak.errors import TiebreakError, UsageError

FORMATS = get_args(Format)
# No surrogates, which are no text; no NUL, which CSV refuses.
TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from(list('",\n\r\' \t\u00a0\u200bé"')), st.characters(codec="utf-8", exclude_characters="\0")
    )
)
SETTINGS = StudySettings(title='a "b"\n', higher_is_better={"x.y": False}, currency="€")


def _same(one: Study, two: Study) -> None:
    assert one.tables.keys() == two.tables.keys()
    for name, frame in one.tables.items():
        other = two.tables[name]
        assert frame.columns == other.columns
        assert frame.rows() == other.rows()
    assert one.settings == two.settings
    assert one.fingerprint == two.fingerprint


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(TEXT, st.none() | TEXT, st.none() | TEXT), min_size=1, max_size=4))
def test_any_text_survives(format: Format, rows, tmp_path_factory) -> None:  # type: ignore[no-untyped-def]  # noqa: A002
    outputs = [{"item": n, "system": " A", "text": text, "my note": note} for n, (text, note, _) in enumerate(rows)]
    items = [{"item": n, "input": text} for n, (_, _, text) in enumerate(rows)]
    study = Study.from_tables(
        outputs=pl.DataFrame(outputs, schema_overrides={"my note": pl.String}),
        items=pl.DataFrame(items, schema_overrides={"input": pl.String}),
        settings=SETTINGS,
    )
    folder = tmp_path_factory.mktemp("study") / "new"
    write_study(study, folder, format=format)
    _same(study, read_study(folder))


@pytest.mark.parametrize("format", FORMATS)
def test_numbers_missing_values_and_nested_references_survive(format: Format, tmp_path: Path) -> None:  # noqa: A002
    study = Study.from_tables(
        items=[{"item": "1", "references": ["x", "é\n"]}, {"item": "2", "references": []}, {"item": "3"}],
        ratings=[
            {"item": n, "system": "A", "annotator": "w", "criterion": "c", "value": value}
            for n, value in enumerate([0.1 + 0.2, 1e-300, -5, 2**53, 1e22])
        ],
        preferences=[
            {"item": "007", "system_a": "A", "system_b": "B", "annotator": "w", "outcome": "tie", "seconds": None},
            {"item": "7", "system_a": "A", "system_b": "B", "annotator": "w", "outcome": "a", "seconds": 1.5},
        ],
        judge_preferences=[
            {
                "item": "7",
                "system_a": "A",
                "system_b": "B",
                "judge": "j",
                "outcome": outcome,
                "left": left,
                "reply": "?",
            }
            for outcome, left in ((None, "A"), ("b", "B"))
        ],
    )
    write_study(study, tmp_path / "new", format=format)
    _same(study, read_study(tmp_path / "new"))
    written = sorted(path.name for path in (tmp_path / "new").iterdir())
    # CSV cannot hold a list; settings that are all default need no file.
    assert written == sorted(
        f"{name}.{'jsonl' if format == 'csv' and name == 'items' else format}" for name in study.tables
    )


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", ["llmfao", "pandalm", "wmt21-en-de"])
def test_real_studies_survive(real_studies: Path, tmp_path: Path, name: str, format: Format) -> None:  # noqa: A002
    study = read_study(real_studies / name)
    write_study(study, tmp_path / "deep" / "copy", format=format)
    _same(study, read_study(tmp_path / "deep" / "copy"))


def _study(text: str) -> Study:
    return Study.from_tables(outputs=[{"item": "1", "system": "A", "text": text}])


def _text(folder: Path) -> object:
    outputs = read_study(folder).outputs
    return None if outputs is None else outputs["text"][0]


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    write_study(_study("one"), folder)  # an empty folder is fine
    with pytest.raises(UsageError, match="not empty"):
        write_study(_study("two"), folder)
    assert _text(folder) == "one"
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="is a file"):
        write_study(_study("two"), tmp_path / "file")
    with pytest.raises(UsageError, match="did you mean parquet"):
        write_study(_study("two"), tmp_path / "t", format="parket")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a path is no UTF-8"):
        write_study(_study("two"), tmp_path / "t\udcff")


@pytest.mark.parametrize("format", FORMATS)
def test_what_a_format_cannot_hold_is_still_readable(format: Format, tmp_path: Path) -> None:  # noqa: A002
    rows = [{"item": n, "system": "A", "text": "a\0b", "x": x} for n, x in enumerate([1.5, float("nan"), float("inf")])]
    write_study(Study.from_tables(outputs=rows), tmp_path / "s", format=format)
    outputs = read_study(tmp_path / "s").outputs
    assert cells_of(outputs, "text") == ["a\0b"] * 3
    # Parquet holds every number; CSV (as JSON Lines, because of the NUL) and JSON Lines hold finite ones.
    assert outputs["x"].is_finite().fill_null(False).to_list() == [True, False, False]


def test_a_link_to_a_study_stays_a_link(tmp_path: Path) -> None:
    write_study(_study("one"), tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_study(_study("two"), tmp_path / "link", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert _text(tmp_path / "real") == "two"


def test_overwriting_replaces_the_tables_and_keeps_other_files(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    write_study(_study("one"), folder, format="parquet")
    (folder / "report.html").write_text("mine")
    write_study(_study("two"), folder, overwrite=True)
    assert sorted(path.name for path in folder.iterdir()) == ["outputs.csv", "report.html"]
    assert _text(folder) == "two"
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("step", ["_write_table", "_sync", "_swap"])
def test_a_failure_on_the_way_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, exists: bool
) -> None:
    folder = tmp_path / "s"
    if exists:
        write_study(_study("one"), folder)

    def fail(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(writers, step, fail)
    with pytest.raises((OSError, TiebreakError), match="no space left"):
        write_study(_study("two"), folder, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == (["s"] if exists else [])
    if exists:
        assert _text(folder) == "one"


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "s"
    write_study(_study("one"), folder)
    rename = Path.rename

    def refuse_the_new(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError("busy")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse_the_new)
    with pytest.raises((OSError, TiebreakError), match="busy"):
        write_study(_study("two"), folder, overwrite=True)
    monkeypatch.undo()
    assert _text(folder) == "one"
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_other_files_that_cannot_be_moved_are_not_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "s"
    write_study(_study("one"), folder)
    for name in ("a.html", "b.html", "c.html"):
        (folder / name).write_text("mine")
    rename = Path.rename

    def refuse_one(self: Path, target: Path) -> Path:
        if self.name == "b.html":
            raise PermissionError("not permitted")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse_one)
    with pytest.raises(TiebreakError, match=r"b\.html, which was there, cannot be moved back"):
        write_study(_study("two"), folder, overwrite=True)
    monkeypatch.undo()
    assert _text(folder) == "two"
    assert sorted(path.name for path in tmp_path.rglob("*.html")) == ["a.html", "b.html", "c.html"]
