"""The chance of a verdict against the number of labels, for several differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

from tiebreak.report.figures.canvas import axes_for, plain_frame
from tiebreak.report.style import LIGHT

_STYLES = ("-", "--", ":", "-.")
_COLOURS = ("first", "second", "equal", "muted")


@dataclass(frozen=True, slots=True)
class PowerLine:
    """The chances (n,) of finding a difference within these numbers of labels (n,) on a pair."""

    difference: float
    labels: Sequence[float]
    chances: Sequence[float]


def power_curve(
    lines: Sequence[PowerLine], budget: float | None = None, chance: float = 0.8, axes: Axes | None = None
) -> Figure:
    """One curve per difference, the `chance` that counts as enough dashed, a budget in labels per pair upright."""
    figure, axes = axes_for(axes, 5.2, 3.2)
    for line, style, colour in zip(lines, _STYLES, _COLOURS, strict=False):
        axes.plot(
            line.labels,
            line.chances,
            style,
            color=LIGHT[colour],
            linewidth=1.6,
            label=f"difference {line.difference:g}",
        )
    axes.axhline(chance, color=LIGHT["text"], linewidth=0.8, linestyle=(0, (5, 3)))
    if budget is not None and budget > 0:
        axes.axvline(budget, color=LIGHT["text"], linewidth=0.8, label=f"budget {budget:,.0f}")
    axes.set_xscale("log")
    axes.set(ylim=(0, 1.02))
    counts = [count for line in lines for count in line.labels]
    if counts:
        axes.set_xlim(min(counts), max(counts))
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.tick_params(labelsize=8)
    axes.set_xlabel("labels on a pair", fontsize=8)
    axes.set_ylabel("chance of finding it", fontsize=8)
    axes.grid(axis="y", color=LIGHT["line"], linewidth=0.5)
    plain_frame(axes, "left", "bottom")
    if lines:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False, fontsize=8)
    return figure
