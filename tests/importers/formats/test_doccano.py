"""doccano: labelled texts, a file for each annotator."""

from __future__ import annotations

from pathlib import Path

from tests.importers.made import read_as, rows_of, save

TEXT = "A: Hi B: Hello"
RIGHT = [("1", "ann", "a"), ("2", "ann", "tie")]


def test_the_file_is_called_after_the_annotator(tmp_path: Path) -> None:
    for who, labels in {"ann": (["A better"], ["tie"], []), "bo": (["B better"], ["tie"], ["tie"])}.items():
        records = [
            {"id": number, "text": TEXT, "model_a": "north", "model_b": "south", "label": of, "Comments": ["hm"]}
            for number, of in enumerate(labels, 1)
        ]
        save(tmp_path, f"{who}.jsonl", records)
    done = read_as("doccano", str(tmp_path / "ann.jsonl"))
    assert rows_of(done.study.preferences, "item", "annotator", "outcome") == RIGHT
    assert [(of.reason, of.count) for of in done.skipped] == [("label is blank: no label", 1)]
    assert rows_of(done.study.items, "item", "input") == [(str(number), TEXT) for number in (1, 2, 3)]
    both = read_as("doccano", str(tmp_path / "ann.jsonl"), str(tmp_path / "bo.jsonl")).study
    assert rows_of(both.preferences, "item", "annotator", "outcome") == [
        *RIGHT, ("1", "bo", "b"), ("2", "bo", "tie"), ("3", "bo", "tie"),
    ]  # fmt: skip


def test_csv(tmp_path: Path) -> None:
    rows = [("id", "text", "model_a", "model_b", "label", "Comments")]
    rows += [("1", TEXT, "north", "south", "A better", ""), ("2", TEXT, "north", "south", "tie", "so#so")]
    study = read_as("doccano", save(tmp_path, "ann.csv", rows)).study
    assert rows_of(study.preferences, "item", "annotator", "outcome") == RIGHT


def test_labels_that_annotators_share_are_those_of_one(tmp_path: Path) -> None:
    record = {"id": 1, "text": TEXT, "model_a": "north", "model_b": "south", "label": ["A better"], "Comments": []}
    done = read_as("doccano", save(tmp_path, "all.jsonl", [record]))
    assert any("doccano does not say whose" in told for told in done.assumptions)
