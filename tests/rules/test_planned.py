"""The rule for a planned number of items: its levels, error rates at every look, intervals and projections."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tiebreak.kernels.outcome_regression import item_rows
from tiebreak.rules import planned
from tiebreak.rules.family import Family
from tiebreak.rules.planned import PairPlan, PairState
from tiebreak.rules.rule import ValueSequence

Floats = NDArray[np.float64]

ONE_PAIR = Family(0.05, "holm", 1, margin=False)


def at_most_in(errors: int, runs: int, level: float) -> bool:
    """Whether so many errors fit a chance of at most `level`, up to three standard errors."""
    return errors / runs <= level + 3 * np.sqrt(level * (1 - level) / runs)


def played(plan: PairPlan, values: Floats) -> PairState:
    """Values (cells, n), one item after the other."""
    state = planned.start(plan, len(values))
    for value in values.T:
        state = planned.advance(plan, state, value)
    return state


def largest(plan: PairPlan, values: Floats, family: Family) -> Floats:
    """Evidence for verdicts (cells, D) after all values."""
    return planned.evidence(plan, played(plan, values)).for_verdicts(family)


def test_what_takes_the_walk() -> None:
    """Single labels on inputs like these; all else bets."""
    assert planned.plan_pair(ONE_PAIR, 50).walk is not None
    assert planned.plan_pair(ONE_PAIR, 50, pool_size=80).walk is None
    assert planned.plan_pair(ONE_PAIR, 50, outcomes_only=False).walk is None
    assert planned.plan_pair(ONE_PAIR, planned.LARGEST_WALK + 1).walk is None
    rows = item_rows(np.linspace(-1, 1, 50), np.linspace(-1, 1, 30))
    assert planned.plan_pair(ONE_PAIR, 50, pool_size=80, rows=rows).walk is None
    with pytest.raises(ValueError, match="a metric helps outcomes only"):
        planned.plan_pair(ONE_PAIR, 50, outcomes_only=False, rows=rows)


# ---- errors ----------------------------------------------------------------------------------------------------

RUNS = 1_500


def drawn(chances: tuple[float, float, float], items: int, seed: int, runs: int = RUNS) -> Floats:
    return np.random.default_rng(seed).choice([1.0, 0.0, -1.0], p=chances, size=(runs, items))


def thirds(values: Floats) -> Floats:
    """Means of three labels an item."""
    return values.reshape(len(values), -1, 3).mean(axis=2)


@pytest.mark.parametrize("kind", ["labels", "many ties", "means", "pool", "lopsided means"])
def test_equal_systems_are_told_apart_no_more_often_than_alpha(kind: str) -> None:
    """At any look, in either direction, at alpha = .2."""
    family = Family(0.2, "holm", 1, margin=False)
    rng = np.random.default_rng(7)
    outcomes_only, pool = kind in ("labels", "many ties", "pool"), None
    if kind == "labels":
        values = drawn((0.4, 0.2, 0.4), 80, 1)
    elif kind == "many ties":
        values = drawn((0.1, 0.8, 0.1), 80, 2)
    elif kind == "means":
        values = thirds(drawn((0.45, 0.1, 0.45), 240, 3))
    elif kind == "lopsided means":
        values = np.where(rng.random((RUNS, 80)) < 0.1, 0.9, -0.1)
    else:
        pool = 120
        values = np.stack([rng.permutation(np.repeat([1.0, 0.0, -1.0], 40))[:80] for _ in range(RUNS)])
    plan = planned.plan_pair(family, 80, outcomes_only=outcomes_only, pool_size=pool, steps=None)
    wrong = (largest(plan, values, family) >= np.log(1 / family.first_level)).any(axis=1)
    assert at_most_in(int(wrong.sum()), RUNS, 0.2)
    assert wrong.mean() > 0.05  # not by never deciding


def test_a_wrong_direction_and_a_wrong_equivalence_stay_within_alpha_together() -> None:
    """At a difference of minus the margin: "a is better" and "equivalent" are both wrong, at alpha = .2."""
    family = Family(0.2, "holm", 1, margin=True)
    plan = planned.plan_pair(family, 120, margin=0.2, steps=None)
    evidence = largest(plan, drawn((0.3, 0.2, 0.5), 120, 4), family)
    wrong = (evidence[:, [0, 2]] >= np.log(1 / family.first_level)).any(axis=1)
    assert at_most_in(int(wrong.sum()), RUNS, 0.2)
    assert wrong.mean() > 0.02


def test_equal_systems_are_found_equivalent() -> None:
    family = Family(0.1, "holm", 1, margin=True)
    plan = planned.plan_pair(family, 300, margin=0.25, steps=None)
    evidence = largest(plan, drawn((0.3, 0.4, 0.3), 300, 5, 300), family)
    assert (evidence[:, 2] >= np.log(1 / family.first_level)).mean() > 0.9


@pytest.mark.parametrize("kind", ["labels", "means", "pool"])
def test_intervals_hold_at_every_look(kind: str) -> None:
    """At 80%: the true difference is outside at any look in at most 20% of runs."""
    family = Family(0.2, "holm", 1, margin=False)
    pool, values, truth = None, drawn((0.5, 0.2, 0.3), 60, 6, 400), 0.2
    if kind == "means":
        values = thirds(drawn((0.5, 0.2, 0.3), 180, 7, 400))
    elif kind == "pool":
        rng, pool = np.random.default_rng(8), 100
        values = np.stack([rng.permutation(np.repeat([1.0, 0.0, -1.0], [50, 20, 30]))[:60] for _ in range(400)])
    plan = planned.plan_pair(family, 60, outcomes_only=kind != "means", pool_size=pool)
    state = played(plan, values)  # what a look has rejected stays rejected: the last look tells of all
    found = [planned.interval(plan, state.of(np.array([k])), np.log(1 / family.first_level)) for k in range(400)]
    low, high = np.array(found).T
    missed = int(((truth < low) | (truth > high)).sum())
    assert at_most_in(missed, 400, 0.2)
    assert missed > 4
    assert (high - low).mean() < 0.62


@pytest.mark.parametrize("truth", [-0.01, 0.0])
def test_intervals_hold_next_to_0_where_walk_and_bets_both_reject(truth: float) -> None:
    """Two ways to rule out the truth, each at the level of a side: together they miss no more often, at 80%."""
    family = Family(0.2, "holm", 1, margin=False)
    plan = planned.plan_pair(family, 60)
    state = played(plan, drawn(((0.8 + truth) / 2, 0.2, (0.8 - truth) / 2), 60, 16, 800))
    found = [planned.interval(plan, state.of(np.array([k])), np.log(1 / family.first_level)) for k in range(800)]
    low, high = np.array(found).T
    for missed in ((low > truth).sum(), (high < truth).sum()):
        assert at_most_in(int(missed), 800, 0.1)
        assert missed > 8


def test_an_interval_says_of_0_what_the_verdict_says() -> None:
    plan, threshold = planned.plan_pair(ONE_PAIR, 60), np.log(40)
    values = drawn((0.6, 0.15, 0.25), 60, 9, 200)
    state = played(plan, values)
    decided = planned.evidence(plan, state).directions[:, 0] >= threshold
    low = np.array([planned.interval(plan, state.of(np.array([k])), threshold)[0] for k in range(200)])
    assert 0.2 < decided.mean() < 0.9
    np.testing.assert_array_equal(low >= 0, decided)


def test_a_whole_pool_leaves_one_point() -> None:
    values = np.repeat([1.0, 0.0, -1.0], [12, 8, 10])[None]
    plan = planned.plan_pair(ONE_PAIR, 30, pool_size=30, scale=0.75)
    state = played(plan, values)
    assert planned.interval(plan, state, 3.0) == pytest.approx((0.75 * 2 / 30, 0.75 * 2 / 30))
    assert planned.interval(plan, planned.start(plan), 3.0) == (-0.75, 0.75)


# ---- power -----------------------------------------------------------------------------------------------------


def test_bets_have_almost_the_power_of_the_walk() -> None:
    """150 items, 30% ties, a difference of .18: .72 by one test at the end; the walk .68, bets .64."""
    values = drawn((0.44, 0.3, 0.26), 150, 10, 1_000)
    power = {}
    for outcomes_only in (True, False):
        plan = planned.plan_pair(ONE_PAIR, 150, outcomes_only=outcomes_only, steps=None)
        power[outcomes_only] = (largest(plan, values, ONE_PAIR)[:, 0] >= np.log(40)).mean()
    assert power[True] > 0.64
    assert 0.6 < power[False] <= power[True]


def test_a_metric_that_predicts_saves_items() -> None:
    """Correlation .8 on a pool of 500: most are found that labels alone do not find."""
    rng, found = np.random.default_rng(11), {True: 0, False: 0}
    for _ in range(30):
        pool = rng.choice([1.0, 0.0, -1.0], p=[0.42, 0.25, 0.33], size=500)
        metric = pool + 0.65 * rng.normal(size=500)
        for helped in found:
            rows = item_rows(metric[:120], metric[120:]) if helped else None
            plan = planned.plan_pair(ONE_PAIR, 120, pool_size=500, rows=rows, steps=None)
            evidence = largest(plan, pool[None, :120], ONE_PAIR)
            found[helped] += int(evidence[0, 0] >= np.log(40))
    assert found[True] >= found[False] + 4


@pytest.mark.parametrize("pool", [None, 150])
def test_projections_come_true_in_four_of_five(pool: int | None) -> None:
    """From the true shares at a third of the plan: about 80% of campaigns are decided by the unit projected."""
    plan = planned.plan_pair(ONE_PAIR, 120, pool_size=pool, steps=None)
    begun = np.repeat([1.0, 0.0, -1.0], [20, 10, 10])
    begun = np.random.default_rng(12).permutation(begun)
    state = played(plan, begun[None])
    further = planned.units_to_verdict(plan, state, 0.025, None)
    assert further is not None
    rng, runs = np.random.default_rng(13), 600
    rest = [rng.choice([1.0, 0.0, -1.0], p=[0.5, 0.25, 0.25], size=further) for _ in range(runs)]
    values = np.concatenate([np.broadcast_to(begun, (runs, 40)), rest], axis=1)
    assert planned.evidence(plan, state).directions[0, 0] < np.log(40)
    share = (largest(plan, values, ONE_PAIR)[:, 0] >= np.log(40)).mean()
    assert 0.7 < share < 0.95
    even = played(plan, np.tile([[1.0, -1.0]], 20))
    assert planned.units_to_verdict(plan, even, 0.025, None) is None


@pytest.mark.parametrize(("wins", "losses"), [(24, 16), (21, 19), (41, 39)])
def test_far_projections_are_exact_to_a_thousandth(wins: int, losses: int, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned.plan_pair(ONE_PAIR, 400_000, steps=None)
    state = played(plan, np.repeat([[1.0, -1.0]], [wins, losses], axis=1))
    found = planned.units_to_verdict(plan, state, 0.025, None)
    monkeypatch.setattr(planned, "_NEAR", 400_000)  # every number of units
    exact = planned.units_to_verdict(plan, state, 0.025, None)
    assert found is not None
    assert exact is not None
    assert exact <= found <= exact + 0.001 * (exact + 80) + 1


def test_the_largest_plan_takes_no_memory() -> None:
    plan = planned.plan_pair(ONE_PAIR, 10**9, steps=None)
    further = planned.units_to_verdict(plan, played(plan, np.repeat([[1.0, 0.0]], 20, axis=1)), 1e-300, None)
    assert further is not None
    assert planned._ahead(20, 10**9).size < 20_000


@pytest.mark.parametrize("outcomes_only", [True, False])
def test_a_missing_label_counts_against_either_side(outcomes_only: bool) -> None:
    plan = planned.plan_pair(ONE_PAIR, 40, outcomes_only=outcomes_only)
    values = np.random.default_rng(14).choice([1.0, 0.0, -1.0], p=[0.7, 0.1, 0.2], size=40)
    whole, missing = planned.start(plan), planned.start(plan)
    for place, value in enumerate(values):
        one = np.array([value])
        whole = planned.advance(plan, whole, one)
        if place in (4, 20):
            missing = planned.advance(plan, missing, np.array([-1.0]), np.array([1.0]), np.array([np.nan]))
        else:
            missing = planned.advance(plan, missing, one)
    there, here = planned.evidence(plan, whole), planned.evidence(plan, missing)
    assert (here.directions <= there.directions + 1e-9).all()
    low, high = planned.interval(plan, missing, 3.0)
    known_low, known_high = planned.interval(plan, whole, 3.0)
    assert low <= known_low
    assert known_high <= high


def test_what_was_seen_stands() -> None:
    plan = planned.plan_pair(ONE_PAIR, 30)
    rich, poor = played(plan, np.ones((1, 20))), played(plan, -np.ones((1, 20)))
    kept = planned.with_past(poor, rich)
    found = planned.evidence(plan, kept).directions
    assert found[0, 0] == planned.evidence(plan, rich).directions[0, 0]
    assert found[0, 1] == planned.evidence(plan, poor).directions[0, 1]


# ---- sequences -----------------------------------------------------------------------------------------------------

NAN = float("nan")


def test_complete_sequences_know_what_they_hold() -> None:
    assert ValueSequence.complete(np.array([1.0, 0.0, -1.0])).outcomes_only
    assert not ValueSequence.complete(np.array([1.0, 1 / 3])).outcomes_only
    assert ValueSequence.complete(np.array([1.0, 1.0]), pool_size=2).pool_size == 2
    empty = ValueSequence.complete(np.empty(0))
    assert len(empty) == 0
    assert np.isnan(empty.mean)


@pytest.mark.parametrize("bad", [1.5, -1.01, NAN])
def test_a_value_that_is_no_difference_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match=rf"must be in \[-1, 1\], not {bad}"):
        ValueSequence.complete(np.array([0.0, bad]))


def test_more_values_than_the_pool_holds_are_refused() -> None:
    with pytest.raises(ValueError, match="3 values from a pool of 2"):
        ValueSequence.complete(np.zeros(3), pool_size=2)
