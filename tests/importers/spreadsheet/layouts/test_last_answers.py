"""Conversations of which one was chosen: the last answers are the texts, and nothing that the user said."""

from __future__ import annotations

import json
from pathlib import Path

from tiebreak.importers.importer import SURE_ENOUGH, Proposal
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings

TEXTS = ("text=chosen|rejected",)


def talk(*texts: str, begins: int = 0) -> list[dict[str, str]]:
    """Messages of user and assistant by turns."""
    speakers = ("user", "assistant")
    return [{"role": speakers[(n + begins) % 2], "content": text} for n, text in enumerate(texts)]


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


def test_with_systems_it_is_known_who_won(tmp_path: Path) -> None:
    models = {"chosen_model": "gpt", "rejected_model": "llama"}
    study = read(tmp_path, {**SHORT, **models}, {**LONG, **models}).build("s").study
    assert study.preferences is not None
    assert study.preferences.select("system_a", "system_b", "outcome").unique().rows() == [("gpt", "llama", "a")]
    assert study.outputs is not None
    assert study.outputs.filter(study.outputs["system"] == "llama")["text"].to_list() == ["No.", "Nobody."]
