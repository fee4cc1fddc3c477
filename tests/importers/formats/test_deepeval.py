"""DeepEval's test runs: a file for each system, every metric of each case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiebreak.data.study import Study
from tiebreak.importers.plans import plan_files
from tiebreak.importers.reading import imported


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
        path = tmp_path / f"deepeval_{system}.json"
        path.write_text(json.dumps({"testRunData": run, "testRunLink": None} if wrapped else run), "utf-8")
        files.append(str(path))
    (plan,) = plan_files(files)
    assert plan.format is not None
    assert plan.format.name == "deepeval"
    told = imported([plan], "study")
    assert told.study.scores is not None
    assert told.study.scores.select("item", "system", "metric", "value").rows() == [
        ("test_case_0", "north", "Correctness [GEval]", 0.8), ("test_case_1", "north", "Correctness [GEval]", 0.8),
        ("test_case_0", "south", "Correctness [GEval]", 0.8), ("test_case_1", "south", "Correctness [GEval]", 0.8),
    ]  # fmt: skip
    assert sum(skipped.count for skipped in told.skipped) == 2  # null, as the metric failed
    assert told.study.outputs is not None
    assert told.study.outputs.filter(system="south")["text"].to_list() == ["south 0", "south 1"]
    assert told.study.items is not None
    about = told.study.items.row(0, named=True)
    assert (about["input"], about["context"], about["reference"]) == ("question 0", "known", "gold 0")


def test_cases_of_another_tool(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"testCases": [{"input": "q", "system": "north", "output": "o"}]}), "utf-8")
    (plan,) = plan_files([str(path)])
    assert plan.format is None


def _read(path: Path, document: dict[str, object]) -> Study:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document), "utf-8")
    (plan,) = plan_files([str(path)])
    assert plan.format is not None
    assert plan.format.name == "deepeval"
    return imported([plan], "study").study


def test_conversations(tmp_path: Path) -> None:
    """`ConversationalApiTestCase` in deepeval/test_run/api.py."""
    turns = [{"role": "user", "content": "Hi", "order": 0}, {"role": "assistant", "content": "Hello", "order": 1}]
    case = {"name": "c", "turns": turns, "scenario": "Greet.", "expectedOutcome": "Polite.", "metricsData": [_GOOD]}
    study = _read(tmp_path / "north.json", {"testCases": [], "conversationalTestCases": [case]})
    assert study.outputs is not None
    assert study.outputs["text"].to_list() == ["Hi\n\nassistant: Hello"]
    assert study.items is not None
    assert study.items.select("input", "reference").rows() == [("Greet.", "Polite.")]
    assert study.scores is not None
    assert study.scores["value"].to_list() == [0.8]


def test_results_as_python_writes_them(tmp_path: Path) -> None:
    """`EvaluationResult` in deepeval/evaluate/types.py."""
    case = {"name": "t", "success": True, "metrics_data": [_GOOD], "input": "q", "actual_output": "a"}
    study = _read(tmp_path / "north.json", {"test_results": [case, case | {"input": "r"}], "confident_link": None})
    assert study.outputs is not None  # the cases of a function have its name
    assert study.outputs.select("item", "text").rows() == [("t/1", "a"), ("t/2", "a")]
    assert study.scores is not None
    assert study.scores["value"].to_list() == [0.8, 0.8]


def test_files_of_one_name_are_called_as_their_folders(tmp_path: Path) -> None:
    paths = [tmp_path / folder / ".latest_test_run.json" for folder in ("north", "south")]
    for path in paths:
        _read(path, {"testRunData": {"testCases": [_case(0, path.parent.name, _GOOD)]}})
    outputs = imported(plan_files(list(map(str, paths))), "study").study.outputs
    assert outputs is not None
    assert outputs.select("system", "text").rows() == [("north", "north 0"), ("south", "south 0")]
