"""The page of price-of-debiasing: inflation by k/(k - 1), and whether the intervals of `estimate` hold."""

from __future__ import annotations

import pytest
from benchmarks.debiasing.coverage import WORLDS, World, coverage, truth
from benchmarks.debiasing.inflation import inflation
from benchmarks.debiasing.page import PAPER, Measured, report
from benchmarks.worlds.simulation import largest_rate


@pytest.mark.parametrize(("people", "in_paper", "others"), [(2, 4.0, 4 / 3), (3, 3.0, 1.5)])
def test_the_perfect_metric_of_the_paper_is_inflated(people: int, in_paper: float, others: float) -> None:
    """gamma 1: nothing saves more than 2.00. The mean of k - 1 others explains 1/2 (k - 1)/k of what varies."""
    found = inflation(1.0, people, studies=20)
    assert found.limit == 2.0
    assert found.ceiling == pytest.approx(2.0, rel=0.03)
    assert found.as_in_paper == pytest.approx(in_paper, rel=0.03)
    assert found.as_in_paper == pytest.approx(people / (people - 1) * found.ceiling, rel=1e-6)
    assert found.leave_one_out == pytest.approx(others, rel=0.03)


def test_caps_of_the_paper() -> None:
    assert [round((1 + gamma) / gamma, 2) for *_, gamma in PAPER.values()] == [1.81, 2.64, 2.0, 3.78, 2.05, 2.1]
    assert [round(1 - 1 / value, 2) for value in (1.08, 1.15)] == [0.07, 0.13]


def check_intervals(worlds: tuple[World, ...], studies: int, at_most: float) -> None:
    """Each kind of interval of each world by itself; two or more of them are in one study, and depend on each other."""
    for world in worlds:
        held = coverage(world, studies, jobs=2)
        assert "mean with the metric" in held.shares
        for name, (_, share) in held.shares.items():
            assert 1 - share <= largest_rate(at_most, studies), (world.name, name, share)


def test_intervals_hold() -> None:
    check_intervals(WORLDS[1:3], 30, 0.05)


@pytest.mark.full
def test_intervals_hold_in_full() -> None:
    """At twice the level, .10, the bound of 400 studies is passed in more than nine of ten runs."""
    check_intervals(WORLDS, 400, 0.055)


def test_the_truth_of_a_world_without_ends_is_known() -> None:
    of = truth(WORLDS[0])
    assert of["mean"] == pytest.approx(3.0, abs=0.01)
    assert (of["sigma_f2"], of["sigma_a2"]) == (pytest.approx(1, abs=0.02), pytest.approx(1, abs=0.02))
    assert of["efficiency"] == pytest.approx(1 / (1 - 0.49 / 2), abs=0.02)


def test_the_page_without_real_studies_says_so() -> None:
    text = report(Measured([inflation(1.0, 3, studies=2)], None, [coverage(WORLDS[1], 2)], 2))
    assert "Left out: the real studies are not there." in text
    assert "| Edit | 0.07 | 0.18 | 0.36 | 3.78 | 1.36 |" in text
