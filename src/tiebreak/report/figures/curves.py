"""Curves: the chance of a verdict against the number of labels, for several differences.

How near each pair of a campaign came to its verdict, item by item.

How the share of decided campaigns grows with the labels: one line per pair.

The evidence of one pair against its items, with thresholds and the point where labelling could stop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.numbers import e_number
from tiebreak.report.figures.canvas import axes_for, criterion_of, curve_axes, log_counts, plain_texts
from tiebreak.report.style import LIGHT, short_names, width
from tiebreak.results.order import EvidenceCurve
from tiebreak.results.records import CompareResult
from tiebreak.simulate.runs.table import RunTable

_STYLES = ("-", "--", ":", "-.")
_COLOURS = ("first", "second", "equal", "muted")


@dataclass(frozen=True, slots=True)
class PowerLine:
    """The chances (n,) of finding a difference within these numbers of labels (n,) on a pair."""

    difference: float
    labels: Sequence[float]
    chances: Sequence[float]


def power_curve(
    lines: Sequence[PowerLine], budget: float | None = None, chance: float = 0.8, axes: Axes | None = None
) -> Figure:
    """One curve per difference, the `chance` that counts as enough dashed, a budget in labels per pair upright."""
    figure, axes = axes_for(axes, 5.2, 3.2)
    for line, style, colour in zip(lines, _STYLES, _COLOURS, strict=False):
        axes.plot(
            line.labels,
            line.chances,
            style,
            color=LIGHT[colour],
            linewidth=1.6,
            label=f"difference {line.difference:g}",
        )
    axes.axhline(chance, color=LIGHT["text"], linewidth=0.8, linestyle=(0, (5, 3)))
    if budget is not None and budget > 0:
        axes.axvline(budget, color=LIGHT["text"], linewidth=0.8, label=f"budget {budget:,.0f}")
    log_counts(axes)
    axes.set(ylim=(0, 1.02))
    counts = [count for line in lines for count in line.labels]
    if counts:
        axes.set_xlim(min(counts), max(counts))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    curve_axes(axes, "labels on a pair", "chance of finding it")
    if lines:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False, fontsize=8)
    return figure


_MOST_PAIRS: Final = 8
_LINES: Final = ("-", "--")


def simulation(table: RunTable, axes: Axes | None = None) -> Figure:
    """The share of campaigns with a verdict on a pair, against the labels on that pair; the first eight pairs.

    A step function that ends at the share of campaigns that were decided at all.
    """
    figure, axes = axes_for(axes, 5.2, 3.2)
    runs = len(table)
    most = max(int(table.pair_labels.max()), 1)
    names = short_names(name for pair in table.pairs for name in pair)
    for k, (system_a, system_b) in enumerate(table.pairs[:_MOST_PAIRS]):
        spent = np.sort(table.decided_labels[table.verdict[:, k] != 0, k])
        x = np.concatenate([[0], spent, [most]])
        y = np.concatenate([[0], np.arange(1, spent.size + 1), [spent.size]]) / runs
        colour, style = LIGHT[_COLOURS[k % len(_COLOURS)]], _LINES[k // len(_COLOURS)]
        label = f"{names[system_a]}, {names[system_b]}"
        axes.step(x, y, style, where="post", color=colour, linewidth=1.6, label=label)
    axes.set(xlim=(0, most), ylim=(0, 1))
    _finish(axes, "labels on the pair", "campaigns with a verdict")
    plain_texts(axes.legend(loc="lower right", frameon=False, fontsize=8))
    return figure


def _finish(axes: Axes, across: str, up: str) -> None:
    """Shares against whole numbers."""
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    curve_axes(axes, across, up)


def learning(result: CompareResult, criterion: str | None = None, axes: Axes | None = None) -> Figure:
    """How near each pair came to a verdict against its items: the log of its strongest evidence as a share of what a
    verdict takes. The first eight pairs are named, the others grey.
    """
    figure, axes = axes_for(axes, _WIDTH + _LEGEND, 3.2)
    pairs = criterion_of(result.results, criterion).pairs
    curves = [pair.curve for pair in pairs if pair.curve is not None]
    if not curves:
        raise UsageError("the rule has no evidence that grows with labels; use --rule anytime")
    names = short_names(name for curve in curves for name in (curve.system_a, curve.system_b))
    for k, curve in reversed([*enumerate(curves)]):  # the named ones above the grey ones
        named = k < _MOST_PAIRS
        drawn = curve.thinned(_POINTS if named else _FEW_POINTS)
        axes.plot(
            drawn.items,
            _share_of_way(drawn),
            _LINES[k // len(_COLOURS) % len(_LINES)] if named else "-",
            color=LIGHT[_COLOURS[k % len(_COLOURS)] if named else "line"],
            linewidth=1.6 if named else 0.8,
            label=f"{names[curve.system_a]}, {names[curve.system_b]}" if named else None,
        )
    axes.axhline(1, color=LIGHT["text"], linewidth=0.9, linestyle=(0, (5, 3)))
    most = max(int(curve.items[-1]) for curve in curves)
    axes.set(xlim=(0, max(most, 1)), ylim=(0, _BEYOND))
    _finish(axes, "items labelled", "way to a verdict")
    handles, labels = axes.get_legend_handles_labels()
    beside = (1.01, 1.02)
    plain_texts(
        axes.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=beside, frameon=False, fontsize=8)
    )
    return figure


def _share_of_way(curve: EvidenceCurve) -> NDArray[np.float64]:
    """(n,) in [0, 1] and a little beyond: the strongest of the claims, each beside its own threshold."""
    paths = [(curve.log_e_a, curve.log_threshold), (curve.log_e_b, curve.log_threshold)]
    if curve.log_e_equivalent is not None and curve.log_threshold_equivalent is not None:
        paths.append((curve.log_e_equivalent, curve.log_threshold_equivalent))
    shares = [path / threshold for path, threshold in paths if math.isfinite(threshold) and threshold > 0]
    return np.clip(np.max(shares, axis=0), 0.0, _BEYOND) if shares else np.zeros(curve.items.size)


_DECADE = math.log(10)
_POINTS, _FEW_POINTS = 200, 40  # of a curve; the grey ones may be very many
_BEYOND: Final = 1.06
"""Of the way to a verdict: what lies beyond says little."""
_WIDTH = 5.2  # inches
_LEGEND = 1.6
_LOWEST = -2.0  # decades: below 1 in 100 evidence against a claim is not told apart
_FAR = 1000.0  # decades outside the drawing, for infinite E


def evidence(curve: EvidenceCurve, axes: Axes | None = None) -> Figure:
    """log10 E against items labelled, for either system being better and (with a margin) for equivalence.

    The drawing ends a little beyond the thresholds: how far a decided pair goes on says little. A curve comes from
    the result: `result.results[0].pairs[0].curve`.
    """
    low, high = _evidence_range(curve)
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
    left = curve.stopped_at is None or curve.stopped_at > int(curve.items[-1]) / 2  # there the words have more room
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
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _e_tick(round(value))))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    curve_axes(axes, "items labelled", "evidence E")
    columns = len(lines) if in_one_row else 1
    plain_texts(axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, frameon=False, fontsize=8))
    return figure


def _evidence_range(curve: EvidenceCurve) -> tuple[float, float]:
    """Lowest and highest decade (log10 E) worth drawing: all of the way to a threshold and a little beyond."""
    paths = [curve.log_e_a, curve.log_e_b, curve.log_e_equivalent]
    reached = max(float(path.max()) for path in paths if path is not None) / _DECADE
    lowest = min(float(path.min()) for path in paths if path is not None) / _DECADE
    thresholds = [t / _DECADE for t in (curve.log_threshold, curve.log_threshold_equivalent) if t is not None]
    needed = max([t for t in thresholds if math.isfinite(t)], default=2.0)
    return max(lowest, _LOWEST), max(needed * 1.25, min(reached, needed * 2.5))


def _e_tick(decade: int) -> str:
    """1/100, 1/10, 1, 10, ... 10,000, then powers as 1e6."""
    if decade < 0:
        return f"1/{10**-decade:,}"
    return f"{10**decade:,}" if decade <= 4 else f"1e{decade}"
