"""Bets towards a plan and the exact walk: by enumeration, beside exact fractions and random walks; what they learn."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.kernels.checks import refused
from tests.kernels.enumeration import largest_growth_over_orders

from tiebreak.kernels import exact_walk, planned_bets
from tiebreak.kernels.exact_walk import Walk, WalkPlan
from tiebreak.kernels.hedge_table import SCORES, hedge_table, table_like
from tiebreak.kernels.planned_bets import BetPlan, Bets, HelpStep
from tiebreak.kernels.spending_boundary import look_times, shares_by_unit, spending_boundary, spent_share, thinned

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


# ---- the table -----------------------------------------------------------------------------------------------------


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
    refused("must be", hedge_table, level, planned, error=ValueError)


# ---- fair ----------------------------------------------------------------------------------------------------------


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


# ---- what they know ------------------------------------------------------------------------------------------------


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


# ---- exact walk ----------------------------------------------------------------------------------------------------


LEVELS = np.array([0.2, 0.1, 0.05, 0.025])


def boundaries(plan: WalkPlan, untied: list[bool]) -> list[tuple[int, ...]]:
    """After each item, by steps of one."""
    walk, found = exact_walk.start(plan), []
    for step in untied:
        walk = exact_walk.advance(plan, walk, np.array([step]))
        found.append(tuple(walk.boundary[0].tolist()))
    return found


# ---- spending ------------------------------------------------------------------------------------------------------


def test_spending_by_hand() -> None:
    """H = 100: u0 = .08. s(.08) = .6 .0064; s(.5) = .6 .25 + .4 (1 - ln .5/ln .08)."""
    assert spent_share(np.array([8.0]), 100)[0] == pytest.approx(0.6 * 0.0064)
    assert spent_share(np.array([50.0]), 100)[0] == pytest.approx(0.15 + 0.4 * (1 - np.log(0.5) / np.log(0.08)))
    for planned in (1, 2, 7, 300):
        shares = shares_by_unit(planned)
        assert (shares[0], shares[-1]) == (0.0, pytest.approx(1.0))
        assert (np.diff(shares) > 0).all()
    assert spent_share(np.array([400]), 300)[0] == pytest.approx(1.0)
    refused("at least one unit, not 0", spent_share, np.array([1.0]), 0, error=ValueError)


def test_levels_are_thinned_between_their_ends() -> None:
    levels = 0.05 / np.arange(100, 49, -1)
    kept = thinned(levels)
    assert kept.size == 16
    assert (kept[0], kept[-1]) == (levels.max(), levels.min())
    assert set(kept) <= set(levels)
    assert (np.diff(kept) < 0).all()
    assert thinned(levels[:5]).tolist() == sorted(levels[:5], reverse=True)


# ---- the walk ------------------------------------------------------------------------------------------------------


def test_two_items_by_hand() -> None:
    """H = 2: u0 = .5, so that s(1/2) = .15 and s(1) = 1. At level .3 the first step may spend .045, less than the 1/2
    of a win: no boundary. The second may spend .3 in all: two wins have a chance of 1/4, a lead of 2.
    """
    plan = WalkPlan(np.array([0.3]), 2)
    first, second = boundaries(plan, [True, True])
    assert first[0] > 1
    assert second == (2,)


@pytest.mark.parametrize("planned", [1, 4, 7, 9])
def test_every_pattern_of_ties(planned: int) -> None:
    """By enumeration of all signs: at no look more is spent than may be, a level is never crossed before a higher one,
    and what the walk says was spent was.
    """
    plan, shares = WalkPlan(LEVELS, planned), shares_by_unit(planned)
    some_spent = np.zeros(LEVELS.size)
    for untied in itertools.product([True, False], repeat=planned):
        signs = np.array(list(itertools.product([1, -1], repeat=sum(untied)))).reshape(2 ** sum(untied), -1)
        walk = exact_walk.start(plan)
        lead, crossed, done = np.zeros(len(signs), dtype=np.int64), np.zeros(len(signs), dtype=np.int64), 0
        for item, step in enumerate(untied):
            walk = exact_walk.advance(plan, walk, np.array([step]))
            if step:
                lead, done = lead + signs[:, done], done + 1
            crossed = np.maximum(crossed, exact_walk.crossed(walk.boundary, lead[None])[0])
            spent = (crossed[:, None] > np.arange(LEVELS.size)).mean(axis=0)
            assert (spent <= LEVELS * shares[item + 1] + 1e-9).all()
        np.testing.assert_allclose(walk.spent[0], spent, atol=1e-12)
        some_spent = np.maximum(some_spent, spent)
        assert (np.diff(walk.boundary[0]) >= 0).all()
    assert planned < 7 or (some_spent > 0.6 * LEVELS).all()


def boundaries_in_fractions(levels: list[Fraction], planned: int, untied: list[bool]) -> list[tuple[int | None, ...]]:
    """The definition in exact arithmetic, written on its own: the chance of each lead without having crossed."""
    alive = [{0: Fraction(1)} for _ in levels]
    spent = [Fraction(0) for _ in levels]
    found: list[int | None] = [None for _ in levels]
    path = []
    for item, step in enumerate(untied, start=1):
        if step:
            allowed = Fraction(float(spent_share(np.array(item), planned)))
            higher: int | None = None
            for k, level in enumerate(levels):
                moved: dict[int, Fraction] = {}
                for lead, chance in alive[k].items():
                    for to in (lead - 1, lead + 1):
                        moved[to] = moved.get(to, Fraction(0)) + chance / 2
                edge, tail = max(moved) + 2, Fraction(0)
                for lead in sorted(moved, reverse=True):
                    if spent[k] + tail + moved[lead] > level * allowed:
                        break
                    edge, tail = lead, tail + moved[lead]
                edge = edge if higher is None else max(edge, higher)
                spent[k] += sum((chance for lead, chance in moved.items() if lead >= edge), Fraction(0))
                alive[k] = {lead: chance for lead, chance in moved.items() if lead < edge}
                found[k], higher = edge, edge
        path.append(tuple(found))
    return path


@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_long_patterns_beside_exact_fractions(ties: float) -> None:
    rng = np.random.default_rng(1)
    for planned in (40, 75):
        untied = (rng.random(planned) >= ties).tolist()
        levels = [Fraction(1, 5), Fraction(1, 37), Fraction(1, 400)]
        plan = WalkPlan(np.array([float(level) for level in levels]), planned)
        exact = boundaries_in_fractions(levels, planned, untied)
        for ours, theirs in zip(boundaries(plan, untied), exact, strict=True):
            for a, b in zip(ours, theirs, strict=True):
                assert a == b or (b is None and a > planned)


def test_many_items_at_once_are_items_one_by_one() -> None:
    """Cells of different patterns, in stretches, some of them dropped between."""
    plan, rng = WalkPlan(LEVELS, 90), np.random.default_rng(2)
    untied = rng.random((7, 100)) >= np.linspace(0, 0.8, 7)[:, None]
    first, at_first = exact_walk.path(plan, exact_walk.start(plan, 7), untied[:, :33])
    kept = np.array([0, 2, 5])
    last, at_last = exact_walk.path(plan, first.of(kept), untied[kept, 33:])
    for row, cell in enumerate(kept):
        one_by_one = boundaries(plan, untied[cell].tolist())
        assert [tuple(b) for b in at_first[cell].tolist()] == one_by_one[:33]
        assert [tuple(b) for b in at_last[row].tolist()] == one_by_one[33:]
    assert last.untied.tolist() == np.minimum(untied[kept], 1).sum(axis=1).tolist()
    assert (at_last[:, 57:] > 90).all()  # beyond the plan nothing is crossed


def test_nothing_is_crossed_before_the_first_item() -> None:
    walk: Walk = exact_walk.start(WalkPlan(LEVELS, 5), 2)
    assert exact_walk.crossed(walk.boundary, np.array([[1, -1], [5, 0]])).tolist() == [[0, 0], [0, 0]]


def test_power_beside_one_test_at_the_end() -> None:
    """150 items with 30% ties, a difference of .18: one exact test at the end has .72, looking after each label .68,
    and half of the campaigns need no more than two thirds of the items.
    """
    rng, runs, items = np.random.default_rng(3), 2_000, 150
    values = rng.choice([1, 0, -1], p=[0.44, 0.3, 0.26], size=(runs, items))
    plan = WalkPlan(np.array([0.025]), items)
    _, boundary = exact_walk.path(plan, exact_walk.start(plan, runs), values != 0)
    reached = np.cumsum(values, axis=1) >= boundary[:, :, 0]
    needed = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, items)
    assert 0.65 < reached.any(axis=1).mean() < 0.71
    assert 104 < needed.mean() < 112
