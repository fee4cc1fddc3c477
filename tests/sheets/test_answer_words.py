"""What people write for an answer."""

from __future__ import annotations

import shlex

import pytest

from tiebreak.campaign.kinds.preference import FIRST, SECOND
from tiebreak.campaign.kinds.preference import NO_DIFFERENCE as TIE
from tiebreak.errors import UsageError
from tiebreak.sheets.reading import SKIP, parse_answers, words_of


@pytest.mark.parametrize(
    ("cell", "answer"),
    [
        ("First text", FIRST), ("A", FIRST), ("a is better", FIRST), ("Model_A", FIRST), ("left", FIRST),
        ("b", SECOND), ("Text 2", SECOND), ("right", SECOND), ("tie (both bad)", TIE), ("neither", TIE), ("same!", TIE),
        ("Erster Text", None), ("0", None), ("1", None), ("3", None),
        ("c", None), ("maybe", None), ("A or B", None), ("12", None), ("?", None), ("-", None),
    ],
)  # fmt: skip
def test_words(cell: str, answer: str | None) -> None:
    assert words_of([cell], {}, ties=True).answer(cell) == answer


def test_words_of_other_languages_are_said() -> None:
    words = words_of(["Erster Text", "第二"], parse_answers(["Erster Text=first", "第二=second"]), ties=True)
    assert [words.answer(cell) for cell in ("erster text", "第二")] == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("cells", "ties", "read"),
    [
        (["1", "2.0"], False, [FIRST, SECOND]),
        (["1", "2"], True, [None, None]),  # First, No difference, Second may be 1, 2, 3
        (["1", "2", "tie"], True, [FIRST, SECOND, TIE]),  # a tie has another word
        (["1", "2", "3"], True, [None] * 3),
        (["0", "1", "2"], True, [None] * 3),
        (["0", "1", "2"], False, [None] * 3),
        (["1"], False, [None]),
        (["0", "1"], False, [None, None]),
        (["-1", "0", "1", "2"], True, [None] * 4),
        (["+1", "2"], False, [None, None]),
        (["-2", "2"], True, [None, None]),
        (["0", "left"], True, [None, FIRST]),
    ],
)
def test_numbers_are_read_where_they_can_mean_one_thing_only(
    cells: list[str], ties: bool, read: list[str | None]
) -> None:
    words = words_of(cells, {}, ties=ties)
    assert [words.answer(cell) for cell in cells] == read


@pytest.mark.parametrize("cells", [["1", "2"], ["1", "2", "3"], ["0", "1", "2"], ["0", "1"], ["-2", "0", "2.0"]])
def test_every_cure_for_numbers_works_as_printed(cells: list[str]) -> None:
    said = words_of(cells, {}, ties=True).question.partition("for example ")[2]
    for cure in said.split(", or "):
        option, value = shlex.split(cure)
        given = parse_answers([value])
        assert option == "--answer"
        assert None not in [words_of(cells, given, ties=True).answer(cell) for cell in cells]


def test_what_is_said_of_numbers_goes_before_all_else() -> None:
    given = parse_answers(["0=first,1=second"])
    words = words_of(["0", "1", "2"], given, ties=True)
    assert [words.answer(cell) for cell in ("0", "1", "2")] == [FIRST, SECOND, None]


def test_what_is_said_of_some_numbers_may_settle_the_others() -> None:
    words = words_of(["1", "2", "3"], parse_answers(["3=tie"]), ties=True)
    assert [words.answer(cell) for cell in ("1", "2", "3")] == [FIRST, SECOND, TIE]


def test_options() -> None:
    assert parse_answers(["A wins=first", "x, y=tie", "b=SECOND,no idea=skip"]) == {
        "a wins": FIRST, "x, y": TIE, "b": SECOND, "no idea": SKIP,
    }  # fmt: skip


@pytest.mark.parametrize("option", ["A wins", "=first", "A wins=third", "a=first,a=second", ""])
def test_what_says_nothing(option: str) -> None:
    with pytest.raises(UsageError, match="--answer"):
        parse_answers([option])
