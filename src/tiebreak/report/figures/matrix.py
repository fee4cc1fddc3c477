"""Every verdict in one square: rows against columns."""

from __future__ import annotations

from typing import Final

from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from tiebreak.report.figures.canvas import axes_for, criterion_of, name_ticks, plain_frame
from tiebreak.report.names import short_names, width
from tiebreak.report.style import LIGHT, SYMBOL
from tiebreak.results.records import CompareResult
from tiebreak.results.words import systems_by_rank

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
    found = criterion_of(result, criterion)
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
    name_ticks(axes, "y", labels)
    name_ticks(axes, "x", labels)
    axes.tick_params(axis="x", labelrotation=90, labeltop=True, labelbottom=False, labelsize=8)
    axes.tick_params(axis="y", labelsize=8)
    plain_frame(axes)
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
