"""OpenAI evals: the events of a run."""

from __future__ import annotations

import json
from pathlib import Path

from tiebreak.importers.plans import plan_files
from tiebreak.importers.reading import imported


def _event(number: int, sample: str, kind: str, **data: object) -> dict[str, object]:
    return {
        "run_id": "r1", "event_id": number, "sample_id": sample, "type": kind, "data": data, "created_by": "",
        "created_at": "2025-01-01 00:00:00+00:00",
    }  # fmt: skip


def _run(path: Path, *events: dict[str, object]) -> str:
    spec = {"completion_fns": ["gpt-4o"], "eval_name": "x.dev.v0", "base_eval": "x", "split": "dev", "run_id": "r1"}
    rows = [{"spec": spec}, {"final_report": {"accuracy": 0.5}}, *events]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def test_matches(tmp_path: Path) -> None:
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital?"}]
    path = _run(
        tmp_path / "run.jsonl",
        _event(0, "x.dev.0", "sampling", prompt=asked, sampled=["Rome"]),
        _event(1, "x.dev.0", "match", correct=True, expected="Rome", picked="Rome"),
        _event(2, "x.dev.1", "sampling", prompt="2+2?", sampled="5"),
        _event(3, "x.dev.1", "match", correct=False, expected=["4", "four"], picked=None),
    )
    (plan,) = plan_files([path])
    assert plan.format is not None
    assert plan.format.name == "openai-evals"
    study = imported([plan], "study").study
    assert study.outputs is not None
    assert study.outputs.select("item", "system", "text").rows() == [
        ("x.dev.0", "gpt-4o", "Rome"),
        ("x.dev.1", "gpt-4o", "5"),
    ]
    assert study.scores is not None
    assert study.scores.select("metric", "value").rows() == [("match", 1.0), ("match", 0.0)]
    assert study.items is not None
    assert study.items["input"].to_list() == ["Capital?", "2+2?"]
    assert study.items["references"].to_list() == [["Rome"], ["4", "four"]]


def test_what_a_judge_samples_is_no_output(tmp_path: Path) -> None:
    path = _run(
        tmp_path / "run.jsonl",
        _event(0, "x.dev.0", "sampling", prompt="Joke?", sampled=["Knock knock."]),
        _event(1, "x.dev.0", "sampling", prompt="Is this funny? Knock knock.", sampled=["No"]),
        _event(2, "x.dev.0", "metrics", choice="No", choice_metascore=True, length=12),
    )
    study = imported(plan_files([path]), "study").study
    assert study.outputs is not None
    assert study.outputs["text"].to_list() == ["Knock knock."]
    assert study.scores is not None
    assert study.scores.select("metric", "value").rows() == [("choice_metascore", 1.0), ("length", 12.0)]


def test_answers_of_matches_and_scores_that_are_null(tmp_path: Path) -> None:
    """`record_match` and `record_metrics` in evals/record.py; `sampled` as evals/elsuite/basic/includes.py adds it."""
    path = _run(
        tmp_path / "run.jsonl",
        _event(0, "x.dev.0", "match", correct=True, expected="4", sampled="4"),
        _event(1, "x.dev.0", "metrics", choice="__invalid__", score=None),
    )
    told = imported(plan_files([path]), "study")
    assert told.study.outputs is not None
    assert told.study.outputs["text"].to_list() == ["4"]
    assert sum(skipped.count for skipped in told.skipped) == 1


def test_two_runs_of_a_model_are_two_systems(tmp_path: Path) -> None:
    events = [_event(0, "x.dev.0", "sampling", prompt="2+2?", sampled=[name]) for name in ("four", "five")]
    paths = [_run(tmp_path / f"{number}.jsonl", event) for number, event in enumerate(events)]
    outputs = imported(plan_files(paths), "study").study.outputs
    assert outputs is not None
    assert outputs.select("system", "text").rows() == [("gpt-4o (0)", "four"), ("gpt-4o (1)", "five")]
