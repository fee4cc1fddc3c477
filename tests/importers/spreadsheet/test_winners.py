from __future__ import annotations

import shlex

import pytest

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.winners import (
    Contest,
    Names,
    Outcome,
    Unread,
    looks_like_outcomes,
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


def test_a_table_that_counts_its_sides_says_what_numbers_are() -> None:
    contests = [Contest("x", "y", cell) for cell in ("1", "2", "0")]
    assert read_outcomes(contests, parse_winner(None), counted=True) == ["a", "b", "tie"]


def test_what_an_option_says_of_one_number_makes_the_others_clear_or_not() -> None:
    assert read(["1", "2", "0"], "0=tie") == ["a", "b", "tie"]
    assert read(["1", "0"], "0=tie") == ["a", "tie"]
    assert isinstance(read(["1", "2", "0"], "0=a")[0], Unread)
    assert isinstance(read(["1", "2", "3"], "2=tie")[0], Unread)


def test_said_values_win() -> None:
    assert read(["1", "0", "-1"], "1=b,0=tie,-1=a") == ["b", "tie", "a"]
    assert read(["1", "2", "3", "?"], "3=tie,?=skip") == ["a", "b", "tie", None]


def test_a_system_that_is_not_in_the_pair() -> None:
    contests = [Contest("x", "y", "x"), Contest("x", "z", "y")]
    first, second = read_outcomes(contests, parse_winner(None))
    assert first == "a"
    assert isinstance(second, Unread)
    assert "not one of the row's pair (x, z)" in second.reason


def test_a_name_that_is_also_the_other_position_is_never_guessed() -> None:
    # Systems called A and B, shown the other way round: `A` is system_b by name and system_a by position.
    (outcome,) = read(["A"], pair=("B", "A"))
    assert isinstance(outcome, Unread)
    assert "--winner names or --winner positions" in outcome.reason
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


def test_the_names_of_the_columns_are_the_systems_too() -> None:
    contest = Contest("gpt-4o", "llama", "llama answer", columns=("gpt-4o answer", "llama answer"))
    assert read_outcomes([contest], parse_winner(None)) == ["b"]


@pytest.mark.parametrize(
    ("pair", "cells", "by_name"),
    [
        (("Model B", "Model A"), ["A", "A", "B"], ["b", "b", "a"]),
        (("v2", "v1"), ["1", "2", "first"], ["b", "a", "a"]),
        (("GPT 2", "GPT 1"), ["1", "gpt2", "2"], ["b", "a", "a"]),
        (("llama", "GPT (A)"), ["A is better", "llama"], ["b", "a"]),
    ],
)
def test_a_letter_that_ends_the_name_of_the_other_system_is_never_guessed(
    pair: tuple[str, str], cells: list[str], by_name: list[Outcome]
) -> None:
    (first, *_) = read(cells, pair=pair)
    assert isinstance(first, Unread)
    assert "--winner names or --winner positions" in first.reason
    assert read(cells, "names", pair) == by_name
    assert read(cells, "positions", pair)[0] == "a"


@pytest.mark.parametrize("pair", [("llama-7b", "opt-13b"), ("gpt-2", "claude-1"), ("Model A", "Model B")])
def test_other_names_leave_letters_to_positions(pair: tuple[str, str]) -> None:
    assert read(["A", "B", "2", "1"], pair=pair) == ["a", "b", "b", "a"]


def test_the_headers_of_texts_may_call_them_crosswise() -> None:
    contests = [Contest("gpt (B)", "llama (A)", cell, columns=("gpt (B)", "llama (A)")) for cell in "AB"]
    assert all(isinstance(outcome, Unread) for outcome in read_outcomes(contests, parse_winner(None)))


@pytest.mark.parametrize("cell", ["a, but b is good", "o'brien says so", "yes (a=b?)", "50 $HOME"])
def test_the_cure_for_an_unknown_cell_works_as_printed(cell: str) -> None:
    (outcome,) = read([cell])
    assert isinstance(outcome, Unread)
    option, value = shlex.split(outcome.reason.partition("it means: ")[2])[:2]
    assert (option, read([cell], value)) == ("--winner", ["tie"])


@pytest.mark.parametrize("option", ["1=c", "1", "=a", "names=b,x"])
def test_bad_winner_options(option: str) -> None:
    if option == "=a":
        # An empty cell spelt out: blank cells are never labels, so this only names the empty text.
        assert parse_winner(option).values == {"": "a"}
        return
    with pytest.raises(UsageError, match="write VALUE=a"):
        parse_winner(option)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2", ""], True),
        (["0", "1"], False),
        (["x", "y", "tie"], True),
        (["a", "B"], True),
        (["left", "right"], True),
        (["yes", "no"], False),
        ([""], False),
        (["3", "4", "5"], False),
        (["-1", "0", "1"], False),
    ],
)
def test_looks_like_outcomes(cells: list[str], expected: bool) -> None:
    assert looks_like_outcomes(cells, Names.of(["x", "y"])) is expected
