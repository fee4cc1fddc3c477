from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.planning.assumptions import Assumptions, PlanSettings, pairs_of
from tiebreak.planning.pilot import Pilot, PilotPair
from tiebreak.planning.plan import plan, plan_from_pilot

QUICK = PlanSettings(repetitions=100, labelling=("one",))


def test_the_known_figure_for_a_difference_of_a_tenth() -> None:
    # 2,000 campaigns: 509 +- 9 labels at .1 with 30% ties, one direction at E >= 20, which is alpha = .1 for both.
    found = plan(Assumptions(0.1, 0.3), replace(QUICK, alpha=0.1, repetitions=500)).planned
    assert found.labels.mean == pytest.approx(509, rel=0.08)
    assert found.items == found.labels == found.total
    assert found.right > 0.95
    assert found.wrong < 0.05


def test_money_and_days_follow_from_answers() -> None:
    settings = replace(QUICK, price=0.2, seconds=36.0, crowd=3, hours_per_day=5.0)
    row = plan(Assumptions(0.3, 0.2, number_of_pairs=3, number_of_systems=3), settings).planned
    assert row.money is not None
    assert row.hours is not None
    assert row.days is not None
    assert row.money.mean == pytest.approx(0.2 * row.total.mean)
    assert row.hours.mean == pytest.approx(row.total.mean / 100)
    assert row.days.mean == pytest.approx(row.hours.mean / 15)
    assert row.total.mean == pytest.approx(3 * row.labels.mean, rel=0.1)
    assert plan(Assumptions(0.3, 0.2), QUICK).planned.money is None


def test_every_policy_and_rule_has_a_row() -> None:
    result = plan(Assumptions(0.3, 0.2), PlanSettings(repetitions=150))
    rows = {(row.policy, row.rule): row for row in result.rows}
    assert {policy for policy, _ in rows} == {"one", "fixed", "max-three", "majority"}
    assert {rule for _, rule in rows} == {"anytime", "posterior", "hoeffding", "fixed", "planned"}
    assert len(rows) == 18  # no number beforehand for a fixed worker, whose chances nobody knows then
    assert rows["one", "anytime"] is result.rows[0]
    assert rows["majority", "anytime"].labels.mean == pytest.approx(3 * rows["majority", "anytime"].items.mean)
    assert rows["majority", "anytime"].items.mean < rows["one", "anytime"].items.mean
    assert rows["one", "anytime"].labels.mean < rows["majority", "anytime"].labels.mean
    assert [row.holds for row in (rows["one", "posterior"], rows["one", "hoeffding"])] == [False, False]
    per_item = rows["max-three", "anytime"].labels.mean / rows["max-three", "anytime"].items.mean
    assert 2 < per_item < 3
    fixed = rows["max-three", "fixed"]
    assert fixed.labels.mean / fixed.items.mean == pytest.approx(per_item, abs=0.05)


def test_the_planned_number_is_a_little_more_than_one_look_needs_and_spares_labels() -> None:
    result = plan(Assumptions(0.18, 0.3), PlanSettings(labelling=("one", "majority"), repetitions=300))
    for policy in ("one", "majority"):
        planned, fixed, anytime = (result.row(policy, rule) for rule in ("planned", "fixed", "anytime"))
        assert planned.planned is not None
        assert 1 <= planned.planned / fixed.items.mean < 1.25
        assert planned.labels.mean < 0.85 * fixed.labels.mean
        assert planned.labels.mean < anytime.labels.mean
        assert 0.78 < planned.right < 0.9
    assert result.row("majority", "planned").labels.mean == pytest.approx(
        3 * result.row("majority", "planned").items.mean
    )


def test_the_same_seed_gives_the_same_plan() -> None:
    settings = replace(QUICK, max_labels=200, repetitions=100)
    first, second = (json.dumps(plan(Assumptions(0.2), settings).to_dict()) for _ in range(2))
    assert first == second
    assert json.dumps(plan(Assumptions(0.2), replace(settings, seed=2)).to_dict()) != first


def test_more_pairs_need_more_evidence_each() -> None:
    one, many = (
        plan(Assumptions(0.3, number_of_pairs=pairs, number_of_systems=None), QUICK).planned for pairs in (1, 15)
    )
    assert 1.2 < many.labels.mean / one.labels.mean < 2.5


def test_a_budget_that_is_too_small_says_what_would_help() -> None:
    settings = replace(QUICK, max_money=200.0, price=0.1)
    result = plan(Assumptions(0.1, 0.3, number_of_systems=4, number_of_pairs=6), settings)
    answer = result.budget
    assert answer is not None
    assert answer.labels == 2_000
    assert answer.share < 0.4
    assert len(answer.ways) == 6
    # Nothing found without a budget, and a lone pair has no pairs to leave out.
    assert plan(Assumptions(0.1), QUICK).budget is None
    lone = plan(Assumptions(0.1), replace(QUICK, max_labels=200)).budget
    assert lone is not None
    assert len(lone.ways) < 6


