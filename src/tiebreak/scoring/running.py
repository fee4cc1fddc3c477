"""Runs a metric over many rows in chunks: here, in several processes, or on a Dask cluster, by the same code.

Chunks are some seconds of work, whatever the metric, the texts and the machine: how many rows that is, the chunks
before show. They come back in the order in which they end, and only a few are in memory at once.

Each is kept as soon as it is back, in files that survive whatever ends the run: a chunk is there completely or not at
all. A metric's chunks lie in a folder named by its signature, and a chunk is named by its content: nobody can take one
for another, what was damaged is left out, and two programs that write the same do no harm. A row is the key of what was
scored (`Instances.keys`) and the score, which is null where the metric had none.
"""

from __future__ import annotations

import io
import logging
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import polars as pl

from tiebreak.errors import ExtraMissingError, TiebreakError, UsageError
from tiebreak.files import write_bytes, writing
from tiebreak.processes import deaf_to_interrupts, serve, serve_alone
from tiebreak.scoring.metric import Batch, Floats, Instances, Metric

if TYPE_CHECKING:
    from distributed import Client

_SECONDS: Final = 3.0  # of work in a chunk
_FIRST: Final = 16  # rows, while nothing is known of their speed
_GROWTH: Final = 8
_MOST: Final = 50_000
_WORTH_PROCESSES: Final = 5.0  # seconds of work that is left: below them starting processes costs more
_ROUNDING: Final = 1e-6
_LARGEST: Final = 1e100  # as a score of a study may be

_LOCAL: Final = "local"


FOLDER: Final = ".scoring"
"""In the study folder; it may be deleted at any time, which costs the work that is in it."""

_SCHEMA: Final = {"key": pl.Binary, "value": pl.Float64}


class ScoringTask(NamedTuple):
    """A chunk of work for whoever does it; `left`: rows that come after it; `parent`: the process that wants it."""

    number: int
    metric: Metric
    batch: Batch
    left: int
    parent: int


class Done(NamedTuple):
    """A chunk that is done: its number, scores (n,), and the seconds that they took."""

    number: int
    values: Floats
    seconds: float


Crew = Callable[[Metric, Iterable[ScoringTask]], Iterator[Done]]
"""Whoever does tasks: they may come back in another order."""


def scored(metric: Metric, rows: pl.Series, instances: Instances, crew: Crew) -> Iterator[tuple[pl.Series, Floats]]:
    """Scores of these rows of the instances, chunk by chunk as they end, with the rows of each.

    Raises:
        TiebreakError: the metric failed, or who did the work is lost.
    """
    open_chunks: dict[int, pl.Series] = {}
    size = _FIRST

    def tasks() -> Iterator[ScoringTask]:
        start = 0
        for number in count():
            if start >= len(rows):
                return
            open_chunks[number] = rows.slice(start, size)
            start += len(open_chunks[number])
            batch = instances.batch(open_chunks[number], metric.needs)
            yield ScoringTask(number, metric, batch, len(rows) - start, os.getpid())

    try:
        for done in crew(metric, tasks()):
            fitting = int(done.values.size * _SECONDS / max(done.seconds, 1e-6))
            size = max(1, min(fitting, size * _GROWTH, _MOST))
            yield open_chunks.pop(done.number), done.values
    except TiebreakError:
        raise
    except Exception as error:  # of joblib and Dask: a process was killed, a scheduler is gone
        what = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(": ")
        raise TiebreakError(
            f"{metric.name}: who did the work was lost ({what}); was there too little memory? What was scored before "
            "is kept: the same command goes on from there"
        ) from error


def work(task: ScoringTask) -> Done:
    """Do one task, wherever this is.

    Raises:
        TiebreakError: the metric fails, or its scores cannot be.
    """
    serve(task.parent)
    start = time.perf_counter()
    try:
        values = np.asarray(task.metric.score(task.batch), dtype=np.float64)
    except TiebreakError as error:
        raise TiebreakError(str(error)) from None  # one that any process can read
    except Exception as error:
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise TiebreakError(f"the metric {task.metric.name} failed ({what}); what was scored before is kept") from error
    _check(task.metric, values, len(task.batch.outputs))
    return Done(task.number, values, time.perf_counter() - start)


def _check(metric: Metric, values: Floats, rows: int) -> None:
    if values.shape != (rows,):
        raise TiebreakError(f"the metric {metric.name} gave scores of shape {values.shape} for {rows} outputs")
    found = values[~np.isnan(values)]
    low, high = (float(np.clip(end, -_LARGEST, _LARGEST)) for end in metric.range)
    slack = _ROUNDING * max(1.0, min(abs(low), abs(high)))
    wrong = found[(found < low - slack) | (found > high + slack)]
    if wrong.size:
        raise TiebreakError(f"the metric {metric.name} gave {wrong[0]:g}, which is not from {low:g} to {high:g}")


