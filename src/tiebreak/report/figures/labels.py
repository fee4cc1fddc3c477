"""How many labels each annotator gave, and how far they agree with the others.

How often each system was preferred over the others.

How often each system won against each other one, as a square of percentages.

What people and a metric say: of every output, with the four quadrants, and of every system.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter, MaxNLocator
from matplotlib.transforms import Bbox

from tiebreak.errors import UsageError
from tiebreak.numbers import counted, printable
from tiebreak.report.figures.canvas import axes_for, criterion_of, interval_row, named_rows, named_square, plain_frame
from tiebreak.report.style import LIGHT, short_names, width
from tiebreak.report.view import system_views
from tiebreak.results.annotators import AnnotatorsResult
from tiebreak.results.estimates import MetricPoints
from tiebreak.results.ranks import RankResult
from tiebreak.results.records import CompareResult

_MOST = 60  # bars


def annotators(result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """A bar per annotator, the busiest on top; of more than 60 only those.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    people = criterion_of(result.results, criterion).people
    shown = people[:_MOST]
    figure, axes = axes_for(axes, 5.5, 0.8 + 0.22 * max(len(shown), 1))
    bars = axes.barh(range(len(shown)), [person.labels for person in shown], color=LIGHT["first"], height=0.7)
    axes.bar_label(bars, labels=[f"{person.labels:,}" for person in shown], padding=3, fontsize=7)
    named_rows(axes, [*short_names(person.annotator for person in shown).values()])
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.margins(x=0.1)
    more = f" (the busiest {len(shown)} of {len(people):,} annotators)" if len(people) > len(shown) else ""
    seen = "labels seen" if result.watch is not None else "labels"
    axes.set_xlabel(f"{seen}{more}", fontsize=8)
    return figure


def agreement(result: AnnotatorsResult, axes: Axes | None = None) -> Figure:
    """A row per annotator and kind of label, those to look at first and in another colour: how often their answer is
    the others' most frequent one, with its interval, or how their ratings go with the others' (rank correlation).

    Raises:
        UsageError: no annotator has a question in common with others.
    """
    known = [of for of in result.people if of.agrees is not None or of.correlation is not None]
    if not known:
        raise UsageError("no two annotators answered the same question")
    shown = known[:_MOST]
    names = short_names(of.annotator for of in shown)
    figure, axes = axes_for(axes, 5.5, 0.8 + 0.22 * len(shown))
    for row, of in enumerate(shown):
        share = of.agrees
        value, low, high = (of.correlation, None, None) if share is None else (share.value, share.low, share.high)
        interval_row(axes, row, value, low, high, "second" if of.reasons else "first")
    named_rows(axes, [f"{names[of.annotator]} ({of.labels:,})" for of in shown])
    axes.grid(axis="x", color=LIGHT["line"], linewidth=0.6)
    axes.set_axisbelow(True)
    more = f"; {len(known) - len(shown):,} more agree better" if len(known) > len(shown) else ""
    axes.set_xlabel(f"agreement with the others (labels){more}", fontsize=8)
    return figure


