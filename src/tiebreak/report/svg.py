"""The evidence of one pair against its items as inline SVG: small enough for a page with a thousand of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tiebreak.numbers import e_number, printable
from tiebreak.report.style import short_names
from tiebreak.results.order import EvidenceCurve

_WIDTH, _HEIGHT = 460, 252
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 12, 44
_DECADE = math.log(10)
_FAR = 1000.0  # decades outside the drawing, as good as infinite
_LOWEST = -2.0  # decades: below 1 in 100 evidence against a claim is not told apart

Floats = NDArray[np.float64]
Scale = Callable[[float], float]
Point = tuple[float, float]


def evidence_range(curve: EvidenceCurve) -> tuple[float, float]:
    """Lowest and highest decade (log10 E) worth drawing: all of the way to a threshold and a little beyond."""
    paths = [curve.log_e_a, curve.log_e_b, curve.log_e_equivalent]
    reached = max(float(path.max()) for path in paths if path is not None) / _DECADE
    lowest = min(float(path.min()) for path in paths if path is not None) / _DECADE
    thresholds = [t / _DECADE for t in (curve.log_threshold, curve.log_threshold_equivalent) if t is not None]
    needed = max([t for t in thresholds if math.isfinite(t)], default=2.0)
    return max(lowest, _LOWEST), max(needed * 1.25, min(reached, needed * 2.5))


def evidence_svg(curve: EvidenceCurve, label: str) -> str:
    """A drawing of 460 by 252 units; `label` describes it to those who do not see it. Colours come from the page."""
    low, high = evidence_range(curve)
    most, spoken = max(int(curve.items[-1]), 1), escape(printable(label))

    def x(items: float) -> float:
        return _LEFT + items / most * (_WIDTH - _LEFT - _RIGHT)

    def y(decades: float) -> float:
        return _TOP + (high - decades) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [f'<svg class="evidence" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{spoken}">']
    decades, base = _ticks(low, high), _HEIGHT - _BOTTOM + 16
    grid = "".join(f"M{_LEFT} {y(decade):.1f}h{_WIDTH - _LEFT - _RIGHT}" for decade in decades)
    parts.append(f'<path class="grid" d="{grid}"/><g class="tick end">')
    parts += [f'<text x="{_LEFT - 6}" y="{y(decade) + 4:.0f}">{e_tick(decade)}</text>' for decade in decades]
    parts.append('</g><g class="tick mid">')
    parts += [f'<text x="{x(items):.0f}" y="{base}">{items:,}</text>' for items in item_ticks(most)]
    parts.append(f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 6}">items labelled</text></g>')
    if curve.stopped_at is not None:
        at = x(curve.stopped_at)
        parts.append(f'<path class="stop" d="M{at:.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>')
    parts.append(_threshold_line(curve.log_threshold, y, "thr"))
    if curve.log_threshold_equivalent is not None:
        parts.append(_threshold_line(curve.log_threshold_equivalent, y, "thr same"))
    for kind, path in (("b", curve.log_e_b), ("e", curve.log_e_equivalent), ("a", curve.log_e_a)):
        if path is not None:
            parts.append(f'<path class="curve {kind}" d="{_path(curve.items, path, x, y, low, high)}"/>')
    # Words come last, above all lines; the two thresholds are close, so that one is named above and one below.
    left = words_go_left(curve)
    parts.append(_threshold_words(curve.log_threshold, "better", y, -5, left=left))
    if curve.log_threshold_equivalent is not None:
        parts.append(_threshold_words(curve.log_threshold_equivalent, "equivalent", y, 15, left=left))
    parts.append("</svg>")
    return "".join(parts)


def e_tick(decade: int) -> str:
    """1/100, 1/10, 1, 10, ... 10,000, then powers as 1e6."""
    if decade < 0:
        return f"1/{10**-decade:,}"
    return f"{10**decade:,}" if decade <= 4 else f"1e{decade}"


def item_ticks(most: int) -> list[int]:
    """Three to six round numbers of items from 0 on."""
    step = next(s * 10**p for p in range(10) for s in (1, 2, 5) if most / (s * 10**p) <= 5)
    return list(range(0, most + 1, step))


def _ticks(low: float, high: float) -> list[int]:
    every = max(1, math.ceil((high - low) / 6))
    return [d for d in range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1) if d % every == 0]


def _threshold_line(log_threshold: float, y: Scale, kind: str) -> str:
    if not math.isfinite(log_threshold):
        return ""
    return f'<path class="{kind}" d="M{_LEFT} {y(log_threshold / _DECADE):.1f}H{_WIDTH - _RIGHT}"/>'


def words_go_left(curve: EvidenceCurve) -> bool:
    """Whether the names of the thresholds have more room on the left: no pair is near them early on."""
    return curve.stopped_at is None or curve.stopped_at > int(curve.items[-1]) / 2


def _threshold_words(log_threshold: float, word: str, y: Scale, below: float, *, left: bool) -> str:
    if not math.isfinite(log_threshold):
        return ""
    at = y(log_threshold / _DECADE) + below
    words = f"{word} from E = {e_number(log_threshold)}"
    side, x = ("", _LEFT + 4) if left else (" end", _WIDTH - _RIGHT - 4)
    return f'<text class="said{side}" x="{x}" y="{at:.1f}">{words}</text>'


def _path(items: NDArray[np.int64], log_e: Floats, x: Scale, y: Scale, low: float, high: float) -> str:
    """The curve inside the drawing, in half units; where it leaves, it ends at the edge."""
    runs: list[list[tuple[float, float]]] = []
    # E may be infinite, where no unlabelled item can change the verdict: such a line goes straight up.
    decades = np.clip(log_e / _DECADE, low - _FAR, high + _FAR)
    points = [(float(i), float(d)) for i, d in zip(items, decades, strict=True)]
    for start, end in pairwise(points):
        cut = _clipped(start, end, low, high)
        if cut is None:
            continue
        if not runs or runs[-1][-1] != cut[0]:
            runs.append([cut[0]])
        runs[-1].append(cut[1])
    drawn = []
    for run in runs:
        kept = _without_straight([(round(2 * x(i)) / 2, round(2 * y(d)) / 2) for i, d in run])
        steps = [(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in pairwise(kept)]
        drawn.append(f"M{kept[0][0]:g} {kept[0][1]:g}l" + "".join(_step(dx) + _step(dy) for dx, dy in steps))
    return "".join(drawn)


def _step(value: float) -> str:
    """A relative coordinate in as few characters as a path allows: the sign separates numbers, or else a space."""
    text = f"{value:g}".replace("0.", ".")
    return text if text.startswith("-") else f" {text}"


def _clipped(start: Point, end: Point, low: float, high: float) -> tuple[Point, Point] | None:
    """The part of a segment between the heights low and high."""
    (x0, y0), (x1, y1) = start, end
    if max(y0, y1) < low or min(y0, y1) > high:
        return None

    def at(height: float) -> Point:
        return (x0 + (x1 - x0) * (height - y0) / (y1 - y0), height)

    def inside(point: Point) -> Point:
        return at(low) if point[1] < low else at(high) if point[1] > high else point

    return inside(start), inside(end)


def _without_straight(points: list[Point]) -> list[Point]:
    """Without points that lie (to a quarter unit) on the line between their neighbours."""
    kept = points[:1]
    for k in range(1, len(points) - 1):
        (x0, y0), (x1, y1), (x2, y2) = kept[-1], points[k], points[k + 1]
        if abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) > 0.25 * math.hypot(x2 - x0, y2 - y0):
            kept.append(points[k])
    return kept + points[-1:]


def spoken_evidence(curve: EvidenceCurve) -> str:
    """One sentence for those who do not see the drawing."""
    names = " and ".join(short_names((curve.system_a, curve.system_b)).values())
    end = (
        "never reaches a threshold"
        if curve.stopped_at is None
        else f"reaches the threshold after {curve.stopped_at:,} of {int(curve.items[-1]):,} items"
    )
    return f"Evidence on {names} against items labelled: it {end}."
