from __future__ import annotations

import pytest

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.winners import (
    Contest,
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
        (["1", "2", "0"], ["a", "b", "tie"]),
        (["1.0", "2.0", "0.0"], ["a", "b", "tie"]),
        (["A", "b", "Tie"], ["a", "b", "tie"]),
        (["[[A]]", "[[B]]", "neither"], ["a", "b", "tie"]),
        (["model_a", "model_b", "tie (bothbad)"], ["a", "b", "tie"]),
        (["Model 1", "model 2", "both"], ["a", "b", "tie"]),
        (["Response A is better", "response_b", "About the same"], ["a", "b", "tie"]),
        (["", "  ", "a"], [None, None, "a"]),
        (["Sentence A", "Sentence B", "both good"], ["a", "b", "tie"]),
        (["A is better", "B is slightly better", "A tie", "none"], ["a", "b", "tie", "tie"]),
        (["1st", "2nd", "the second one", "neither A nor B"], ["a", "b", "b", "tie"]),
        (["A>>B", "b > a", "A=B", "[[A>B]]"], ["a", "b", "tie", "a"]),
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


@pytest.mark.parametrize("cells", [["1", "0"], ["1", "0", "-1"], ["1"], ["0"], ["-1", "2", "1"]])
def test_numbers_without_a_clear_meaning_are_reported(cells: list[str]) -> None:
    outcomes = read(cells)
    assert all(isinstance(outcome, Unread) for outcome in outcomes if outcome != "b")
    assert any(isinstance(outcome, Unread) and "--winner" in outcome.reason for outcome in outcomes)


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
    "cell", ["maybe", "A is not better", "A and B", "better", "not a tie", "a b", "nicht A", "1st or 2nd"]
)
def test_unknown_words(cell: str) -> None:
    (outcome,) = read([cell])
    assert isinstance(outcome, Unread)
    assert "allowed" in outcome.reason


def test_the_names_of_the_columns_are_the_systems_too() -> None:
    contest = Contest("gpt-4o", "llama", "llama answer", columns=("gpt-4o answer", "llama answer"))
    assert read_outcomes([contest], parse_winner(None)) == ["b"]


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
    assert looks_like_outcomes(cells, ["x", "y"]) is expected
