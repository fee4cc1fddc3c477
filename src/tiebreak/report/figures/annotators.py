"""How many labels each annotator gave."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from tiebreak.report.figures.canvas import axes_for, criterion_of, name_ticks, plain_frame
from tiebreak.report.names import short_names
from tiebreak.report.style import LIGHT
from tiebreak.results.records import CompareResult

_MOST = 60  # bars


def annotators(result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """A bar per annotator, the busiest on top; of more than 60 only those.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    people = criterion_of(result, criterion).people
    shown = people[:_MOST]
    figure, axes = axes_for(axes, 5.5, 0.8 + 0.22 * max(len(shown), 1))
    bars = axes.barh(range(len(shown)), [person.labels for person in shown], color=LIGHT["first"], height=0.7)
    axes.bar_label(bars, labels=[f"{person.labels:,}" for person in shown], padding=3, fontsize=7)
    name_ticks(axes, "y", [*short_names(person.annotator for person in shown).values()])
    axes.tick_params(axis="both", labelsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set(ylim=(len(shown) - 0.5, -0.5))
    axes.margins(x=0.1)
    more = f" (the busiest {len(shown)} of {len(people):,} annotators)" if len(people) > len(shown) else ""
    seen = "labels seen" if result.watch is not None else "labels"
    axes.set_xlabel(f"{seen}{more}", fontsize=8)
    plain_frame(axes, "bottom")
    return figure
