"""How often each system won against each other one, as a square of percentages."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from tiebreak.report.figures.canvas import axes_for, name_ticks, plain_frame
from tiebreak.report.figures.leaderboard import ranks_of
from tiebreak.report.names import short_names, width
from tiebreak.report.style import LIGHT
from tiebreak.results.ranking.records import RankResult

_CELL = 0.32  # inches
_WRITTEN = 40  # systems up to which percentages are written into the cells
_DARK = 0.4  # distance from a half from which text is white


def win_rates(result: RankResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """The matrix of win rates, best systems first: rows against columns, a tie counts half; grey: never compared.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    found = ranks_of(result, criterion)
    names = [one.system for one in found.davidson.systems]
    place = {name: k for k, name in enumerate(names)}
    rates = np.full((len(names), len(names)), np.nan)
    for pair in found.pairs:
        a, b = place[pair.system_a], place[pair.system_b]
        rates[a, b], rates[b, a] = pair.win_rate, 1 - pair.win_rate
    labels = [*short_names(names).values()]
    size = max(_CELL * len(names), 1.8) + max(width(label, 8 / 72) for label in labels) + 0.3
    figure, axes = axes_for(axes, size, size)
    colours = LinearSegmentedColormap.from_list("rates", [LIGHT["second"], LIGHT["page"], LIGHT["first"]])
    axes.imshow(rates, cmap=colours.with_extremes(bad=LIGHT["open"]), vmin=0, vmax=1)
    if len(names) <= _WRITTEN:
        for (row, column), rate in np.ndenumerate(rates):
            if not np.isnan(rate):
                colour = LIGHT["on-fill" if abs(rate - 0.5) > _DARK else "text"]
                axes.text(column, row, f"{round(100 * rate)}", ha="center", va="center", fontsize=7, color=colour)
    name_ticks(axes, "y", labels)
    name_ticks(axes, "x", labels)
    axes.tick_params(axis="x", labelrotation=90, labeltop=True, labelbottom=False, labelsize=8)
    axes.tick_params(axis="y", labelsize=8)
    unmet = "; grey: never compared" if len(found.pairs) < len(names) * (len(names) - 1) / 2 else ""
    axes.set_xlabel(f"% of comparisons that the row won against the column, a tie counts half{unmet}", fontsize=8)
    plain_frame(axes)
    return figure
