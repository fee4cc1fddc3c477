"""One self-contained HTML file per result: no network, no libraries in the page, readable in print and in the dark."""

from __future__ import annotations

from pathlib import Path

from tiebreak.errors import UsageError
from tiebreak.files import check_place, write_bytes
from tiebreak.report import appendix
from tiebreak.report.style import SYMBOL
from tiebreak.report.templating import as_markup, environment
from tiebreak.report.view import criterion_views
from tiebreak.results.numbers import MINUS
from tiebreak.results.records import CompareResult
from tiebreak.results.words import DIFFERENCE, OUTCOMES, notes_and_warnings
from tiebreak.results.words.standing import standing_of


def html(result: CompareResult, path: str | Path) -> Path:
    """Write the report on a result to `path` (.html or .htm), all or nothing; returns the path.

    The same result gives the same bytes.

    Raises:
        UsageError: another ending, a folder that does not exist, or a folder of that name.
    """
    target = Path(path)
    check_report_path(target)
    write_bytes(target, render(result).encode())
    return target


def check_report_path(path: Path) -> None:
    """Raise UsageError, before any work is done, where `html` could not write."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"cannot write the report to {path.name}: the name must end in .html")
    check_place(path)


def render(result: CompareResult) -> str:
    """The report as text; see `html`."""
    templates = environment()
    templates.globals.update(outcomes=OUTCOMES, difference=DIFFERENCE.replace("-", MINUS))  # for macros
    views = criterion_views(result)
    notes, warnings = notes_and_warnings(result.warnings)
    return templates.get_template("report.html.j2").render(
        result=result,
        notes=notes,
        warnings=warnings,
        standing=standing_of(result),
        terms=result.terms,
        views=views,
        symbols=SYMBOL,
        script=as_markup(templates, "report.js"),
        command=appendix.command_line(result),
        claims=appendix.claim_rows(result),
        setting_rows=appendix.setting_rows(result),
        data_rows=appendix.data_rows(result),
        version_rows=appendix.version_rows(),
        system_count=len({system.name for view in views for system in view.systems}),
    )
