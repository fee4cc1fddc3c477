"""What metrics and judges said against what people said.

How each metric goes with people's ratings, system by system: a heat map.

What a metric saves, by how well it predicts people and how much people differ: contours, with a study's metrics.

Widths of intervals of a mean rating against the number of ratings, with and without a metric, and two what ifs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from tiebreak.errors import UsageError
from tiebreak.estimation.efficiency import SystemWidths
from tiebreak.kernels.data_efficiency import population_efficiency
from tiebreak.messages.estimates import WHY_NO_EFFICIENCY, WHY_NO_GAMMA, best_first
from tiebreak.messages.metric_use import OUTCOMES, pooled_metrics
from tiebreak.numbers import listed_names, printable
from tiebreak.report.figures.canvas import (
    axes_for,
    criterion_of,
    curve_axes,
    log_counts,
    name_ticks,
    plain_frame,
    plain_texts,
)
from tiebreak.report.style import LIGHT
from tiebreak.results.estimates import CriterionEstimates, EstimateResult, Floats, MetricPoints
from tiebreak.results.records import CompareResult


def metric(result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """The confusion of metrics and judges with people, over all pairs: rows what they said, columns what people said.
    Without a label on what they judged it says that they are unvalidated.

    Raises:
        UsageError: no metric or judge was used; several criteria and none named, or none of that name.
    """
    found = pooled_metrics(criterion_of(result.results, criterion).pairs)
    if not found:
        raise UsageError("no metric or judge was used in this comparison: name one with --metric or --judge")
    use = found[0]
    table = np.array(use.confusion)
    figure, axes = axes_for(axes, 3.8, 3.4)
    shades = LinearSegmentedColormap.from_list("tiebreak", [LIGHT["page"], LIGHT["first"]])
    axes.imshow(table, cmap=shades, vmin=0, vmax=max(1, int(table.max())))
    for row, column in np.ndindex(*table.shape):
        dark = table[row, column] > table.max() / 2
        colour = LIGHT["on-fill" if dark else "text"]
        axes.text(column, row, f"{table[row, column]:,}", ha="center", va="center", color=colour, fontsize=9)
    name_ticks(axes, "x", [*OUTCOMES])
    name_ticks(axes, "y", [*OUTCOMES])
    if not table.any():
        axes.set_title("unvalidated: no human labels on what was judged", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.set_xlabel("people say", fontsize=8)
    axes.set_ylabel(listed_names(use.names) + " say", fontsize=8, parse_math=False)
    return figure


_MOST_NUMBERS = 400  # cells, beyond which numbers are too small to read
_DARK = 0.55


def correlations(found: CriterionEstimates, points: Sequence[MetricPoints], axes: Axes | None = None) -> Figure:
    """Rows are metrics, columns systems, the best first, and at last between the means of systems.

    Raises:
        UsageError: the study has no metric on this criterion.
    """
    if not points:
        raise UsageError(f"the study has no metric on {found.criterion} to draw")
    names = [one.system for one in best_first(found)]
    between, by_metric = dict(found.correlations), {of.metric: of for of in points}
    metrics = [name for name in found.metrics_by_use() if name in by_metric]
    cells = np.array([_row(by_metric[name], names, between[name].systems.estimate) for name in metrics])
    figure, axes = axes_for(axes, 1.8 + 0.5 * cells.shape[1], 1.3 + 0.32 * cells.shape[0])
    scale = LinearSegmentedColormap.from_list("agreement", [LIGHT["second"], LIGHT["page"], LIGHT["first"]])
    colours = scale.with_extremes(bad=LIGHT["open"])
    axes.imshow(np.ma.masked_invalid(cells), cmap=colours, vmin=-1, vmax=1, aspect="auto")
    axes.axvline(len(names) - 0.5, color=LIGHT["page"], linewidth=4)
    if cells.size <= _MOST_NUMBERS:
        for (row, column), value in np.ndenumerate(cells):
            colour = LIGHT["on-fill"] if abs(value) > _DARK else LIGHT["text"]
            words = "-" if np.isnan(value) else f"{value:.2f}"
            axes.text(column, row, words, ha="center", va="center", fontsize=7, color=colour)
    name_ticks(axes, "x", [*map(printable, names), "between systems"])
    name_ticks(axes, "y", [printable(name) for name in metrics])
    axes.tick_params(labelsize=8)
    axes.tick_params(axis="x", labelrotation=45)
    for label in axes.get_xticklabels():
        label.set_horizontalalignment("right")
        label.set_rotation_mode("anchor")
    axes.set_title(f"correlation with ratings on {printable(found.criterion)}", fontsize=8, parse_math=False)
    plain_frame(axes)
    return figure


def _row(of: MetricPoints, systems: Sequence[str], between: float | None) -> Floats:
    """Within each of the systems, and between their means."""
    within = dict(zip(of.systems, of.correlations(), strict=True))
    return np.array([*(within.get(name, np.nan) for name in systems), np.nan if between is None else between])


_PUBLISHED: Final = {
    "Edit": 0.36, "Redundancy": 0.61, "AvgCorrect": 0.91, "AnyCorrect": 0.95, "Overall": 1.00, "Fluency": 1.23,
}  # fmt: skip
"""gamma by prompt: Chaganty, Mussmann & Liang (2018), table of variances."""
_FAR_RIGHT = 0.6
_LEVELS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def _why_none(result: EstimateResult) -> str:
    """Why no metric has a place in the picture, by the first criterion: gamma is not known, or no correlation is."""
    found = result.results[0]
    if found.variance.gamma.estimate is None and found.variance.reason is not None:
        return WHY_NO_GAMMA[found.variance.reason]
    reasons = [WHY_NO_EFFICIENCY[one.efficiency.reason] for one in found.efficiencies if one.efficiency.reason]
    return reasons[0] if reasons else f"no rated output on {found.criterion} has a score"


def efficiency(result: EstimateResult, axes: Axes | None = None) -> Figure:
    """Contours of the share of ratings saved; a point per criterion and metric; ticks on the right: published prompts.

    Raises:
        UsageError: no metric of the study has a known correlation with what people mean.
    """
    points = [
        (abs(one.efficiency.rho.estimate), found.variance.gamma.estimate, one.metric, found.criterion)
        for found in result.results
        for one in found.efficiencies
        if one.efficiency.rho.estimate is not None and found.variance.gamma.estimate is not None
    ]
    if not points:
        raise UsageError(f"there is no metric to draw: {_why_none(result)}")
    figure, axes = axes_for(axes, 5.6, 4.2)
    top = max(1.4, 1.1 * max(gamma for _, gamma, *_ in points))
    rho, gamma = np.meshgrid(np.linspace(0, 1, 201), np.linspace(0.01, top, 201))
    drawn = axes.contour(
        rho, gamma, 1 - 1 / population_efficiency(rho, gamma), levels=_LEVELS, colors=LIGHT["edge"], linewidths=0.8
    )
    axes.clabel(drawn, fmt=lambda share: f"{share:.0%}", fontsize=7)
    axes.plot([x for x, *_ in points], [y for _, y, *_ in points], "o", color=LIGHT["first"], markersize=4)
    several = len(result.results) > 1
    for x, y, metric, criterion in {point[3]: point for point in sorted(points)}.values():  # the best of each criterion
        axes.annotate(
            f"{metric} ({criterion})" if several else metric,
            (x, y),
            xytext=(-6 if x > _FAR_RIGHT else 6, 0),
            textcoords="offset points",
            ha="right" if x > _FAR_RIGHT else "left",
            va="center",
            fontsize=7,
            color=LIGHT["first"],
            parse_math=False,
            bbox={"facecolor": LIGHT["page"], "edgecolor": "none", "pad": 1},
        )
    beside = axes.secondary_yaxis("right")
    beside.set_yticks([*_PUBLISHED.values()], [*_PUBLISHED], fontsize=7)
    beside.set_ylabel("gamma of published prompts", fontsize=7, color=LIGHT["second"])
    beside.tick_params(colors=LIGHT["second"], length=3)
    axes.set(xlim=(0, 1), ylim=(0, top))
    axes.tick_params(labelsize=8)
    axes.set_xlabel("correlation of the metric with what people mean", fontsize=8)
    axes.set_ylabel("gamma: variance of people / of outputs", fontsize=8)
    return figure


_LINES: Final = (
    ("mean", "ratings alone", "-", "text"),
    ("metric", "with {metric}", "-", "first"),
    ("noiseless", "with {metric}, if people had no noise", "--", "first"),
    ("perfect", "with the other people as metric", "-", "second"),
    ("perfect_in_paper", "with all people as metric (as in the paper)", ":", "second"),
)


def widths(found: Sequence[SystemWidths], axes: Axes | None = None) -> Figure:
    """One line per estimator: the mean over systems of the middle 80% of estimates, by the published bootstrap.

    What a study cannot tell has no line: without a metric, or where outputs have one rating.

    Raises:
        UsageError: no system has two rated outputs, or each has equal ratings alone.
    """
    if not found:
        raise UsageError("no system has two rated outputs to draw from")
    if not any(np.any(of.curves.mean) for of in found):
        raise UsageError("all ratings of a system are equal: there is no width to draw")
    figure, axes = axes_for(axes, 5.2, 3.6)
    sizes = min((of.curves.sizes for of in found), key=len)
    for name, words, style, colour in _LINES:
        lines = [getattr(of.curves, name) for of in found]
        if any(line is None for line in lines):
            continue
        mean = np.mean([line[: len(sizes)] for line in lines], axis=0)
        label = words.format(metric=found[0].metric)
        axes.plot(sizes, mean, style, color=LIGHT[colour], linewidth=1.6, label=label)
    log_counts(axes)
    axes.set_ylim(bottom=0)
    curve_axes(axes, "ratings of one system", "width of the middle 80% of estimates")
    plain_texts(axes.legend(frameon=False, fontsize=8, loc="upper right"))
    return figure
