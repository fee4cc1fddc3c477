"""Plans from assumptions and from pilots, and what a budget that is too small could be used for."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.kernels.paired_outcomes import paired_outcomes
from tiebreak.planning.assumptions import Assumptions, PlanSettings, pairs_of
from tiebreak.planning.pilot import Pilot, PilotPair
from tiebreak.planning.plan import plan, plan_from_pilot
from tiebreak.planning.records import BudgetAnswer

# ---- plans ---------------------------------------------------------------------------------------------------------

ONE = PlanSettings(labelling=("one",))


def test_the_plan_for_the_first_table_of_the_methods() -> None:
    # Exact spending finds .18 at 30% ties in .68 of campaigns of 150 items, with 109 items on average.
    found = plan(Assumptions(0.18, 0.3), replace(ONE, number_of_items=150)).planned
    assert found.planned == 150
    assert found.right == pytest.approx(0.68, abs=0.03)
    assert found.items.mean == pytest.approx(109, rel=0.04)
    assert found.items == found.labels == found.total
    assert found.wrong < 0.01


def test_the_default_plan_decides_four_of_five() -> None:
    found = plan(Assumptions(0.1, 0.3), ONE).planned
    assert found.right == pytest.approx(0.8, abs=0.005)
    assert found.items.open == pytest.approx(0.2, abs=0.005)
    assert found.items.high == found.planned
    assert 0.5 * found.items.high < found.items.mean < 0.75 * found.items.high


def test_money_and_days_follow_from_answers() -> None:
    settings = replace(ONE, price=0.2, seconds=36.0, crowd=3, hours_per_day=5.0)
    row = plan(Assumptions(0.3, 0.2, number_of_pairs=3, number_of_systems=3), settings).planned
    assert row.money.mean == pytest.approx(0.2 * row.total.mean)
    assert row.hours.mean == pytest.approx(row.total.mean / 100)
    assert row.days.mean == pytest.approx(row.hours.mean / 15)
    assert row.total.mean == pytest.approx(3 * row.labels.mean)
    assert plan(Assumptions(0.3, 0.2), ONE).planned.money is None


def test_every_policy_has_a_row_and_one_look_stands_beside_them() -> None:
    result = plan(Assumptions(0.18, 0.3), PlanSettings())
    rows = {(row.policy, row.rule): row for row in result.rows}
    policies = ("one", "fixed", "max-three", "majority")
    assert list(rows) == [*((policy, "anytime") for policy in policies), ("one", "fixed")]
    majority, max_three = rows["majority", "anytime"], rows["max-three", "anytime"]
    assert majority.labels.mean == pytest.approx(3 * majority.items.mean)
    assert majority.items.mean < rows["one", "anytime"].items.mean
    assert rows["one", "anytime"].labels.mean < majority.labels.mean
    assert 2 < max_three.labels.mean / max_three.items.mean < 3
    one_look, planned = rows["one", "fixed"], rows["one", "anytime"]
    assert 1.1 < planned.planned / one_look.items.mean < 1.25
    assert planned.labels.mean < 0.85 * one_look.labels.mean


def test_one_look_is_what_the_exact_test_needs() -> None:
    # Power of one look at n items, 30% ties, .18: wins of the untied, binomial at (1 + .18/.7)/2, at .025.
    count = round(plan(Assumptions(0.18, 0.3), ONE).row("one", "fixed").items.mean)
    outcomes = np.random.default_rng(1).multinomial(count, [0.44, 0.3, 0.26], size=4_000)
    found = paired_outcomes(*outcomes.T).p_a <= 0.025
    assert found.mean() == pytest.approx(0.8, abs=0.03)


def test_rules_without_a_formula_are_simulated() -> None:
    settings = replace(ONE, rule="hoeffding", max_labels=300)
    found = plan(Assumptions(0.2, 0.3, number_of_systems=3, number_of_pairs=3), settings)
    assert [row.rule for row in found.rows] == ["hoeffding", "fixed"]
    assert found.planned.right == pytest.approx(0.8, abs=0.01)
    # The bound leaves each pair to itself: |mean - 1/2| > sqrt(log(20) / 2n) at .1 from 1/2 at first with n = 150.
    assert 150 < (found.planned.planned or 0) < 230
    chances = found.curves[1].chances
    assert list(chances) == sorted(chances)
    ways = ["More labels", "A larger difference", "A baseline", "Fewer systems"]
    assert [way.partition(":")[0] for way in found.budget.ways] == ways
    alone = plan(Assumptions(0.2, 0.3), settings).planned
    assert (alone.planned, alone.right) == (found.planned.planned, found.planned.right)


def test_more_pairs_need_more_evidence_each() -> None:
    both = [Assumptions(0.3, number_of_pairs=pairs, number_of_systems=None) for pairs in (1, 15)]
    one, many = (plan(assumed, ONE).planned for assumed in both)
    assert 1.2 < many.labels.mean / one.labels.mean < 2.5


def test_too_few_items_are_planned_for_to_the_last() -> None:
    found = plan(Assumptions(0.05, 0.3), replace(ONE, number_of_items=200)).planned
    assert found.planned == 200
    assert found.right < 0.3


def test_a_budget_that_is_too_small_says_what_would_help() -> None:
    settings = replace(ONE, max_money=200.0, price=0.1)
    result = plan(Assumptions(0.1, 0.3, number_of_systems=4, number_of_pairs=6), settings)
    answer = result.budget
    assert answer.labels == 2_000
    assert answer.share < 0.4
    assert len(answer.ways) == 4
    # Nothing found without a budget, and a lone pair has no pairs to leave out.
    assert plan(Assumptions(0.1), ONE).budget is None
    lone = plan(Assumptions(0.1), replace(ONE, max_labels=200)).budget
    assert len(lone.ways) == 2


def test_equivalence_is_planned_with_a_margin() -> None:
    row = plan(Assumptions(0.0, 0.3), replace(ONE, margin=0.2)).planned
    assert row.right == pytest.approx(0.8, abs=0.01)  # equivalent
    both = plan(Assumptions(0.1, 0.3), replace(ONE, margin=0.2)).planned
    assert both.right == pytest.approx(0.8, abs=0.01)  # better, or equivalent: both are true of .1
    with pytest.raises(UsageError, match="equal systems are never decided"):
        plan(Assumptions(0.0), ONE)


def test_items_of_a_pool_say_more_each() -> None:
    pool = plan(Assumptions(0.1, 0.3), replace(ONE, target="items", number_of_items=500)).planned
    inputs = plan(Assumptions(0.1, 0.3), ONE).planned
    assert pool.planned < 0.75 * inputs.planned


def test_a_metric_is_planned_with() -> None:
    settings = replace(ONE, number_of_items=3_000)
    result = plan(Assumptions(0.2, 0.1, 0.5, metric_correlation=0.65), settings)
    assert result.planned.rule == "anytime, metric"
    assert result.planned.labels.mean < 0.85 * result.row("one", "anytime").labels.mean
    assert result.to_dict()["metric_correlation"] == 0.65
    with pytest.raises(UsageError, match="--metric-correlation needs --rule anytime"):
        plan(Assumptions(0.2, 0.1, 0.5, metric_correlation=0.65), replace(settings, rule="hoeffding"))
    with pytest.raises(UsageError, match="add --number-of-items"):
        plan(Assumptions(0.2, 0.1, 0.5, metric_correlation=0.65), ONE)
    with pytest.raises(UsageError, match=r"at most 0\.71, because two people's labels correlate by 0\.50"):
        plan(Assumptions(0.2, 0.1, 0.5, metric_correlation=0.8), settings)


def pilot(*pairs: PilotPair) -> Pilot:
    systems = tuple(sorted({name for pair in pairs for name in (pair.system_a, pair.system_b)}))
    return Pilot("small", None, pairs, systems, 0.4, 12.0, 0.1, "$")


def test_a_pilot_is_planned_pair_by_pair() -> None:
    clear, open_ = PilotPair("x", "y", 200.0, 60.0, 40.0), PilotPair("x", "z", 101.0, 100.0, 99.0)
    result = plan_from_pilot(pilot(clear, open_), ONE)
    first, second = result.pair_plans
    assert (first.pilot_items, first.difference) == (300, pytest.approx(160 / 300))
    assert first.low < first.difference < first.high
    assert first.labels.mean < 60
    assert second.labels.mean > 20 * first.labels.mean
    assert second.labels.open > 0.3
    assert first.right > 0.99
    assert result.planned.right == pytest.approx((first.right + second.right) / 2, abs=1e-9)
    assert result.rates.ties == pytest.approx(160 / 600, abs=0.01)


def test_the_uncertainty_of_a_small_pilot_widens_the_plan() -> None:
    both = [pilot(PilotPair("x", "y", 12.0 * size, 4.0 * size, 4.0 * size)) for size in (1, 50)]
    small, large = (plan_from_pilot(of, ONE).pair_plans[0] for of in both)
    assert small.difference == large.difference
    assert small.high - small.low > 4 * (large.high - large.low)
    # The small pilot leaves it open whether there is a difference at all.
    assert small.labels.mean > 1.5 * large.labels.mean


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"alpha": 0.0}, "alpha is 0.0, but must be above 0"),
        ({"target": "item"}, "did you mean items"),
        ({"target": "items"}, "add --number-of-items"),
        ({"max_money": 10.0}, "add --price"),
        ({"max_money": 10.0, "max_labels": 5, "price": 1.0}, "not both"),
        ({"max_money": 0.5, "price": 1.0}, "does not pay for one label"),
        ({"labelling": ()}, "at least one labelling policy"),
        ({"rule": "hoefding"}, "did you mean hoeffding"),
        ({"rule": "hoeffding", "margin": 0.1}, "a margin needs --rule fixed or anytime; hoeffding cannot"),
        ({"rule": "posterior"}, "needs a metric or judge, whose outcomes a plan does not have"),
        ({"rule": "fixed"}, "looks once, which every plan shows in its last row"),
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
        ({"difference": 0.1, "number_of_systems": 1}, "number-of-systems is 1"),
        ({"difference": 0.1, "number_of_pairs": 0}, "number-of-pairs is 0"),
    ],
)
def test_impossible_assumptions_are_refused(values: dict[str, float], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Assumptions(**values)  # type: ignore[arg-type]


def test_pairs_of_systems() -> None:
    assert (pairs_of(4, baseline=False), pairs_of(4, baseline=True), pairs_of(2, baseline=False)) == (6, 3, 1)


# ---- budgets -------------------------------------------------------------------------------------------------------


def answer(assumed: Assumptions, labels: int, **settings: object) -> BudgetAnswer:
    found = plan(assumed, PlanSettings(max_labels=labels, labelling=("one",), **settings)).budget
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
    found = plan_from_pilot(pilot, PlanSettings(max_labels=400, labelling=("one",))).budget
    assert found.share < 0.8
    assert any(way.startswith("Fewer pairs: without the hardest pair, ") for way in found.ways)
