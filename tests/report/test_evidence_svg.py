"""The drawing of evidence: labels in few characters, lines inside the frame, the stop where the result has it."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from tiebreak.comparison.pair_result import EvidenceCurve
from tiebreak.numbers import e_number
from tiebreak.report.svg import e_tick, evidence_range, evidence_svg, item_ticks


def curve(decades: list[float], stopped_at: int | None, threshold: float = 2.0) -> EvidenceCurve:
    """Evidence for a at these decades after 0, 1, 2, ... items; for b always the reciprocal."""
    log_e = np.array(decades) * math.log(10)
    items = np.arange(len(decades))
    return EvidenceCurve(None, "x", "y", items, items, log_e, -log_e, None, threshold * math.log(10), None, stopped_at)


def lines(svg: str, kind: str) -> list[list[tuple[float, float]]]:
    """The absolute points of the pieces of a curve."""
    path = re.search(rf'class="curve {kind}" d="([^"]*)"', svg)
    assert path is not None
    pieces = []
    for piece in path.group(1).split("M")[1:]:
        start, _, rest = piece.partition("l")
        x, y = map(float, start.split())
        points = [(x, y)]
        steps = [float(step) for step in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", rest)]
        for dx, dy in zip(steps[::2], steps[1::2], strict=True):
            x, y = x + dx, y + dy
            points.append((x, y))
        pieces.append(points)
    return pieces


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.5"),
        (0.0123, "0.012"),
        (1, "1"),
        (3.14159, "3.14"),
        (240, "240"),
        (12_345, "12,300"),
        (1e-4, "below 0.001"),
    ],
)
def test_e_in_few_characters(value: float, shown: str) -> None:
    assert e_number(math.log(value)) == shown


def test_large_e_as_a_power() -> None:
    assert e_number(math.log(3.2e12)) == "3.2 × 10¹²"
    assert e_number(math.log(9.99e11)) == "1.0 × 10¹²"
    assert e_number(math.inf) == "∞"


def test_ticks() -> None:
    assert [e_tick(d) for d in (-2, 0, 1, 4, 5, 12)] == ["1/100", "1", "10", "10,000", "1e5", "1e12"]
    assert item_ticks(100) == [0, 20, 40, 60, 80, 100]
    assert item_ticks(7) == [0, 2, 4, 6]
    assert item_ticks(1) == [0, 1]
    assert item_ticks(12_345)[-1] == 10_000


def test_the_frame_reaches_a_little_beyond_the_threshold() -> None:
    assert evidence_range(curve([0, 0.1, 0.2], None)) == (-0.2, 2.5)
    assert evidence_range(curve([0, 3, 3.5], 1)) == (-2.0, 3.5)
    low, high = evidence_range(curve([0, 10, 40], 1))
    assert (low, high) == (-2.0, 5.0)


def test_a_curve_ends_at_the_edge_and_does_not_run_along_it() -> None:
    """The frame goes to 5 decades at y = 12; from 0 to 10 decades in one item, the line leaves half-way."""
    (piece,) = lines(evidence_svg(curve([0, 10, 10, 10, 10], 1), "label"), "a")
    assert piece[-1] == (52 + 394 / 4 / 2 + 0.25, 12.0) or piece[-1] == (101.0, 12.0) or piece[-1] == (101.5, 12.0)
    assert len(piece) == 2


def test_a_curve_that_returns_is_drawn_again() -> None:
    pieces = lines(evidence_svg(curve([0, 10, 0, 0], 1), "label"), "a")
    assert len(pieces) == 2
    assert all(12 <= y <= 208 for piece in pieces for _, y in piece)


def test_infinite_evidence_goes_straight_up() -> None:
    """In a pool nothing unlabelled may be able to change the verdict."""
    svg = evidence_svg(curve([0, 1, math.inf, math.inf], 2), "label")
    (piece,) = lines(svg, "a")
    assert piece[-1][1] == 12
    assert "nan" not in svg
    assert "inf" not in svg


def test_the_stop_is_at_its_item() -> None:
    svg = evidence_svg(curve([0, 1, 2.5, 2.6, 2.7], 2), "label")
    assert 'class="stop" d="M249.0 ' in svg  # half-way between 52 and 446
    assert "better from E = 100<" in svg
    assert "stop" not in evidence_svg(curve([0, 1, 1, 1, 1], None), "label")


def test_an_infinite_threshold_is_not_drawn() -> None:
    svg = evidence_svg(curve([0, 1, 1], None, math.inf), "<label>")
    assert "better from" not in svg
    assert 'class="thr"' not in svg
    assert 'aria-label="&lt;label&gt;"' in svg
