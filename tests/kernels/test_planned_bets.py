"""Bets towards a plan: never more than fair, by enumeration; their table against random walks; what they learn."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.kernels.enumeration import largest_growth_over_orders

from tiebreak.kernels import planned_bets
from tiebreak.kernels.hedge_table import SCORES, hedge_table, table_like
from tiebreak.kernels.planned_bets import BetPlan, Bets, HelpStep
from tiebreak.kernels.spending import spent_share
from tiebreak.kernels.spending_boundary import look_times, spending_boundary

Floats = NDArray[np.float64]


def played(plan: BetPlan, values: Floats, looks: list[int] | None = None) -> Bets:
    """Values (n,) of one cell, one by one or in looks of so many."""
    bets, done = planned_bets.start(plan), 0
    for count in looks or [1] * values.size:
        part = values[done : done + count]
        bets, done = planned_bets.advance(plan, bets, np.stack([part, -part])[None]), done + count
    return bets


def wealth(plan: BetPlan, values: Floats, looks: list[int] | None = None) -> Floats:
    """(2, G)."""
    return np.exp(played(plan, values, looks).log_wealth[0])


# ---- the table -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "planned"), [(0.025, 60), (0.001, 400)])
def test_the_boundary_spends_what_it_may(level: float, planned: int) -> None:
    """Random walks at the table's own times: crossed by each time as often as the level times s."""
    times = look_times(planned)
    edges = spending_boundary(level, planned).edges
    rng, runs = np.random.default_rng(1), 400_000
    steps = np.sqrt(np.diff(times, prepend=0.0))
    score, crossed = np.zeros(runs), np.zeros(runs, dtype=bool)
    for step, edge, time in zip(steps, edges, times, strict=True):
        score += step * rng.standard_normal(runs)
        crossed |= score >= edge
        expected = level * float(spent_share(np.array(time * planned), planned))
        assert abs(crossed.mean() - expected) < 4.5 * math.sqrt(expected / runs) + 2e-5
    assert crossed.mean() == pytest.approx(level, rel=0.2)


def test_values_are_chances_to_cross() -> None:
    """V at the start is the level; later it is the share of random walks that cross from there."""
    table, planned = hedge_table(0.05, 50), 50
    start = math.exp(float(np.interp(0.0, SCORES, table.log_values[0])))
    assert start == pytest.approx(0.05, rel=0.05)
    times, rng = look_times(planned), np.random.default_rng(2)
    edges = spending_boundary(0.05, planned).edges
    for place in (20, 40):
        share = float(table.shares[place])
        row = table.row(share)
        for score in (0.4 * row.edge, 0.7 * row.edge):
            paths = np.full(100_000, score * row.root)
            crossed = np.zeros(paths.size, dtype=bool)
            before = share
            for time, edge in zip(times[place:], edges[place:], strict=True):
                paths += math.sqrt(time - before) * rng.standard_normal(paths.size)
                crossed |= paths >= edge
                before = time
            value = math.exp(float(np.interp(score, SCORES, row.log_values)))
            assert abs(crossed.mean() - value) < 4 * math.sqrt(value / paths.size) + 0.003


@pytest.mark.parametrize(("level", "planned"), [(0.025, 60), (0.001, 400)])
def test_the_chance_to_cross_by_each_look(level: float, planned: int) -> None:
    """Random walks with a drift at the boundary's looks."""
    boundary = spending_boundary(level, planned)
    rng, runs = np.random.default_rng(3), 50_000
    steps = np.diff(boundary.times, prepend=0.0)
    for drift, chances in zip((2.0, -1.0), boundary.crossed(np.array([2.0, -1.0])), strict=True):
        score, crossed = np.zeros(runs), np.zeros(runs, dtype=bool)
        for step, edge, chance in zip(steps, boundary.edges, chances, strict=True):
            score += drift * step + math.sqrt(step) * rng.standard_normal(runs)
            crossed |= score >= edge
            assert abs(crossed.mean() - chance) < 4.5 * math.sqrt(chance / runs) + 1e-4


def test_plans_that_are_alike_share_a_table() -> None:
    """Few tables for the many plans of a large campaign; each is that of a plan within 5%."""
    tables = {id(table_like(0.05, planned)): planned for planned in range(100, 200)}
    assert len(tables) <= 9
    for planned in (3, 20, 77, 150):
        shared = table_like(0.05, planned)
        assert abs(math.log(shared.planned / planned)) <= math.log(1.1) / 2 + 0.02
        assert planned > 20 or shared.planned == planned


