"""Preference sets of chosen and rejected answers."""

from __future__ import annotations

from pathlib import Path

from tests.importers.made import cells_of, read_as, rows_of, save

from tiebreak.data.study import Study


def _study(path: Path, *rows: dict[str, object]) -> Study:
    return read_as("chosen-rejected", save(path.parent, path.name, rows)).study


def _texts(study: Study) -> list[tuple[object, ...]]:
    return rows_of(study.outputs, "item", "system", "text")


def test_conversations(tmp_path: Path) -> None:
    def talk(answer: str) -> list[dict[str, str]]:
        return [{"content": "Hi?", "role": "user"}, {"content": answer, "role": "assistant"}]

    row = {
        "prompt": "Hi?", "prompt_id": "p1", "chosen": talk("Hello."), "rejected": talk("No."),
        "messages": talk("Hello."), "score_chosen": 8.5, "score_rejected": 4.0,
    }  # fmt: skip
    study = _study(tmp_path / "train.jsonl", row, row | {"prompt_id": "p2"})
    assert _texts(study)[:2] == [("p1", "chosen", "Hello."), ("p1", "rejected", "No.")]
    assert rows_of(study.preferences, "item", "system_a", "outcome", "annotator") == [
        ("p1", "chosen", "a", "dataset"), ("p2", "chosen", "a", "dataset"),
    ]  # fmt: skip
    assert cells_of(study.items, "input") == ["Hi?", "Hi?"]


def test_texts_of_named_models(tmp_path: Path) -> None:
    row = {
        "id": 1, "prompt": "Hi?", "chosen": "Hello.", "chosen_model": "north", "rejected": "No.",
        "rejected_model": "south", "subset": "chat",
    }  # fmt: skip
    study = _study(tmp_path / "rewards.jsonl", row, row | {"id": 2, "rejected": "Go."})
    assert rows_of(study.preferences, "item", "system_a", "system_b", "outcome") == [
        ("1", "north", "south", "a"), ("2", "north", "south", "a"),
    ]  # fmt: skip


def test_question_and_answer_in_one_text_and_a_question_that_repeats(tmp_path: Path) -> None:
    asked = "\n\nHuman: Hi?\n\nAssistant: Yes?\n\nHuman: Sing."
    row = {"chosen": f"{asked}\n\nAssistant: La.", "rejected": f"{asked}\n\nAssistant: No."}
    study = _study(tmp_path / "hh.jsonl", row, row | {"rejected": f"{asked}\n\nAssistant: Never."})
    assert _texts(study) == [
        ("hh-1", "chosen", "La."), ("hh-1", "rejected", "No."),
        ("hh-2", "chosen", "La."), ("hh-2", "rejected", "Never."),
    ]  # fmt: skip
    assert set(cells_of(study.items, "input")) == {asked.strip()}


def test_single_messages_and_an_instruction_with_its_input(tmp_path: Path) -> None:
    """The two layouts of preference sets in LLaMA-Factory's data/README.md."""
    asked = {"conversations": [{"from": "human", "value": "Hi?"}]}
    answers = {side: {"from": "gpt", "value": side} for side in ("chosen", "rejected")}
    plain = {"instruction": "Translate.", "input": "chat", "chosen": "cat", "rejected": "dog"}
    study = _study(tmp_path / "dpo.jsonl", asked | answers, plain)
    assert [text for *_, text in _texts(study)] == ["chosen", "rejected", "cat", "dog"]
    assert cells_of(study.items, "input") == ["Hi?", "Translate.\n\nchat"]


def test_scores_models_and_a_name_that_repeats(tmp_path: Path) -> None:
    """UltraFeedback: score_chosen in the binarized set, chosen-rating and chosen-model in the cleaned one."""
    row = {"prompt": "Hi?", "prompt_id": "p", "chosen": "Yes, hello.", "rejected": "No."}
    study = _study(tmp_path / "a.jsonl", row | {"score_chosen": 8.5, "score_rejected": 4}, row | {"rejected": "Go."})
    assert rows_of(study.scores, "item", "system", "metric", "value") == [
        ("a-1", "chosen", "score", 8.5), ("a-1", "rejected", "score", 4.0),
    ]  # fmt: skip
    assert rows_of(study.items, "item", "cluster") == [("a-1", "p"), ("a-2", "p")]
    models = {"chosen-model": "north", "rejected-model": "south", "chosen-rating": 5, "rejected-rating": 2}
    path = tmp_path / "b.jsonl"
    study = _study(path, row | models, row | {"prompt_id": "q", "rejected-model": "north", "chosen-model": "north"})
    assert read_as("chosen-rejected", str(path)).assumptions == ()
    assert rows_of(study.scores, "system", "metric", "value") == [
        ("north", "rating", 5.0),
        ("south", "rating", 2.0),
    ]
    assert cells_of(study.preferences, "item") == ["p"]  # the other compares north with itself
