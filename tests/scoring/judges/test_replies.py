"""Which answer a reply says, or none; and probabilities of answers from those of tokens."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.scoring.judges.replies import Answer, Menu, ReplyChances, Token, chances, grade_menu, pair_menu

# ---- Which answer a reply says: the last match that is on the menu, or none. ---------------------------------------


PAIRS = pair_menu(("A", "B", "C"), ties=True)


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ('{"answer": "B"}', "B"),
        ('  {"why": "longer", "answer": "B"}\n', "B"),
        ('```json\n{"answer": "C"}\n```', "C"),
        ('First [[A]], on reflection [[B]].', "B"),
        ('I think so.\n{"answer": "A"}', "A"),
        ('[[A]] is what I thought, but {"answer": "C"}', "C"),
        ("**A**", "A"),
        (" b.\n", "B"),
        ("[[ C ]]", "C"),
        ("[[c]]", "C"),
        # Not on the menu, or not an answer: nobody guesses.
        ("[[A]] or rather [[D]]", None),
        ('{"answer": "D"}', None),
        ('{"answer": ["A"]}', None),
        ('{"answer": "A"', None),
        ('{"verdict": "A"}', None),
        ("A is better.", None),
        ("The answer is B", None),
        ("", None),
        ("[[]]", None),
        ("[[A or B]]", None),
        ("AB", None),
        ("[" * 5000, None),
        ("{" * 5000, None),
    ],
)  # fmt: skip
def test_replies(reply: str, label: str | None) -> None:
    found = PAIRS.read(reply)
    assert (None if found is None else found.label) == label
    if found is not None:
        assert reply[found.place : found.place + 1].upper() == label


def test_without_ties_there_is_no_answer_for_one() -> None:
    menu = pair_menu(("A", "B", "C"), ties=False)
    assert menu.labels == ("A", "B")
    assert menu.read("[[C]]") is None


def test_words_of_ones_own_and_grades() -> None:
    menu = pair_menu(("first", "second", "same"), ties=True)
    assert menu.read("So: [[Second]]").label == "second"  # type: ignore[union-attr]
    grades = grade_menu(0, 10)
    assert grades.read("[[10]]").label == "10"  # type: ignore[union-attr]
    assert grades.read("[[11]]") is None
    assert grades.read("7").label == "7"  # type: ignore[union-attr]
    assert grades.read("7.5") is None
    assert grades.schema()["properties"] == {"answer": {"type": "string", "enum": [str(k) for k in range(11)]}}


def test_capitals_matter_where_they_tell_two_answers_apart() -> None:
    menu = Menu({"a": "", "A": ""})
    assert menu.read("[[a]]").label == "a"  # type: ignore[union-attr]
    assert menu.read("[[A]]").label == "A"  # type: ignore[union-attr]


@pytest.mark.parametrize("structured", [True, False])
def test_the_menu_is_read_as_it_is_offered(structured: bool) -> None:
    told = PAIRS.instruction(structured=structured)
    for label in PAIRS.labels:
        offered = f'{{"answer": "{label}"}}' if structured else f"[[{label}]]"
        assert offered in told
        assert PAIRS.read(offered).label == label  # type: ignore[union-attr]


@given(st.text())
def test_nothing_breaks_it(reply: str) -> None:
    found = PAIRS.read(reply)
    assert found is None or found.label in PAIRS.labels


# ---- Log-probabilities of tokens become probabilities of answers. --------------------------------------------------


def tokens(*written: str, at: int, of: dict[str, float]) -> tuple[Token, ...]:
    """Tokens, of which the one at a place could have been others, with these probabilities."""
    found = tuple((text, math.log(share)) for text, share in of.items())
    return tuple(Token(text, found if k == at else ((text, 0.0),)) for k, text in enumerate(written))


def of(*written: str, at: int, found: dict[str, float]) -> ReplyChances | None:
    text = "".join(written)
    match = PAIRS.read(text)
    assert match is not None
    return chances(Answer(text, "done", "m", None, tokens(*written, at=at, of=found)), match, PAIRS)


def test_forms_of_an_answer_are_summed_and_what_leaks_is_said() -> None:
    # .5 + .1 + .05 for A, .2 for B, .05 for C; the rest, .1, is for what is on no menu: .65, .2 and .05 of .9.
    found = of('{"', "answer", '":"', "A", '"}', at=3,
               found={"A": 0.5, " A": 0.1, '"A': 0.05, "B": 0.2, "c": 0.05, "The": 0.06, "AB": 0.04})  # fmt: skip
    assert found.of == pytest.approx({"A": 0.65 / 0.9, "B": 0.2 / 0.9, "C": 0.05 / 0.9})
    assert found.leaked == pytest.approx(0.1)


def test_nothing_is_said_where_tokens_do_not_fit() -> None:
    answer = Answer("[[A]]", "done", "m", None, tokens("[[", "B", "]]", at=1, of={"A": 0.5}))
    match = PAIRS.read("[[A]]")
    assert match is not None
    assert chances(answer, match, PAIRS) is None
    assert chances(Answer("[[A]]", "done", "m", None), match, PAIRS) is None
    shares = {"A": 0.9, "B": 0.9}  # more than there can be
    assert chances(Answer("[[A]]", "done", "m", None, tokens("[[", "A", "]]", at=1, of=shares)), match, PAIRS) is None


def test_an_answer_that_begins_another_is_not_told_by_its_first_token() -> None:
    menu = pair_menu(("A", "AB", "C"), ties=True)
    match = menu.read("[[A]]")
    assert match is not None
    answer = Answer("[[A]]", "done", "m", None, tokens("[[", "A", "]]", at=1, of={"A": 0.5}))
    assert chances(answer, match, menu) is None