@contextmanager
def crew_of(workers: int, dask: str | None) -> Iterator[Crew]:
    """Who does the tasks: this process and `workers` others, or the Dask cluster at an address ("local": one of
    `workers` processes, made for this).

    Raises:
        ExtraMissingError: Dask is not installed.
        UsageError: no scheduler answers at the address.
    """
    if dask is None:
        yield lambda metric, tasks: _here(metric, tasks, workers)
        return
    try:
        import distributed
    except ImportError:
        raise ExtraMissingError("--dask", "distributed", "dask") from None
    if dask == _LOCAL:
        with deaf_to_interrupts():
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
            )
        with cluster, distributed.Client(cluster) as client:
            yield lambda _, tasks: _on_dask(client, tasks)
        return
    try:
        client = distributed.Client(dask, timeout="20s")
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"no Dask scheduler answers at {dask} ({error})") from error
    with client:
        yield lambda _, tasks: _on_dask(client, tasks)


def _here(metric: Metric, tasks: Iterable[ScoringTask], workers: int) -> Iterator[Done]:
    """In this process where little work is left, or the metric wants no more; else in `workers` of them."""
    tasks = iter(tasks)
    yield from map(work, islice(tasks, 1))  # its packages are loaded meanwhile: its seconds tell little
    for task in tasks:
        done = work(task)
        yield done
        seconds_left = done.seconds * task.left / len(task.batch.outputs)
        if workers > 1 and not metric.one_process and seconds_left > _WORTH_PROCESSES:
            break
    left = list(islice(tasks, 2))
    if len(left) < 2:
        yield from map(work, left)
        return
    from joblib import Parallel, delayed

    parallel = Parallel(
        n_jobs=workers, return_as="generator_unordered", batch_size=1, initializer=serve_alone, initargs=(os.getpid(),)
    )
    with deaf_to_interrupts():
        found = parallel(delayed(work)(task) for task in chain(left, tasks))
    yield from found


def _on_dask(client: Client, tasks: Iterable[ScoringTask]) -> Iterator[Done]:
    """On a cluster, which does again what a worker that is gone was doing; twice as many at once as it has threads."""
    from distributed import as_completed

    tasks = iter(tasks)
    client.wait_for_workers(1, timeout=60)
    wide = 2 * max(sum(client.nthreads().values()), 1)
    running: Any = as_completed([client.submit(work, task, pure=False) for task in islice(tasks, wide)])
    for future in running:
        yield future.result()
        for task in islice(tasks, 1):
            running.add(client.submit(work, task, pure=False))


class ChunkStore:
    """The chunks of one metric in a folder: that of a study, or one for as long as the run lasts."""

    def __init__(self, folder: Path, signature: str) -> None:
        name = re.sub(r"[^\w.+-]", "_", signature.partition("|")[0])
        self.folder = folder / FOLDER / "metrics" / f"{name}-{sha256(signature.encode()).hexdigest()[:16]}"

    def known(self) -> pl.DataFrame:
        """All keys with a score, or with the knowledge that there is none (null)."""
        while True:
            try:
                frames = [frame for path in self._files() if (frame := _read(path)) is not None]
            except FileNotFoundError:
                continue  # another run has made one chunk of many: they are listed again
            return pl.concat(frames).unique("key") if frames else pl.DataFrame(schema=_SCHEMA)

    def add(self, keys: pl.Series, values: Floats) -> None:
        """A chunk; NaN: no score.

        Raises:
            TiebreakError: it cannot be written.
        """
        self._write(pl.DataFrame({"key": keys, "value": pl.Series(values).fill_nan(None)}, schema=_SCHEMA))

    def tidy(self) -> None:
        """Make one chunk of many, which are slower to read: first it is written, then they go."""
        files = list(self._files())
        if len(files) > 1:
            kept = self._write(self.known())
            for path in files:
                if path != kept:
                    path.unlink(missing_ok=True)

    def _write(self, frame: pl.DataFrame) -> Path:
        content = io.BytesIO()
        frame.write_parquet(content)
        path = self.folder / f"{sha256(content.getvalue()).hexdigest()[:32]}.parquet"
        with writing(path):
            self.folder.mkdir(parents=True, exist_ok=True)
        write_bytes(path, content.getvalue())
        return path

    def _files(self) -> Iterable[Path]:
        return sorted(self.folder.glob("*.parquet"))


def _read(path: Path) -> pl.DataFrame | None:
    """A chunk; None, and no file, where its content is not what its name says.

    Raises:
        FileNotFoundError: it is gone.
        TiebreakError: it cannot be read.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise TiebreakError(f"cannot read {path}: {error.strerror or error}") from error
    if sha256(content).hexdigest()[:32] != path.stem:
        path.unlink(missing_ok=True)
        return None
    return pl.read_parquet(io.BytesIO(content))
