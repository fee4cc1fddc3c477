"""Verdicts as a table in a file. A new format is a file here and its line in `FORMATS`; the ending of a name chooses.

Nothing heavy is loaded until a table is made: the help of `compare` lists the endings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

from tiebreak.errors import UsageError
from tiebreak.files import check_place, write_bytes
from tiebreak.report.formats import csv_table, latex, markdown

if TYPE_CHECKING:
    from tiebreak.results.records import CompareResult

__all__ = ["ENDINGS", "check_table", "renderer_of", "write_table"]

R = TypeVar("R")

FORMATS: Final = MappingProxyType({".csv": csv_table.render, ".tex": latex.render, ".md": markdown.render})

ENDINGS: Final = " or ".join((", ".join([*FORMATS][:-1]), [*FORMATS][-1]))
"""For sentences: ".csv, .tex or .md"."""


def renderer_of(path: Path, formats: Mapping[str, Callable[[R], str]], endings: str = ENDINGS) -> Callable[[R], str]:
    """What renders a file of this name; fails before any work is done where writing would.

    Raises:
        UsageError: another ending, a folder that does not exist, or a folder of that name.
    """
    render = formats.get(path.suffix.lower())
    if render is None:
        raise UsageError(f"cannot write {path.name}: the name must end in {endings}")
    check_place(path)
    return render


def check_table(path: Path) -> Callable[[CompareResult], str]:
    """`renderer_of` for verdicts."""
    return renderer_of(path, FORMATS)


def write_table(result: CompareResult, path: Path) -> None:
    """Write all verdicts to `path`, all or nothing.

    Raises:
        UsageError: as `check_table`.
    """
    write_bytes(path, check_table(path)(result).encode())
