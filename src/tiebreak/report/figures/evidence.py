"""The evidence of one pair against its items, with thresholds and the point where labelling could stop."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from tiebreak.report.evidence_svg import e_tick, evidence_range, words_go_left
from tiebreak.report.figures.canvas import axes_for, plain_frame
from tiebreak.report.names import short_names, width
from tiebreak.report.style import LIGHT
from tiebreak.results.curves import EvidenceCurve
from tiebreak.results.numbers import e_number

_DECADE = math.log(10)
_WIDTH = 5.2  # inches
_FAR = 1000.0  # decades outside the drawing, for infinite E


def evidence(curve: EvidenceCurve, axes: Axes | None = None) -> Figure:
    """log10 E against items labelled, for either system being better and (with a margin) for equivalence.

    The drawing ends a little beyond the thresholds: how far a decided pair goes on says little. A curve comes from
    the result: `result.results[0].pairs[0].curve`.
    """
    low, high = evidence_range(curve)
    names = short_names((curve.system_a, curve.system_b))
    lines = [
        (curve.log_e_a, f"{names[curve.system_a]} is better", "first", "-"),
        (curve.log_e_b, f"{names[curve.system_b]} is better", "second", "--"),
    ]
    if curve.log_e_equivalent is not None:
        lines.append((curve.log_e_equivalent, "equivalent", "equal", ":"))
    in_one_row = sum(width(label, 8 / 72) + 0.6 for _, label, _, _ in lines) < _WIDTH - 0.6
    figure, axes = axes_for(axes, _WIDTH, 3.1 if in_one_row else 3.0 + 0.17 * len(lines))
    for path, label, colour, style in lines:
        decades = np.clip(path / _DECADE, low - _FAR, high + _FAR)
        axes.plot(curve.items, decades, style, color=LIGHT[colour], linewidth=1.6, label=label)
    thresholds = [(curve.log_threshold, "better", "bottom"), (curve.log_threshold_equivalent, "equivalent", "top")]
    left = words_go_left(curve)
    for threshold, word, side in thresholds:
        if threshold is None or not math.isfinite(threshold):
            continue
        axes.axhline(threshold / _DECADE, color=LIGHT["text"], linewidth=0.9, linestyle=(0, (5, 3)))
        at = (0 if left else int(curve.items[-1]), threshold / _DECADE)
        words = f"{word} from E = {e_number(threshold)}"
        axes.annotate(
            words,
            at,
            ha="left" if left else "right",
            va=side,
            fontsize=7,
            xytext=(3 if left else 0, 2 if side == "bottom" else -2),
            textcoords="offset points",
        )
    if curve.stopped_at is not None:
        axes.axvline(curve.stopped_at, color=LIGHT["text"], linewidth=0.9)
    axes.set(xlim=(0, max(int(curve.items[-1]), 1)), ylim=(low, high))
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: e_tick(round(value))))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.tick_params(labelsize=8)
    axes.set_xlabel("items labelled", fontsize=8)
    axes.set_ylabel("evidence E", fontsize=8)
    axes.grid(axis="y", color=LIGHT["line"], linewidth=0.5)
    plain_frame(axes, "left", "bottom")
    legend = axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=len(lines) if in_one_row else 1, frameon=False, fontsize=8
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure
