"""The tasks that models can be trained for, by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.testbed.debian import fetch_descriptions, read_descriptions
from benchmarks.testbed.pairs import TextPair
from benchmarks.testbed.published import read_daily_dialog, read_writing_prompts

TASKS: dict[str, Callable[[Path], list[TextPair]]] = {
    "debian": read_descriptions,
    "writing-prompts": read_writing_prompts,
    "daily-dialog": read_daily_dialog,
}


def pairs_of(task: str, data: Path | None, cache: Path) -> list[TextPair]:
    """Of the files in `data`; those of Debian are fetched where no folder is named.

    Raises:
        SystemExit: the files are missing.
    """
    if data is None and task != "debian":
        raise SystemExit(f"name the folder with the files of {task}: --data FOLDER")
    return TASKS[task](fetch_descriptions(cache) if data is None else data)
