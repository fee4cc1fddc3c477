"""LM Evaluation Harness: a folder for each model, a row for each filter."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import cells_of, read_as, rows_of, save


def _row(doc: int, resp: object, **other: object) -> dict[str, object]:
    return {
        "doc_id": doc, "doc": {"question": f"{doc}+1?", "answer": "the gold answer"}, "target": str(doc + 1),
        "arguments": {"gen_args_0": {"arg_0": f"Q: {doc}+1?\nA:", "arg_1": {"until": ["\n"]}}},
        "resps": [["long reply"]], "filtered_resps": [resp], "doc_hash": "d", "prompt_hash": "p", "target_hash": "t",
        **other,
    }  # fmt: skip


def test_folders_of_models_and_a_row_for_each_filter(tmp_path: Path) -> None:
    scored: dict[str, object] = {"metrics": ["exact_match"], "exact_match": 1.0}
    for model in ("org__north", "org__south"):
        save(
            tmp_path / "results" / model,
            "samples_gsm8k_2025-01-31T10-11-12.345678.jsonl",
            [
                _row(0, "1", filter="strict-match", **scored),
                _row(0, ["one"], filter="flexible-extract", **(scored | {"exact_match": 0.0})),
            ],
        )
    study = read_as("lm-eval", str(tmp_path / "results")).study
    assert study.outputs.filter(system="org__north").select("item", "text", "sample").rows() == [
        ("gsm8k/0", "1", "strict-match"), ("gsm8k/0", "one", "flexible-extract"),
    ]  # fmt: skip
    assert study.outputs["system"].unique().sort().to_list() == ["org__north", "org__south"]
    assert study.scores.filter(system="org__south").select("metric", "sample", "value").rows() == [
        ("gsm8k exact_match", "strict-match", 1.0), ("gsm8k exact_match", "flexible-extract", 0.0),
    ]  # fmt: skip
    assert rows_of(study.items, "item", "input", "reference") == [("gsm8k/0", "Q: 0+1?\nA:", "1")]


def test_an_older_file_without_filters_and_names_of_metrics(tmp_path: Path) -> None:
    rows = [_row(0, "1", exact_match=True), _row(1, "3", exact_match=False)]
    for row in rows:
        row["arguments"] = [["Q:", {"until": ["\n"]}]]
    path = save(tmp_path / "north", "samples_gsm8k_2024-05-20T12-34-56.jsonl", rows)
    study = read_as("lm-eval", path).study
    assert rows_of(study.scores, "item", "system", "sample", "metric", "value") == [
        ("gsm8k/0", "north", None, "gsm8k exact_match", 1.0), ("gsm8k/1", "north", None, "gsm8k exact_match", 0.0),
    ]  # fmt: skip


def test_likelihoods_are_no_output(tmp_path: Path) -> None:
    choices = {"filtered_resps": [["-1.5", "False"], ["-2.5", "False"]], "metrics": ["acc"], "acc": 1.0}
    single = {"filtered_resps": [["-1.5", "True"]], "metrics": ["acc"], "acc": 0.0}
    text = save(tmp_path / "north", "samples_gsm8k.jsonl", [_row(0, "1"), _row(1, "2")])
    path = save(tmp_path / "north", "samples_arc.jsonl", [_row(0, "", **choices), _row(1, "", **single)])
    study = read_as("lm-eval", path, text).study
    assert cells_of(study.outputs, "item") == ["gsm8k/0", "gsm8k/1"]
    assert cells_of(study.scores, "value") == [1.0, 0.0]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (["north", "south"], [("0", "north"), ("0", "south")]),
        (["a/gsm8k", "b/gsm8k"], [("gsm8k/0", "a"), ("gsm8k/0", "b")]),
    ],
)
def test_files_that_their_owner_named(tmp_path: Path, files: list[str], told: list[tuple[str, str]]) -> None:
    """After models, or after tasks in the folders of models. `save_results_samples` in lm_eval's evaluation_tracker.py
    names files otherwise.
    """
    paths = [save(tmp_path, f"{file}.jsonl", [_row(0, file, metrics=["acc"], acc=1.0)]) for file in files]
    study = read_as("lm-eval", *paths).study
    assert rows_of(study.outputs, "item", "system") == told
