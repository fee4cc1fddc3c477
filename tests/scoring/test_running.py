"""Chunks of some seconds, by this process or several; what a metric may not do; and chunks on disk."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.scoring.word_studies import study_of_words

from tiebreak.errors import TiebreakError, UsageError
from tiebreak.scoring import running
from tiebreak.scoring.metric import Batch, Floats, Instances, Metric, Settings
from tiebreak.scoring.running import ChunkStore, Done, ScoringTask, crew_of, scored, work

# ---- Chunks of some seconds, by this process or several; what a metric may not do. ---------------------------------


@dataclass(frozen=True, kw_only=True)
class Slow(Metric):
    """The process that scored, after so many seconds per text."""

    name: str = "slow"
    words: str = "who did it"
    range: tuple[float, float] = (0.0, math.inf)
    seconds: float = 0.0

    def settings(self) -> Settings:
        return {"v": 1}

    def score(self, batch: Batch) -> Floats:
        time.sleep(self.seconds * len(batch.outputs))
        return np.full(len(batch.outputs), float(os.getpid()))


def instances(outputs: int) -> Instances:
    return Instances.of(study_of_words(outputs), "reference")


def run(metric: Metric, of: Instances, workers: int = 1) -> list[tuple[list[int], list[float]]]:
    rows = pl.Series("row", range(of.rows.height), dtype=pl.UInt32)
    with crew_of(workers, None) as crew:
        return [(part.to_list(), values.tolist()) for part, values in scored(metric, rows, of, crew)]


def test_every_row_once_in_chunks_that_grow_to_some_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_SECONDS", 0.2)
    found = run(Slow(seconds=0.001), instances(1000))
    assert sorted(row for rows, _ in found for row in rows) == list(range(1000))
    sizes = [len(rows) for rows, _ in found]
    assert sizes[0] == 16
    assert sizes[1] == 128  # no more than eight times as many
    assert 80 <= sizes[2] <= 200


def test_a_slow_metric_is_stored_text_by_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_SECONDS", 0.001)
    assert [len(rows) for rows, _ in run(Slow(seconds=0.005), instances(20))] == [16, 1, 1, 1, 1]


def test_little_work_is_done_here_and_much_by_others() -> None:
    here = run(Slow(), instances(200), workers=2)
    assert {value for _, values in here for value in values} == {float(os.getpid())}
    found = run(Slow(seconds=0.03), instances(400), workers=2)
    assert sorted(row for rows, _ in found for row in rows) == list(range(400))
    others = {value for _, values in found for value in values} - {float(os.getpid())}
    assert len(others) >= 1


def test_a_metric_that_takes_long_to_load_and_little_to_score_is_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    # By its first chunk a metric of a second would have been worth two more processes, which load it as well.
    class Loads(Slow):
        def score(self, batch: Batch) -> Floats:
            time.sleep(0 if loaded else 0.5)
            loaded.append(True)
            return np.full(len(batch.outputs), float(os.getpid()))

    loaded: list[bool] = []
    monkeypatch.setattr(running, "_WORTH_PROCESSES", 0.5)
    found = run(Loads(), instances(200), workers=2)
    assert {value for _, values in found for value in values} == {float(os.getpid())}


def test_a_metric_that_uses_the_cores_itself_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_WORTH_PROCESSES", 0.0)
    found = run(Slow(one_process=True, seconds=0.001), instances(200), workers=2)
    assert {value for _, values in found for value in values} == {float(os.getpid())}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0.5, 1.5], "the metric bad gave 1.5, which is not from 0 to 1"),
        ([math.inf, 0.5], "the metric bad gave inf"),
        ([0.5], r"gave scores of shape \(1,\) for 2 outputs"),
        ("x", r"the metric bad failed \(ValueError"),
    ],
)
def test_what_cannot_be_a_score(values: object, words: str) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Bad(Slow):
        name: str = "bad"
        range: tuple[float, float] = (0.0, 1.0)

        def score(self, _: Batch) -> Floats:
            return values  # type: ignore[return-value]

    with pytest.raises(TiebreakError, match=words):
        work(ScoringTask(0, Bad(), Batch(["a", "b"]), 0, 0))


def test_an_error_inside_a_metric_names_it_and_says_that_the_rest_is_kept() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Broken(Slow):
        def score(self, batch: Batch) -> Floats:
            raise KeyError(batch.outputs[0])

    with pytest.raises(
        TiebreakError, match=r"the metric slow failed \(KeyError: 'a'\); what was scored before is kept"
    ):
        work(ScoringTask(0, Broken(), Batch(["a"]), 0, 0))


def test_only_a_few_chunks_are_in_memory_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_MOST", 10)
    made: list[int] = []

    def crew(_: Metric, tasks: Iterator[ScoringTask]) -> Iterator[Done]:
        for task in tasks:
            made.append(task.number)
            yield Done(task.number, np.zeros(len(task.batch.outputs)), 1e-9)

    rows = pl.Series("row", range(100), dtype=pl.UInt32)
    done = [len(made) for _ in scored(Slow(), rows, instances(100), crew)]  # type: ignore[arg-type]
    assert done == list(range(1, len(made) + 1))


def test_no_scheduler_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    def refuse(*_: object, **__: object) -> None:
        raise OSError("timed out")

    monkeypatch.setattr(distributed, "Client", refuse)
    with (
        pytest.raises(UsageError, match=r"no Dask scheduler answers at tcp://nowhere:1 \(timed out\)"),
        crew_of(1, "tcp://nowhere:1"),
    ):
        pass


# ---- Chunks are there completely or not at all, named by what they hold. -------------------------------------------


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
