"""Ratings with their intervals, best on top, and the places that each system may have."""

from __future__ import annotations

from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tiebreak.messages.ranks import place_words
from tiebreak.report.figures.canvas import axes_for, criterion_of, name_ticks, plain_frame
from tiebreak.report.style import LIGHT, short_names
from tiebreak.results.ranks import RankResult

_ROW, _LOWEST_ROW, _TALL = 0.24, 0.12, 26.0  # inches
_ROOM = 40.0  # points


def leaderboard(result: RankResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """One row per system: the rating as a point, its interval as a bar; an arrow where it has no end, or a far one.
    A line parts groups that never met.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    found = criterion_of(result.results, criterion)
    ranked = found.davidson.systems
    height = max(_LOWEST_ROW, min(_ROW, _TALL / len(ranked)))
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
