"""AlpacaEval's annotations: ties, probabilities, and rows without a preference."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from tiebreak.importers.plans import plan_files
from tiebreak.importers.reading import imported


def _annotations(path: Path, *preferences: float | None) -> list[str]:
    rows = [
        {
            "instruction": f"Name a river of country {number}.", "output_1": f"first {number}",
            "generator_1": "gpt4_1106_preview", "dataset": "helpful_base", "output_2": f"second {number}",
            "generator_2": "mine", "annotator": "weighted_alpaca_eval_gpt4_turbo", "preference": preference,
            "price_per_example": 0.01, "time_per_example": 1.2, "raw_completion": {"finish_reason": "length"},
        }
        for number, preference in enumerate(preferences)
    ]  # fmt: skip
    path.write_text(json.dumps(rows, indent=1), "utf-8")
    return [str(path)]


def _judged(path: Path, *preferences: float | None) -> pl.DataFrame:
    study = imported(plan_files(_annotations(path, *preferences)), "study").study
    assert study.judge_preferences is not None
    return study.judge_preferences


def test_hard_preferences_and_both_kinds_of_tie(tmp_path: Path) -> None:
    (plan,) = plan_files(_annotations(tmp_path / "annotations.json", 1, 2.0, 1.5, 0))
    assert plan.format is not None
    assert plan.format.name == "alpaca-eval"
    judged = _judged(tmp_path / "annotations.json", 1, 2.0, 1.5, 0)
    assert judged["outcome"].to_list() == ["a", "b", "tie", "tie"]
    assert set(judged["judge"]) == {"weighted_alpaca_eval_gpt4_turbo"}
    assert judged.row(0, named=True)["system_a"] == "gpt4_1106_preview"
    assert judged["p_b"].to_list() == [None] * 4
    assert judged["left"].to_list() == [None] * 4  # the order in which the judge saw them is not in the file


def test_a_soft_preference_is_a_probability(tmp_path: Path) -> None:
    judged = _judged(tmp_path / "annotations.json", 1.49, 1.0, 1.9900139974)
    assert judged["outcome"].to_list() == ["a", "a", "b"]
    assert judged["p_b"].round(6).to_list() == [0.49, 0.0, 0.990014]
    assert judged["p_a"].round(6).to_list() == [0.51, 1.0, 0.009986]
    assert judged["p_tie"].to_list() == [0.0, 0.0, 0.0]


def test_null_is_unscored_and_its_outputs_count(tmp_path: Path) -> None:
    files = _annotations(tmp_path / "annotations.json", 2, None)
    study = imported(plan_files(files), "study").study
    assert study.judge_preferences is not None
    assert study.judge_preferences["outcome"].to_list() == ["b", None]
    assert study.judge_preferences["unscored"].to_list() == [None, "no preference"]
    assert study.outputs is not None
    assert study.outputs.filter(system="mine")["text"].to_list() == ["second 0", "second 1"]


def test_outputs_beside_annotations_and_an_input_of_its_own(tmp_path: Path) -> None:
    """The fields of `model_outputs.json` and of AlpacaFarm's `input`: alpaca_eval's README and constants.py."""
    (annotations,) = _annotations(tmp_path / "annotations.json", 1)
    rows = json.loads(Path(annotations).read_text("utf-8"))
    Path(annotations).write_text(json.dumps([rows[0], rows[0] | {"input": "Peru", "output_1": "other"}]), "utf-8")
    output = {"instruction": rows[0]["instruction"], "output": "third", "generator": "theirs", "dataset": "x"}
    (tmp_path / "model_outputs.json").write_text(json.dumps([output]), "utf-8")
    (plan,) = plan_files([annotations, str(tmp_path / "model_outputs.json")])
    study = imported([plan], "study").study
    assert study.outputs is not None
    assert study.outputs.select("item", "system", "text").rows() == [
        ("item0001", "gpt4_1106_preview", "first 0"), ("item0001", "mine", "second 0"),
        ("item0002", "gpt4_1106_preview", "other"), ("item0002", "mine", "second 0"),
        ("item0001", "theirs", "third"),
    ]  # fmt: skip
    assert study.items is not None
    assert study.items["context"].to_list() == [None, "Peru"]
