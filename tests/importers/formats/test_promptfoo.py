"""promptfoo's results: tests are items, a provider with a prompt is a system."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import cells_of, read_as, rows_of, save


def _result(
    test: int, index: int, provider: str, prompt: str, score: float = 1.0, **other: object
) -> dict[str, object]:
    return {
        "promptIdx": index, "testIdx": test, "testCase": {"vars": {"topic": f"t{test}"}}, "promptId": "abc",
        "provider": {"id": provider, "label": ""}, "prompt": {"raw": f"{prompt} t{test}", "label": prompt},
        "vars": {"topic": f"t{test}"}, "response": {"output": f"{provider} {prompt} {test}", "cached": False},
        "success": score == 1.0, "failureReason": 0, "score": score, "latencyMs": 100, "namedScores": {}, "cost": 0,
        **other,
    }  # fmt: skip


def _document(path: Path, version: int, *results: dict[str, object]) -> str:
    told = {"version": version, "timestamp": "2025-08-01T00:00:00Z", "prompts": [], "results": results, "stats": {}}
    return save(path.parent, path.name, {"evalId": "eval-1", "results": told, "config": {}, "shareableUrl": None})


def test_items_are_tests_and_systems_are_providers(tmp_path: Path) -> None:
    results = [
        _result(t, i, name, "Write", 0.5) for t in range(2) for i, name in enumerate(["openai:a", "anthropic:b"])
    ]
    study = read_as("promptfoo", _document(tmp_path / "results.json", 3, *results)).study
    assert rows_of(study.outputs, "item", "system", "text")[:2] == [
        ("test0", "openai:a", "openai:a Write 0"), ("test0", "anthropic:b", "anthropic:b Write 0"),
    ]  # fmt: skip
    assert cells_of(study.outputs, "item") == ["test0", "test0", "test1", "test1"]
    assert cells_of(study.items, "input") == ["t0", "t1"]
    assert cells_of(study.scores, "value") == [0.5] * 4
    assert set(cells_of(study.scores, "metric")) == {"score"}


@pytest.mark.parametrize("version", [2, 3])
def test_prompts_tell_systems_apart(tmp_path: Path, version: int) -> None:
    results = [_result(t, i, "openai:a", name) for t in range(2) for i, name in enumerate(["Write", "Say"])]
    for result in results:
        for key in ("promptIdx", "testIdx", "promptId") if version == 2 else ():
            del result[key]
    study = read_as("promptfoo", _document(tmp_path / "results.json", version, *results)).study
    assert rows_of(study.outputs, "item", "system") == [
        ("test0", "openai:a / Write"), ("test0", "openai:a / Say"),
        ("test1", "openai:a / Write"), ("test1", "openai:a / Say"),
    ]  # fmt: skip


def test_an_error_is_no_score_and_a_failed_assertion_is_one(tmp_path: Path) -> None:
    failed = _result(0, 0, "openai:a", "Write", 0.0, error="Expected 3", namedScores={"clear": 0.25})
    broken = _result(1, 0, "openai:a", "Write", 0.0, error="API error", response={"error": "API error"})
    told = read_as("promptfoo", _document(tmp_path / "results.json", 3, failed, broken))
    assert rows_of(told.study.scores, "item", "metric", "value") == [
        ("test0", "score", 0.0), ("test0", "clear", 0.25),
    ]  # fmt: skip
    assert sum(skipped.count for skipped in told.skipped) == 1


def test_a_result_on_each_line(tmp_path: Path) -> None:
    rows = [_result(0, 0, "openai:a", "Write"), _result(0, 1, "anthropic:b", "Write")]
    path = save(tmp_path, "results.jsonl", rows)
    study = read_as("promptfoo", path).study
    assert cells_of(study.outputs, "system") == ["openai:a", "anthropic:b"]


def test_a_grade_by_a_person_is_a_rating(tmp_path: Path) -> None:
    """promptfoo's page of results (ResultsTable.tsx) writes it over the score."""
    grades = [{"pass": True, "score": 1, "assertion": {"type": "equals"}}]
    human = {"pass": False, "score": 0.25, "assertion": {"type": "human"}, "comment": "no"}
    rated = _result(0, 0, "openai:a", "Write", 0.25, gradingResult={"componentResults": [*grades, human]})
    auto = _result(0, 1, "openai:b", "Write", gradingResult={"componentResults": grades})
    study = read_as("promptfoo", _document(tmp_path / "results.json", 3, rated, auto)).study
    assert rows_of(study.ratings, "system", "value") == [("openai:a", 0.25)]
    assert rows_of(study.scores, "system", "value") == [("openai:b", 1.0)]


def test_repeated_tests_and_variables_of_a_run(tmp_path: Path) -> None:
    """`--repeat` numbers each repetition (evaluator.ts); `filterRuntimeVars` in util/comparison.ts."""
    results = [
        _result(test, 0, name, "Write", vars={"topic": "t", "sessionId": f"{name}{test}", "_conversation": []})
        for test in range(2)
        for name in ("openai:a", "openai:b")
    ]
    study = read_as("promptfoo", _document(tmp_path / "results.json", 3, *results)).study
    assert rows_of(study.items, "item", "input", "cluster") == [
        ("test0", "t", "question0"), ("test1", "t", "question0"),
    ]  # fmt: skip


def test_one_provider_with_two_configurations(tmp_path: Path) -> None:
    results = [_result(0, index, "openai:a", "Write", response={"output": str(index)}) for index in range(2)]
    study = read_as("promptfoo", _document(tmp_path / "results.json", 3, *results)).study
    assert rows_of(study.outputs, "system", "text") == [("openai:a #0", "0"), ("openai:a #1", "1")]


def test_an_empty_answer_that_an_assertion_refused_has_a_score(tmp_path: Path) -> None:
    result = _result(0, 0, "openai:a", "Write", 0.0, error="Expected x", failureReason=1, response={"output": ""})
    scores = read_as("promptfoo", _document(tmp_path / "results.json", 3, result)).study.scores
    assert cells_of(scores, "value") == [0.0]
