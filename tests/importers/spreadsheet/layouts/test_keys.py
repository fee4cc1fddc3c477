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
