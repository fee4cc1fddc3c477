"""One self-contained HTML file per result: no network, no libraries in the page, readable in print and in the dark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tiebreak.comparison.examples import examples_of
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.files import check_place, write_bytes
from tiebreak.messages.claims import difference_words, standing_of
from tiebreak.messages.metric_use import OUTCOMES
from tiebreak.messages.notices import notes_and_warnings
from tiebreak.numbers import MINUS, in_percent, printable, signed_plain
from tiebreak.report import appendix
from tiebreak.report.style import DARK, LIGHT, SYMBOL, svg_of, variables
from tiebreak.report.view import CriterionView, criterion_views
from tiebreak.results.records import CompareResult


def html(result: CompareResult, path: str | Path, study: Study | None = None) -> Path:
    """Write the report on a result to `path` (.html or .htm), all or nothing; returns the path.

    `study`: what was compared, so that the report shows items of decided pairs. The same result gives the same bytes.

    Raises:
        UsageError: another ending, a folder that does not exist, or a folder of that name.
    """
    target = Path(path)
    check_report_path(target)
    write_bytes(target, render(result, study).encode())
    return target


def check_report_path(path: Path) -> None:
    """Raise UsageError, before any work is done, where `html` could not write."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"cannot write the report to {path.name}: the name must end in .html")
    check_place(path)


def render(result: CompareResult, study: Study | None = None) -> str:
    """The report as text; see `html`."""
    views = criterion_views(result, {} if study is None else examples_of(study, result))
    notes, warnings = notes_and_warnings(result.warnings)
    parts = {
        "result": result,
        "notes": notes,
        "warnings": warnings,
        "standing": standing_of(result),
        "terms": result.terms,
        "difference": difference_words(result.terms).replace("-", MINUS),
        "views": views,
        "drawn": {view.key: _learning(result, view) for view in views},
        "symbols": SYMBOL,
        "command": appendix.command_line(result),
        "claims": appendix.claim_rows(result),
        "setting_rows": appendix.setting_rows(result),
        "data_rows": appendix.data_rows(result),
        "version_rows": appendix.version_rows(),
        "system_count": len({system.name for view in views for system in view.systems}),
    }
    return page("report.html.j2", parts)


def _learning(result: CompareResult, view: CriterionView) -> str:
    """How the evidence on the pairs of a criterion grew, as an SVG element; "" where nothing grows with labels."""
    if all(pair.curve is None for pair in view.found.pairs):
        return ""
    from tiebreak.report.figures import learning

    return svg_of(learning(result, view.found.criterion))


def page(template: str, parts: Mapping[str, object]) -> str:
    """A page of a template, with the style, script and colours that every page has. Every text is escaped, and shown
    without what could change how the page reads.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    loader = PackageLoader("tiebreak.report", "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        finalize=lambda value: printable(value) if type(value) is str else value,  # names, but no markup of ours
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = lambda value: f"{value:,}"
    environment.filters["percent"] = in_percent
    environment.filters["tick"] = signed_plain
    environment.filters["drawn"] = Markup  # only for SVG made by this package, which escapes what it is given
    environment.globals["outcomes"] = OUTCOMES
    style, script = (Markup(loader.get_source(environment, name)[0]) for name in ("report.css", "report.js"))
    palette, dark_palette = (Markup(variables(colours)) for colours in (LIGHT, DARK))
    return environment.get_template(template).render(
        **parts, style=style, script=script, palette=palette, dark_palette=dark_palette
    )
