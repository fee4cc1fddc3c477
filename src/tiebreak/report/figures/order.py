"""The partial order as a graph, best systems on the left.

Ratings with their intervals, best on top, and the places that each system may have.
"""

from __future__ import annotations

from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path as Curve

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.numbers import listed_names
from tiebreak.report.figures.canvas import axes_for, criterion_of, name_ticks, plain_frame
from tiebreak.report.layout import layout
from tiebreak.report.style import LIGHT, short_names, width
from tiebreak.results.ranking.records import CriterionRanks, RankResult
from tiebreak.results.ranking.words import place_words
from tiebreak.results.records import CompareResult
from tiebreak.results.words import systems_by_rank

_ROW, _BOX, _GAP, _FONT = 0.36, 0.26, 1.1, 8.0  # inches, inches, inches, points
_INCHES = 1 / 72


def order(result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """The order of the systems; an arrow for every decided pair that does not follow from others.

    Lines that meet lead from all systems that come in to all that they go on to. Systems without any decided pair
    are named below.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    found = criterion_of(result, criterion)
    places = layout(found.order, systems_by_rank(found))
    short = short_names((*places.place, *places.loose))
    widths = [
        max(width(short[n], _FONT * _INCHES) for n, (k, _) in places.place.items() if k == column) + 0.2
        for column in range(places.columns)
    ]
    lefts = [0.0]
    for box in widths:
        lefts.append(lefts[-1] + box + _GAP)
    total, height = max(lefts[-1] - _GAP, 2.0), places.rows * _ROW
    figure, axes = axes_for(axes, total + 0.2, height + (0.9 if places.loose else 0.55))

    def down(row: float) -> float:
        return row * _ROW

    for edge in found.order.equivalences:
        _same(axes, edge, places.place, lefts, widths)
    for route in places.routes.values():
        _arrow(axes, route, lefts, widths)
    for column, row in {point for route in places.routes.values() for point in route if point[0] % 1}:
        axes.plot([lefts[int(column) + 1] - _GAP / 2], [down(row)], "o", color=LIGHT["edge"], markersize=3)
    for name, (column, row) in places.place.items():
        shape = "round,pad=0,rounding_size=0.07"
        corner = (lefts[column], down(row) - _BOX / 2)
        axes.add_patch(
            FancyBboxPatch(corner, widths[column], _BOX, boxstyle=shape, fc=LIGHT["panel"], ec=LIGHT["muted"], lw=0.8)
        )
        x = lefts[column] + widths[column] / 2
        axes.text(x, down(row), short[name], ha="center", va="center", fontsize=_FONT, parse_math=False)
    for column in range(places.columns):
        x = lefts[column] + widths[column] / 2
        axes.text(x, -0.12, f"tier {column + 1}", ha="center", va="bottom", fontsize=7, color=LIGHT["muted"])
    if places.loose:
        words = f"without any decided pair: {listed_names(short[name] for name in places.loose)}"
        axes.text(0, height + 0.15, words, fontsize=7, va="top", color=LIGHT["muted"], parse_math=False, wrap=True)
    axes.set(xlim=(-0.1, total + 0.1), ylim=(height + (0.5 if places.loose else 0.1), -0.4), aspect="equal")
    axes.set_axis_off()
    return figure


def _arrow(axes: Axes, route: tuple[tuple[float, float], ...], lefts: list[float], widths: list[float]) -> None:
    """A smooth line through the route's points with a head at the loser; in one tier, an arc beside it."""
    (first, top), (last, bottom) = route[0], route[-1]
    x, y = lefts[int(first)] + widths[int(first)], top * _ROW
    points, codes = [(x, y)], [Curve.MOVETO]
    if first == last:
        end = bottom * _ROW
        points += [(x + 0.45, y), (x + 0.45, end), (x, end)]
        codes += [Curve.CURVE4] * 3
    for k, (column, row) in enumerate(route[1:] if first != last else (), 1):
        between = column != int(column)
        end = lefts[int(column) + 1] - _GAP / 2 if between else lefts[int(column)]
        to, middle = row * _ROW, (x + end) / 2
        points += [(middle, y), (middle, to), (end, to)]
        codes += [Curve.CURVE4] * 3
        if k < len(route) - 1 and not between:
            end += widths[int(column)]
            points.append((end, to))
            codes.append(Curve.LINETO)
        x, y = end, to
    colour = LIGHT["second" if first == last else "edge"]
    axes.add_patch(
        FancyArrowPatch(path=Curve(points, codes), arrowstyle="-|>", mutation_scale=7, color=colour, lw=0.8, zorder=0.9)
    )


def _same(
    axes: Axes,
    pair: tuple[str, str],
    place: dict[str, tuple[int, float]],
    lefts: list[float],
    widths: list[float],
) -> None:
    (ka, ra), (kb, rb) = sorted((place[pair[0]], place[pair[1]]))
    x, y, to = lefts[ka] + widths[ka], ra * _ROW, rb * _ROW
    end, bend = (x, x + 0.4) if ka == kb else (lefts[kb], (x + lefts[kb]) / 2)
    curve = Curve([(x, y), (bend, y), (bend, to), (end, to)], [Curve.MOVETO] + [Curve.CURVE4] * 3)
    axes.add_patch(FancyArrowPatch(path=curve, arrowstyle="-", color=LIGHT["equal"], lw=1.2, ls=":", zorder=0.8))


_ROW_LEADERBOARD, _LOWEST_ROW, _TALL = 0.24, 0.12, 26.0  # inches
_ROOM = 40.0  # points


def leaderboard(result: RankResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """One row per system: the rating as a point, its interval as a bar; an arrow where it has no end, or a far one.
    A line parts groups that never met.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    found = ranks_of(result, criterion)
    ranked = found.davidson.systems
    height = max(_LOWEST_ROW, min(_ROW_LEADERBOARD, _TALL / len(ranked)))
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
    size = height / _ROW_LEADERBOARD
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


def ranks_of(result: RankResult, criterion: str | None) -> CriterionRanks:
    """The leaderboard of the named criterion, or the only one.

    Raises:
        UsageError: no criterion of that name, or several and none named.
    """
    names = [found.criterion for found in result.results]
    if criterion is None and len(names) == 1:
        return result.results[0]
    if criterion is not None and criterion in names:
        return result.results[names.index(criterion)]
    known = [name for name in names if name is not None]
    if criterion is None:
        raise UsageError(f"a picture shows one criterion: name it with --criterion ({listed_names(known)})")
    raise UsageError(f"no criterion {criterion!r}{did_you_mean(criterion, known)}")
