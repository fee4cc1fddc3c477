"""The check that results stay the same: it sees a number that moved, and computes the same twice."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
from benchmarks.same_results.campaign_cells import RULES, played
from benchmarks.same_results.campaign_cells import cells as campaign_cells
from benchmarks.same_results.compare_cells import cells as compare_cells
from benchmarks.same_results.compare_cells import made
from benchmarks.same_results.intended import with_new_projections, without_small_estimates
from benchmarks.same_results.records import Question
from benchmarks.same_results.simulation_cells import cells as simulation_cells
from benchmarks.same_results.tolerance import MISSING, differences, same

RECORD = {"verdict": "a", "estimate": 0.25, "e_a": 3e9, "theta": None, "tiers": [["ant"], ["bee"]]}


def changed(**fields: object) -> list[tuple[str, object, object]]:
    return [(of.field, of.before, of.now) for of in differences("cell", {"pair": RECORD}, {"pair": RECORD | fields})]


@pytest.mark.parametrize(
    ("field", "now"),
    [("verdict", "b"), ("estimate", 0.25 + 1e-11), ("e_a", 3e9 + 0.01), ("theta", 0.0), ("estimate", math.nan)],
)
def test_a_field_that_moved(field: str, now: object) -> None:
    ((name, before, after),) = changed(**{field: now})
    assert (name, before) == (f"pair.{field}", RECORD[field])
    assert after is now


def test_what_is_the_same() -> None:
    assert changed(estimate=0.25 + 1e-13, e_a=3e9 * (1 + 1e-13)) == []
    assert same(math.nan, math.nan)
    assert same(math.inf, math.inf)
    assert not same(math.inf, 1e300)
    assert not same(True, 1)


def test_a_place_in_a_list_and_a_field_that_is_gone_or_new() -> None:
    assert changed(tiers=[["ant"], ["cat"]]) == [("pair.tiers[1][0]", "bee", "cat")]
    assert changed(tiers=[["ant"]]) == [("pair.tiers", [["ant"], ["bee"]], [["ant"]])]
    assert [*differences("cell", {"a": 1}, {"b": 1})] == [("cell", "a", 1, MISSING), ("cell", "b", MISSING, 1)]


def of_campaign(units: int, estimate: float | None) -> dict[str, object]:
    return {"looks": [{"pairs": {"ant ~ bee": {"units": units, "estimate": estimate, "low": -1.0}}}]}


def of_comparison(units: int, estimate: float | None) -> dict[str, object]:
    return {"pairs": {"ant ~ bee": {"units": units, "difference": {"estimate": estimate, "low": -1.0}}}}


@pytest.mark.parametrize("record", [of_campaign, of_comparison])
def test_an_estimate_of_fewer_than_ten_units_may_be_left_out(record: Callable[..., dict[str, object]]) -> None:
    before = record(9, 0.25)
    assert without_small_estimates(before, record(9, None)) == (record(9, None), 1)
    assert before == record(9, 0.25)


@pytest.mark.parametrize("record", [of_campaign, of_comparison])
@pytest.mark.parametrize(
    ("before", "now"),
    [
        ((10, 0.25), (10, None)),  # enough evidence
        ((9, 0.25), (9, 0.5)),  # another number
        ((9, None), (9, 0.25)),  # the other way round
        ((9, 0.25), (8, None)),  # evidence is missing
        ((9, math.nan), (9, None)),  # was no number
    ],
)
def test_no_other_estimate_may_change(
    record: Callable[..., dict[str, object]],
    before: tuple[int, float | None],
    now: tuple[int, float | None],
) -> None:
    kept, count = without_small_estimates(record(*before), record(*now))
    assert count == 0
    assert [*differences("cell", kept, record(*now))]


def test_an_estimate_that_is_gone_is_a_difference() -> None:
    before = {"units": 9, "estimate": 0.25}
    assert without_small_estimates(before, {"units": 9}) == (before, 0)


def test_projections_may_change_but_must_be_there() -> None:
    before = {"pairs": [{"further_items": 9, "low": 0.1}, {"further_items": 4}]}
    now = {"pairs": [{"further_items": None, "low": 0.2}, {}]}
    kept, count = with_new_projections(before, now)
    assert (kept, count) == ({"pairs": [{"further_items": None, "low": 0.1}, {"further_items": 4}]}, 1)
    assert len([*differences("cell", kept, now)]) == 2


def test_fewer_items_may_wait() -> None:
    before = {"pairs": [{"waiting_items": 3}, {"waiting_items": 3}]}
    kept, count = with_new_projections(before, {"pairs": [{"waiting_items": 2}, {"waiting_items": 4}]})
    assert (kept, count) == ({"pairs": [{"waiting_items": 2}, {"waiting_items": 3}]}, 1)


def test_every_cell_has_a_name_of_its_own() -> None:
    names = [cell.name for cells in (compare_cells, campaign_cells, simulation_cells) for cell in cells()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("number", range(len(RULES)))
def test_a_campaign_twice(number: int) -> None:
    one, two = played(number + 16, False), played(number + 16, False)
    assert json.dumps(one) == json.dumps(two)
    assert one["after_late_answers"]["labels"] > 0


def test_a_comparison_twice() -> None:
    one, two = (made(3, Question(metrics=("all",), margin=0.25)) for _ in range(2))
    assert json.dumps(one) == json.dumps(two)
    assert len(one["criteria"]["None"]["pairs"]) >= 1
