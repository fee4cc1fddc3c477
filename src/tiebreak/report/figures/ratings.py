"""What people and a metric say: of every output, with the four quadrants, and of every system."""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from tiebreak.report.figures.canvas import plain_frame
from tiebreak.report.style import LIGHT
from tiebreak.results.estimates.quadrants import MetricPoints
from tiebreak.results.names import printable
from tiebreak.results.numbers import counted

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
