"""What metrics and judges said against what people said."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from tiebreak.errors import UsageError
from tiebreak.report.figures.canvas import axes_for, criterion_of, name_ticks
from tiebreak.report.style import LIGHT
from tiebreak.results.records import CompareResult
from tiebreak.results.words.metric_use import OUTCOMES, pooled_metrics
from tiebreak.settings.name_lists import listed_names


def metric(result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """The confusion of metrics and judges with people, over all pairs: rows what they said, columns what people said.
    Without a label on what they judged it says that they are unvalidated.

    Raises:
        UsageError: no metric or judge was used; several criteria and none named, or none of that name.
    """
    found = pooled_metrics(criterion_of(result, criterion).pairs)
    if not found:
        raise UsageError("no metric or judge was used in this comparison: name one with --metric or --judge")
    use = found[0]
    table = np.array(use.confusion)
    figure, axes = axes_for(axes, 3.8, 3.4)
    shades = LinearSegmentedColormap.from_list("tiebreak", [LIGHT["page"], LIGHT["first"]])
    axes.imshow(table, cmap=shades, vmin=0, vmax=max(1, int(table.max())))
    for row, column in np.ndindex(*table.shape):
        dark = table[row, column] > table.max() / 2
        colour = LIGHT["on-fill" if dark else "text"]
        axes.text(column, row, f"{table[row, column]:,}", ha="center", va="center", color=colour, fontsize=9)
    name_ticks(axes, "x", [*OUTCOMES])
    name_ticks(axes, "y", [*OUTCOMES])
    if not table.any():
        axes.set_title("unvalidated: no human labels on what was judged", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.set_xlabel("people say", fontsize=8)
    axes.set_ylabel(listed_names(use.names) + " say", fontsize=8, parse_math=False)
    return figure
