"""The page of control variates: worlds are what they say, the minimum is where it says, and the page shows it."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.control_variate_minimax import (
    COEFFICIENTS,
    GAMMA,
    RHO,
    WORLDS,
    World,
    coefficient_table,
    theory,
    variances,
)
from benchmarks.pages import DOCS


@pytest.mark.parametrize("world", [world for _, world in WORLDS], ids=[name for name, _ in WORLDS])
def test_a_world_has_the_given_moments(world: World) -> None:
    g, f, noise = world((400_000,), np.random.default_rng(1))
    found = [g.mean(), g.var(), f.mean(), f.var(), (f * g).mean(), noise.mean(), noise.var(), (noise * f).mean()]
    np.testing.assert_allclose(found, [0, 1, 0, 1, RHO, 0, GAMMA, 0], atol=0.03)


def test_the_worst_case_is_smallest_at_alpha() -> None:
    _, worst = coefficient_table(20_000, 2)
    assert COEFFICIENTS[int(np.argmin(worst))] == 1.0
    np.testing.assert_allclose(worst, [theory(times) for times in COEFFICIENTS], rtol=0.04)
    single = variances(WORLDS[0][1], 20_000, np.random.default_rng(3))
    assert single[COEFFICIENTS.index(0.5)] > single[COEFFICIENTS.index(1.0)] + 0.05


def test_the_page() -> None:
    text = (DOCS / "control_variates.md").read_text(encoding="utf-8")
    rows = [
        line.strip("| ").split(" | ") for line in text.splitlines() if line[:4] in {f"| {of:.0f}." for of in (0, 1, 2)}
    ]
    worst = [float(row[-2].strip("*")) for row in rows]
    assert [float(row[0].strip("*")) for row in rows] == list(COEFFICIENTS)
    assert min(worst) == worst[COEFFICIENTS.index(1.0)]
    assert [float(row[-1].strip("*")) for row in rows] == [round(theory(times), 3) for times in COEFFICIENTS]
