"""JSON Lines as the source of an import: the same table as the CSV file of the same cells, or an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiebreak.errors import InputError
from tiebreak.tabular.spreadsheet import read_sheet


def write(folder: Path, text: str, name: str = "votes.jsonl") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_objects_are_rows_under_all_keys(tmp_path: Path) -> None:
    text = '{"id": 1, "text": "a, \\"b\\"\\nc", "score": 0.10}\n\n{"id": 2, "score": null, "late": true}\n'
    sheet = read_sheet(write(tmp_path, text))
    assert sheet.columns == ("id", "text", "score", "late")
    assert sheet.rows == (("1", 'a, "b"\nc', "0.10", ""), ("2", "", "", "true"))
    assert (sheet.lines, sheet.stem) == ((1, 3), "votes")


def test_the_same_table_as_from_csv(tmp_path: Path) -> None:
    objects = read_sheet(write(tmp_path, '{"item": "q1", "gpt": "Lima", "llama": "Cusco"}\n'))
    table = read_sheet(write(tmp_path, "item,gpt,llama\nq1,Lima,Cusco\n", "votes.csv"))
    assert (objects.columns, objects.rows) == (table.columns, table.rows)


def test_a_byte_order_mark_and_the_other_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": "1", "b": "2"}\r\n{"a": "3", "b": "4"}')
    assert read_sheet(str(path)).rows == (("1", "2"), ("3", "4"))


def test_one_column_of_short_texts_is_no_title(tmp_path: Path) -> None:
    assert read_sheet(write(tmp_path, '{"text": "x"}\n{"text": "y"}\n')).rows == (("x",), ("y",))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"a": 1}\n{"a": \n', 2, "no JSON object on a line of its own"),
        ('{\n  "a": 1\n}\n', None, "the document holds no list of objects"),
        ('{"a": 1}\n7\n', 2, "no JSON object on a line of its own"),
        ("[1, 2]", None, "the document holds no list of objects"),
        ('[{"a": 1}, 2]', None, "the document holds no list of objects"),
        ('[{"a": 1}', 1, "no JSON object on a line of its own"),
    ],
)
def test_what_is_refused(text: str, line: int | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_sheet(write(tmp_path, text))
    (problem,) = caught.value.problems
    assert problem.line == line
    assert message in problem.message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": 1, "text": "a", "id": 2}', "line 2: .*the key 'id' is there twice in one object"),
        ('{"id": 1, "text": ' + "[" * 900 + "]" * 900 + "}", "line 2: .*more than 50 lists or objects"),
        ('{"id": 1, "text": ' + '{"a":' * 900 + "1" + "}" * 901, "line 2: .*more than 50 lists or objects"),
    ],
)
def test_what_would_be_read_as_something_else_is_refused(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_sheet(write(tmp_path, '{"id": 0, "text": "b"}\n' + line + "\n"))


def test_objects_that_share_no_keys_are_no_table(tmp_path: Path) -> None:
    lines = "".join(f'{{"k{k}": 1}}\n' for k in range(3_000))
    with pytest.raises(InputError, match="3,000 objects have 3,000 different keys, and each has few of them"):
        read_sheet(write(tmp_path, lines))


DOCUMENTS = [
    '[{"id": "1", "text": "x"}, {"id": "2", "text": "y"}]',
    '[\n  {"id": "1",\n   "text": "x"},\n  {"id": "2", "text": "y"}\n]\n',
    '{"data": [{"id": "1", "text": "x"}, {"id": "2", "text": "y"}]}',
    '{"id": {"0": "1", "1": "2"}, "text": {"0": "x", "1": "y"}}',
]


@pytest.mark.parametrize("text", DOCUMENTS)
def test_documents_with_records(text: str, tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path, text, "votes.json"))
    assert (sheet.columns, sheet.rows) == (("id", "text"), (("1", "x"), ("2", "y")))
    assert (sheet.lines, sheet.unit) == ((1, 2), "record")


def test_an_object_of_records_keeps_their_names(tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path, '{"q1": {"gpt": "x"}, "q2": {"gpt": "y"}}', "votes.json"))
    assert (sheet.columns, sheet.rows) == (("key", "gpt"), (("q1", "x"), ("q2", "y")))


def test_nested_values_have_paths(tmp_path: Path) -> None:
    text = '{"id": 1, "turns": [{"text": "a"}, {"text": "b"}], "meta": {"x": {"y": null}}, "tags": []}\n'
    sheet = read_sheet(write(tmp_path, text + '{"id": 2}\n'))
    assert sheet.columns == ("id", "turns.0.text", "turns.1.text", "meta.x.y", "tags")[: len(sheet.columns)]
    assert sheet.rows[0][:3] == ("1", "a", "b")


def test_a_conversation_is_its_first_message_and_what_follows(tmp_path: Path) -> None:
    messages = '[{"role": "user", "content": "why?"}, {"role": "assistant", "content": "so."}'
    more = ', {"role": "user", "content": "and?"}, {"role": "assistant", "content": "nothing."}]'
    sheet = read_sheet(write(tmp_path, f'{{"c": {messages}]}}\n{{"c": {messages}{more}}}\n'))
    assert sheet.columns == ("c.0.content", "c")
    assert sheet.rows == (("why?", "so."), ("why?", "so.\n\nuser: and?\n\nassistant: nothing."))


def test_a_question_alone_is_all_of_a_conversation_and_an_answer_alone_its_text(tmp_path: Path) -> None:
    asked = '{"role": "user", "content": "why?"}'
    answered = '{"from": "gpt", "value": "so."}'
    rows = (asked, f"{asked}, {answered}, {asked}", answered)
    sheet = read_sheet(write(tmp_path, "".join(f'{{"c": [{row}]}}\n' for row in rows)))
    assert sheet.columns == ("c.0.content", "c")
    assert sheet.rows == (("why?", ""), ("why?\n\ngpt: so.\n\nuser: why?", ""), ("", "so."))


def test_halves_of_characters_are_replaced(tmp_path: Path) -> None:
    line = r'{"item": "q\ud83d", "\uDC00k": ["a\ud83d\ude00", {"b": "\\ud83d"}]}'
    sheet = read_sheet(write(tmp_path, f'{{"item": "1"}}\n{line}\n'))
    assert sheet.columns == ("item", "�k.0", "�k.1.b")
    assert sheet.rows[1] == ("q�", "a😀", r"\ud83d")


def test_two_values_of_one_path_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: two values are called a\.b, as a key has a point in it"):
        read_sheet(write(tmp_path, '{"id": 1}\n{"id": 2, "a.b": "gpt", "a": {"b": "llama"}}\n'))


def test_too_deep_and_too_wide(tmp_path: Path) -> None:
    deep = '{"a": ' * 20 + "1" + "}" * 20
    with pytest.raises(InputError, match="line 1: lists and objects within each other deeper than 12"):
        read_sheet(write(tmp_path, f'{deep}\n{{"b": 1}}\n'))
    with pytest.raises(InputError, match=r"line 1: more than 2,000 values in one record \(at a\.2000\)"):
        read_sheet(write(tmp_path, f'{{"a": {list(range(3000))}}}\n{{"b": 1}}\n'))
