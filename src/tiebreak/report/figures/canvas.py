"""What all figures share: their axes, the criterion they show, how they are saved."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, Protocol, TypeVar

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.files import check_place, write_bytes
from tiebreak.numbers import listed_names
from tiebreak.report.style import LIGHT
from tiebreak.results.records import CompareResult

FORMATS: Final = (".svg", ".png", ".pdf")
_RESOLUTION = 200  # dots per inch of PNG
_WIDE_FONTS: Final = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans CJK KR",
    "Hiragino Sans",
    "PingFang SC",
    "Microsoft YaHei",
    "Arial Unicode MS",
    "Unifont",
)


def axes_for(axes: Axes | None, width: float, height: float) -> tuple[Figure, Axes]:
    """The given axes and their figure, or new ones of this size in inches. Never touches pyplot's global state."""
    if axes is None:
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.add_subplot()
    found = axes.get_figure(root=True)
    if found is None:
        raise UsageError("these axes belong to no figure any more")
    return found, axes


def plain_texts(legend: Legend) -> None:
    """Names of systems are no formulas."""
    for text in legend.get_texts():
        text.set_parse_math(False)


class Drawing(Protocol):
    """Draws what a comparison found on one criterion."""

    def __call__(self, result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure: ...


def by_criterion(draw: Drawing, result: CompareResult) -> Figure:
    """The drawing of the only criterion, or those of all of them below one another: one family, as in the table."""
    names = [found.criterion for found in result.results]
    if len(names) == 1:
        return draw(result)
    sizes = [draw(result, criterion).get_size_inches() for criterion in names]
    heights = [float(size[1]) for size in sizes]
    figure = Figure(figsize=(max(float(size[0]) for size in sizes), sum(heights)), layout="constrained")
    panels = figure.subplots(len(names), 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, criterion in zip(panels, names, strict=True):
        draw(result, criterion, axes=axes)
        axes.set_title(criterion or "", fontsize=9, parse_math=False)
    return figure


class OfCriterion(Protocol):
    """What a result says on one criterion."""

    @property
    def criterion(self) -> str | None: ...


C = TypeVar("C", bound=OfCriterion)


def criterion_of(results: Sequence[C], criterion: str | None) -> C:
    """That of the named criterion, or the only one.

    Raises:
        UsageError: no criterion of that name, or several and none named.
    """
    names = [found.criterion for found in results]
    if criterion is None and len(names) == 1:
        return results[0]
    if criterion in names:
        return results[names.index(criterion)]
    known = [name for name in names if name is not None]
    if criterion is None:
        raise UsageError(f"a picture shows one criterion: name it with --criterion ({listed_names(known)})")
    raise UsageError(f"no criterion {criterion!r}{did_you_mean(criterion, known)}")


def plain_frame(axes: Axes, *sides: str) -> None:
    """Hide all but the named sides of the frame."""
    for side, spine in axes.spines.items():
        spine.set_visible(side in sides)


def name_ticks(axes: Axes, which: Literal["x", "y"], labels: list[str]) -> None:
    """Names at 0, 1, 2, ... on the x or y axis; a dollar sign in a name is a dollar sign, not mathematics."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks(range(len(labels)), labels, parse_math=False)
    axes.tick_params(axis=which, length=0)


def named_rows(axes: Axes, labels: list[str]) -> None:
    """A row for each label, the first on top."""
    name_ticks(axes, "y", labels)
    axes.tick_params(labelsize=8)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    plain_frame(axes, "bottom")


def named_square(axes: Axes, labels: list[str]) -> None:
    """The same names for rows and columns, those of the columns upright on top."""
    name_ticks(axes, "y", labels)
    name_ticks(axes, "x", labels)
    axes.tick_params(axis="x", labelrotation=90, labeltop=True, labelbottom=False, labelsize=8)
    axes.tick_params(axis="y", labelsize=8)
    plain_frame(axes)


def interval_row(
    axes: Axes,
    row: int,
    value: float | None,
    low: float | None,
    high: float | None,
    colour: str = "first",
    scale: float = 1.0,
) -> None:
    """In a row the interval as a bar, the value as a point on it, as far as they are known; `scale`: of a full row."""
    if low is not None and high is not None:
        axes.hlines(row, low, high, color=LIGHT[colour], linewidth=2.4 * scale, alpha=0.6)
    if value is not None:
        axes.plot([value], [row], "o", color=LIGHT[colour], markersize=4.5 * scale)


def curve_axes(axes: Axes, across: str, up: str) -> None:
    """What both axes of curves are, with lines to read heights by."""
    axes.tick_params(labelsize=8)
    axes.set_xlabel(across, fontsize=8)
    axes.set_ylabel(up, fontsize=8)
    axes.grid(axis="y", color=LIGHT["line"], linewidth=0.5)
    plain_frame(axes, "left", "bottom")


def log_counts(axes: Axes) -> None:
    """Counts across, on a logarithmic scale."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _fonts() -> list[str]:
    """DejaVu Sans, and for the writing systems that it lacks whatever of these is installed."""
    installed = set(font_manager.get_font_names())
    return ["DejaVu Sans", *(name for name in _WIDE_FONTS if name in installed)]


def check_figure_path(path: Path) -> None:
    """Raise UsageError, before any work is done, where `save` could not write."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"cannot write the picture to {path.name}: the name must end in {', '.join(FORMATS)}")
    check_place(path)


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """The figure as a file of this kind (svg, png or pdf); the same figure gives the same bytes."""
    changing = {"png": "Software", "svg": "Date", "pdf": "CreationDate"}[kind]
    stream = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "tiebreak", "font.sans-serif": _fonts()}):
        figure.savefig(
            stream, format=kind, dpi=_RESOLUTION, metadata={changing: None}, bbox_inches="tight", pad_inches=0.08
        )
    return stream.getvalue()


def save(figure: Figure, path: str | Path) -> Path:
    """Write the figure as .svg, .png or .pdf, all or nothing.

    Raises:
        UsageError: another ending, a folder that does not exist, or a folder of that name.
    """
    target = Path(path)
    check_figure_path(target)
    write_bytes(target, figure_bytes(figure, target.suffix.lower().removeprefix(".")))
    return target
