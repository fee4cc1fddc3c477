"""Pictures of an audit: win rates beside those of people, what errors go with, and stated probabilities beside what
people say.
"""

from __future__ import annotations

from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from tiebreak.errors import UsageError
from tiebreak.messages.audit import check_name
from tiebreak.report.figures.canvas import axes_for, interval_row, named_rows, plain_frame
from tiebreak.report.style import LIGHT, short_names, width
from tiebreak.results.audits import AuditedSource, PairWinRates

_ROW, _PANEL = 0.24, 3.6  # inches
MOST_PAIRS: Final = 40
"""Rows of a picture: the pairs on which the source differs most from people."""


def rates(found: AuditedSource, axes: Axes | None = None) -> Figure:
    """Win rates of the better system of each pair: by people, by the source, and corrected with its interval."""
    pairs = farthest_pairs(found)
    if not pairs:
        raise UsageError(f"people and {found.name} have no pair in common")
    names = short_names(name for pair in pairs for name in (pair.system_a, pair.system_b))
    labels = [f"{names[pair.system_a]} : {names[pair.system_b]}" for pair in pairs]
    figure, axes = _rows(labels, axes)
    for row, pair in enumerate(pairs):
        of = pair.outcomes
        interval_row(axes, row, None, of.corrected.low, of.corrected.high, "muted")
        for share, mark, colour in ((of.by_people, "o", "first"), (of.by_source, "D", "second")):
            if share.value is not None:
                axes.plot([share.value], [row], mark, color=LIGHT[colour], markersize=4.5)
    axes.axvline(0.5, color=LIGHT["text"], linewidth=0.8, linestyle=(0, (5, 3)))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("preferred: people (dots), it (diamonds), corrected (bars)", fontsize=8)
    return figure


def biases(found: AuditedSource, axes: Axes | None = None) -> Figure:
    """By how much the source favours outputs with a property more than people do; intervals hold together."""
    checks = [check for check in found.dependence if check.effect.value is not None]
    if not checks:
        raise UsageError(f"nothing could be checked of {found.name}")
    figure, axes = _rows([check_name(check) for check in checks], axes)
    for row, check in enumerate(checks):
        effect = check.effect
        interval_row(axes, row, effect.value, effect.low, effect.high, "second" if check.shown else "muted")
    axes.axvline(0, color=LIGHT["text"], linewidth=0.8, linestyle=(0, (5, 3)))
    axes.set_xlabel("favoured by it beyond people (share of comparisons)", fontsize=8)
    return figure


def probabilities(found: AuditedSource, axes: Axes | None = None) -> Figure:
    """How often people name its likeliest outcome, by the probability that it states for it; the diagonal is ideal."""
    if found.probabilities is None or not found.probabilities.reliability:
        raise UsageError(f"{found.name} states no probabilities beside human labels")
    figure, axes = axes_for(axes, 3.4, 3.2)
    axes.plot([0, 1], [0, 1], color=LIGHT["text"], linewidth=0.8, linestyle=(0, (5, 3)))
    for part in found.probabilities.reliability:
        of = part.agrees
        if of.low is not None and of.high is not None:
            axes.vlines(part.stated, of.low, of.high, color=LIGHT["first"], linewidth=2.0, alpha=0.6)
        if of.value is not None:
            axes.plot([part.stated], [of.value], "o", color=LIGHT["first"], markersize=4.5)
    lowest = min(part.low for part in found.probabilities.reliability)
    axes.set(xlim=(lowest, 1.02), ylim=(0, 1.02))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.tick_params(labelsize=8)
    axes.set_xlabel("probability that it states", fontsize=8)
    axes.set_ylabel("people say the same", fontsize=8)
    axes.grid(color=LIGHT["line"], linewidth=0.5)
    plain_frame(axes, "left", "bottom")
    return figure


def _rows(labels: list[str], axes: Axes | None) -> tuple[Figure, Axes]:
    """Axes with a named row for each label, the first on top."""
    beside = max(width(label, 8 / 72) for label in labels)
    figure, axes = axes_for(axes, beside + _PANEL, 0.7 + _ROW * len(labels))
    named_rows(axes, labels)
    axes.grid(axis="x", color=LIGHT["line"], linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def farthest_pairs(found: AuditedSource) -> list[PairWinRates]:
    """The `MOST_PAIRS` pairs on which the source differs most from people, the farthest first, winners first."""
    farthest = sorted(found.pairs, key=lambda pair: (-_error(pair), pair.system_a, pair.system_b))
    return [pair.winner_first() for pair in farthest[:MOST_PAIRS]]


def largest_error(found: AuditedSource) -> float:
    """By how much its win rate of a pair differs from people's at most; 0 without pairs."""
    return max(map(_error, found.pairs), default=0.0)


def _error(pair: PairWinRates) -> float:
    return abs(pair.outcomes.difference.value or 0.0)
