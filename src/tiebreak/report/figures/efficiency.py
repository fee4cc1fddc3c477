"""What a metric saves, by how well it predicts people and how much people differ: contours, with a study's metrics."""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tiebreak.errors import UsageError
from tiebreak.kernels.data_efficiency import population_efficiency
from tiebreak.report.figures.canvas import axes_for
from tiebreak.report.style import LIGHT
from tiebreak.results.estimates.records import EstimateResult
from tiebreak.results.estimates.words import WHY_NO_EFFICIENCY, WHY_NO_GAMMA

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
