"""How the share of decided campaigns grows with the labels: one line per pair."""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from tiebreak.report.figures.canvas import axes_for, plain_frame
from tiebreak.report.names import short_names
from tiebreak.report.style import LIGHT
from tiebreak.simulate.runs.table import RunTable

_MOST_PAIRS: Final = 8
_COLOURS: Final = ("first", "second", "equal", "muted")
_LINES: Final = ("-", "--")


def simulation(table: RunTable, axes: Axes | None = None) -> Figure:
    """The share of campaigns with a verdict on a pair, against the labels on that pair; the first eight pairs.

    A step function that ends at the share of campaigns that were decided at all.
    """
    figure, axes = axes_for(axes, 5.2, 3.2)
    runs = len(table)
    most = max(int(table.pair_labels.max()), 1)
    names = short_names(name for pair in table.pairs for name in pair)
    for k, (system_a, system_b) in enumerate(table.pairs[:_MOST_PAIRS]):
        spent = np.sort(table.decided_labels[table.verdict[:, k] != 0, k])
        x = np.concatenate([[0], spent, [most]])
        y = np.concatenate([[0], np.arange(1, spent.size + 1), [spent.size]]) / runs
        colour, style = LIGHT[_COLOURS[k % len(_COLOURS)]], _LINES[k // len(_COLOURS)]
        label = f"{names[system_a]}, {names[system_b]}"
        axes.step(x, y, style, where="post", color=colour, linewidth=1.6, label=label)
    axes.set(xlim=(0, most), ylim=(0, 1))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.tick_params(labelsize=8)
    axes.set_xlabel("labels on the pair", fontsize=8)
    axes.set_ylabel("campaigns with a verdict", fontsize=8)
    axes.grid(axis="y", color=LIGHT["line"], linewidth=0.5)
    plain_frame(axes, "left", "bottom")
    legend = axes.legend(loc="lower right", frameon=False, fontsize=8)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure
