"""Log-probabilities of tokens become probabilities of answers."""

from __future__ import annotations

import math

import pytest

from tiebreak.scoring.judges.replies import Answer, ReplyChances, Token, chances, pair_menu

MENU = pair_menu(("A", "B", "C"), ties=True)


def tokens(*written: str, at: int, of: dict[str, float]) -> tuple[Token, ...]:
    """Tokens, of which the one at a place could have been others, with these probabilities."""
    found = tuple((text, math.log(share)) for text, share in of.items())
    return tuple(Token(text, found if k == at else ((text, 0.0),)) for k, text in enumerate(written))


def of(*written: str, at: int, found: dict[str, float]) -> ReplyChances | None:
    text = "".join(written)
    match = MENU.read(text)
    assert match is not None
    return chances(Answer(text, "done", "m", None, tokens(*written, at=at, of=found)), match, MENU)


def test_forms_of_an_answer_are_summed_and_what_leaks_is_said() -> None:
    # .5 + .1 + .05 for A, .2 for B, .05 for C; the rest, .1, is for what is on no menu: .65, .2 and .05 of .9.
    found = of('{"', "answer", '":"', "A", '"}', at=3,
               found={"A": 0.5, " A": 0.1, '"A': 0.05, "B": 0.2, "c": 0.05, "The": 0.06, "AB": 0.04})  # fmt: skip
    assert found is not None
    assert found.of == pytest.approx({"A": 0.65 / 0.9, "B": 0.2 / 0.9, "C": 0.05 / 0.9})
    assert found.leaked == pytest.approx(0.1)


def test_nothing_is_said_where_tokens_do_not_fit() -> None:
    answer = Answer("[[A]]", "done", "m", None, tokens("[[", "B", "]]", at=1, of={"A": 0.5}))
    match = MENU.read("[[A]]")
    assert match is not None
    assert chances(answer, match, MENU) is None
    assert chances(Answer("[[A]]", "done", "m", None), match, MENU) is None
    shares = {"A": 0.9, "B": 0.9}  # more than there can be
    assert chances(Answer("[[A]]", "done", "m", None, tokens("[[", "A", "]]", at=1, of=shares)), match, MENU) is None


def test_an_answer_that_begins_another_is_not_told_by_its_first_token() -> None:
    menu = pair_menu(("A", "AB", "C"), ties=True)
    match = menu.read("[[A]]")
    assert match is not None
    answer = Answer("[[A]]", "done", "m", None, tokens("[[", "A", "]]", at=1, of={"A": 0.5}))
    assert chances(answer, match, menu) is None
