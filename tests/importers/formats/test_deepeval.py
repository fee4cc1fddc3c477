"""DeepEval's test runs: a file for each system, every metric of each case."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import cells_of, planned, read_as, rows_of, save

from tiebreak.data.study import Study


def _case(number: int, system: str, *metrics: dict[str, object]) -> dict[str, object]:
    return {
        "name": f"test_case_{number}", "input": f"question {number}", "actualOutput": f"{system} {number}",
        "expectedOutput": f"gold {number}", "context": ["known"], "retrievalContext": [f"found by {system}"],
        "success": True, "metricsData": metrics, "runDuration": 1.0, "order": number,
    }  # fmt: skip


_GOOD: dict[str, object] = {
    "name": "Correctness [GEval]", "threshold": 0.5, "success": True, "score": 0.8, "reason": "r", "strictMode": False,
    "evaluationModel": "gpt-4.1", "evaluationCost": 0.001,
}  # fmt: skip
_FAILED: dict[str, object] = {
    "name": "Answer Relevancy", "threshold": 0.5, "success": False, "score": None, "error": "timeout",
}  # fmt: skip


@pytest.mark.parametrize("wrapped", [True, False], ids=["latest test run", "results folder"])
def test_cases_and_metrics(tmp_path: Path, wrapped: bool) -> None:
    files = []
    for system in ("north", "south"):
        run = {"testFile": None, "testCases": [_case(0, system, _GOOD, _FAILED), _case(1, system, _GOOD)]}
        told = {"testRunData": run, "testRunLink": None} if wrapped else run
        files.append(save(tmp_path, f"deepeval_{system}.json", told))
    told = read_as("deepeval", *files)
    assert rows_of(told.study.scores, "item", "system", "metric", "value") == [
        ("test_case_0", "north", "Correctness [GEval]", 0.8), ("test_case_1", "north", "Correctness [GEval]", 0.8),
        ("test_case_0", "south", "Correctness [GEval]", 0.8), ("test_case_1", "south", "Correctness [GEval]", 0.8),
    ]  # fmt: skip
    assert sum(skipped.count for skipped in told.skipped) == 2  # null, as the metric failed
    assert told.study.outputs.filter(system="south")["text"].to_list() == ["south 0", "south 1"]
    assert rows_of(told.study.items, "input", "context", "reference")[0] == ("question 0", "known", "gold 0")


def test_cases_of_another_tool(tmp_path: Path) -> None:
    (plan,) = planned(save(tmp_path, "other.json", {"testCases": [{"input": "q", "system": "north", "output": "o"}]}))
    assert plan.format is None


def _read(path: Path, document: dict[str, object]) -> Study:
    return read_as("deepeval", save(path.parent, path.name, document)).study


def test_conversations(tmp_path: Path) -> None:
    """`ConversationalApiTestCase` in deepeval/test_run/api.py."""
    turns = [{"role": "user", "content": "Hi", "order": 0}, {"role": "assistant", "content": "Hello", "order": 1}]
    case = {"name": "c", "turns": turns, "scenario": "Greet.", "expectedOutcome": "Polite.", "metricsData": [_GOOD]}
    study = _read(tmp_path / "north.json", {"testCases": [], "conversationalTestCases": [case]})
    assert cells_of(study.outputs, "text") == ["Hi\n\nassistant: Hello"]
    assert rows_of(study.items, "input", "reference") == [("Greet.", "Polite.")]
    assert cells_of(study.scores, "value") == [0.8]


def test_results_as_python_writes_them(tmp_path: Path) -> None:
    """`EvaluationResult` in deepeval/evaluate/types.py."""
    case = {"name": "t", "success": True, "metrics_data": [_GOOD], "input": "q", "actual_output": "a"}
    study = _read(tmp_path / "north.json", {"test_results": [case, case | {"input": "r"}], "confident_link": None})
    # The cases of a function have its name.
    assert rows_of(study.outputs, "item", "text") == [("t/1", "a"), ("t/2", "a")]
    assert cells_of(study.scores, "value") == [0.8, 0.8]


def test_files_of_one_name_are_called_as_their_folders(tmp_path: Path) -> None:
    paths = [tmp_path / folder / ".latest_test_run.json" for folder in ("north", "south")]
    for path in paths:
        _read(path, {"testRunData": {"testCases": [_case(0, path.parent.name, _GOOD)]}})
    outputs = read_as("deepeval", *map(str, paths)).study.outputs
    assert rows_of(outputs, "system", "text") == [("north", "north 0"), ("south", "south 0")]
