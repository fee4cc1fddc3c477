"""Prompts: placeholders, fences, paragraphs that have nothing to say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.errors import InputError, UsageError
from tiebreak.scoring.judges.judge import RULE, read_template, template_of

WORDS = {"question": "Which?", "criterion": "", "rubric": "", "answer": "Say A or B."}


def template(text: str):  # type: ignore[no-untyped-def]
    return template_of(text, "p.txt", ())


def test_texts_stand_in_fences_and_words_do_not() -> None:
    message = template("Rules.\n---\n{first}\n\n{question}").filled({"first": "one"}, WORDS)
    assert message.system == f"Rules.\n\n{RULE}"
    found = re.fullmatch(r"<first-([0-9a-f]{12})>\none\n</first-\1>\n\nWhich\?", message.user)
    assert found


def test_without_a_line_of_dashes_all_of_it_is_about_the_texts() -> None:
    message = template("{question}\n{first}").filled({"first": "one"}, WORDS)
    assert message.system == RULE
    assert message.user.startswith("Which?\n<first-")


def test_a_paragraph_without_its_text_is_left_out() -> None:
    text = "{first}\n\nThe question:\n{input}\n\nCriterion: {criterion}\n\n{question}"
    without = template(text).filled({"first": "one"}, WORDS).user
    assert "The question" not in without
    assert "Criterion" not in without
    both = template(text).filled({"first": "one", "input": "why"}, WORDS | {"criterion": "wit"}).user
    assert "The question:\n<input-" in both
    assert "Criterion: wit" in both


def test_a_text_to_judge_is_never_left_out() -> None:
    # One paragraph with all of it: without an input nothing would be left to judge, and be paid for all the same.
    whole = template("Asked: {input}\nFirst: {first}\nSecond: {second}\n{answer}")
    assert "<second-" in whole.filled({"input": "why", "first": "one", "second": "two"}, WORDS).user
    with pytest.raises(UsageError, match=r"would not show \{first\} of an item without \{input\}"):
        whole.filled({"first": "one", "second": "two"}, WORDS)
    twice = template("{first} {second}\n\nAsked: {input}. Is {first} an answer?")
    assert "Asked" not in twice.filled({"first": "one", "second": "two"}, WORDS).user


def test_what_only_a_judge_of_pairs_has(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("{output} against {first}", encoding="utf-8")
    with pytest.raises(InputError, match=r"\{first\} is of a judge that compares two outputs"):
        read_template(tmp_path / "p.txt", grades=True)


def test_an_empty_text_is_a_text() -> None:
    assert re.search(r"<first-(\w+)>\n\n</first-\1>", template("{first}").filled({"first": ""}, WORDS).user)


def test_braces_in_texts_and_in_json_stay() -> None:
    message = template('{first} {"answer": "A"} {Other} {}').filled({"first": "{question} {second}"}, WORDS)
    assert "\n{question} {second}\n" in message.user
    assert '{"answer": "A"} {Other} {}' in message.user


@given(st.text(), st.text())
def test_no_text_closes_its_own_fence(one: str, other: str) -> None:
    message = template("{first}\n{second}").filled({"first": one, "second": other}, WORDS)
    code = re.match(r"<first-([0-9a-f]{12})>", message.user)
    assert code
    assert code[1] not in one
    assert code[1] not in other
    assert (
        message.user
        == f"<first-{code[1]}>\n{one}\n</first-{code[1]}>\n<second-{code[1]}>\n{other}\n</second-{code[1]}>"
    )


def test_the_code_hangs_on_all_texts_and_where_one_ends() -> None:
    def code(first: str, second: str) -> str:
        return template("{first}{second}").filled({"first": first, "second": second}, WORDS).user[7:19]

    assert code("a", "b") == code("a", "b")
    assert len({code("a", "b"), code("b", "a"), code("ab", ""), code("a", "c")}) == 4


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("{first}\n{secnod}", 2, "no placeholder {secnod}: did you mean second?"),
        ("{first}", None, "has no {second}"),
        ("{first}\n{Second}", 2, "no placeholder {Second}: write {second}"),
        ("{first} {second} { input }", 1, "no placeholder { input }: write {input}"),
        ("{first} {second}\n{output}", 2, "{output} is of a judge that grades single outputs (rubric)"),
    ],
)
def test_a_wrong_prompt_says_where(text: str, line: int | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_template(path, grades=False)
    assert any(problem.line == line and message in problem.message for problem in caught.value.problems)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_template(tmp_path / "none.txt", grades=False)
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 {output}")
    with pytest.raises(InputError, match="byte 3 is no UTF-8"):
        read_template(tmp_path / "latin.txt", grades=True)


@pytest.mark.parametrize("grades", [True, False])
def test_ours_have_what_they_need(grades: bool) -> None:
    ours = read_template(None, grades=grades)
    for name in ("output",) if grades else ("first", "second"):
        assert f"{{{name}}}" in ours.user
    assert "{answer}" in ours.user
    assert "{" not in ours.system
