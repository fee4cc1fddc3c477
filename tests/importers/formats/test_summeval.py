"""SummEval: ratings of summaries by experts and crowd workers."""

from __future__ import annotations

from pathlib import Path

from tests.importers.made import read_as, rows_of, save


def ratings(*values: int) -> dict[str, int]:
    return dict(zip(("coherence", "consistency", "fluency", "relevance"), values, strict=True))


def test_experts_and_workers_rate_four_criteria(tmp_path: Path) -> None:
    records = [
        {
            "id": "dm-test-1",
            "decoded": f"{model} says that a boat left .",
            "expert_annotations": [ratings(*expert), ratings(5, 5, 5, 4)],
            "turker_annotations": [ratings(3, 3, 2, 1)],
            "references": ["A boat left.", "The boat is gone."],
            "model_id": model,
            "filepath": "cnndm/dailymail/stories/1.story",
        }
        for model, expert in (("M1", (1, 2, 3, 4)), ("M2", (4, 3, 2, 1)))
    ]
    records[1]["text"] = "A long story about a boat."  # as the files are after they were paired with the stories
    path = save(tmp_path, "model_annotations.aligned.jsonl", records)
    study = read_as("summeval", path).study
    assert rows_of(study.outputs, "item", "system", "text") == [
        ("dm-test-1", "M1", "M1 says that a boat left ."),
        ("dm-test-1", "M2", "M2 says that a boat left ."),
    ]
    assert rows_of(study.items, "item", "input", "references") == [
        ("dm-test-1", "A long story about a boat.", ["A boat left.", "The boat is gone."])
    ]
    assert study.ratings.height == 24
    by = {(row[0], row[1], row[2]): row[3] for row in study.ratings.select(
        "system", "annotator", "criterion", "value").rows()}  # fmt: skip
    assert by["M1", "expert1", "coherence"] == 1.0
    assert by["M1", "expert1", "relevance"] == 4.0
    assert by["M1", "expert2", "relevance"] == 4.0
    assert by["M2", "expert1", "consistency"] == 3.0
    assert by["M2", "turker1", "relevance"] == 1.0
    assert {annotator for _, annotator, _ in by} == {"expert1", "expert2", "turker1"}
