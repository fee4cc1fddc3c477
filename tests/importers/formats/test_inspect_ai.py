"""Inspect's logs: epochs, letters, NaN, attachments, and members that Zstandard has packed."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import pytest
import zstandard

from tiebreak.data.study import Study
from tiebreak.importers.plans import plan_files
from tiebreak.importers.reading import imported

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
    path.write_text(json.dumps(header | {"samples": samples}), "utf-8")
    return str(path)


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
    assert study.scores is not None
    return study.scores.select("item", "system", "metric", "value").rows()


def test_letters_and_epochs(tmp_path: Path) -> None:
    samples = [_sample(1, 1, "C"), _sample(2, 1, "P"), _sample(1, 2, "I"), _sample(2, 2, "N")]
    (plan,) = plan_files([_json(tmp_path / "log.json", _header(), *samples)])
    assert plan.format is not None
    assert plan.format.name == "inspect"
    study = imported([plan], "study").study
    assert _scores(study) == [
        ("1/1", "mockllm/b", "includes", 1.0), ("2/1", "mockllm/b", "includes", 0.5),
        ("1/2", "mockllm/b", "includes", 0.0), ("2/2", "mockllm/b", "includes", 0.0),
    ]  # fmt: skip
    assert study.items is not None
    assert study.items.select("item", "input", "cluster").row(2) == ("1/2", "Name river 1.", "1")
    assert study.items["reference"].to_list() == ["Nile"] * 4
    assert study.outputs is not None
    assert study.outputs["text"].to_list() == ["River 1", "River 1", "River 2", "River 2"]


def test_nan_is_no_score_and_an_object_is_several(tmp_path: Path) -> None:
    samples = [_sample(1, 1, float("nan")), _sample(2, 1, {"clear": 3, "true": True})]
    told = imported(plan_files([_json(tmp_path / "log.json", _header(), *samples)]), "study")
    assert _scores(told.study) == [("2", "mockllm/b", "includes.clear", 3.0), ("2", "mockllm/b", "includes.true", 1.0)]
    assert sum(skipped.count for skipped in told.skipped) == 1


def test_long_texts_lie_among_the_attachments(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": f"attachment://{_LONG}"}]}]
    output = {"output": {"choices": [{"message": {"content": [{"type": "text", "text": f"attachment://{_LONG}"}]}}]}}
    log = _json(tmp_path / "log.json", _header(), _sample(1, 1, 1, input=messages, attachments={_LONG: "x"}, **output))
    study = imported(plan_files([log]), "study").study
    assert study.items is not None
    assert study.items["input"].item() == "x"
    assert study.outputs is not None
    assert study.outputs["text"].item() == "x"


def test_a_zip_that_zstandard_has_packed(tmp_path: Path) -> None:
    members = {"samples/1_epoch_1.json": _sample(1, 1, "C"), "summaries.json": [{"id": 1}], "header.json": _header()}
    _zip(tmp_path / "log.eval", **{name: json.dumps(content).encode() for name, content in members.items()})
    (plan,) = plan_files([str(tmp_path / "log.eval")])
    assert plan.format is not None
    assert plan.format.name == "inspect"
    assert _scores(imported([plan], "study").study) == [("1", "mockllm/b", "includes", 1.0)]


def test_logs_of_several_tasks_and_numbers_of_epochs(tmp_path: Path) -> None:
    rivers = _json(tmp_path / "a.json", _header("a"), _sample(1, 1, "C"), _sample(1, 2, "C"))
    lakes = _json(tmp_path / "b.json", _header("b", "lakes"), _sample(1, 1, "I", input="Name a lake."))
    rows = _scores(imported(plan_files([rivers, lakes]), "study").study)
    assert [row[0] for row in rows] == ["rivers/1/1", "rivers/1/2", "lakes/1/1"]


@pytest.mark.parametrize(("value", "score"), [("Yes", 1.0), ("no", 0.0), ("TRUE", 1.0), ("2.5", 2.5), (True, 1.0)])
def test_words_are_scores(tmp_path: Path, value: object, score: float) -> None:
    """`value_to_float` in inspect_ai/scorer/_metric.py."""
    log = _json(tmp_path / "log.json", _header(), _sample(1, 1, value))
    assert _scores(imported(plan_files([log]), "study").study) == [("1", "mockllm/b", "includes", score)]


def test_two_runs_of_a_model_are_two_systems(tmp_path: Path) -> None:
    logs = [_json(tmp_path / f"{name}.json", _header(), _sample(1, 1, name)) for name in ("C", "I")]
    rows = _scores(imported(plan_files(logs), "study").study)
    assert rows == [("1", "mockllm/b (C)", "includes", 1.0), ("1", "mockllm/b (I)", "includes", 0.0)]
