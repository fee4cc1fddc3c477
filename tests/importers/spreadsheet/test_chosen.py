"""Columns whose names say which of the two won."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, imported, proposed

from tiebreak.errors import UsageError

MODELS = [["gpt", "llama"], ["llama", "gpt"], ["gpt", "mistral"]]


@pytest.mark.parametrize(
    "head",
    [["chosen", "rejected", "chosen_model", "rejected_model"], ["chosen_response", "rejected_response"],
     ["preferred answer", "dispreferred answer", "preferred model", "dispreferred model"]],
)  # fmt: skip
def test_chosen_and_rejected_texts(head: list[str], tmp_path: Path) -> None:
    head = head if len(head) == 4 else [*head, "model_chosen", "model_rejected"]
    rows: Rows = [["prompt", *head, "score_chosen"]]
    rows = [*rows, *([f"Why {n}?", f"So {n}.", f"No {n}.", *pair, 3.5] for n, pair in enumerate(MODELS))]
    study = imported(tmp_path, rows)
    assert study.outputs is not None
    assert study.preferences.select("system_a", "system_b", "outcome").rows() == [(*pair, "a") for pair in MODELS]
    assert study.outputs.filter(study.outputs["system"] == "mistral")["text"].to_list() == ["No 2."]


def test_winner_and_loser(tmp_path: Path) -> None:
    rows: Rows = [["prompt", "winner", "loser"], *([f"Why {n}?", *pair] for n, pair in enumerate(MODELS))]
    found = imported(tmp_path, rows).preferences
    assert found.select("system_a", "system_b", "outcome").rows() == [(*pair, "a") for pair in MODELS]


def test_texts_without_systems_are_refused(tmp_path: Path) -> None:
    rows: Rows = [["chosen", "rejected"], *([f"So it is, {n}.", f"It is not so, {n}."] for n in range(9))]
    with pytest.raises(UsageError, match="add two, such as chosen_model and rejected_model"):
        imported(tmp_path, [[name, *row] for name, row in zip(["id", *"123456789"], rows, strict=True)])
    with pytest.raises(UsageError, match="add two, such as chosen_model and rejected_model"):
        proposed(tmp_path, rows)


def test_a_tie_that_would_be_a_system_is_refused(tmp_path: Path) -> None:
    rows: Rows = [["prompt", "winner", "loser"], *([f"Why {n}?", *pair] for n, pair in enumerate(MODELS))]
    with pytest.raises(UsageError):
        proposed(tmp_path, [*rows, ["Why?", "tie", "tie"]]).refuse_nonsense()
