"""Widths of intervals of a mean rating against the number of ratings, with and without a metric, and two what ifs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from tiebreak.errors import UsageError
from tiebreak.estimation.widths import SystemWidths
from tiebreak.report.figures.canvas import axes_for, plain_frame
from tiebreak.report.style import LIGHT

_LINES: Final = (
    ("mean", "ratings alone", "-", "text"),
    ("metric", "with {metric}", "-", "first"),
    ("noiseless", "with {metric}, if people had no noise", "--", "first"),
    ("perfect", "with the other people as metric", "-", "second"),
    ("perfect_in_paper", "with all people as metric (as in the paper)", ":", "second"),
)


def widths(found: Sequence[SystemWidths], axes: Axes | None = None) -> Figure:
    """One line per estimator: the mean over systems of the middle 80% of estimates, by the published bootstrap.

    What a study cannot tell has no line: without a metric, or where outputs have one rating.

    Raises:
        UsageError: no system has two rated outputs, or each has equal ratings alone.
    """
    if not found:
        raise UsageError("no system has two rated outputs to draw from")
    if not any(np.any(of.curves.mean) for of in found):
        raise UsageError("all ratings of a system are equal: there is no width to draw")
    figure, axes = axes_for(axes, 5.2, 3.6)
    sizes = min((of.curves.sizes for of in found), key=len)
    for name, words, style, colour in _LINES:
        lines = [getattr(of.curves, name) for of in found]
        if any(line is None for line in lines):
            continue
        mean = np.mean([line[: len(sizes)] for line in lines], axis=0)
        label = words.format(metric=found[0].metric)
        axes.plot(sizes, mean, style, color=LIGHT[colour], linewidth=1.6, label=label)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(labelsize=8)
    axes.set_xlabel("ratings of one system", fontsize=8)
    axes.set_ylabel("width of the middle 80% of estimates", fontsize=8)
    axes.grid(axis="y", color=LIGHT["line"], linewidth=0.5)
    plain_frame(axes, "left", "bottom")
    legend = axes.legend(frameon=False, fontsize=8, loc="upper right")
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure
