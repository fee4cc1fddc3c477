"""Chunks are there completely or not at all, named by what they hold."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tiebreak.scoring.running import ChunkStore


def keys(*names: bytes) -> pl.Series:
    return pl.Series("key", list(names), dtype=pl.Binary)


def contents(store: ChunkStore) -> dict[bytes, float | None]:
    return dict(store.known().iter_rows())


def test_what_was_added_is_known(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path, "chrf|v:1")
    assert contents(store) == {}
    store.add(keys(b"a", b"b"), np.array([1.0, math.nan]))
    store.add(keys(b"c"), np.array([0.1]))
    assert contents(store) == {b"a": 1.0, b"b": None, b"c": 0.1}
    store.tidy()
    assert contents(store) == {b"a": 1.0, b"b": None, b"c": 0.1}
    assert contents(ChunkStore(tmp_path, "chrf|v:1")) == contents(store)
    assert contents(ChunkStore(tmp_path, "chrf|v:2")) == {}


def test_tidying_leaves_one_file(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path, "chrf|v:1")
    for k in range(5):
        store.add(keys(bytes([k])), np.array([float(k)]))
    assert len(list(store.folder.iterdir())) == 5
    store.tidy()
    assert len(list(store.folder.iterdir())) == 1
    store.tidy()
    assert len(contents(store)) == 5


def test_nothing_is_lost_where_another_run_tidies_while_one_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What was listed is in another file by the time that it is read: its scores would be missing, and written so.
    store = ChunkStore(tmp_path, "chrf|v:1")
    for k in range(3):
        store.add(keys(bytes([k])), np.array([float(k)]))
    read, times = Path.read_bytes, list[Path]()

    def slowly(path: Path) -> bytes:
        times.append(path)
        if len(times) == 2:
            ChunkStore(tmp_path, "chrf|v:1").tidy()
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", slowly)
    assert contents(store) == {bytes([k]): float(k) for k in range(3)}


def test_a_chunk_is_what_its_name_says_or_nothing(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path, "chrf|v:1")
    store.add(keys(b"a"), np.array([1.0]))
    store.add(keys(b"b"), np.array([2.0]))
    damaged = sorted(store.folder.iterdir())[0]
    damaged.write_bytes(damaged.read_bytes()[:-7])
    assert len(contents(store)) == 1
    assert not damaged.exists()


def test_the_same_chunk_twice_is_one(tmp_path: Path) -> None:
    first, second = (ChunkStore(tmp_path, "chrf|v:1") for _ in range(2))
    first.add(keys(b"a"), np.array([1.0]))
    second.add(keys(b"a"), np.array([1.0]))
    assert len(list(first.folder.iterdir())) == 1


def test_names_of_folders_are_safe(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path, "../../x y|v:1")
    store.add(keys(b"a"), np.array([1.0]))
    assert store.folder.parent == tmp_path / ".scoring" / "metrics"
    assert [entry.name for entry in tmp_path.iterdir()] == [".scoring"]
