"""AlpacaEval's annotations: ties, probabilities, and rows without a preference."""

from __future__ import annotations

from pathlib import Path

from tests.importers.made import cells_of, read_as, rows_of, save

from tiebreak.data.study import Study


def _annotations(*preferences: float | None) -> list[dict[str, object]]:
    return [
        {
            "instruction": f"Name a river of country {number}.", "output_1": f"first {number}",
            "generator_1": "gpt4_1106_preview", "dataset": "helpful_base", "output_2": f"second {number}",
            "generator_2": "mine", "annotator": "weighted_alpaca_eval_gpt4_turbo", "preference": preference,
            "price_per_example": 0.01, "time_per_example": 1.2, "raw_completion": {"finish_reason": "length"},
        }
        for number, preference in enumerate(preferences)
    ]  # fmt: skip


def _study(folder: Path, *preferences: float | None) -> Study:
    return read_as("alpaca-eval", save(folder, "annotations.json", _annotations(*preferences))).study


def test_hard_preferences_and_both_kinds_of_tie(tmp_path: Path) -> None:
    judged = _study(tmp_path, 1, 2.0, 1.5, 0).judge_preferences
    assert cells_of(judged, "outcome") == ["a", "b", "tie", "tie"]
    assert set(cells_of(judged, "judge")) == {"weighted_alpaca_eval_gpt4_turbo"}
    assert cells_of(judged, "system_a")[0] == "gpt4_1106_preview"
    assert cells_of(judged, "p_b") == [None] * 4
    assert cells_of(judged, "left") == [None] * 4  # the order in which the judge saw them is not in the file


def test_a_soft_preference_is_a_probability(tmp_path: Path) -> None:
    judged = _study(tmp_path, 1.49, 1.0, 1.9900139974).judge_preferences
    assert judged is not None
    assert cells_of(judged, "outcome") == ["a", "a", "b"]
    assert judged["p_b"].round(6).to_list() == [0.49, 0.0, 0.990014]
    assert judged["p_a"].round(6).to_list() == [0.51, 1.0, 0.009986]
    assert cells_of(judged, "p_tie") == [0.0, 0.0, 0.0]


def test_null_is_unscored_and_its_outputs_count(tmp_path: Path) -> None:
    study = _study(tmp_path, 2, None)
    assert cells_of(study.judge_preferences, "outcome") == ["b", None]
    assert cells_of(study.judge_preferences, "unscored") == [None, "no preference"]
    assert [text for of, text in rows_of(study.outputs, "system", "text") if of == "mine"] == ["second 0", "second 1"]


def test_outputs_beside_annotations_and_an_input_of_its_own(tmp_path: Path) -> None:
    """The fields of `model_outputs.json` and of AlpacaFarm's `input`: alpaca_eval's README and constants.py."""
    (row,) = _annotations(1)
    annotations = save(tmp_path, "annotations.json", [row, row | {"input": "Peru", "output_1": "other"}])
    output = {"instruction": row["instruction"], "output": "third", "generator": "theirs", "dataset": "x"}
    study = read_as("alpaca-eval", annotations, save(tmp_path, "model_outputs.json", [output])).study
    assert rows_of(study.outputs, "item", "system", "text") == [
        ("item0001", "gpt4_1106_preview", "first 0"), ("item0001", "mine", "second 0"),
        ("item0002", "gpt4_1106_preview", "other"), ("item0002", "mine", "second 0"),
        ("item0001", "theirs", "third"),
    ]  # fmt: skip
    assert cells_of(study.items, "context") == [None, "Peru"]
