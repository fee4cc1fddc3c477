"""Inspect's logs: epochs, letters, NaN, attachments, and members that Zstandard has packed."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import pytest
import zstandard
from tests.importers.made import cells_of, read_as, rows_of, save

from tiebreak.data.study import Study

_LONG = "0" * 31 + "f"


def _sample(number: int, epoch: int, value: object, **other: object) -> dict[str, object]:
    return {
        "id": number, "epoch": epoch, "input": f"Name river {number}.", "target": "Nile", "messages": [],
        "output": {"model": "mockllm/b", "choices": [], "completion": f"River {epoch}"},
        "scores": {"includes": {"value": value, "answer": "river"}}, "metadata": {}, "attachments": {}, **other,
    }  # fmt: skip


def _header(model: str = "mockllm/b", task: str = "rivers") -> dict[str, object]:
    return {"version": 2, "status": "success", "eval": {"task": task, "model": model, "config": {"epochs": 2}}}


def _json(path: Path, header: dict[str, object], *samples: dict[str, object]) -> str:
    return save(path.parent, path.name, header | {"samples": samples})


def _zip(path: Path, **members: bytes) -> None:
    """A zip by method 93, which Python writes from 3.14 on."""
    body, directory = b"", b""
    for name, content in members.items():
        packed, file = zstandard.ZstdCompressor().compress(content), name.encode()
        shared = struct.pack("<4H3I2H", 0, 93, 0, 33, zlib.crc32(content), len(packed), len(content), len(file), 0)
        directory += b"PK\x01\x02" + struct.pack("<2H", 63, 63) + shared
        directory += struct.pack("<3H2I", 0, 0, 0, 0, len(body)) + file
        body += b"PK\x03\x04" + struct.pack("<H", 63) + shared + file + packed
    end = struct.pack("<4H2IH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\x05\x06" + end)


def _scores(study: Study) -> list[tuple[object, ...]]:
    return rows_of(study.scores, "item", "system", "metric", "value")


def test_letters_and_epochs(tmp_path: Path) -> None:
    samples = [_sample(1, 1, "C"), _sample(2, 1, "P"), _sample(1, 2, "I"), _sample(2, 2, "N")]
    study = read_as("inspect", _json(tmp_path / "log.json", _header(), *samples)).study
    assert _scores(study) == [
        ("1/1", "mockllm/b", "includes", 1.0), ("2/1", "mockllm/b", "includes", 0.5),
        ("1/2", "mockllm/b", "includes", 0.0), ("2/2", "mockllm/b", "includes", 0.0),
    ]  # fmt: skip
    assert rows_of(study.items, "item", "input", "cluster")[2] == ("1/2", "Name river 1.", "1")
    assert cells_of(study.items, "reference") == ["Nile"] * 4
    assert cells_of(study.outputs, "text") == ["River 1", "River 1", "River 2", "River 2"]


def test_nan_is_no_score_and_an_object_is_several(tmp_path: Path) -> None:
    samples = [_sample(1, 1, float("nan")), _sample(2, 1, {"clear": 3, "true": True})]
    told = read_as("inspect", _json(tmp_path / "log.json", _header(), *samples))
    assert _scores(told.study) == [("2", "mockllm/b", "includes.clear", 3.0), ("2", "mockllm/b", "includes.true", 1.0)]
    assert sum(skipped.count for skipped in told.skipped) == 1


def test_long_texts_lie_among_the_attachments(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": f"attachment://{_LONG}"}]}]
    output = {"output": {"choices": [{"message": {"content": [{"type": "text", "text": f"attachment://{_LONG}"}]}}]}}
    log = _json(tmp_path / "log.json", _header(), _sample(1, 1, 1, input=messages, attachments={_LONG: "x"}, **output))
    study = read_as("inspect", log).study
    assert study.items["input"].item() == "x"
    assert study.outputs["text"].item() == "x"


def test_a_zip_that_zstandard_has_packed(tmp_path: Path) -> None:
    members = {"samples/1_epoch_1.json": _sample(1, 1, "C"), "summaries.json": [{"id": 1}], "header.json": _header()}
    _zip(tmp_path / "log.eval", **{name: json.dumps(content).encode() for name, content in members.items()})
    assert _scores(read_as("inspect", str(tmp_path / "log.eval")).study) == [("1", "mockllm/b", "includes", 1.0)]


def test_logs_of_several_tasks_and_numbers_of_epochs(tmp_path: Path) -> None:
    rivers = _json(tmp_path / "a.json", _header("a"), _sample(1, 1, "C"), _sample(1, 2, "C"))
    lakes = _json(tmp_path / "b.json", _header("b", "lakes"), _sample(1, 1, "I", input="Name a lake."))
    rows = _scores(read_as("inspect", rivers, lakes).study)
    assert [row[0] for row in rows] == ["rivers/1/1", "rivers/1/2", "lakes/1/1"]


@pytest.mark.parametrize(("value", "score"), [("Yes", 1.0), ("no", 0.0), ("TRUE", 1.0), ("2.5", 2.5), (True, 1.0)])
def test_words_are_scores(tmp_path: Path, value: object, score: float) -> None:
    """`value_to_float` in inspect_ai/scorer/_metric.py."""
    log = _json(tmp_path / "log.json", _header(), _sample(1, 1, value))
    assert _scores(read_as("inspect", log).study) == [("1", "mockllm/b", "includes", score)]


def test_two_runs_of_a_model_are_two_systems(tmp_path: Path) -> None:
    logs = [_json(tmp_path / f"{name}.json", _header(), _sample(1, 1, name)) for name in ("C", "I")]
    rows = _scores(read_as("inspect", *logs).study)
    assert rows == [("1", "mockllm/b (C)", "includes", 1.0), ("1", "mockllm/b (I)", "includes", 0.0)]
