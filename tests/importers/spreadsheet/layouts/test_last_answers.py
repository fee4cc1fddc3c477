"""Conversations of which one was chosen: the last answers are the texts, and nothing that the user said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import bound

from tiebreak.errors import UsageError
from tiebreak.importers.importer import SURE_ENOUGH, Proposal
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings

TEXTS = ("text=chosen|rejected",)


def talk(*texts: str, begins: int = 0) -> list[dict[str, str]]:
    """Messages of user and assistant by turns."""
    speakers = ("user", "assistant")
    return [{"role": speakers[(n + begins) % 2], "content": text} for n, text in enumerate(texts)]


def answers(**said: str) -> dict[str, object]:
    return {column: talk(text, begins=1) for column, text in said.items()}


def read(folder: Path, *records: dict[str, object], columns: tuple[str, ...] = ()) -> Proposal:
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return TABLES_IMPORTER.read([str(path)], TableSettings(columns=columns))


def inputs_and_texts(plan: Proposal) -> tuple[list[str], list[tuple[str, str]]]:
    study = plan.build("s").study
    assert study.items is not None
    assert study.outputs is not None
    return study.items["input"].to_list(), study.outputs.select("system", "text").rows()


SHORT = {"chosen": talk("Why?", "So."), "rejected": talk("Why?", "No.")}
LONG = {"chosen": talk("Who?", "I.", "And?", "You."), "rejected": talk("Who?", "I.", "And?", "Nobody.")}
FOUND = [("chosen", "So."), ("rejected", "No."), ("chosen", "You."), ("rejected", "Nobody.")]
HISTORY = "Who?\n\nassistant: I.\n\nuser: And?"


def test_the_last_answers_are_the_texts(tmp_path: Path) -> None:
    plan = read(tmp_path, SHORT, LONG, columns=TEXTS)
    assert inputs_and_texts(plan) == (["Why?", HISTORY], FOUND)
    assert plan.confidence >= SURE_ENOUGH


def test_beside_a_prompt_it_is_the_input(tmp_path: Path) -> None:
    records = [{"prompt": f"{n} {why}", **pair} for n, (why, pair) in enumerate([("Why?", SHORT), ("Who?", LONG)])]
    plan = read(tmp_path, *records, columns=TEXTS)
    assert bound(plan) == {"input": ("prompt",), "text": ("chosen", "rejected")}
    assert inputs_and_texts(plan) == (["0 Why?", "1 Who?"], FOUND)
    assert plan.confidence >= SURE_ENOUGH


def test_a_prompt_that_is_a_conversation_and_answers_of_one_message(tmp_path: Path) -> None:
    records = [
        {"prompt": talk("Why?"), **answers(chosen="So.", rejected="No.")},
        {"prompt": talk("Who?", "I.", "And?"), **answers(chosen="You.", rejected="Nobody.")},
    ]
    assert inputs_and_texts(read(tmp_path, *records, columns=TEXTS)) == (["Why?", HISTORY], FOUND)


@pytest.mark.parametrize("prompt", [{}, {"prompt": "What?"}, {"prompt": talk("Why?")}])
def test_without_systems_they_are_refused_and_no_words_of_the_user_are_named(
    prompt: dict[str, object], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="chosen and rejected are texts of which the first is better") as error:
        read(tmp_path, {**prompt, **SHORT}, {**prompt, **SHORT})
    assert "content" not in str(error.value)


def test_with_systems_it_is_known_who_won(tmp_path: Path) -> None:
    models = {"chosen_model": "gpt", "rejected_model": "llama"}
    study = read(tmp_path, {**SHORT, **models}, {**LONG, **models}).build("s").study
    assert study.preferences is not None
    assert study.preferences.select("system_a", "system_b", "outcome").unique().rows() == [("gpt", "llama", "a")]
    assert study.outputs is not None
    assert study.outputs.filter(study.outputs["system"] == "llama")["text"].to_list() == ["No.", "Nobody."]


def test_conversations_that_part_earlier_stay_whole(tmp_path: Path) -> None:
    """Where one pair differs before its last answers, these alone would be about other things."""
    other = {"chosen": talk("Which?", "I.", "And?", "You."), "rejected": talk("Which?", "He.", "And?", "She.")}
    inputs, texts = inputs_and_texts(read(tmp_path, LONG, other, columns=TEXTS))
    assert inputs == ["Who?", "Which?"]
    assert texts[0] == ("chosen", "I.\n\nuser: And?\n\nassistant: You.")
    assert texts[3] == ("rejected", "He.\n\nuser: And?\n\nassistant: She.")
