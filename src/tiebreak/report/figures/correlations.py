"""How each metric goes with people's ratings, system by system: a heat map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from tiebreak.errors import UsageError
from tiebreak.report.figures.canvas import axes_for, name_ticks, plain_frame
from tiebreak.report.style import LIGHT
from tiebreak.results.estimates.quadrants import Floats, MetricPoints
from tiebreak.results.estimates.records import CriterionEstimates
from tiebreak.results.estimates.words import best_first
from tiebreak.results.names import printable

_MOST_NUMBERS = 400  # cells, beyond which numbers are too small to read
_DARK = 0.55


def correlations(found: CriterionEstimates, points: Sequence[MetricPoints], axes: Axes | None = None) -> Figure:
    """Rows are metrics, columns systems, the best first, and at last between the means of systems.

    Raises:
        UsageError: the study has no metric on this criterion.
    """
    if not points:
        raise UsageError(f"the study has no metric on {found.criterion} to draw")
    names = [one.system for one in best_first(found)]
    between, by_metric = dict(found.correlations), {of.metric: of for of in points}
    metrics = [name for name in found.metrics_by_use() if name in by_metric]
    cells = np.array([_row(by_metric[name], names, between[name].systems.estimate) for name in metrics])
    figure, axes = axes_for(axes, 1.8 + 0.5 * cells.shape[1], 1.3 + 0.32 * cells.shape[0])
    scale = LinearSegmentedColormap.from_list("agreement", [LIGHT["second"], LIGHT["page"], LIGHT["first"]])
    colours = scale.with_extremes(bad=LIGHT["open"])
    axes.imshow(np.ma.masked_invalid(cells), cmap=colours, vmin=-1, vmax=1, aspect="auto")
    axes.axvline(len(names) - 0.5, color=LIGHT["page"], linewidth=4)
    if cells.size <= _MOST_NUMBERS:
        for (row, column), value in np.ndenumerate(cells):
            colour = LIGHT["on-fill"] if abs(value) > _DARK else LIGHT["text"]
            words = "-" if np.isnan(value) else f"{value:.2f}"
            axes.text(column, row, words, ha="center", va="center", fontsize=7, color=colour)
    name_ticks(axes, "x", [*map(printable, names), "between systems"])
    name_ticks(axes, "y", [printable(name) for name in metrics])
    axes.tick_params(labelsize=8)
    axes.tick_params(axis="x", labelrotation=45)
    for label in axes.get_xticklabels():
        label.set_horizontalalignment("right")
        label.set_rotation_mode("anchor")
    axes.set_title(f"correlation with ratings on {printable(found.criterion)}", fontsize=8, parse_math=False)
    plain_frame(axes)
    return figure


def _row(of: MetricPoints, systems: Sequence[str], between: float | None) -> Floats:
    """Within each of the systems, and between their means."""
    within = dict(zip(of.systems, of.correlations(), strict=True))
    return np.array([*(within.get(name, np.nan) for name in systems), np.nan if between is None else between])
