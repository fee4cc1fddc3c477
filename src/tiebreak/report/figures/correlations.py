"""How each metric goes with people's ratings, system by system: a heat map."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from tiebreak.errors import UsageError
from tiebreak.report.figures.canvas import axes_for, name_ticks, plain_frame
from tiebreak.report.style import LIGHT
from tiebreak.results.estimates.records import CriterionEstimates
from tiebreak.results.estimates.words import best_first
from tiebreak.results.names import printable

_MOST_NUMBERS = 400  # cells, beyond which numbers are too small to read
_DARK = 0.55


def correlations(found: CriterionEstimates, axes: Axes | None = None) -> Figure:
    """Rows are metrics, columns systems, the best first, and at last between the means of systems.

    Raises:
        UsageError: the study has no metric on this criterion.
    """
    if not found.correlations:
        raise UsageError(f"the study has no metric on {found.criterion} to draw")
    systems = best_first(found)
    metrics = sorted(found.correlations, key=lambda of: -(of[1].within.estimate or -2.0))
    cells = np.full((len(metrics), len(systems) + 1), np.nan)
    for row, (metric, of) in enumerate(metrics):
        for column, one in enumerate(systems):
            for each in one.efficiencies:
                if each.metric == metric and each.efficiency.rho_observed.estimate is not None:
                    cells[row, column] = each.efficiency.rho_observed.estimate
        if of.systems.estimate is not None:
            cells[row, -1] = of.systems.estimate
    figure, axes = axes_for(axes, 1.8 + 0.5 * cells.shape[1], 1.3 + 0.32 * cells.shape[0])
    colours = LinearSegmentedColormap.from_list("agreement", [LIGHT["second"], LIGHT["page"], LIGHT["first"]])
    colours.set_bad(LIGHT["open"])
    axes.imshow(np.ma.masked_invalid(cells), cmap=colours, vmin=-1, vmax=1, aspect="auto")
    axes.axvline(len(systems) - 0.5, color=LIGHT["page"], linewidth=4)
    if cells.size <= _MOST_NUMBERS:
        for (row, column), value in np.ndenumerate(cells):
            colour = LIGHT["on-fill"] if abs(value) > _DARK else LIGHT["text"]
            words = "-" if np.isnan(value) else f"{value:.2f}"
            axes.text(column, row, words, ha="center", va="center", fontsize=7, color=colour)
    name_ticks(axes, "x", [*(printable(one.system) for one in systems), "between systems"])
    name_ticks(axes, "y", [printable(metric) for metric, _ in metrics])
    axes.tick_params(labelsize=8)
    axes.tick_params(axis="x", labelrotation=45)
    for label in axes.get_xticklabels():
        label.set_horizontalalignment("right")
        label.set_rotation_mode("anchor")
    axes.set_title(f"correlation with ratings on {printable(found.criterion)}", fontsize=8, parse_math=False)
    plain_frame(axes)
    return figure