@pytest.mark.parametrize(("level", "planned"), [(0.0, 10), (0.5, 10), (0.05, 0)])
def test_tables_that_cannot_be(level: float, planned: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        hedge_table(level, planned)


# ---- fair ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("null", "chances"), [(0.0, (0.5, 0.0, 0.5)), (0.0, (0.2, 0.6, 0.2)), (-0.3, (0.1, 0.5, 0.4))])
def test_the_mean_wealth_is_one_under_the_null(null: float, chances: tuple[float, float, float]) -> None:
    """By enumeration of all outcomes of seven items, with their chances."""
    plan = BetPlan(np.array([null]), 0.2, 7)
    values = np.array(list(itertools.product([1.0, 0.0, -1.0], repeat=7)))
    bets = planned_bets.start(plan, len(values))
    for item in values.T:
        bets = planned_bets.advance(plan, bets, np.stack([item, -item], axis=1)[..., None])
    chance = np.prod(np.array(chances)[(1 - values).astype(int)], axis=1)
    assert float(chance @ np.exp(bets.log_wealth[:, 0, 0])) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("null", [-0.2, 0.0, 0.25])
def test_a_pool_never_grows_on_average(null: float) -> None:
    """All orders of a pool whose mean is the null; after each prefix the next item multiplies by at most one."""
    pools = {-0.2: [-1, -1, 0, 1, 0], 0.0: [1, -1, 0, 1, -1], 0.25: [1, 1, -1, 0.25, 0]}
    values = np.array(pools[null], dtype=float)
    plan = BetPlan(np.array([null]), 0.3, 4, values.size)

    def path(order: NDArray[np.intp]) -> Floats:
        bets, found = planned_bets.start(plan), []
        for value in values[order]:
            bets = planned_bets.advance(plan, bets, np.array([[[value], [-value]]]))
            found.append(float(bets.log_wealth[0, 0, 0]))
        return np.array(found)

    assert largest_growth_over_orders(path, values.size) <= 1 + 1e-9


def test_looks_at_a_pool_in_any_order_are_fair() -> None:
    """Looks of three and two items of a pool of seven, bets and mean frozen: over all draws the mean is at most one,
    and the order within a look changes nothing.
    """
    values = np.array([1.0, 1.0, -1.0, 0.0, -1.0, 0.5, -0.5])
    plan = BetPlan(np.array([0.0]), 0.3, 5, 7)
    found = [float(wealth(plan, values[list(draw)], [3, 2])[0, 0]) for draw in itertools.permutations(range(7), 5)]
    assert np.mean(found) <= 1 + 1e-9
    assert np.std(found) > 0.01
    assert wealth(plan, values[[0, 2, 5, 1, 3]], [3, 2]) == pytest.approx(wealth(plan, values[[5, 0, 2, 3, 1]], [3, 2]))


def test_a_metric_never_makes_them_more_than_fair() -> None:
    """Whatever is predicted, over all items that may come next the mean factor is at most one."""
    rng = np.random.default_rng(4)
    for _ in range(60):
        labels = np.outer([1.0, -1.0], rng.choice([1.0, 0.5, 0.0], size=3)).ravel()
        predicted = rng.permutation(labels) * rng.choice([-1.0, 0.01, 0.5, 1.0])
        centred = predicted - predicted.mean()
        plan = BetPlan(np.array([0.0]), 0.4, 30)
        before = played(plan, rng.choice([1.0, 0.0, -1.0], p=[0.6, 0.2, 0.2], size=int(rng.integers(0, 12))))
        above, below = float(centred.max()), float(-centred.min())
        factors = []
        for label, of_item in zip(labels, centred, strict=True):
            step = HelpStep(*map(np.asarray, (of_item, above, below, above, below, 0.3)))
            after = planned_bets.advance(plan, before, np.array([[[label], [-label]]]), metric=step)
            factors.append(np.exp(after.log_wealth[0, :, 0] - before.log_wealth[0, :, 0]))
        assert (np.mean(factors, axis=0) <= 1 + 1e-9).all()
        assert (np.array(factors) > 0).all()


# ---- what they know --------------------------------------------------------------------------------------------


def test_sides_are_mirror_images() -> None:
    plan = BetPlan(np.linspace(-0.9, 0.9, 7), 0.05, 40)
    values = np.random.default_rng(5).choice([1.0, 0.5, 0.0, -1.0], size=40)
    there, back = wealth(plan, values), wealth(plan, -values)
    np.testing.assert_allclose(there[0], back[1])
    np.testing.assert_allclose(there[1], back[0])


def test_lowered_values_change_gains_and_no_bet() -> None:
    """A label that was withdrawn later counts as a loss; the bets after it are those that were made."""
    plan, rng = BetPlan(np.array([0.0]), 0.05, 30), np.random.default_rng(6)
    values = rng.choice([1.0, 0.0, -1.0], p=[0.6, 0.2, 0.2], size=30)
    true, lowered = planned_bets.start(plan), planned_bets.start(plan)
    ratios = []
    for place, value in enumerate(values):
        came = np.array([[[value], [-value]]])
        counted = np.full_like(came, -1.0) if place in (3, 11) else came
        true = planned_bets.advance(plan, true, came)
        lowered = planned_bets.advance(plan, lowered, counted, came)
        ratios.append(lowered.log_wealth[0, 0, 0] - true.log_wealth[0, 0, 0])
        np.testing.assert_allclose(lowered.learnt, true.log_wealth)
    steps = np.diff(ratios)
    assert np.flatnonzero(np.abs(steps) > 1e-12).tolist() == [place - 1 for place in (3, 11) if values[place] > -1]
    assert ratios[-1] < 0


def test_nothing_is_learnt_of_a_missing_label() -> None:
    plan = BetPlan(np.array([0.0]), 0.05, 30)
    bets = played(plan, np.array([1.0, 1.0, 0.0]))
    missing = planned_bets.advance(plan, bets, np.array([[[-1.0], [-1.0]]]), np.full((1, 2, 1), np.nan))
    assert (missing.log_wealth < bets.log_wealth).all()
    np.testing.assert_allclose(missing.learnt, bets.learnt)
    assert missing.units == 4


def test_after_the_plan_and_after_success_nothing_is_bet() -> None:
    plan = BetPlan(np.array([0.0]), 0.05, 20)
    rich = played(plan, np.ones(20))
    assert rich.sup[0, 0, 0] >= math.log(20)
    more = planned_bets.advance(plan, rich, np.array([[[-1.0], [1.0]]]))
    np.testing.assert_array_equal(more.log_wealth, rich.log_wealth)


def test_a_pool_that_cannot_be_refutes_the_null() -> None:
    plan = BetPlan(np.array([0.0]), 0.05, 8, 10)
    assert math.isinf(played(plan, np.ones(6)).log_wealth[0, 0, 0])
    assert not math.isinf(played(plan, np.ones(5)).log_wealth[0, 0, 0])
