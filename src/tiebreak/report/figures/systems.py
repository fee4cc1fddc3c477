"""Win rates or mean ratings of all systems with their intervals and letters, a panel per criterion."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tiebreak.report.figures.canvas import interval_row, name_ticks, plain_frame
from tiebreak.report.style import LIGHT, short_names, width
from tiebreak.report.system_figures import Column, system_figures
from tiebreak.results.estimates import EstimateResult
from tiebreak.results.records import CompareResult

_ROW, _LOWEST_ROW, _TALL = 0.24, 0.12, 26.0  # inches
_PANEL = 2.6


def systems(result: CompareResult | EstimateResult) -> Figure:
    """One row per system in the order of the first criterion, the best on top: the figure as a point, its interval as a
    bar; beside it the letters of the verdicts.
    """
    found = system_figures(result)
    names = found.systems
    labels = [*short_names(names).values()]
    height = max(_LOWEST_ROW, min(_ROW, _TALL / max(len(names), 1)))
    size = 8 * max(height / _ROW, 0.62)
    beside = max(width(label, size / 72) for label in labels)
    figure = Figure(figsize=(beside + _PANEL * len(found.columns), 0.9 + height * len(names)), layout="constrained")
    panels = figure.subplots(1, len(found.columns), sharey=True, squeeze=False)[0]
    for axes, (criterion, column) in zip(panels, found.columns.items(), strict=True):
        _panel(axes, column, names, height / _ROW, size)
        axes.set_title(criterion, fontsize=9, parse_math=False)
        axes.set_xlabel(found.measure, fontsize=8)
    name_ticks(panels[0], "y", labels)
    panels[0].tick_params(axis="y", labelsize=size)
    panels[0].set_ylim(len(names) - 0.5, -0.5)
    return figure


def _panel(axes: Axes, column: Column, names: list[str], scale: float, size: float) -> None:
    for row, of in [(row, column[name]) for row, name in enumerate(names) if name in column]:
        interval_row(axes, row, of.value, of.low, of.high, scale=scale)
        axes.annotate(
            of.letters,
            (1, row),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=size,
            color=LIGHT["muted"],
            annotation_clip=False,
        )
    plain_frame(axes, "bottom")
    axes.tick_params(axis="x", labelsize=8)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=LIGHT["line"], linewidth=0.6)
    axes.set_axisbelow(True)
