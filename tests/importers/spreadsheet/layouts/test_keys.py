"""Blind votes beside a key."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, imported, proposed

from tiebreak.errors import UsageError

VOTES: Rows = [["item", "rater", "choice"], ["q1", "ann", "A"], ["q2", "ann", "A"], ["q1", "bo", "B"]]
VOTES = [*VOTES, ["q2", "bo", "tie"]]
KEY: Rows = [["item", "A", "B"], ["q1", "gpt", "llama"], ["q2", "llama", "gpt"], ["q3", "gpt", "llama"]]
OUTCOMES = [("gpt", "llama", "a"), ("llama", "gpt", "a"), ("gpt", "llama", "b"), ("llama", "gpt", "tie")]


@pytest.mark.parametrize("head", [["item", "A", "B"], ["item", "left model", "right model"], ["id", "sys1", "sys2"]])
def test_the_key_names_the_systems(head: list[str], tmp_path: Path) -> None:
    proposal = proposed(tmp_path, VOTES, [head, *KEY[1:]])
    assert len(proposal.files) == 1, "a key that says nothing else is no file of the study"
    study = proposal.build("s").study
    assert study.preferences.select("system_a", "system_b", "outcome").rows() == OUTCOMES


def test_a_key_with_prompts(tmp_path: Path) -> None:
    prompts = [["item", "prompt", "A", "B"], *([row[0], f"Why {row[0]}?", *row[1:]] for row in KEY[1:])]
    study = imported(tmp_path, VOTES, prompts)
    assert study.items is not None
    assert study.items.select("item", "input").rows() == [("q1", "Why q1?"), ("q2", "Why q2?")]


def test_a_key_with_texts_is_outputs_too(tmp_path: Path) -> None:
    rows: Rows = [["item", "system_a", "system_b", "text_a", "text_b"]]
    rows += [[*row, f"{row[1]} {row[0]}", f"{row[2]} {row[0]}"] for row in KEY[1:]]
    study = imported(tmp_path, rows, VOTES)
    assert study.outputs is not None
    assert (study.outputs.height, study.preferences.height) == (6, 4)


@pytest.mark.parametrize(
    "key",
    [
        KEY[:2],  # q2 is missing
        [*KEY, ["q1", "llama", "gpt"]],  # q1 twice
        [["item", "A", "B"], ["q1", "So it is.", "It was so."], ["q2", "Not so.", "Not at all."]],  # texts
    ],
)
def test_what_is_no_key(key: Rows, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        imported(tmp_path, VOTES, key)
