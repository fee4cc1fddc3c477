"""The exact walk: every tie pattern by enumeration, long patterns beside exact fractions, and its spending."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from tiebreak.kernels import exact_walk
from tiebreak.kernels.exact_walk import Walk, WalkPlan
from tiebreak.kernels.spending import shares_by_unit, spent_share, thinned

LEVELS = np.array([0.2, 0.1, 0.05, 0.025])


def boundaries(plan: WalkPlan, untied: list[bool]) -> list[tuple[int, ...]]:
    """After each item, by steps of one."""
    walk, found = exact_walk.start(plan), []
    for step in untied:
        walk = exact_walk.advance(plan, walk, np.array([step]))
        found.append(tuple(walk.boundary[0].tolist()))
    return found


# ---- spending --------------------------------------------------------------------------------------------------


def test_spending_by_hand() -> None:
    """H = 100: u0 = .08. s(.08) = .6 .0064; s(.5) = .6 .25 + .4 (1 - ln .5/ln .08)."""
    assert spent_share(np.array([8.0]), 100)[0] == pytest.approx(0.6 * 0.0064)
    assert spent_share(np.array([50.0]), 100)[0] == pytest.approx(0.15 + 0.4 * (1 - np.log(0.5) / np.log(0.08)))
    for planned in (1, 2, 7, 300):
        shares = shares_by_unit(planned)
        assert (shares[0], shares[-1]) == (0.0, pytest.approx(1.0))
        assert (np.diff(shares) > 0).all()
    assert spent_share(np.array([400]), 300)[0] == pytest.approx(1.0)
    with pytest.raises(ValueError, match="at least one unit, not 0"):
        spent_share(np.array([1.0]), 0)


def test_levels_are_thinned_between_their_ends() -> None:
    levels = 0.05 / np.arange(100, 49, -1)
    kept = thinned(levels)
    assert kept.size == 16
    assert (kept[0], kept[-1]) == (levels.max(), levels.min())
    assert set(kept) <= set(levels)
    assert (np.diff(kept) < 0).all()
    assert thinned(levels[:5]).tolist() == sorted(levels[:5], reverse=True)


# ---- the walk --------------------------------------------------------------------------------------------------


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
