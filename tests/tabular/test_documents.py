"""JSON files: an object a line, documents of several forms, and what is none of them. Nested records as flat ones,
conversations, and lists as rows.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiebreak.errors import InputError
from tiebreak.tabular.documents import flat, unfolded
from tiebreak.tabular.source import Source


def records(folder: Path, content: str | bytes, part: str = "", name: str = "file.json") -> list[dict[str, object]]:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [dict(record) for _, record in Source(f"{path}{part}").records()]


def test_an_object_a_line_keeps_numbers_as_they_stand_and_counts_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('\ufeff{"id": 1.10, "big": 12345678901234567890}\n\n{"id": NaN}\n', encoding="utf-8")
    source = Source(str(path))
    assert source.unit == "line"
    assert list(source.records()) == [(1, {"id": "1.10", "big": "12345678901234567890"}), (3, {"id": "NaN"})]
    assert list(source.records()) == list(source.records()), "it can be gone through again"


def test_a_line_that_is_no_object_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2.*no JSON object on a line of its own"):
        records(tmp_path, '{"a": 1}\n[1]\n{"a": 2}\n')
    with pytest.raises(InputError, match=r"line 2.*no JSON object on a line of its own"):
        records(tmp_path, '{"a": 1}\n{"a": \n')


def test_a_line_in_another_encoding_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2.*not UTF-8"):
        records(tmp_path, b'{"a": 1}\n{"a": "caf\xe9"}\n')


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="twice"):
        records(tmp_path, '{"a": 1, "a": 2}\n{"a": 3}\n')


@pytest.mark.parametrize(
    "document",
    [
        [{"a": "1"}, {"a": "2"}],
        {"a": ["1", "2"], "b": ["x", "y"]},
        {"a": {"0": "1", "1": "2"}, "b": {"0": "x", "1": "y"}},
        {"rows": [{"a": "1"}, {"a": "2"}]},
        {"data": {"rows": [{"a": "1"}, {"a": "2"}]}},
    ],
)
def test_the_forms_of_a_table(tmp_path: Path, document: object) -> None:
    assert [record["a"] for record in records(tmp_path, json.dumps(document))] == ["1", "2"]


def test_what_stands_beside_a_list_is_said_of_its_records(tmp_path: Path) -> None:
    document = {"model": "gpt", "run": {"seed": "7", "outputs": [{"id": "1"}, {"id": "2", "seed": "9"}]}}
    assert records(tmp_path, json.dumps(document)) == [
        {"model": "gpt", "seed": "7", "id": "1"},
        {"model": "gpt", "seed": "9", "id": "2"},
    ]


def test_of_several_lists_one_is_named(tmp_path: Path) -> None:
    document = json.dumps({"outputs": [{"id": "1"}], "votes": [{"winner": "a"}]})
    with pytest.raises(InputError, match=r"several lists of objects; name the one to read: '.*#outputs' '.*#votes'"):
        records(tmp_path, document)
    assert records(tmp_path, document, "#votes") == [{"winner": "a"}]
    with pytest.raises(InputError, match=r"no list of objects 'vote'; the document has: outputs, votes"):
        records(tmp_path, document, "#vote")


def test_halves_of_characters_are_replaced(tmp_path: Path) -> None:
    assert records(tmp_path, '[{"a": "cut \\ud83d", "b": ["\\ude00"]}]') == [{"a": "cut �", "b": ["�"]}]


def test_what_is_no_document_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2.*no JSON document"):
        records(tmp_path, '[{"a": 1},\n{"a" 2}]')
    with pytest.raises(InputError, match="holds no list of objects"):
        records(tmp_path, "[1, 2]")
    with pytest.raises(InputError, match="the file is empty"):
        records(tmp_path, " \n")


def test_lines_are_read_one_at_a_time(tmp_path: Path) -> None:
    """A file far larger than what is kept of it: only its first record is asked for."""
    path = tmp_path / "long.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\nno JSON\n', encoding="utf-8")
    records_ = Source(str(path)).records()
    assert next(records_) == (1, {"a": "1"})
    assert next(records_) == (2, {"a": "2"})
    with pytest.raises(InputError, match="line 3"):
        next(records_)


# ---- nested ------------------------------------------------------------------------------------------------------


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
    found = list(unfolded({"id": "1", "tags": ["x", "y"]}, "tags"))
    assert found == [{"id": "1", "tags": "x"}, {"id": "1", "tags": "y"}]
    assert list(unfolded({"id": "1"}, "tags")) == [{"id": "1"}], "the record itself is not lost"
