"""Runs of the command in processes of their own, which are killed at a step of the way and leave no time for a word."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from multiprocessing import forkserver
from typing import Final

_PRELOADED: Final = [
    "tests.scoring.judges.killed", "tiebreak.cli.commands", "tiebreak.cli.score", "tiebreak.cli.show_scores",
    "tiebreak.comparison.compare", "tiebreak.scoring.score", "tiebreak.places.estimates",
    "openai.resources.chat.completions", "openai.resources.batches", "openai.resources.files",
    "anthropic.resources", "anyio._backends._asyncio", "anyio.streams.tls", "h11", "rich.progress", "filelock",
]  # fmt: skip
"""All that a run imports: hundreds of processes then need not."""
_LONGEST: Final = 60


def exit_code(
    words: Sequence[str],
    environment: Mapping[str, str],
    *,
    started: Callable[[int], None] = lambda _: None,
    dies_at_write: int | None = None,
    within: str = "",
) -> int:
    """How `tiebreak` with these words ended: its exit code, or minus the signal that killed it.

    `started`: gets the number of the process. `dies_at_write`: how many files may be put in their places or removed
    before the process kills itself; only those count that have `within` in their paths.
    """
    _preload()
    context = multiprocessing.get_context("forkserver")
    process = context.Process(target=_run, args=(list(words), dict(environment), dies_at_write, within))
    process.start()
    assert process.pid is not None
    started(process.pid)
    process.join(_LONGEST)
    assert process.exitcode is not None, "it hangs"
    return process.exitcode


@cache
def _preload() -> None:
    """Once: a server that other tests have started before knows nothing of these modules, and is to make way."""
    forkserver._forkserver._stop()
    multiprocessing.get_context("forkserver").set_forkserver_preload(_PRELOADED)


def _run(words: list[str], environment: dict[str, str], dies_at_write: int | None, within: str) -> None:
    from tiebreak.cli.main import run

    os.environ.update(environment)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (for as long as it lives)
    sys.argv = ["tiebreak", *words]
    if dies_at_write is not None:
        _die_at(dies_at_write, within)
    run()


def _die_at(step: int, within: str) -> None:
    """Kill this process at the file of this number, before it is replaced or removed."""
    seen = [0]

    def counted(act: Callable[..., None]) -> Callable[..., None]:
        def acting(*told: object, **more: object) -> None:
            if within in os.path.abspath(os.fspath(told[-1])):  # type: ignore[arg-type]
                if seen[0] == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                seen[0] += 1
            act(*told, **more)

        return acting

    os.replace, os.unlink = counted(os.replace), counted(os.unlink)  # type: ignore[assignment]
