"""Whose a column is, from its name."""

from __future__ import annotations

import pytest

from tiebreak.importers.spreadsheet.wide import about, owners_of


@pytest.mark.parametrize(
    ("columns", "owners"),
    [
        (("gpt-4o answer", "llama answer"), ("gpt-4o", "llama")),
        (("gpt-4o's response", "llama's response"), ("gpt-4o", "llama")),
        (("answer_gpt4", "answer_llama"), ("gpt4", "llama")),
        (("output (gpt-4)", "output (llama 3)"), ("gpt-4", "llama 3")),
        (("Antwort von GPT", "Antwort von Llama"), ("GPT", "Llama")),
        (("Réponse du modèle A", "Réponse du modèle B"), ("modèle A", "modèle B")),
        (("answer A", "answer B"), ("answer A", "answer B")),
        (("output_1", "output_2"), ("output_1", "output_2")),
        (("gpt-4o", "llama"), ("gpt-4o", "llama")),
        (("gpt answer", "llama"), ("gpt answer", "llama")),
        (("x answer", "x response"), ("x answer", "x response")),
    ],
)
def test_owners_of_texts(columns: tuple[str, ...], owners: tuple[str, ...]) -> None:
    assert owners_of(columns) == owners


@pytest.mark.parametrize(
    ("column", "owner", "person", "measure"),
    [
        ("gpt-4o score", "gpt-4o", None, "score"),
        ("fluency_llama", "llama", None, "fluency"),
        ("gpt-4o", "gpt-4o", None, "score"),
        ("gpt-4 fluency", "gpt-4", None, "fluency"),
        ("annotations.0.fluency", None, "annotations.0", "fluency"),
        ("bleu", None, None, "bleu"),
        ("llamaScore", "llama", None, "Score"),
        ("gpt-4omni score", None, None, "gpt-4omni score"),
        ("llama2 score", None, None, "llama2 score"),
        ("score tinyllama", None, None, "score tinyllama"),
    ],
)
def test_whose_numbers(column: str, owner: str | None, person: str | None, measure: str) -> None:
    found = about(column, ("gpt-4", "gpt-4o", "llama"))
    assert (found.owner, found.person, found.measure) == (owner, person, measure)
