"""Several outputs of one system for an item, in tables of people."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.importers.spreadsheet.made_files import bound, imported, proposed

from tiebreak.errors import InputError


@pytest.mark.parametrize("name", ["sample", "seed", "run", "Run ID", "replicate", "attempt"])
def test_a_column_that_tells_texts_apart(name: str, tmp_path: Path) -> None:
    rows = [
        ["prompt", "model", name, "output"],
        ["Name a colour.", "gpt", 1, "Blue"], ["Name a colour.", "gpt", 2, "Red"],
        ["Name a colour.", "llama", 1, "Red"],
        ["Name a fruit.", "gpt", 1, "Pear"], ["Name a fruit.", "gpt", 2, "Pear"], ["Name a fruit.", "llama", 1, "Fig"],
    ]  # fmt: skip
    found = proposed(tmp_path, rows)
    assert bound(found)["sample"] == (name,)
    assert found.confidence >= 0.9
    made = found.build("s")
    assert made.study.outputs is not None
    assert made.study.outputs.select("item", "system", "sample", "text").rows()[:3] == [
        ("item0001", "gpt", "1", "Blue"), ("item0001", "gpt", "2", "Red"), ("item0001", "llama", "1", "Red"),
    ]  # fmt: skip


def test_texts_that_no_column_tells_apart(tmp_path: Path) -> None:
    rows = [["id", "model", "run", "output"], [1, "gpt", 1, "Blue"], [1, "gpt", 1, "Red"], [2, "gpt", 1, "Pear"]]
    with pytest.raises(InputError, match=r"row 3, column output: 'Red': gpt has another text.*--map sample=COLUMN"):
        imported(tmp_path, rows)


def test_labels_of_samples(tmp_path: Path) -> None:
    outputs = [["id", "model", "sample", "generated"]]
    outputs += [[k, m, s, f"t{k}{m}{s}"] for k in range(3) for m in "xy" for s in range(2)]
    ratings = [["id", "model", "sample", "rater", "fluency", "seconds", "timestamp"]]
    ratings += [[*row[:3], "ann", 4, 7.5, "2024-05-01T10:00:00"] for row in outputs[1:]]
    study = imported(tmp_path, outputs, ratings)
    assert study.notices == ()
    assert study.ratings is not None
    assert study.ratings.select("item", "sample", "annotator", "value", "seconds", "decided_at").row(0) == (
        "0", "0", "ann", 4.0, 7.5, "2024-05-01T10:00:00",
    )  # fmt: skip


def test_samples_of_pairs(tmp_path: Path) -> None:
    rows = [["item", "model_a", "model_b", "sample_a", "sample_b", "winner", "annotator"]]
    rows += [[k, "x", "y", s, 1 - s, "model_a", "ann"] for k in range(3) for s in (0, 1)]
    study = imported(tmp_path, rows)
    assert study.preferences is not None
    assert study.preferences.select("sample_a", "sample_b").rows()[:2] == [("0", "1"), ("1", "0")]


def test_one_column_says_both_samples_of_a_pair(tmp_path: Path) -> None:
    rows = [["item", "model_a", "model_b", "response_a", "response_b", "seed", "winner", "annotator"]]
    rows += [[k, "x", "y", f"a{k}{s}", f"b{k}{s}", s, "model_b", "ann"] for k in range(3) for s in (0, 1)]
    study = imported(tmp_path, rows, columns=["sample=seed"])
    assert study.notices == ()
    assert study.outputs is not None
    assert study.outputs.filter(pl.col("sample") == "1").height == 6
    assert study.preferences is not None
    assert study.preferences.select("sample_a", "sample_b").rows()[:2] == [("0", "0"), ("1", "1")]
