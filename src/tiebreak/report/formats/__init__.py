"""Any result as a table in a file; the ending of its name chooses the format.

A new format is a function in `rendering.py` and its line in `FORMATS`; a new kind of result is a function in
`contents.py` and its line there. Nothing heavy is loaded until a table is made: the help of commands lists the endings.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from tiebreak.errors import UsageError
from tiebreak.files import check_place, write_bytes
from tiebreak.report.formats.rendering import FORMATS

if TYPE_CHECKING:
    from tiebreak.report.formats.contents import Result
    from tiebreak.results.estimates import EstimateResult
    from tiebreak.results.records import CompareResult

__all__ = ["ENDINGS", "PAGE_ENDINGS", "check_table", "table_text", "write_systems", "write_table"]

ENDINGS: Final = " or ".join((", ".join([*FORMATS][:-1]), [*FORMATS][-1]))
"""For sentences: ".csv, .tex, .md or .bib"."""
PAGE_ENDINGS: Final = f"{', '.join(FORMATS)} or .html"
"""Where a page may be written, too."""


def check_table(path: Path, endings: str = ENDINGS) -> None:
    """Fails before any work is done where writing would; `endings`: what the error offers.

    Raises:
        UsageError: another ending, a folder that does not exist, or a folder of that name.
    """
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"cannot write {path.name}: the name must end in {endings}")
    check_place(path)


def table_text(result: Result, ending: str) -> str:
    """The result as a table in the format of an ending, such as ".csv"."""
    from tiebreak.report.formats.contents import contents_of

    return FORMATS[ending](contents_of(result))


def write_table(result: Result, path: Path) -> None:
    """Write the result to `path`, all or nothing.

    Raises:
        UsageError: as `check_table`.
    """
    check_table(path)
    write_bytes(path, table_text(result, path.suffix.lower()).encode())


def write_systems(result: CompareResult | EstimateResult, path: Path) -> None:
    """Write a table with one row per system and one column per criterion, all or nothing.

    Raises:
        UsageError: as `check_table`.
    """
    from tiebreak.report.formats.contents import systems_contents

    check_table(path)
    write_bytes(path, FORMATS[path.suffix.lower()](systems_contents(result)).encode())
