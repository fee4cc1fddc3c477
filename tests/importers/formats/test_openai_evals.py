"""OpenAI evals: the events of a run."""

from __future__ import annotations

from pathlib import Path

from tests.importers.made import cells_of, read_as, rows_of, save


def _event(number: int, sample: str, kind: str, **data: object) -> dict[str, object]:
    return {
        "run_id": "r1", "event_id": number, "sample_id": sample, "type": kind, "data": data, "created_by": "",
        "created_at": "2025-01-01 00:00:00+00:00",
    }  # fmt: skip


def _run(path: Path, *events: dict[str, object]) -> str:
    spec = {"completion_fns": ["gpt-4o"], "eval_name": "x.dev.v0", "base_eval": "x", "split": "dev", "run_id": "r1"}
    rows = [{"spec": spec}, {"final_report": {"accuracy": 0.5}}, *events]
    return save(path.parent, path.name, rows)


def test_matches(tmp_path: Path) -> None:
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital?"}]
    path = _run(
        tmp_path / "run.jsonl",
        _event(0, "x.dev.0", "sampling", prompt=asked, sampled=["Rome"]),
        _event(1, "x.dev.0", "match", correct=True, expected="Rome", picked="Rome"),
        _event(2, "x.dev.1", "sampling", prompt="2+2?", sampled="5"),
        _event(3, "x.dev.1", "match", correct=False, expected=["4", "four"], picked=None),
    )
    study = read_as("openai-evals", path).study
    assert rows_of(study.outputs, "item", "system", "text") == [
        ("x.dev.0", "gpt-4o", "Rome"),
        ("x.dev.1", "gpt-4o", "5"),
    ]
    assert rows_of(study.scores, "metric", "value") == [("match", 1.0), ("match", 0.0)]
    assert cells_of(study.items, "input") == ["Capital?", "2+2?"]
    assert cells_of(study.items, "references") == [["Rome"], ["4", "four"]]


def test_what_a_judge_samples_is_no_output(tmp_path: Path) -> None:
    path = _run(
        tmp_path / "run.jsonl",
        _event(0, "x.dev.0", "sampling", prompt="Joke?", sampled=["Knock knock."]),
        _event(1, "x.dev.0", "sampling", prompt="Is this funny? Knock knock.", sampled=["No"]),
        _event(2, "x.dev.0", "metrics", choice="No", choice_metascore=True, length=12),
    )
    study = read_as("openai-evals", path).study
    assert cells_of(study.outputs, "text") == ["Knock knock."]
    assert rows_of(study.scores, "metric", "value") == [("choice_metascore", 1.0), ("length", 12.0)]


def test_answers_of_matches_and_scores_that_are_null(tmp_path: Path) -> None:
    """`record_match` and `record_metrics` in evals/record.py; `sampled` as evals/elsuite/basic/includes.py adds it."""
    path = _run(
        tmp_path / "run.jsonl",
        _event(0, "x.dev.0", "match", correct=True, expected="4", sampled="4"),
        _event(1, "x.dev.0", "metrics", choice="__invalid__", score=None),
    )
    told = read_as("openai-evals", path)
    assert cells_of(told.study.outputs, "text") == ["4"]
    assert sum(skipped.count for skipped in told.skipped) == 1


def test_two_runs_of_a_model_are_two_systems(tmp_path: Path) -> None:
    events = [_event(0, "x.dev.0", "sampling", prompt="2+2?", sampled=[name]) for name in ("four", "five")]
    paths = [_run(tmp_path / f"{number}.jsonl", event) for number, event in enumerate(events)]
    outputs = read_as("openai-evals", *paths).study.outputs
    assert rows_of(outputs, "system", "text") == [("gpt-4o (0)", "four"), ("gpt-4o (1)", "five")]
