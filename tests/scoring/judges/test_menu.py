"""Which answer a reply says: the last match that is on the menu, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.scoring.judges.replies import Menu, grade_menu, pair_menu

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
