"""Outputs as people corrected them, in tables of people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, bound, imported, proposed

from tiebreak.errors import InputError, UsageError


@pytest.mark.parametrize("name", ["edit", "post-edit", "corrected", "Post-edited text", "pe", "Korrektur"])
@pytest.mark.parametrize("system", ["system", None])
def test_edits_beside_outputs(name: str, system: str | None, tmp_path: Path) -> None:
    """The edit is no further system, whether a column names the systems or the file is one system's."""
    rows: Rows = [
        ["id", "output", name, "worker", *([system] if system else [])],
        [1, "It rain.", "It is raining.", "ann", *(["mt"] if system else [])],
        [2, "Good day!", "Hello!", "bo", *(["mt"] if system else [])],
        [3, "Take an umbrella.", "Take an umbrella.", "bo", *(["mt"] if system else [])],
    ]
    found = proposed(tmp_path, rows)
    assert (bound(found)["text"], bound(found)["edit"]) == (("output",), (name,))
    assert found.confidence >= 0.9 or system is None  # a file called table0 says too little
    study = found.build("s").study
    assert study.systems == (("mt",) if system else ("table0",))
    assert study.edits is not None
    assert study.edits.select("item", "annotator", "text").rows() == [
        ("1", "ann", "It is raining."), ("2", "bo", "Hello!"), ("3", "bo", "Take an umbrella."),
    ]  # fmt: skip


def test_post_editing_as_translators_share_it(tmp_path: Path) -> None:
    """`mt` and `pe` are what was edited and the edit; a blank edit is none, and is counted."""
    rows: Rows = [
        ["seg_id", "source", "mt", "pe", "post-editor", "editing time"],
        [1, "Es regnet.", "It rain.", "It is raining.", "ann", 21.5], [2, "Guten Tag!", "Good day!", "", "bo", 3],
    ]  # fmt: skip
    found = proposed(tmp_path, rows)
    assert found.confidence >= 0.9
    made = found.build("s")
    assert made.study.edits is not None
    assert made.study.edits.select("item", "annotator", "text", "seconds").rows() == [
        ("1", "ann", "It is raining.", 21.5)
    ]
    assert made.study.outputs is not None
    assert made.study.outputs.height == 2
    assert [skipped.reason for skipped in made.skipped] == [
        "pe is blank: no edit (an output that needs none is its own)"
    ]


def test_edits_alone(tmp_path: Path) -> None:
    rows: Rows = [["item", "system", "annotator", "corrected"], [1, "x", "ann", "A."], [1, "y", "ann", "B."]]
    found = proposed(tmp_path, rows)
    assert found.files[0].shape == "edits"
    assert set(found.build("s").study.tables) == {"edits"}


def test_a_column_that_somebody_names(tmp_path: Path) -> None:
    rows: Rows = [["item", "system", "output", "note"], [1, "x", "A b.", "A c."], [2, "x", "B.", "C."]]
    study = imported(tmp_path, rows, columns=["edit=note"])
    assert study.edits is not None
    assert study.edits["text"].to_list() == ["A c.", "C."]
    assert study.annotators == ("annotator1",)
    pair: Rows = [["item", "model_a", "model_b", "winner", "note"], [1, "x", "y", "model_a", "A c."]]
    with pytest.raises(UsageError, match=r"--map edit=\.\.\.: an edit needs the system"):
        proposed(tmp_path, pair, columns=["edit=note"])


def test_bad_times_of_edits(tmp_path: Path) -> None:
    rows: Rows = [["item", "system", "annotator", "edit", "seconds"]]
    rows = [*rows, [1, "x", "ann", "A.", 3], [2, "x", "ann", "B.", -4]]
    with pytest.raises(InputError, match=r"row 3, column seconds: '-4': not a number of seconds"):
        imported(tmp_path, rows, columns=["seconds=seconds"])


@pytest.mark.parametrize(
    ("texts", "edits", "columns"),
    [
        (["DeepL", "Google"], ["DeepL post-edited", "Google post-edited"], ()),
        (["output_deepl", "output_google"], ["output_deepl_edited", "output_google_edited"], ()),
        (["deepl_out", "google_out"], ["pe_deepl", "pe_google"], ["text=deepl_out|google_out"]),
        (["DeepL", "Google"], ["edited (DeepL)", "edited (Google)"], ["edit=edited (DeepL)|edited (Google)"]),
    ],
)
def test_a_column_of_edits_for_each_system(
    texts: list[str], edits: list[str], columns: Sequence[str], tmp_path: Path
) -> None:
    table = [["seg", "source", *texts, *edits, "editor"]]
    table += [[n, f"Satz {n}.", f"Line {n}", f"The {n}.", f"Line {n}.", "", "ann"] for n in (1, 2, 3)]
    study = imported(tmp_path, table, columns=columns)
    assert study.edits is not None
    assert study.edits.select("item", "text").rows() == [(f"{n}", f"Line {n}.") for n in (1, 2, 3)]
    assert len(study.systems) == 2
    assert set(study.edits["system"]) == {study.systems[0]}