def test_equivalence_is_planned_with_a_margin() -> None:
    row = plan(Assumptions(0.0, 0.3), replace(QUICK, margin=0.2)).planned
    assert row.right > 0.95  # equivalent
    both = plan(Assumptions(0.1, 0.3), replace(QUICK, margin=0.2)).planned
    assert both.right > 0.97  # better, or equivalent: both are true of .1
    with pytest.raises(UsageError, match="equal systems are never decided"):
        plan(Assumptions(0.0), QUICK)


def test_items_of_a_pool_end() -> None:
    settings = replace(QUICK, target="items", number_of_items=200, repetitions=60)
    result = plan(Assumptions(0.05, 0.3), settings)
    assert result.planned.items.high is None or result.planned.items.high <= 200
    assert result.planned.items.mean <= 200


def test_a_metric_is_planned_with() -> None:
    settings = replace(QUICK, number_of_items=3_000)
    result = plan(Assumptions(0.2, 0.1, 0.5, metric_correlation=0.65), settings)
    assert result.planned.rule == "anytime, metric"
    assert result.planned.labels.mean < result.row("one", "anytime").labels.mean
    assert result.to_dict()["metric_correlation"] == 0.65
    with pytest.raises(UsageError, match="add --number-of-items"):
        plan(Assumptions(0.2, 0.1, 0.5, metric_correlation=0.65), QUICK)


def pilot(*pairs: PilotPair) -> Pilot:
    systems = tuple(sorted({name for pair in pairs for name in (pair.system_a, pair.system_b)}))
    return Pilot("small", None, pairs, systems, 0.4, 12.0, 0.1, "$")


def test_a_pilot_is_planned_pair_by_pair() -> None:
    clear, open_ = PilotPair("x", "y", 200.0, 60.0, 40.0), PilotPair("x", "z", 101.0, 100.0, 99.0)
    result = plan_from_pilot(pilot(clear, open_), replace(QUICK, repetitions=200))
    first, second = result.pair_plans
    assert (first.pilot_items, first.difference) == (300, pytest.approx(160 / 300))
    assert first.low < first.difference < first.high
    assert first.labels.mean < 60
    assert second.labels.mean > 20 * first.labels.mean
    assert second.labels.high is None
    assert result.planned.total.open > 0.1
    assert result.rates.ties == pytest.approx(160 / 600, abs=0.01)
    assert result.repetitions == 400


def test_the_uncertainty_of_a_small_pilot_widens_the_plan() -> None:
    small, large = (
        plan_from_pilot(pilot(PilotPair("x", "y", 12.0 * size, 4.0 * size, 4.0 * size)), QUICK).pair_plans[0]
        for size in (1, 50)
    )
    assert small.difference == large.difference
    widths = [(found.labels.high or np.inf) / max(found.labels.low, 1) for found in (small, large)]
    assert widths[0] > 1.5 * widths[1]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"alpha": 0.0}, "alpha is 0.0, but must be above 0"),
        ({"margin": 2.0}, "margin is 2.0, but must be above 0"),
        ({"target": "item"}, "did you mean items"),
        ({"target": "items"}, "add --number-of-items"),
        ({"price": -1.0}, "price is -1.0, but must be above 0 and at most 1,000,000,000"),
        ({"crowd": 0}, "crowd is 0, but must be a whole number from 1 to 1,000"),
        ({"hours_per_day": 25.0}, "hours-per-day is 25.0, but must be above 0 and at most 24"),
        ({"max_money": 10.0}, "add --price"),
        ({"max_money": 10.0, "max_labels": 5, "price": 1.0}, "not both"),
        ({"max_money": 0.5, "price": 1.0}, "does not pay for one label"),
        ({"labelling": ()}, "at least one labelling policy"),
        ({"repetitions": 10}, "repetitions is 10, but must be a whole number from 50 to 1,000,000"),
    ],
)
def test_impossible_settings_are_refused(values: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        PlanSettings(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"difference": 1.0}, "difference is 1.0, but must be from 0 to below 1"),
        ({"difference": 0.1, "tie_rate": -0.1}, "tie-rate is -0.1"),
        ({"difference": 0.1, "metric_correlation": 1.0}, "metric-correlation is 1.0"),
        (
            {"difference": 0.1, "number_of_systems": 1},
            "number-of-systems is 1, but must be a whole number from 2 to 500",
        ),
        ({"difference": 0.1, "number_of_pairs": 0}, "number-of-pairs is 0"),
    ],
)
def test_impossible_assumptions_are_refused(values: dict[str, float], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Assumptions(**values)  # type: ignore[arg-type]


def test_pairs_of_systems() -> None:
    assert (pairs_of(4, baseline=False), pairs_of(4, baseline=True), pairs_of(2, baseline=False)) == (6, 3, 1)