def preferences(result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """A bar per system: share of its compared items on which it was preferred, tied, or the other was preferred.

    Shares depend on the opponents: compare them only where every pair was labelled alike.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    systems = system_views(criterion_of(result.results, criterion))
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
    named_rows(axes, [*short_names(system.name for system in systems).values()])
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the compared items", fontsize=8)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize=8)
    return figure


_CELL = 0.32  # inches
_WRITTEN = 40  # systems up to which percentages are written into the cells
_DARK = 0.4  # distance from a half from which text is white


def win_rates(result: RankResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """The matrix of win rates, best systems first: rows against columns, a tie counts half; grey: never compared.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    found = criterion_of(result.results, criterion)
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
    named_square(axes, labels)
    unmet = "; grey: never compared" if len(found.pairs) < len(names) * (len(names) - 1) / 2 else ""
    axes.set_xlabel(f"% of comparisons that the row won against the column, a tie counts half{unmet}", fontsize=8)
    return figure


_CORNERS: Final = ((4, 2), (-4, 2), (4, -2), (-4, -2), (0, 6), (0, -6))
"""Where a name may stand beside its point, in points of type."""
_JITTER = 0.25


def ratings(of: MetricPoints) -> Figure:
    """Two panels: outputs on the left, means of systems on the right."""
    figure = Figure(figsize=(7.6, 3.6), layout="constrained")
    outputs, systems = figure.subplots(1, 2)
    _outputs(of, outputs)
    _systems(of, systems)
    for axes in (outputs, systems):
        axes.tick_params(labelsize=8)
        axes.set_xlabel(printable(of.label), fontsize=8, parse_math=False)
        plain_frame(axes, "left", "bottom")
    outputs.set_ylabel(f"mean rating, {printable(of.criterion)}", fontsize=8, parse_math=False)
    _name(figure, systems)
    return figure


def _outputs(of: MetricPoints, axes: Axes) -> None:
    """Ratings lie on few values: they are moved a little, so that as many points are seen as there are, but not over
    the line of the median: the counts are those of what is seen.
    """
    gaps = np.diff(np.unique(np.round(of.human, 6)))
    spread = _JITTER * float(gaps.min()) if gaps.size else 0.0
    moved = of.human + spread * np.random.default_rng(0).uniform(-1, 1, of.human.size)
    moved = np.where((moved > of.human_middle) == (of.human > of.human_middle), moved, 2 * of.human - moved)
    size = float(np.clip(4000 / max(of.human.size, 1), 2, 16))
    axes.scatter(of.value, moved, s=size, color=LIGHT["first"], alpha=0.35, linewidths=0, rasterized=True)
    axes.axhline(of.human_middle, color=LIGHT["edge"], linewidth=0.8)
    axes.axvline(of.metric_middle, color=LIGHT["edge"], linewidth=0.8)
    for quadrant in of.quadrants:
        x, y = 0.98 if quadrant.metric_high else 0.02, 0.98 if quadrant.human_high else 0.02
        axes.text(
            x, y, f"{quadrant.count:,}", transform=axes.transAxes, fontsize=9, color=LIGHT["second"], weight="bold",
            ha="right" if quadrant.metric_high else "left", va="top" if quadrant.human_high else "bottom",
            bbox={"facecolor": LIGHT["page"], "edgecolor": "none", "alpha": 0.8, "pad": 1},
        )  # fmt: skip
    axes.set_title("outputs, and how many lie on each side of the medians", fontsize=8)


def _systems(of: MetricPoints, axes: Axes) -> None:
    counts = np.bincount(of.system, minlength=len(of.systems))
    known = counts > 0
    value, human = (
        np.bincount(of.system, part, minlength=len(of.systems))[known] / counts[known] for part in (of.value, of.human)
    )
    axes.plot(value, human, "o", color=LIGHT["first"], markersize=4)
    names = [name for name, any_ in zip(of.systems, known.tolist(), strict=True) if any_]
    for x, y, name in zip(value, human, names, strict=True):
        axes.annotate(
            printable(name), (x, y), xytext=_CORNERS[0], textcoords="offset points", fontsize=7, parse_math=False,
            color=LIGHT["muted"],
        )  # fmt: skip
    axes.margins(0.15)
    axes.locator_params(axis="x", nbins=6)
    axes.set_title("means of systems", fontsize=8)


def _name(figure: Figure, axes: Axes) -> None:
    """Move each name to the first corner of its point where it covers no other name and no point; where there is none,
    leave it out, and say so.
    """
    figure.draw_without_rendering()  # until then nobody knows where points lie
    names = [text for text in axes.texts if isinstance(text, Annotation)]
    points = axes.transData.transform([text.xy for text in names])
    taken: list[Bbox] = []
    left_out = 0
    for own, text in enumerate(names):
        others = np.delete(points, own, axis=0)
        for x, y in _CORNERS:
            text.set_position((x, y))
            text.set_horizontalalignment("left" if x > 0 else "right" if x < 0 else "center")
            text.set_verticalalignment("bottom" if y > 0 else "top")
            box = text.get_window_extent()
            if not box.count_overlaps(taken) and not box.padded(2).count_contains(others):
                taken.append(box)
                break
        else:
            text.remove()
            left_out += 1
    if left_out:
        axes.set_title(f"means of systems ({counted(left_out, 'name')} left out: no room)", fontsize=8)
