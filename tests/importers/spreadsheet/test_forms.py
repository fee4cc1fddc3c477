"""Answers of forms, as their programs export them in the language of whoever made them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import bound, imported, proposed

from tiebreak.errors import InputError

FRENCH = ["Horodateur", "Adresse e-mail", "Question", "Système 1", "Système 2", "Réponse 1", "Réponse 2"]
ASKED = "Quelle réponse est la meilleure ?"


def french(*answers: str) -> list[list[object]]:
    rows: list[list[object]] = [[*FRENCH, ASKED]]
    for number, answer in enumerate(answers):
        who = "luc@example.org" if number % 2 else "zoe@example.org"
        texts = [f"Capitale {number} ?", "x", "y", f"C'est {number}.", f"Oui {number}."]
        rows.append([f"17/05/2024 10:0{number}:12", who, *texts, answer])
    return rows


def test_accents_in_headers_are_no_obstacle(tmp_path: Path) -> None:
    found = bound(proposed(tmp_path, french("Réponse 1", "Réponse 2", "Les deux se valent", "Réponse 1")))
    assert {target: found[target] for target in ("system_a", "text_b", "outcome", "annotator")} == {
        "system_a": ("Système 1",), "text_b": ("Réponse 2",), "outcome": (ASKED,), "annotator": ("Adresse e-mail",),
    }  # fmt: skip
    german = [["Frage", "Modell A", "Modell B", "Übersetzung A", "Übersetzung B", "Gewinner"]]
    german += [["Wo?", "x", "y", "Hier.", "Dort.", "A"], ["Wer?", "x", "y", "Ich.", "Du.", "B"]]
    assert bound(proposed(tmp_path, german))["text_a"] == ("Übersetzung A",)


def test_who_is_better_is_asked_though_one_answer_is_not_known(tmp_path: Path) -> None:
    """The other columns are not taken for the answer instead, and the error names the cell."""
    with pytest.raises(InputError, match=r"row 3, column Quelle réponse est la meilleure \?: 'bof': not an outcome"):
        imported(tmp_path, french("Réponse 1", "bof", "Réponse 2", "Réponse 1"))
