"""What an output looks like, and which family a name points to."""

from __future__ import annotations

import pytest
from tests.auditing.judged_studies import outputs_of
from tests.small_studies import study_of

from tiebreak.auditing.dependence import family_of, features, same_family
from tiebreak.evidence.items import ItemIndex


@pytest.mark.parametrize(
    ("text", "length", "lists", "headings", "bold"),
    [
        ("", 0, 0, 0, 0),
        ("one two\n three\u00a0four", 4, 0, 0, 0),
        ("- a\n* b\n  + c\n1. d\n2) e\n-f\n3.14 is no item", 15, 5, 0, 0),
        ("# One\n## Two\n#hashtag\ntext # not", 8, 0, 2, 0),
        ("**bold** and **more of it** but 2 ** 3 ** 4, __init__ too", 13, 0, 0, 3),
    ],
)
def test_counts(text: str, length: int, lists: int, headings: int, bold: int) -> None:
    study = study_of(outputs=outputs_of({"ant": [text]}))
    found = features(study, ItemIndex.of(study))
    assert [int(counts[0, 0]) for counts in found.values()] == [length, lists, headings, bold]


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4o", "GPT"),
        ("GPT 3.5 Turbo (16k)", "GPT"),
        ("gpt35-0301-h2h", "GPT"),
        ("o3-mini", "GPT"),
        ("claude-v1", "Claude"),
        ("LLaMA-2-Chat (70B)", "Llama"),
        ("Mixtral-8x7B", "Mistral"),
        ("phi-3", "Phi"),
        ("Sophia", None),
        ("human", None),
        ("foo3", None),
        ("gpt-4 or claude", None),
    ],
)
def test_families(name: str, family: str | None) -> None:
    assert family_of(name) == family


def test_two_names() -> None:
    assert same_family("gpt-4", "GPT 3.5") == "GPT"
    assert same_family("gpt-4", "claude") is None
    assert same_family("our-model", "Our-Model") == "Our-Model"
    assert same_family("our-model", "other-model") is None
