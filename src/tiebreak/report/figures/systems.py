"""Win rates or mean ratings of all systems with their intervals and letters, a panel per criterion; and ratings on the
Elo scale with their intervals, best on top, and the places that each system may have.
"""

from __future__ import annotations

from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tiebreak.messages.ranks import place_words
from tiebreak.report.figures.canvas import axes_for, criterion_of, interval_row, name_ticks, plain_frame
from tiebreak.report.style import LIGHT, short_names, width
from tiebreak.report.system_figures import Column, system_figures
from tiebreak.results.estimates import EstimateResult
from tiebreak.results.ranks import RankResult
from tiebreak.results.records import CompareResult

_ROW, _LOWEST_ROW, _TALL = 0.24, 0.12, 26.0  # inches
_PANEL = 2.6
_ROOM = 40.0  # points


def systems(result: CompareResult | EstimateResult) -> Figure:
    """One row per system in the order of the first criterion, the best on top: the figure as a point, its interval as a
    bar; beside it the letters of the verdicts.
    """
    found = system_figures(result)
    names = found.systems
    labels = [*short_names(names).values()]
    height = _row_height(len(names))
    size = 8 * max(height / _ROW, 0.62)
    beside = max(width(label, size / 72) for label in labels)
    figure = Figure(figsize=(beside + _PANEL * len(found.columns), 0.9 + height * len(names)), layout="constrained")
    panels = figure.subplots(1, len(found.columns), sharey=True, squeeze=False)[0]
    for axes, (criterion, column) in zip(panels, found.columns.items(), strict=True):
        _panel(axes, column, names, height / _ROW, size)
        axes.set_title(criterion, fontsize=9, parse_math=False)
        axes.set_xlabel(found.measure, fontsize=8)
    name_ticks(panels[0], "y", labels)
    panels[0].tick_params(axis="y", labelsize=size)
    panels[0].set_ylim(len(names) - 0.5, -0.5)
    return figure


def _panel(axes: Axes, column: Column, names: list[str], scale: float, size: float) -> None:
    for row, of in [(row, column[name]) for row, name in enumerate(names) if name in column]:
        interval_row(axes, row, of.value, of.low, of.high, scale=scale)
        axes.annotate(
            of.letters,
            (1, row),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=size,
            color=LIGHT["muted"],
            annotation_clip=False,
        )
    plain_frame(axes, "bottom")
    axes.tick_params(axis="x", labelsize=8)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=LIGHT["line"], linewidth=0.6)
    axes.set_axisbelow(True)


def leaderboard(result: RankResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """One row per system: the rating as a point, its interval as a bar; an arrow where it has no end, or a far one.
    A line parts groups that never met.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    found = criterion_of(result.results, criterion)
    ranked = found.davidson.systems
    height = _row_height(len(ranked))
    figure, axes = axes_for(axes, 6.5, 0.8 + height * len(ranked))
    ratings = [one.strength.rating for one in ranked]
    span = max(max(ratings) - min(ratings), 2 * _ROOM)
    low, high = min(ratings) - span, max(ratings) + span  # what is farther away would hide the rest
    ends = [
        (
            low if one.strength.low is None else one.strength.low,
            high if one.strength.high is None else one.strength.high,
        )
        for one in ranked
    ]
    left = max(low, min(ratings + [start for start, _ in ends])) - _ROOM
    right = min(high, max(ratings + [end for _, end in ends])) + _ROOM
    size = height / _ROW
    for row, (start, end) in enumerate(ends):
        shown = left if start <= low else start, right if end >= high else end
        axes.hlines(row, *shown, color=LIGHT["first"], linewidth=2.4 * size, alpha=0.6)
        for beyond, at, marker in ((start <= low, left, "<"), (end >= high, right, ">")):
            if beyond:
                axes.plot([at], [row], marker, color=LIGHT["first"], markersize=5 * size, clip_on=False)
    for row, (above, below) in enumerate(pairwise(ranked)):
        if above.group != below.group:
            axes.axhline(row + 0.5, color=LIGHT["line"], linewidth=0.8, zorder=0)
    axes.plot(ratings, range(len(ranked)), "o", color=LIGHT["first"], markersize=4.5 * size)
    reference = found.davidson.references[0].rating
    axes.axvline(reference, color=LIGHT["muted"], linewidth=0.8, zorder=0)
    name_ticks(axes, "y", [*short_names(one.system for one in ranked).values()])
    beside = axes.secondary_yaxis("right")
    beside.set_yticks(range(len(ranked)), [place_words(one) for one in ranked])
    beside.tick_params(length=0, pad=8, labelsize=8 * max(size, 0.62), colors=LIGHT["muted"])
    plain_frame(axes, "bottom")
    for spine in beside.spines.values():
        spine.set_visible(False)
    axes.tick_params(axis="x", labelsize=8)
    axes.tick_params(axis="y", labelsize=8 * max(size, 0.62), pad=8)
    axes.set(xlim=(left, right), ylim=(len(ranked) - 0.5, -0.5))
    axes.set_xlabel("rating (400 points: odds of ten to one)", fontsize=8)
    return figure


def _row_height(rows: int) -> float:
    """Many systems get lower rows."""
    return max(_LOWEST_ROW, min(_ROW, _TALL / max(rows, 1)))
