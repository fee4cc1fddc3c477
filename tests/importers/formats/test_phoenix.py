"""Phoenix: annotations of spans by people and by evaluators."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tiebreak.errors import InputError
from tiebreak.importers.plans import ReadOptions, plan_files
from tiebreak.importers.reading import Imported, imported

ROWS = [
    ("sp1", "helpful", "HUMAN", "good", "1", "px-app:VXNlcjox", "VXNlcjox"),
    ("sp1", "helpful", "HUMAN", "bad", "0", "", "VXNlcjoy"),
    ("sp1", "helpful", "LLM", "good", "0.9", "", ""),
    ("sp2", "helpful", "CODE", "good", "0.4", "", ""),
    ("sp2", "helpful", "HUMAN", "good", "", "px-app:VXNlcjox", "VXNlcjox"),
]


def check(done: Imported) -> None:
    assert [plan.format and plan.format.name for plan in done.plans] == ["phoenix"]
    assert done.study.ratings is not None
    assert done.study.ratings.select("item", "system", "annotator", "criterion", "value").rows() == [
        ("sp1", "application", "px-app:VXNlcjox", "helpful", 1.0),
        ("sp1", "application", "VXNlcjoy", "helpful", 0.0),
    ]
    assert done.study.scores is not None
    assert done.study.scores.select("item", "system", "metric", "value").rows() == [
        ("sp1", "application", "helpful", 0.9),
        ("sp2", "application", "helpful", 0.4),
    ]
    assert [(of.reason, of.count) for of in done.skipped] == [("value is blank: not a rating", 1)]


def test_people_and_judges_are_told_apart_by_their_kind(tmp_path: Path) -> None:
    path = tmp_path / "annotations.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["span_id", "id", "created_at", "updated_at", "source", "user_id", "annotation_name",
                         "annotator_kind", "metadata", "identifier", "result.label", "result.score",
                         "result.explanation"])  # fmt: skip
        for span, name, kind, label, score, identifier, user in ROWS:
            writer.writerow([span, "U3Bh", "2026-01-02", "2026-01-02", "APP", user, name, kind, "{}", identifier, label,
                             score, "so"])  # fmt: skip
    check(imported(plan_files([str(path)]), "study"))


def test_json_of_the_interface(tmp_path: Path) -> None:
    data: list[dict[str, Any]] = [
        {"span_id": span, "id": "U3Bh", "source": "APP", "user_id": user or None, "name": name, "annotator_kind": kind,
         "result": {"label": label, "score": float(score) if score else None, "explanation": None}, "metadata": {},
         "identifier": identifier}
        for span, name, kind, label, score, identifier, user in ROWS
    ]  # fmt: skip
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({"data": data, "next_cursor": None}), "utf-8")
    check(imported(plan_files([str(path)]), "study"))


def test_annotations_that_are_words_have_to_be_explained(tmp_path: Path) -> None:
    """A result has a label, a score, or both (AnnotationResult of phoenix.client)."""
    path = tmp_path / "annotations.csv"
    path.write_text(
        "span_id,annotation_name,annotator_kind,identifier,result.label,result.score\n"
        "sp1,tone,HUMAN,ann,good,\nsp2,tone,HUMAN,ann,bad,\n",
        "utf-8",
    )
    with pytest.raises(InputError, match="--value 'value:good=NUMBER"):
        imported(plan_files([str(path)]), "study")
    study = imported(plan_files([str(path)], ReadOptions(values=["value:good=1", "value:bad=0"])), "study").study
    assert study.ratings is not None
    assert study.ratings["value"].to_list() == [1.0, 0.0]
