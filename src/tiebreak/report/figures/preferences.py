"""How often each system was preferred over the others."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tiebreak.report.figures.canvas import axes_for, criterion_of, name_ticks, plain_frame
from tiebreak.report.names import short_names
from tiebreak.report.style import LIGHT
from tiebreak.report.system_view import system_views
from tiebreak.results.records import CompareResult


def preferences(result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """A bar per system: share of its compared items on which it was preferred, tied, or the other was preferred.

    Shares depend on the opponents: compare them only where every pair was labelled alike.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    systems = system_views(criterion_of(result, criterion))
    figure, axes = axes_for(axes, 6.0, 0.9 + 0.24 * len(systems))
    start = [0.0] * len(systems)
    parts = [
        ("preferred", "first", [100 * system.share(system.wins) for system in systems]),
        ("tie", "tie", [100 * system.share(system.ties) for system in systems]),
        ("the other preferred", "second", [100 * system.share(system.losses) for system in systems]),
    ]
    for label, colour, shares in parts:
        axes.barh(range(len(systems)), shares, left=start, color=LIGHT[colour], label=label, height=0.7)
        start = [begin + share for begin, share in zip(start, shares, strict=True)]
    name_ticks(axes, "y", [*short_names(system.name for system in systems).values()])
    axes.tick_params(axis="both", labelsize=8)
    axes.set(xlim=(0, 100), ylim=(len(systems) - 0.5, -0.5))
    axes.set_xlabel("% of the compared items", fontsize=8)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize=8)
    plain_frame(axes, "bottom")
    return figure
