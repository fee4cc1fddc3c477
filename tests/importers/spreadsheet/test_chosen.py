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


def test_a_tie_that_would_be_a_system_is_refused(tmp_path: Path) -> None:
    rows: Rows = [["prompt", "winner", "loser"], *([f"Why {n}?", *pair] for n, pair in enumerate(MODELS))]
    with pytest.raises(UsageError):
        proposed(tmp_path, [*rows, ["Why?", "tie", "tie"]]).refuse_nonsense()


REFUSED = "chosen and rejected are texts of which the first is better"
TEXTS = {
    "one row of equal texts": [["An der Donau.", "Im Meer."], ["Am Rhein.", "Im Wald."], ["Am Rhein.", "Am Rhein."]],
    "many rows": [[f"An answer of some words, {n}.", f"Words of some answer, {n}."] for n in range(60)],
    "a text that is a side, one that names a column": [["A", "So is it."], ["So it is.", "B"], ["prompt", "So, so!"]],
    "short answers, here right and there wrong": [["Berlin", "Paris"], ["Paris", "Berlin"], ["Rome", "Paris"]],
    "yes and no": [["Yes", "No"], ["Yes", "No"], ["No", "Yes"], ["Yes", "No"]],
    "few answers again and again": [["Ja.", "Nein."], ["Nein.", "Ja."]] * 9,
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_no_names_whatever_stands_in_them(name: str, tmp_path: Path) -> None:
    rows: Rows = [["prompt", "chosen", "rejected"], *([f"Why {n}?", *pair] for n, pair in enumerate(TEXTS[name]))]
    with pytest.raises(UsageError, match=REFUSED):
        proposed(tmp_path, rows)
    study = imported(tmp_path, rows, columns=["text=chosen|rejected"])
    assert study.systems == ("chosen", "rejected")


def test_labels_to_learn_from_where_nobody_says_the_systems(tmp_path: Path) -> None:
    """As the refusal says."""
    said = "system_a=:chosen,system_b=:rejected,text_a=chosen,text_b=rejected,outcome=:a"
    rows: Rows = [["prompt", "chosen", "rejected"], *([f"Why {n}?", f"So, {n}.", f"Not so, {n}."] for n in range(4))]
    with pytest.raises(UsageError) as refused:
        proposed(tmp_path, rows)
    assert str(refused.value).endswith(f"--map {said}")
    for table in (rows, [row[1:] for row in rows]):  # without prompts each row is an item
        made = proposed(tmp_path, table, columns=[said]).build("s")
        preferences = made.study.preferences
        assert preferences is not None
        assert preferences["outcome"].to_list() == ["a"] * 4
        assert preferences["item"].n_unique() == 4
        assert set(made.study.systems) == {"chosen", "rejected"}
