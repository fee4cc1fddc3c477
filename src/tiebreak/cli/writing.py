"""What a command hands over: its result on standard output, and files beside a study.

Files are refused before any work is done, and named once they are there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from tiebreak.cli.terminal import Terminal, console_for_results, write_json, write_remark
from tiebreak.files import check_place, refuse_inside
from tiebreak.report.formats import PAGE_ENDINGS, check_table


class Result(Protocol):
    """Anything that is a document, too."""

    def to_dict(self) -> dict[str, object]:
        """The document."""


R = TypeVar("R", bound=Result)


def print_result(result: R, show: Callable[[R, Terminal], None], *, as_json: bool) -> None:
    """Print a result for people, or as one JSON document."""
    if as_json:
        write_json(result.to_dict())
    else:
        show(result, console_for_results())


def check_files(study: Path | None, *files: tuple[Path | None, Callable[[Path], object]]) -> None:
    """Refuse files that cannot be written, each by its own check, or that lie in the study's folder."""
    for path, check in files:
        if path is not None:
            check(path)
            if study is not None:
                refuse_inside(study, path)


def write_files(*files: tuple[Path | None, Callable[[Path], object]]) -> None:
    """Write each file that is wanted, and say so."""
    for path, write in files:
        if path is not None:
            write(path)
            write_remark(f"Wrote {path}")


def is_page(path: Path | None) -> bool:
    """Whether this is the name of a page, not of a table."""
    return path is not None and path.suffix.lower() in (".html", ".htm")


def check_table_or_page(path: Path) -> None:
    """Refuse another ending, or a place where no file can be."""
    if is_page(path):
        check_place(path)
    else:
        check_table(path, PAGE_ENDINGS)


def check_picture(path: Path) -> None:
    """Refuse another ending, or a place where no file can be."""
    from tiebreak.report.figures.canvas import check_figure_path

    check_figure_path(path)
