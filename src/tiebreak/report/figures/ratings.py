"""What people and a metric say: of every output, with the four quadrants, and of every system."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tiebreak.report.figures.canvas import plain_frame
from tiebreak.report.style import LIGHT
from tiebreak.results.estimates.quadrants import MetricPoints
from tiebreak.results.names import printable

_MOST_NAMES = 30
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
        if len(names) <= _MOST_NAMES:
            axes.annotate(
                printable(name), (x, y), xytext=(4, 2), textcoords="offset points", fontsize=7, parse_math=False,
                color=LIGHT["muted"],
            )  # fmt: skip
    axes.margins(0.15)
    axes.locator_params(axis="x", nbins=6)
    axes.set_title("means of systems", fontsize=8)
