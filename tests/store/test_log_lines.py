"""How batches are written as lines, and which tails of a file count as torn."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.errors import InputError
from tiebreak.store.event_store import EMPTY, Head
from tiebreak.store.log_lines import batch_to_bytes, whole_batches

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
BATCHES = st.lists(st.lists(st.dictionaries(st.text(), JSON, max_size=3), min_size=1, max_size=4), max_size=4)


def log_of(batches: list[list[dict[str, object]]]) -> tuple[bytes, list[int]]:
    """The bytes of a log, and where each batch ends."""
    data, ends, head = b"", [0], EMPTY
    for batch in batches:
        written, head = batch_to_bytes(batch, head)
        data += written
        ends.append(len(data))
    return data, ends


def test_lines_are_plain_and_numbered() -> None:
    before = Head(4, "0123" * 8)
    written, head = batch_to_bytes([{"type": "x"}, {"text": "ð\n"}], before)
    first, second = written.decode().splitlines()
    assert first == '{"n":5,"after":"01230123012301230123012301230123","more":1,"event":{"type":"x"}}'
    seal = hashlib.sha256(first.encode()).hexdigest()[:32]
    assert second == f'{{"n":6,"after":"{seal}","more":0,"event":{{"text":"ð\\n"}}}}'
    assert head == (6, hashlib.sha256(second.encode()).hexdigest()[:32])
    assert batch_to_bytes([], before) == (b"", before)


@given(BATCHES)
def test_a_log_reads_back(batches: list[list[dict[str, object]]]) -> None:
    data, ends = log_of(batches)
    found = whole_batches(data, EMPTY, "log")
    assert list(found.events) == [event for batch in batches for event in batch]
    assert (found.end, found.missing_newline) == (ends[-1], False)


def test_any_text_comes_back() -> None:
    event = {"text": "lone surrogate \ud800, line separator \u2028, NUL \0"}
    assert whole_batches(batch_to_bytes([event], EMPTY)[0], EMPTY, "log").events == (event,)


@given(BATCHES.filter(bool), st.data())
def test_a_file_cut_anywhere_holds_the_batches_before_the_cut(
    batches: list[list[dict[str, object]]], data: st.DataObject
) -> None:
    content, ends = log_of(batches)
    cut = data.draw(st.integers(0, len(content)))
    found = whole_batches(content[:cut], EMPTY, "log")
    # A batch that lacks only its last newline is whole.
    whole = sum(end <= cut + 1 for end in ends[1:])
    assert list(found.events) == [event for batch in batches[:whole] for event in batch]
    assert found.missing_newline == (cut + 1 in ends[1:])
    assert found.end == min(ends[whole], cut)


def test_zeros_at_the_end_are_a_torn_tail() -> None:
    # What some file systems leave of a write when the power fails.
    content = batch_to_bytes([{"a": 1}], EMPTY)[0]
    assert whole_batches(content + b"\0" * 50, EMPTY, "log").end == len(content)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"a"', b'"a'),  # no JSON
        (b'"n":2', b'"n":3'),  # a line is missing before it
        (b'"more":0,"event":{"a":2}', b'"more":-1,"event":{"a":2}'),
        (b'"event":{"a":2}', b'"event":[2]'),
        (b'"n":2,', b'"n":2,"x":1,'),
        (b'"more":0,"event":{"a":4}', b'"more":1,"event":{"a":4}'),  # its batch has one line more than announced
        (b'{"a":3}', b'{"a":"\xff"}'),  # not UTF-8
        (b'{"a":3}', b'{"a":9}'),  # another label
        (b'"event":{"a":2}', b'"event": {"a":2}'),  # the same, written otherwise
    ],
)
def test_what_no_interrupted_writer_can_leave_is_damage(old: bytes, new: bytes) -> None:
    content, _ = log_of([[{"a": 1}], [{"a": 2}], [{"a": 3}, {"a": 4}], [{"a": 5}]])
    assert content.count(old) >= 1
    changed = content.replace(old, new, 1)
    with pytest.raises(InputError) as caught:
        whole_batches(changed, EMPTY, "log")
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
        whole_batches(b"".join(lines[:2] + lines[3:]), EMPTY, "log")


def test_a_line_that_was_numbered_anew_after_another_was_removed_is_damage() -> None:
    lines = log_of([[{"a": k}] for k in range(5)])[0].splitlines(keepends=True)
    moved = [line.replace(b'"n":%d' % (k + 2), b'"n":%d' % (k + 1)) for k, line in enumerate(lines[2:], 1)]
    with pytest.raises(InputError, match=r"log, line 1: .* not the one that the next line was written after"):
        whole_batches(b"".join([lines[0], *moved]), EMPTY, "log")


@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_a_line_that_was_added_without_the_right_seal_is_damage(ending: bytes) -> None:
    content, _ = log_of([[{"a": 1}], [{"a": 2}]])
    forged = json.dumps({"n": 3, "after": "0" * 32, "more": 0, "event": {"a": 3}}).encode()
    with pytest.raises(InputError, match="log, line 2"):
        whole_batches(content + forged + ending, EMPTY, "log")
    with pytest.raises(InputError, match="log, line 3"):
        whole_batches(content + b'{"n":3,"more":0,"event":{"a":3}}' + ending, EMPTY, "log")


def test_a_piece_goes_on_counting() -> None:
    content, ends = log_of([[{"a": 1}, {"a": 2}], [{"a": 3}]])
    known = whole_batches(content[: ends[1]], EMPTY, "log")
    found = whole_batches(content[ends[1] :], Head(2, known.seals[-1]), "log")
    assert (found.events, found.batches) == (({"a": 3},), (2,))
    with pytest.raises(InputError, match="log, line 2"):
        whole_batches(content[ends[1] :], Head(2, known.seals[0]), "log")
    assert json.loads(content[ends[1] :])["n"] == 3
