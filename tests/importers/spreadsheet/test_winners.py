from __future__ import annotations

import shlex

import pytest

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.winners import (
    Contest,
    Outcome,
    Unread,
    parse_winner,
    read_outcomes,
)


def read(cells: list[str], option: str | None = None, pair: tuple[str, str] = ("gpt-4", "llama")) -> list[object]:
    return list(read_outcomes([Contest(*pair, cell) for cell in cells], parse_winner(option)))


@pytest.mark.parametrize(
    ("cells", "outcomes"),
    [
        (["gpt-4", "LLAMA", "tie"], ["a", "b", "tie"]),
        (["1", "2", "both"], ["a", "b", "tie"]),
        (["Output A", "Output B", "They are the same"], ["a", "b", "tie"]),
        (["1.0", "2.0", ""], ["a", "b", None]),
        (["A", "b", "Tie"], ["a", "b", "tie"]),
        (["[[A]]", "[[B]]", "neither"], ["a", "b", "tie"]),
        (["model_a", "model_b", "tie (bothbad)"], ["a", "b", "tie"]),
        (["Model 1", "model 2", "both"], ["a", "b", "tie"]),
        (["Response A is better", "response_b", "About the same"], ["a", "b", "tie"]),
        (["", "  ", "a"], [None, None, "a"]),
        (["Sentence A", "Sentence B", "both good"], ["a", "b", "tie"]),
        (["A is better", "B is slightly better", "A tie", "none"], ["a", "b", "tie", "tie"]),
        (["A is a little better", "B a bit better", "both A and B", "a draw"], ["a", "b", "tie", "tie"]),
        (["the second is best", "Text 2 best", "1st best", "A tie (both good)"], ["b", "b", "a", "tie"]),
        (["1st", "2nd", "the second one", "neither A nor B"], ["a", "b", "b", "tie"]),
        (["A>>B", "b > a", "A=B", "[[A>B]]"], ["a", "b", "tie", "a"]),
        (["A", "=", "~"], ["a", "tie", "tie"]),
        (["Modell A", "B ist deutlich besser", "unentschieden", "beide gut"], ["a", "b", "tie", "tie"]),
        (["la première", "réponse B", "égalité", "aucune"], ["a", "b", "tie", "tie"]),
        (["la primera", "B es mejor", "empate"], ["a", "b", "tie"]),
        (["la prima", "la seconda", "pareggio"], ["a", "b", "tie"]),
        (["a primeira", "B é melhor", "nenhum"], ["a", "b", "tie"]),
        (["de eerste", "de tweede", "gelijkspel"], ["a", "b", "tie"]),
        (["模型A更好", "回答B", "平局", "都好"], ["a", "b", "tie", "tie"]),
        (["モデルAの方が良い", "回答2", "引き分け"], ["a", "b", "tie"]),
        (["gpt-4 is better", "llama wins", "GPT-4 preferred"], ["a", "b", "a"]),
        (["1.0", "1.98", "1.5", "1.03", "2.0"], ["a", "b", "tie", "a", "b"]),
    ],
)
def test_codings(cells: list[str], outcomes: list[Outcome | None]) -> None:
    # "Response A is better" folds to responseaisbetter: position a.
    assert read(cells) == outcomes


def test_names_follow_the_row_and_not_the_column() -> None:
    contests = [Contest("x", "y", "y"), Contest("y", "x", "y")]
    assert read_outcomes(contests, parse_winner(None)) == ["b", "a"]


def test_left_and_right_need_to_know_what_was_left() -> None:
    unknown = read(["left"])[0]
    assert isinstance(unknown, Unread)
    assert "--map left=COLUMN" in unknown.reason
    contests = [
        Contest("x", "y", "left", left="b"),
        Contest("x", "y", "right", left="b"),
        Contest("x", "y", "left", left="a"),
    ]
    assert read_outcomes(contests, parse_winner(None)) == ["b", "a", "a"]
    assert read(["left", "right"], "left=a,right=b") == ["a", "b"]


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "0"], ["1", "0", "-1"], ["1"], ["0"], ["-1", "2", "1"], ["0", "1", "2"], ["1", "2", "3"],
        ["-2", "0", "2"], ["+2", "-2"], ["+1", "+2"], ["-2", "-1", "0", "1", "2"], ["1", "2", "tie", "0"],
        ["1.0", "2.0", "0.0"], ["1", "0.5", "0"], ["1", "2", "3", "4", "5", "6", "7"],
    ],
)  # fmt: skip
def test_numbers_that_may_mean_several_things_are_asked_about_and_every_cure_works(cells: list[str]) -> None:
    numbers = [cell for cell in cells if cell != "tie"]
    found = read(numbers)
    assert all(isinstance(outcome, Unread) for outcome in found)
    reasons = {outcome.reason for outcome in found if isinstance(outcome, Unread)}
    assert len(reasons) == 1  # one cause
    said = reasons.pop().partition("for example ")[2]
    for cure in said.split(", or "):
        option, value = shlex.split(cure)
        assert option == "--winner"
        assert all(outcome in ("a", "b", "tie") for outcome in read(cells, value))


def test_what_an_option_says_of_one_number_makes_the_others_clear_or_not() -> None:
    assert read(["1", "2", "0"], "0=tie") == ["a", "b", "tie"]
    assert read(["1", "0"], "0=tie") == ["a", "tie"]
    assert isinstance(read(["1", "2", "0"], "0=a")[0], Unread)
    assert isinstance(read(["1", "2", "3"], "2=tie")[0], Unread)


def test_said_values_win() -> None:
    assert read(["1", "0", "-1"], "1=b,0=tie,-1=a") == ["b", "tie", "a"]
    assert read(["1", "2", "3", "?"], "3=tie,?=skip") == ["a", "b", "tie", None]


def test_a_name_that_is_also_the_other_position_is_never_guessed() -> None:
    # Systems called A and B, shown the other way round: `A` is system_b by name and system_a by position.
    (outcome,) = read(["A"], pair=("B", "A"))
    assert isinstance(outcome, Unread)
    assert read(["A"], "names", pair=("B", "A")) == ["b"]
    assert read(["A"], "positions", pair=("B", "A")) == ["a"]
    assert read(["A"], pair=("A", "B")) == ["a"]  # both readings agree


@pytest.mark.parametrize(
    "cell",
    [
        "maybe",
        "A is not better",
        "A and B",
        "better",
        "not a tie",
        "a b",
        "nicht A",
        "1st or 2nd",
        "both good, A better",
        "Both, B",
        "tie (A)",
        "2nd best",
        "second best",
        "segundo mejor",
        "a little better",
        "a bit better",
    ],
)
def test_unknown_words(cell: str) -> None:
    (outcome,) = read([cell])
    assert isinstance(outcome, Unread)
    assert "allowed" in outcome.reason


@pytest.mark.parametrize("option", ["1=c", "1", "=a", "names=b,x"])
def test_bad_winner_options(option: str) -> None:
    if option == "=a":
        # An empty cell spelt out: blank cells are never labels, so this only names the empty text.
        assert parse_winner(option).values == {"": "a"}
        return
    with pytest.raises(UsageError, match="write VALUE=a"):
        parse_winner(option)
