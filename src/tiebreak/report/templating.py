"""The templates of pages, with what all of them share: style, palettes, and how names and numbers are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.errors import UsageError
from tiebreak.report.style import DARK, LIGHT, variables
from tiebreak.results.names import printable
from tiebreak.results.numbers import in_percent, points, signed_plain

if TYPE_CHECKING:
    from jinja2 import Environment


def environment() -> Environment:
    """Templates of this package; what they are given is text, escaped, but for what the filter `drawn` marks."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=PackageLoader("tiebreak.report", "templates"),
        autoescape=True,
        finalize=lambda value: printable(value) if type(value) is str else value,  # names, but no markup of ours
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["count"] = lambda value: f"{value:,}"
    made.filters["percent"] = in_percent
    made.filters["points"] = points
    made.filters["tick"] = signed_plain
    made.filters["drawn"] = Markup  # only for SVG made by this package, which escapes what it is given
    palettes = {"palette": Markup(variables(LIGHT)), "dark_palette": Markup(variables(DARK))}
    made.globals.update(palettes, style=as_markup(made, "report.css"))
    return made


def as_markup(templates: Environment, name: str) -> str:
    """The text of a file beside the templates, as markup."""
    from markupsafe import Markup

    if templates.loader is None:
        raise UsageError("the report's templates are not installed")
    return Markup(templates.loader.get_source(templates, name)[0])
