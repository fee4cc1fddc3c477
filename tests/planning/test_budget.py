from __future__ import annotations

import re

import pytest

from tiebreak.planning.assumptions import Assumptions, PlanSettings
from tiebreak.planning.pilot import Pilot, PilotPair
from tiebreak.planning.plan import plan, plan_from_pilot
from tiebreak.planning.records import BudgetAnswer

ONE = ("one",)


def answer(assumed: Assumptions, labels: int, **settings: object) -> BudgetAnswer:
    found = plan(assumed, PlanSettings(max_labels=labels, labelling=ONE, **settings)).budget  # type: ignore[arg-type]
    assert found is not None
    return found


def figure(ways: tuple[str, ...], pattern: str) -> float:
    (found,) = [match for way in ways if (match := re.search(pattern, way))]
    return float(found[1].replace(",", ""))


FOUR = Assumptions(0.1, 0.3, number_of_systems=4, number_of_pairs=6)


def test_the_larger_budget_is_enough() -> None:
    small = answer(FOUR, 2_000)
    needed = round(figure(small.ways, r"a budget of ([\d,]+) labels"))
    assert answer(FOUR, round(1.05 * needed)).share >= 0.8
    assert answer(FOUR, round(0.9 * needed)).share < 0.8
    assert answer(FOUR, round(1.05 * needed)).ways == ()


def test_the_larger_difference_is_found() -> None:
    difference = figure(answer(FOUR, 2_000).ways, r"find one of ([\d.]+) or more")
    found = answer(Assumptions(difference + 0.005, 0.3, number_of_systems=4, number_of_pairs=6), 2_000)
    assert found.share >= 0.8


def test_a_baseline_and_fewer_systems_are_plans_of_their_own() -> None:
    ways = answer(FOUR, 2_000).ways
    baseline = figure(ways, r"chosen before looking, (\d+)%")
    alone = answer(Assumptions(0.1, 0.3, number_of_systems=None, number_of_pairs=3), 2_000)
    assert 100 * alone.share == pytest.approx(baseline, abs=0.51)
    systems = round(figure(ways, r"enough for (\d+) of them"))
    assert answer(Assumptions(0.1, 0.3, number_of_systems=systems), 2_000).share >= 0.8
    hopeless = answer(FOUR, 120).ways
    assert any("even a single pair is decided in only" in way for way in hopeless)


def test_the_hardest_pairs_of_a_pilot_can_be_left_out() -> None:
    clear, hard = (180.0, 60.0, 60.0), (105.0, 100.0, 95.0)
    pairs = tuple(PilotPair("x", name, *(clear if name != "d" else hard)) for name in "abcd")
    pilot = Pilot("small", None, pairs, ("x", *"abcd"), None, None, None, "$")
    found = plan_from_pilot(pilot, PlanSettings(max_labels=400, labelling=ONE)).budget
    assert found is not None
    assert found.share < 0.8
    assert any(way.startswith("Fewer pairs: without the hardest pair, ") for way in found.ways)
