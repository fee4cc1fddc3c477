"""Many repetitions in seeded chunks: the same results with any number of workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

import numpy as np

from tiebreak.errors import UsageError
from tiebreak.processes import deaf_to_interrupts, serve_alone

Part = TypeVar("Part")


def in_chunks(
    task: Callable[[int, np.random.Generator], Part],
    runs: int,
    seed: int,
    *,
    chunk: int,
    workers: int = 1,
    prefer: Literal["threads", "processes"] = "threads",
    on_done: Callable[[int], None] | None = None,
) -> list[Part]:
    """`task(size, rng)` for chunks of at most `chunk` runs, `runs` together; their results in order.

    Every chunk has its own stream, derived from the seed and its number, so that what is drawn depends on seed, runs
    and chunk but not on who computes it. More than one worker runs through joblib, by default in threads (numpy leaves
    the interpreter lock), for tasks in Python code better in processes; `joblib.parallel_config` chooses another
    backend, such as a Dask cluster. `on_done(size)` is called after each chunk, in their order. Processes end within
    seconds of this one, however it ends.

    Raises `UsageError` for fewer than one run, chunk or worker.
    """
    for name, value in (("runs", runs), ("chunk", chunk), ("workers", workers)):
        if value < 1:
            raise UsageError(f"{name} must be at least 1, but it is {value}")
    sizes = [min(chunk, runs - start) for start in range(0, runs, chunk)]
    streams = np.random.SeedSequence(seed).spawn(len(sizes))
    work = [(size, np.random.default_rng(stream)) for size, stream in zip(sizes, streams, strict=True)]
    found = []
    for size, part in zip(sizes, _parts(task, work, workers, prefer), strict=True):
        found.append(part)
        if on_done is not None:
            on_done(size)
    return found


def _parts(
    task: Callable[[int, np.random.Generator], Part],
    work: Sequence[tuple[int, np.random.Generator]],
    workers: int,
    prefer: str,
) -> Iterator[Part]:
    if workers == 1 or len(work) == 1:
        return (task(size, rng) for size, rng in work)
    from joblib import Parallel, delayed

    parallel = Parallel(
        n_jobs=min(workers, len(work)),
        prefer=prefer,
        return_as="generator",
        initializer=serve_alone,
        initargs=(os.getpid(),),
    )
    with deaf_to_interrupts():
        return iter(parallel(delayed(task)(size, rng) for size, rng in work))
