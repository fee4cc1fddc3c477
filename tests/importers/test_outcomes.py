"""Who won, by words and numbers."""

from __future__ import annotations

import pytest

from tiebreak.importers.cells import (
    codes_for,
    meanings_in,
    number_in,
    numbers_are_clear,
    question_about,
    side_in,
    winner_in,
)

FIRST = [
    "A",
    "a",
    "left",
    "1",
    "1.0",
    "First",
    "Answer A",
    "A is better",
    "model_a",
    "[[A]]",
    "A>>B",
    "B < A",
    "former",
]
SECOND = ["B", "right", "2", "the second one", "Response 2 is slightly better", "B>A", "A<B", "option B", "2nd"]
TIES = [
    "tie",
    "Tie (bothbad)",
    "both",
    "both are good",
    "same",
    "about the same",
    "neither A nor B",
    "A=B",
    "=",
    "a tie",
]
TIES += ["[[C]]", "no preference", "Same / both fine", "neither is good"]
NONE = [
    "",
    "maybe",
    "3",
    "0",
    "-1",
    "second best",
    "1.5",
    "both good, A better",
    "A and B",
    "gpt",
    "see comment",
    "C",
    "A>A",
]


@pytest.mark.parametrize(("cells", "side"), [(FIRST, "a"), (SECOND, "b"), (TIES, "tie"), (NONE, None)])
def test_words(cells: list[str], side: str | None) -> None:
    assert {cell: side_in(cell) for cell in cells} == dict.fromkeys(cells, side)


def test_a_name_is_read_before_words() -> None:
    assert winner_in("model_a", "model_b", "model_a") == "b"
    assert winner_in("GPT", "gpt", "llama") == "a"
    assert winner_in("a", "b", "a") == "b"
    assert winner_in("gpt", "gpt", "GPT") == "a"
    assert winner_in("mistral", "gpt", "llama") is None


def test_numbers() -> None:
    assert [number_in(cell) for cell in (" 1.0 ", "[2]", "-1", "1a", "")] == ["1", "2", "-1", None, None]
    assert numbers_are_clear({"1", "2"}, {})
    assert not numbers_are_clear({"1"}, {})
    assert not numbers_are_clear({"0", "1"}, {})
    assert not numbers_are_clear({"1", "2"}, {"1": "b"})
    assert numbers_are_clear({"1"}, {"0": "tie"})
    assert codes_for(["-1", "1"])[0] == (("1", "a"), ("0", "tie"), ("-1", "b"))
    assert codes_for(["-2", "0", "2"])[0] == (("-2", "a"), ("0", "tie"), ("2", "b"))
    assert codes_for(map(str, range(99))) == [(("NUMBER", "a"), ("NUMBER", "b"))]
    asked = question_about(["1", "0"], "--answer", {"a": "first", "tie": "tie", "b": "second"})
    assert "--answer 1=first,0=second" in asked


def test_meanings_of_an_option() -> None:
    assert list(meanings_in("good, really=a, no idea=tie", ("a", "tie", "b"))) == [
        ("good, really", "a"),
        ("no idea", "tie"),
    ]
    with pytest.raises(ValueError, match="what"):
        list(meanings_in("good=a,what", ("a", "tie", "b")))
