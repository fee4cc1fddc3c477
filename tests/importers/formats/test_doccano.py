"""doccano: labelled texts, a file for each annotator."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tiebreak.importers.plans import plan_files
from tiebreak.importers.reading import imported

TEXT = "A: Hi B: Hello"
RIGHT = [("1", "ann", "a"), ("2", "ann", "tie")]


def test_the_file_is_called_after_the_annotator(tmp_path: Path) -> None:
    for who, labels in {"ann": (["A better"], ["tie"], []), "bo": (["B better"], ["tie"], ["tie"])}.items():
        records = [
            {"id": number, "text": TEXT, "model_a": "north", "model_b": "south", "label": of, "Comments": ["hm"]}
            for number, of in enumerate(labels, 1)
        ]
        (tmp_path / f"{who}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    plans = plan_files([str(tmp_path / "ann.jsonl")])
    assert [plan.format and plan.format.name for plan in plans] == ["doccano"]
    done = imported(plans, "study")
    assert done.study.preferences is not None
    assert done.study.preferences.select("item", "annotator", "outcome").rows() == RIGHT
    assert [(of.reason, of.count) for of in done.skipped] == [("label is blank: no label", 1)]
    assert done.study.items is not None
    assert done.study.items.select("item", "input").rows() == [(str(number), TEXT) for number in (1, 2, 3)]
    both = imported(plan_files([str(tmp_path / "ann.jsonl"), str(tmp_path / "bo.jsonl")]), "study").study
    assert both.preferences is not None
    assert both.preferences.select("item", "annotator", "outcome").rows() == [
        *RIGHT, ("1", "bo", "b"), ("2", "bo", "tie"), ("3", "bo", "tie"),
    ]  # fmt: skip


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "ann.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "model_a", "model_b", "label", "Comments"])
        writer.writerows([(1, TEXT, "north", "south", "A better", ""), (2, TEXT, "north", "south", "tie", "so#so")])
    (plan,) = plan_files([str(path)])
    assert plan.format is not None
    assert plan.format.name == "doccano"
    study = imported([plan], "study").study
    assert study.preferences is not None
    assert study.preferences.select("item", "annotator", "outcome").rows() == RIGHT
