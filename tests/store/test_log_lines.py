"""How batches are written as lines, and which tails of a file count as torn."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.errors import InputError
from tiebreak.store.log_lines import batch_to_bytes, whole_batches

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
BATCHES = st.lists(st.lists(st.dictionaries(st.text(), JSON, max_size=3), min_size=1, max_size=4), max_size=4)


def log_of(batches: list[list[dict[str, object]]]) -> tuple[bytes, list[int]]:
    """The bytes of a log, and where each batch ends."""
    data, ends, length = b"", [0], 0
    for batch in batches:
        data += batch_to_bytes(batch, length)
        length += len(batch)
        ends.append(len(data))
    return data, ends


def test_lines_are_plain_and_numbered() -> None:
    assert batch_to_bytes([{"type": "x"}, {"text": "ð\n"}], 4).decode() == (
        '{"n":5,"more":1,"event":{"type":"x"}}\n{"n":6,"more":0,"event":{"text":"ð\\n"}}\n'
    )
    assert batch_to_bytes([], 4) == b""


@given(BATCHES)
def test_a_log_reads_back(batches: list[list[dict[str, object]]]) -> None:
    data, ends = log_of(batches)
    found = whole_batches(data, 0, "log")
    assert list(found.events) == [event for batch in batches for event in batch]
    assert (found.end, found.missing_newline) == (ends[-1], False)


def test_any_text_comes_back() -> None:
    event = {"text": "lone surrogate \ud800, line separator \u2028, NUL \0"}
    assert whole_batches(batch_to_bytes([event], 0), 0, "log").events == (event,)


@given(BATCHES.filter(bool), st.data())
def test_a_file_cut_anywhere_holds_the_batches_before_the_cut(
    batches: list[list[dict[str, object]]], data: st.DataObject
) -> None:
    content, ends = log_of(batches)
    cut = data.draw(st.integers(0, len(content)))
    found = whole_batches(content[:cut], 0, "log")
    # A batch that lacks only its last newline is whole.
    whole = sum(end <= cut + 1 for end in ends[1:])
    assert list(found.events) == [event for batch in batches[:whole] for event in batch]
    assert found.missing_newline == (cut + 1 in ends[1:])
    assert found.end == min(ends[whole], cut)


def test_zeros_at_the_end_are_a_torn_tail() -> None:
    # What some file systems leave of a write when the power fails.
    content = batch_to_bytes([{"a": 1}], 0)
    assert whole_batches(content + b"\0" * 50, 0, "log").end == len(content)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"a"', b'"a'),  # no JSON
        (b'"n":2', b'"n":3'),  # a line is missing before it
        (b'"more":0,"event":{"a":2}', b'"more":-1,"event":{"a":2}'),
        (b'"event":{"a":2}', b'"event":[2]'),
        (b'"n":2,"more":0,', b'"n":2,"more":0,"x":1,'),
        (b'"n":4,"more":0', b'"n":4,"more":1'),  # its batch has one line more than announced
        (b'{"a":3}', b'{"a":"\xff"}'),  # not UTF-8
    ],
)
def test_what_no_interrupted_writer_can_leave_is_damage(old: bytes, new: bytes) -> None:
    content, _ = log_of([[{"a": 1}], [{"a": 2}], [{"a": 3}, {"a": 4}], [{"a": 5}]])
    assert content.count(old) >= 1
    changed = content.replace(old, new, 1)
    with pytest.raises(InputError) as caught:
        whole_batches(changed, 0, "log")
    line = next(
        number
        for number, (was, now) in enumerate(zip(content.split(b"\n"), changed.split(b"\n"), strict=True), 1)
        if was != now
    )
    assert caught.value.problems[0].line == line
    assert "put the file back from a backup" in str(caught.value)


def test_lost_lines_in_the_middle_are_damage() -> None:
    lines = log_of([[{"a": k}] for k in range(5)])[0].splitlines(keepends=True)
    with pytest.raises(InputError, match="log, line 3"):
        whole_batches(b"".join(lines[:2] + lines[3:]), 0, "log")


def test_a_piece_goes_on_counting() -> None:
    content, ends = log_of([[{"a": 1}, {"a": 2}], [{"a": 3}]])
    assert whole_batches(content[ends[1] :], 2, "log").events == ({"a": 3},)
    assert json.loads(content[ends[1] :])["n"] == 3
