"""Phoenix: annotations of spans by people and by evaluators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.importers.made import cells_of, read_as, rows_of, save

from tiebreak.errors import InputError

ROWS = [
    ("sp1", "helpful", "HUMAN", "good", "1", "px-app:VXNlcjox", "VXNlcjox"),
    ("sp1", "helpful", "HUMAN", "bad", "0", "", "VXNlcjoy"),
    ("sp1", "helpful", "LLM", "good", "0.9", "", ""),
    ("sp2", "helpful", "CODE", "good", "0.4", "", ""),
    ("sp2", "helpful", "HUMAN", "good", "", "px-app:VXNlcjox", "VXNlcjox"),
]


def check(file: str) -> None:
    done = read_as("phoenix", file)
    assert rows_of(done.study.ratings, "item", "system", "annotator", "criterion", "value") == [
        ("sp1", "application", "px-app:VXNlcjox", "helpful", 1.0),
        ("sp1", "application", "VXNlcjoy", "helpful", 0.0),
    ]
    assert rows_of(done.study.scores, "item", "system", "metric", "value") == [
        ("sp1", "application", "helpful", 0.9),
        ("sp2", "application", "helpful", 0.4),
    ]
    assert [(of.reason, of.count) for of in done.skipped] == [("value is blank: not a rating", 1)]


def test_people_and_judges_are_told_apart_by_their_kind(tmp_path: Path) -> None:
    rows = [
        {"span_id": span, "id": "U3Bh", "created_at": "2026-01-02", "updated_at": "2026-01-02", "source": "APP",
         "user_id": user, "annotation_name": name, "annotator_kind": kind, "metadata": "{}", "identifier": identifier,
         "result.label": label, "result.score": score, "result.explanation": "so"}
        for span, name, kind, label, score, identifier, user in ROWS
    ]  # fmt: skip
    check(save(tmp_path, "annotations.csv", rows))


def test_json_of_the_interface(tmp_path: Path) -> None:
    data: list[dict[str, Any]] = [
        {"span_id": span, "id": "U3Bh", "source": "APP", "user_id": user or None, "name": name, "annotator_kind": kind,
         "result": {"label": label, "score": float(score) if score else None, "explanation": None}, "metadata": {},
         "identifier": identifier}
        for span, name, kind, label, score, identifier, user in ROWS
    ]  # fmt: skip
    check(save(tmp_path, "annotations.json", {"data": data, "next_cursor": None}))


def test_annotations_that_are_words_have_to_be_explained(tmp_path: Path) -> None:
    """A result has a label, a score, or both (AnnotationResult of phoenix.client)."""
    head = "span_id,annotation_name,annotator_kind,identifier,result.label,result.score\n"
    path = save(tmp_path, "annotations.csv", f"{head}sp1,tone,HUMAN,ann,good,\nsp2,tone,HUMAN,ann,bad,\n")
    with pytest.raises(InputError, match="--value 'value:good=NUMBER"):
        read_as("phoenix", path)
    study = read_as("phoenix", path, values=["value:good=1", "value:bad=0"]).study
    assert cells_of(study.ratings, "value") == [1.0, 0.0]
