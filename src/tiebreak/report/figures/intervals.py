"""The difference of every pair with its interval, the margin shaded.

Every verdict in one square: rows against columns.
"""

from __future__ import annotations

from typing import Final

from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from tiebreak.messages.claims import difference_words
from tiebreak.messages.headline import systems_by_rank
from tiebreak.numbers import MINUS
from tiebreak.report.figures.canvas import axes_for, criterion_of, name_ticks, named_square, plain_frame
from tiebreak.report.style import LIGHT, SYMBOL, short_names, width
from tiebreak.report.view import KINDS, axis_limit
from tiebreak.results.records import CompareResult

_ROW, _LOWEST_ROW, _TALL = 0.22, 0.1, 30.0  # inches
_MANY = 30  # pairs


def intervals(result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """One row per pair: the estimate as a point, the interval as a bar, in the colour of the verdict.

    Decided pairs come first, the largest difference on top; then equivalent ones; then undecided ones.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    found = criterion_of(result.results, criterion)
    place = {"a": 0, "equivalent": 1, "undecided": 2}
    pairs = sorted(
        (pair.winner_first() for pair in found.pairs),
        key=lambda p: (place[p.verdict], -(p.difference.estimate or 0.0), p.system_a, p.system_b),
    )
    # Many pairs get lower rows and smaller names, down to 5 points.
    row_height = max(_LOWEST_ROW, min(_ROW, _TALL / max(len(pairs), 1)))
    figure, axes = axes_for(axes, 6.5, 0.9 + row_height * len(pairs))
    margin = result.terms.margin
    if margin is not None:
        axes.axvspan(-margin, margin, color=LIGHT["open"], alpha=0.6, linewidth=0, zorder=0)
    axes.axvline(0, color=LIGHT["muted"], linewidth=0.8, zorder=1)
    for verdict, kind in KINDS.items():
        rows = [row for row, pair in enumerate(pairs) if pair.verdict == verdict]
        gaps = [pairs[row].difference for row in rows]
        colour = LIGHT["muted" if kind == "open" else kind]
        size = row_height / _ROW
        lows, highs = [gap.low for gap in gaps], [gap.high for gap in gaps]
        axes.hlines(rows, lows, highs, color=colour, linewidth=2.4 * size, alpha=0.6)
        known = [(gap.estimate, row) for gap, row in zip(gaps, rows, strict=True) if gap.estimate is not None]
        axes.plot(
            [estimate for estimate, _ in known], [row for _, row in known], "o", color=colour, markersize=4.5 * size
        )
    names = short_names((name for pair in pairs for name in (pair.system_a, pair.system_b)), 24)
    name_ticks(axes, "y", [f"{names[pair.system_a]} or {names[pair.system_b]}" for pair in pairs])
    axes.tick_params(axis="x", labelsize=8)
    axes.tick_params(axis="y", labelsize=8 * max(row_height / _ROW, 0.62))
    limit = axis_limit(found.pairs, margin)
    axes.set(xlim=(-limit * 1.02, limit * 1.02), ylim=(len(pairs) - 0.4, -0.6))
    if len(pairs) > _MANY:  # nobody can carry a scale over so many rows
        axes.tick_params(axis="x", top=True, labeltop=True)
    axes.set_xlabel(f"{difference_words(result.terms).replace('-', MINUS)} of the pair “A or B”", fontsize=8)
    plain_frame(axes, "bottom")
    return figure


_WORDS: Final = {
    "first": "the row is better",
    "second": "the column is better",
    "equal": "equivalent",
    "open": "undecided",
}
_MARKERS: Final = {"first": "+", "second": "_", "equal": "$=$", "open": "$?$"}
_SIGN_SIZE = 26.0  # square points
_KINDS: Final = {"a": ("first", "second"), "b": ("second", "first")}


def matrix(result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """The verdict matrix, best systems first. Each cell has a colour and a sign, seen from its row.

    Raises:
        UsageError: several criteria and none named, or none of that name.
    """
    found = criterion_of(result.results, criterion)
    names = systems_by_rank(found)
    place = {name: k for k, name in enumerate(names)}
    labels = [*short_names(names).values()]
    square = max(0.26 * len(names), 1.8)  # wide enough for the legend below it
    size = square + max(width(label, 8 / 72) for label in labels) + 0.3
    figure, axes = axes_for(axes, size, size + 0.8)
    cells: dict[str, list[tuple[int, int]]] = {kind: [] for kind in _WORDS}
    for pair in found.pairs:
        kinds = _KINDS.get(pair.verdict, ("equal", "equal") if pair.verdict == "equivalent" else ("open", "open"))
        a, b = place[pair.system_a], place[pair.system_b]
        cells[kinds[0]].append((b, a))
        cells[kinds[1]].append((a, b))
    for kind, places in cells.items():
        squares = [Rectangle((x - 0.46, y - 0.46), 0.92, 0.92) for x, y in places]
        axes.add_collection(PatchCollection(squares, facecolor=LIGHT[kind], linewidth=0))
        if places:
            colour = LIGHT["on-open" if kind == "open" else "on-fill"]
            columns, rows = zip(*places, strict=True)
            axes.scatter(columns, rows, s=_SIGN_SIZE, c=colour, marker=_MARKERS[kind], linewidths=1.0)
    axes.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5), aspect="equal")
    named_square(axes, labels)
    handles = [
        Patch(color=LIGHT[kind], label=f"{SYMBOL[kind]}  {words}") for kind, words in _WORDS.items() if cells[kind]
    ]
    axes.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0, -0.02),
        ncols=1 if len(names) < 14 else 2,
        frameon=False,
        fontsize=8,
    )
    return figure
