"""Nested records as flat ones, conversations, and lists as rows."""

from __future__ import annotations

import pytest

from tiebreak.tabular.documents import flat, unfolded


def test_every_value_has_its_path() -> None:
    record = {"id": "1", "meta": {"lang": "en", "tags": []}, "refs": ["x", "y"], "none": None}
    assert flat(record) == {
        "id": "1", "meta.lang": "en", "meta.tags": "", "refs.0": "x", "refs.1": "y", "none": ""
    }  # fmt: skip


def test_a_conversation_is_what_was_asked_and_what_was_answered() -> None:
    told = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi?"},
            {"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Bye."}]  # fmt: skip
    assert flat({"c": told[:3]}) == {"c.system_prompt": "Be kind.", "c.0.content": "Hi?", "c": "Hello."}
    assert flat({"c": told[1:]}) == {"c.0.content": "Hi?\n\nassistant: Hello.\n\nuser: Bye.", "c": ""}
    parts = [{"role": "user", "content": [{"type": "text", "text": "Hi?"}]}, {"from": "gpt", "value": "Hello."}]
    assert flat({"c": parts}) == {"c.0.content": "Hi?", "c": "Hello."}
    silent = [told[1], {"role": "assistant", "content": None, "tool_calls": []}]
    assert flat({"c": silent}) == {"c.0.content": "Hi?", "c": ""}


def test_two_values_of_one_path_are_refused() -> None:
    with pytest.raises(ValueError, match=r"two values are called a\.b"):
        flat({"a": {"b": "1"}, "a.b": "2"})


def test_records_that_are_nested_too_deeply_are_refused() -> None:
    record: dict[str, object] = {}
    for _ in range(20):
        record = {"x": record or "end"}
    with pytest.raises(ValueError, match="deeper than"):
        flat(record)


def test_elements_of_a_list_are_rows_beside_the_rest_of_the_record() -> None:
    record = {"id": "q1", "votes": [{"user": "ann", "choice": "gpt"}, {"user": "bo", "choice": "llama"}], "n": "2"}
    assert list(unfolded(record, "votes[*]")) == [
        {"id": "q1", "n": "2", "votes.user": "ann", "votes.choice": "gpt"},
        {"id": "q1", "n": "2", "votes.user": "bo", "votes.choice": "llama"},
    ]


def test_keys_may_be_values() -> None:
    record = {"questions": {"math": {"q1": {"text": "1+1?", "reviews": [{"by": "ann", "grade": "4"}]}}}}
    assert list(unfolded(record, "questions.{topic}.{item}.reviews[*]")) == [
        {"topic": "math", "item": "q1", "questions.text": "1+1?", "reviews.by": "ann", "reviews.grade": "4"}
    ]
    (row,) = unfolded(record, "questions.*.*.reviews[*]")
    assert row == {"questions.text": "1+1?", "reviews.by": "ann", "reviews.grade": "4"}


def test_what_only_keys_lead_to() -> None:
    record = {"q1": {"gpt": 4, "llama": {"score": 2}}}
    assert list(unfolded(record, "{item}.{system}")) == [
        {"item": "q1", "system": "gpt", "value": 4}, {"item": "q1", "system": "llama", "score": 2},
    ]  # fmt: skip
    (row,) = unfolded({"errors": [{"ann": ["none"]}]}, "errors[*].{annotator}[*]")
    assert row == {"annotator": "ann", "value": "none"}


def test_single_values_and_missing_lists() -> None:
    assert list(unfolded({"id": "1", "tags": ["x", "y"]}, "tags")) == [
        {"id": "1", "tags": "x"},
        {"id": "1", "tags": "y"},
    ]
    assert list(unfolded({"id": "1"}, "tags")) == [{"id": "1"}], "the record itself is not lost"
