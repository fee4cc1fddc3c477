"""Error rates of the rule `fixed`: some worlds of benchmarks/one_look.py; they would fail at twice the level."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.cells import ALPHAS, Cell, Counts, Found, all_cells, too_high
from benchmarks.one_look import MODULES
from benchmarks.worlds.one_look import counts, pools
from scipy.special import bdtrc

CELLS = {(cell.section, cell.world): cell for cell in all_cells(MODULES)}


def counted(section: str, world: str, runs: int) -> Counts:
    return CELLS[section, world].measure(np.random.default_rng(4), runs)


def more_than(count: float, runs: int, rate: float) -> bool:
    """Whether a test that errs at this rate would show so many in fewer than one of 10,000 runs."""
    return bool(count > 0 and bdtrc(count - 1, runs, rate) < 1e-4)


@pytest.mark.parametrize("n", [20, 50, 100])
@pytest.mark.parametrize("pairs", [1, 45])
def test_outcomes_err_in_at_most_alpha_and_z_in_more(n: int, pairs: int) -> None:
    errors = counts.errors(n, pairs)
    for alpha in ALPHAS:
        assert 0.3 * alpha < errors[f"wrong {alpha}"] <= alpha
    if pairs == 1:
        assert errors["control 0.05"] > 0.05


@pytest.mark.parametrize(("size", "drawn"), [(20, 10), (50, 25), (100, 50)])
def test_pools_err_in_at_most_alpha(size: int, drawn: int) -> None:
    errors = pools.errors(size, drawn, 1)
    assert all(errors[f"wrong {alpha}"] <= alpha for alpha in ALPHAS)


@pytest.mark.parametrize("n", [20, 50, 100])
def test_power_is_nowhere_below_the_sign_test(n: int) -> None:
    assert counts.gain(n)["least 0.05"] >= -1e-9


@pytest.mark.parametrize(
    ("section", "world", "runs"),
    [
        ("means", "50 items, 1-6 people, 30% ties", 600),
        ("means", "100 items, 3 people, 5% strong items", 600),
        ("means", "200 items, 10 people, 3% strong items", 600),
        ("means", "400 items, 20 people, 1.25% strong items", 600),
        ("clusters", "20 clusters, 2-20 sizes, size tied to outcome", 600),
        ("clusters", "100 clusters, 2-20 sizes, 5% strong", 600),
        ("metrics", "100 of 1,000, inputs, 16 useless", 500),
        ("metrics", "100 of 1,000, inputs, good, missing by outcome", 500),
        ("repeats", "50 items, 40% judged again, the first by its time counts", 500),
    ],
)
def test_simulated_worlds_stay_below_twice_their_level(section: str, world: str, runs: int) -> None:
    limit = CELLS[section, world].limit("wrong 0.05")
    assert not more_than(counted(section, world, runs)["wrong 0.05"], runs, limit)
    assert more_than(0.1 * runs, runs, limit) or section == "clusters"


def test_families_keep_their_promises_and_no_correction_does_not() -> None:
    runs = 1_000
    found = counted("families", "5 systems, half are better, own noise of each pair", runs)
    assert not more_than(found["any holm 0.05"], runs, 0.05)
    assert not more_than(int(found["false fdr 0.05"]), runs, 0.05)
    assert more_than(found["any none 0.05"], runs, 0.05)
    assert found["power fdr-any 0.05"] < found["power fdr 0.05"]


def test_controls_fail() -> None:
    strong = counted("means", "20 items, 3 people, 5% strong items", 1_500)
    assert more_than(strong["control 0.05"], 1_500, 0.05)
    assert more_than(counted("clusters", "20 clusters, 2-20 sizes", 600)["second 0.05"], 600, 0.2)
    assert more_than(counted("metrics", "30 of 300, inputs, 16 useless", 600)["control 0.05"], 600, 0.1)


@pytest.mark.full
@pytest.mark.parametrize(
    ("section", "runs"),
    [
        *((section, 0) for section in ("outcomes", "pools", "pool coverage", "coverage", "width", "gain in power")),
        *((section, 500) for section in ("means", "clusters", "metrics", "simulated coverage")),
    ],
)
def test_sections_in_full(section: str, runs: int) -> None:
    def found(cell: Cell) -> Found:
        return Found(cell, dict(cell.measure(np.random.default_rng(8), runs)), runs)

    own = [cell for cell in CELLS.values() if cell.section == section and "3,000" not in cell.world]
    assert too_high([found(cell) for cell in own]) == []
