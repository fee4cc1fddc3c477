"""Paired outcomes of a pool: by hand, brute force, exact errors; and the hypergeometric tails below them."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.stats import hypergeom
from tests.kernels.checks import refused
from tests.kernels.outcome_worlds import Floats, all_outcomes, draw_probabilities

from tiebreak.kernels.hypergeometric import Hypergeometric
from tiebreak.kernels.paired_outcomes import PairedPool, paired_outcomes, paired_pool
from tiebreak.kernels.sign_flips import sign_test

LEVELS = (0.2, 0.1, 0.05, 0.025, 0.005)


def in_full(*designs: tuple[int, int]) -> list[object]:
    return [pytest.param(*of, marks=pytest.mark.full) for of in designs]


def outcomes_and_pools(size: int, drawn: int) -> tuple[PairedPool, Floats, Floats]:
    """All outcomes of a sample, W - L of all pools, and the probability of each outcome (columns) in each pool."""
    wins, ties, losses = all_outcomes(drawn)
    pools = list(zip(*(values.tolist() for values in all_outcomes(size)), strict=True))
    p = np.array([draw_probabilities(wins, ties, losses, pool) for pool in pools])
    return paired_pool(wins, ties, losses, size), np.array([pool[0] - pool[2] for pool in pools]), p


def test_four_of_six_by_hand() -> None:
    # 4 wins of 4: with W = L the pool would hold 8 untied items, p = 0. 3 wins and a tie: 6 untied leave no room for
    # the tie, p = 0. 2 wins and 2 ties: W = L = 2, where both of 2 untied are wins with probability 1/6; and 2 untied
    # among 4 drawn are as few as there can be, pi = 2 * 6/15, more than enough. p = (1/6) / .99.
    result = paired_pool([4, 3, 2], [0, 1, 2], 0, 6)
    np.testing.assert_allclose(result.p_a, [0, 0, 1 / 6 / 0.99])
    np.testing.assert_array_equal(result.p_b, 1)
    # Two labels are missing: 4 wins leave at least W - L = 2, and 6 at most.
    low, high = result.interval(0.001)
    np.testing.assert_array_equal((low * 6)[:1], 2)
    np.testing.assert_array_equal((high * 6)[:1], 6)


def test_golden() -> None:
    # 300 items of which 150 were drawn, 30 % ties, W - L = 36.
    wins, ties, losses = all_outcomes(150)
    p = draw_probabilities(wins, ties, losses, (123, 90, 87))
    likely = p > 1e-9
    wins, ties, losses, p = wins[likely], ties[likely], losses[likely], p[likely]
    result = paired_pool(wins, ties, losses, 300)
    assert p[result.p_a <= 0.025].sum() == pytest.approx(0.6099, abs=5e-5)
    assert p[sign_test(wins, losses).p_a <= 0.025].sum() == pytest.approx(0.3326, abs=5e-5)
    low, high = result.interval(0.025)
    wald = 2 * 1.959964 * np.sqrt(((wins + losses) / 150 - ((wins - losses) / 150) ** 2) / 150 / 2)
    assert (p * (high - low)).sum() / (p * wald).sum() == pytest.approx(1.02, abs=1e-2)


def by_brute_force(wins: int, ties: int, losses: int, size: int) -> float:
    """p of W <= L by the definition, over all pools and in exact integers."""
    untied, drawn = wins + losses, wins + ties + losses

    def tail(least: int, draws: int, marked: int, unmarked: int) -> float:
        ways = sum(comb(marked, x) * comb(unmarked, draws - x) for x in range(least, draws + 1))
        return ways / comb(marked + unmarked, draws)

    best = 0.0
    for m in range(untied, size - ties + 1):
        many = m * drawn >= untied * size
        pi = 2 * (tail(drawn - untied, drawn, size - m, m) if many else tail(untied, drawn, m, size - m))
        for pool_wins in range(m // 2 + 1):
            best = max(best, min(tail(wins, untied, pool_wins, m - pool_wins) / 0.99, min(pi, 1) / 0.01))
    return min(best, 1.0)


@pytest.mark.parametrize(
    ("size", "drawn"), [(1, 1), (2, 1), (3, 2), (5, 5), (6, 4), (7, 6), (10, 3), (13, 12), (20, 11)]
)
def test_against_brute_force(size: int, drawn: int) -> None:
    wins, ties, losses = all_outcomes(drawn)
    p_a = paired_pool(wins, ties, losses, size).p_a
    for k in np.flatnonzero(wins > losses):
        expected = by_brute_force(int(wins[k]), int(ties[k]), int(losses[k]), size)
        assert p_a[k] == pytest.approx(expected, rel=1e-9, abs=1e-15), (wins[k], ties[k], losses[k])


def largest_error(size: int, drawn: int) -> float:
    """Over all pools with W <= L and all q that p_a takes: the largest P(p_a <= q) / q."""
    result, totals, p = outcomes_and_pools(size, drawn)
    null = p[totals <= 0]
    taken = np.unique(result.p_a)
    assert null[:, result.p_a == 0].sum() == pytest.approx(0, abs=1e-12)
    return max(float(null[:, result.p_a <= q].sum(axis=1).max() / q) for q in taken[taken > 0])


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 11])
def test_errors_are_exact_for_every_pool(size: int) -> None:
    for drawn in range(size + 1):
        assert largest_error(size, drawn) <= 1 + 1e-9


@pytest.mark.full
@pytest.mark.parametrize(("size", "drawn"), [(16, 8), (20, 5), (20, 15), (30, 10), (30, 20), (30, 28), (40, 20)])
def test_errors_are_exact_for_every_larger_pool(size: int, drawn: int) -> None:
    assert 0.9 < largest_error(size, drawn) <= 1 + 1e-9


def largest_error_of_small_sample(size: int, drawn: int) -> float:
    """Over all pools with W = L or W = L - 1, the likeliest to mislead, and all q that p_a takes: P(p_a <= q) / q."""
    wins, ties, losses = all_outcomes(drawn)
    p_a = paired_pool(wins, ties, losses, size).p_a
    order = np.argsort(p_a)
    last = np.flatnonzero(np.diff(p_a[order], append=np.inf) > 0)
    largest = 0.0
    for untied in range(size + 1):
        pool = untied // 2, size - untied, untied - untied // 2
        reached = np.cumsum(draw_probabilities(wins[order], ties[order], losses[order], pool))[last]
        largest = max(largest, float((reached / p_a[order][last]).max()))
    return largest


@pytest.mark.parametrize(
    ("size", "drawn"),
    [(20, 1), (60, 3), (200, 10), (400, 20), *in_full((1000, 50), (2000, 100), (6000, 40), (3000, 150))],
)
def test_errors_of_small_samples_are_exact(size: int, drawn: int) -> None:
    assert 0.8 < largest_error_of_small_sample(size, drawn) <= 1 + 1e-9


def test_a_small_sample_by_hand() -> None:
    # 1 of 20 drawn, a win: score 1 + (1 - 3)/12, reached with probability 1/2 if that item is untied, as it is
    # if all are: p = 1/2. 2 of 40, two wins: 1/4 if both are untied.
    np.testing.assert_allclose(paired_pool([1, 2], 0, 0, [20, 40]).p_a, [1 / 2, 1 / 4])


def interval_errors(size: int, drawn: int, level: float) -> Floats:
    """P(low > W - L) over the level, for every pool; by symmetry also that of the other side."""
    result, totals, p = outcomes_and_pools(size, drawn)
    low, _ = result.interval(level)
    return np.asarray((p * (low * size > totals[:, None] + 1e-9)).sum(axis=1) / level)


@pytest.mark.parametrize(
    ("size", "drawn"),
    [(12, 6), (25, 5), (30, 15), (30, 24), *in_full((40, 20), (60, 15), (60, 30), (60, 50), (80, 40))],
)
def test_interval_errors(size: int, drawn: int) -> None:
    assert interval_errors(size, drawn, 0.025).max() <= 1.4


def test_everything_labelled() -> None:
    wins, ties, losses = all_outcomes(9)
    result = paired_pool(wins, ties, losses, 9)
    np.testing.assert_array_equal(result.p_a, np.where(wins > losses, 0.0, 1.0))
    np.testing.assert_array_equal(result.p_b, np.where(wins < losses, 0.0, 1.0))
    for limit in result.interval(0.01):
        np.testing.assert_allclose(limit, (wins - losses) / 9)


def test_verdict_and_interval_agree() -> None:
    wins, ties, losses = all_outcomes(20)
    for size in (21, 30, 45, 200):
        result = paired_pool(wins, ties, losses, size)
        taken = np.unique(result.p_a[(result.p_a > 0) & (result.p_a < 0.3)])
        for level in (0.3, *LEVELS, 5e-5, *taken[:: len(taken) // 4 + 1].tolist()):
            low, high = result.interval(level)
            np.testing.assert_array_equal(low > 0, result.p_a <= level)
            np.testing.assert_array_equal(high < 0, result.p_b <= level)
            estimate = (wins - losses) / 20
            assert ((low <= estimate + 1e-9) & (estimate <= high + 1e-9)).all()
            assert (low * size >= wins - losses - (size - 20) - 1e-9).all()
            assert (high * size <= wins - losses + (size - 20) + 1e-9).all()


def test_a_large_pool_is_a_population() -> None:
    wins, ties, losses = all_outcomes(25)
    result, population = paired_pool(wins, ties, losses, 20_000), paired_outcomes(wins, ties, losses)
    np.testing.assert_allclose(result.p_a, population.p_a, rtol=2e-3)
    ours, theirs = (high - low for low, high in (result.interval(0.025), population.interval(0.025)))
    assert 1.0 < ours.mean() / theirs.mean() < 1.15


def test_swapping_the_systems_mirrors_everything() -> None:
    wins, ties, losses = all_outcomes(12)
    forward, backward = paired_pool(wins, ties, losses, 31), paired_pool(losses, ties, wins, 31)
    np.testing.assert_array_equal(forward.p_a, backward.p_b)
    np.testing.assert_array_equal(forward.interval(0.03)[0], -backward.interval(0.03)[1])


def test_shapes_and_nothing_drawn() -> None:
    result = paired_pool([[3], [0]], 0, [0, 2], [4, 5])
    assert result.p_a.shape == result.interval(0.025)[1].shape == (2, 2)
    assert float(paired_pool(3, 0, 0, 4).p_a) == result.p_a[0, 0]
    nothing = paired_pool([0, 0], 0, 0, [0, 7])
    np.testing.assert_array_equal(nothing.p_a, 1.0)
    np.testing.assert_array_equal(nothing.interval(0.1), [[-1, -1], [1, 1]])
    assert paired_pool([], [], [], []).interval(0.1)[0].shape == (0,)


def test_bad_input_raises() -> None:
    refused("9 items were labelled, but the pool holds only 8", paired_pool, [1, 4], 3, 2, 8)
    refused("pool must be whole numbers >= 0, but one of them is -1", paired_pool, 0, 0, 0, -1)
    refused(r"level of a side must be below 0\.5, but it is 0\.5", paired_pool(1, 0, 0, 4).interval, 0.5)


# ---- hypergeometric tails ------------------------------------------------------------------------------------------


def tail(least: float, draws: float, marked: float, unmarked: float, size: int = 40) -> float:
    arrays = (np.array([float(value)]) for value in (least, draws, marked, unmarked))
    return float(Hypergeometric(size).upper_tail(*arrays)[0])


def test_tails_by_hand() -> None:
    # 3 draws out of 4 marked and 2 unmarked: 3 marked in 4 of 20 ways, 2 marked in 6 * 2 = 12.
    assert tail(3, 3, 4, 2) == pytest.approx(4 / 20)
    assert tail(2, 3, 4, 2) == pytest.approx(16 / 20)
    assert tail(1, 3, 4, 2) == 1.0  # there are only 2 unmarked
    assert tail(4, 3, 4, 2) == 0.0


def test_nothing_drawn() -> None:
    assert tail(0, 0, 0, 0) == tail(0, 0, 5, 3) == tail(-1, 2, 5, 3) == 1.0
    assert tail(1, 0, 5, 3) == 0.0


def test_every_small_population() -> None:
    cells = [
        (x, n, k, r) for k in range(8) for r in range(8) for n in range(k + r + 1) for x in range(n + 2)
    ]  # fmt: skip
    expected = [sum(comb(k, y) * comb(r, n - y) for y in range(x, n + 1)) / comb(k + r, n) for x, n, k, r in cells]
    arrays = np.array(cells, dtype=float).T
    np.testing.assert_allclose(Hypergeometric(14).upper_tail(*arrays), expected, rtol=1e-12, atol=1e-15)


def test_large_populations_against_scipy() -> None:
    rng = np.random.default_rng(4)
    size = rng.integers(100, 20_000, 300)
    marked = (size * rng.uniform(0.01, 0.99, 300)).astype(int)
    draws = (size * rng.uniform(0.01, 1.0, 300)).astype(int)
    spread = np.sqrt(draws * marked / size * (1 - marked / size) * (1 - draws / size)) + 1
    least = np.rint(draws * marked / size + rng.uniform(-6, 6, 300) * spread)
    result = Hypergeometric(20_000).upper_tail(least, *(v.astype(float) for v in (draws, marked, size - marked)))
    np.testing.assert_allclose(result, hypergeom.sf(least - 1, size, marked, draws), rtol=1e-7, atol=1e-13)
