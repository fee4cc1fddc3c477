"""What signatures stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiebreak.data.provenance import SIGNATURES_FILE, add_signatures, read_signatures
from tiebreak.errors import InputError, TiebreakError

CHRF = {"kind": "metric", "name": "chrf", "settings": {"order": 6}}
JUDGE = {"kind": "judge", "name": "gpt", "prompt": "Wer ist besser?\nä"}


def test_they_come_back_in_order_and_are_added_once(tmp_path: Path) -> None:
    assert read_signatures(tmp_path) == {}
    add_signatures(tmp_path, {})
    assert not (tmp_path / SIGNATURES_FILE).exists()
    add_signatures(tmp_path, {"chrf|nc:6": CHRF})
    add_signatures(tmp_path, {"judge:1": JUDGE, "chrf|nc:6": CHRF})
    assert list(read_signatures(tmp_path).items()) == [("chrf|nc:6", CHRF), ("judge:1", JUDGE)]
    assert (tmp_path / SIGNATURES_FILE).read_text(encoding="utf-8").count("\n") == 2


def test_one_signature_has_one_meaning(tmp_path: Path) -> None:
    add_signatures(tmp_path, {"x": CHRF})
    before = (tmp_path / SIGNATURES_FILE).read_bytes()
    with pytest.raises(TiebreakError, match="x stands there with another meaning"):
        add_signatures(tmp_path, {"y": CHRF, "x": JUDGE})
    assert (tmp_path / SIGNATURES_FILE).read_bytes() == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"signature": "x"}\n{"signature": ', "line 2: "),
        (b'\n[1]', 'line 2: not an object with a "signature"'),
        (b'{"name": "x"}', 'line 1: not an object with a "signature"'),
        (b'{"signature": ""}', 'line 1: not an object with a "signature"'),
        (b'{"signature": "x"}\n{"signature": "x", "a": 1}', "line 2: the signature x stands in the file with another"),
        (b'{"signature": "x", "a": 1, "a": 2}', "line 1: "),
        (b"\xff", "byte 0 is no UTF-8"),
        (b"[" * 900, "line 1: "),
    ],
)  # fmt: skip
def test_a_damaged_file_is_named_with_its_line(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / SIGNATURES_FILE).write_bytes(content)
    with pytest.raises(InputError, match=r"signatures\.jsonl") as caught:
        read_signatures(tmp_path)
    assert message in str(caught.value)
    with pytest.raises(InputError):
        add_signatures(tmp_path, {"x": CHRF})
    assert (tmp_path / SIGNATURES_FILE).read_bytes() == content
