"""What games leave open: groups, sides, ranges of ranks and reference points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from tests.kernels.checks import refused

from tiebreak.kernels.davidson import (
    connected_groups,
    rank_ranges,
    reference_points,
    separation,
    side_is_limited,
)
from tiebreak.kernels.games import Games

# ---- separation --------------------------------------------------------------------------------------------------


def matrices(count: int, wins: list[tuple[int, int]], ties: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    won, tied = np.zeros((count, count)), np.zeros((count, count))
    for first, second in wins:
        won[first, second] += 1
    for first, second in ties:
        tied[first, second] += 1
    return won, tied + tied.T


def test_groups_that_never_met() -> None:
    first, second = np.array([0, 3, 4, 3]), np.array([1, 2, 3, 2])
    assert connected_groups(6, first, second) == ((2, 3, 4), (0, 1), (5,))
    refused("2 groups that nothing connects", separation, *matrices(5, [(0, 1), (1, 0), (3, 4)], [(2, 3)]))


def test_who_never_lost_is_not_in_the_core() -> None:
    # 3 beat 0, which scored and was scored against by 1 and 2; 4 lost to 2.
    found = separation(*matrices(5, [(0, 1), (1, 2), (2, 0), (3, 0), (2, 4)], []))
    assert found.core.tolist() == [True, True, True, False, False]
    tied = separation(*matrices(5, [(0, 1), (1, 2), (2, 0), (3, 0), (2, 4)], [(3, 1)]))
    assert tied.core.tolist() == [True, True, True, True, False]


def test_a_chain_has_a_core_of_one() -> None:
    found = separation(*matrices(3, [(0, 1), (1, 2), (1, 2)], []))
    assert found.core.tolist() == [False, True, False]  # the one with the most games


@pytest.mark.parametrize(
    ("wins", "ties", "unlimited"),
    [
        ([], [(0, 1), (1, 2)], True),  # ties alone: any strengths, if ties are likely enough
        ([(0, 2)], [(0, 1), (1, 2)], True),  # neighbours tie, the ends do not
        ([(0, 2), (2, 0)], [(0, 1), (1, 2)], False),
        ([(0, 1), (1, 2)], [(0, 2)], False),  # 0 is two wins above 2 and ties with it
        ([(0, 1), (1, 2)], [(0, 1), (1, 2)], True),
        ([(0, 1), (1, 2), (2, 0)], [], False),
    ],
)
def test_ties_and_wins_apart(wins: list[tuple[int, int]], ties: list[tuple[int, int]], unlimited: bool) -> None:
    found = separation(*matrices(3, wins, ties))
    assert found.unlimited == unlimited
    assert (found.core.sum() == 1) == unlimited


@pytest.mark.parametrize("seed", range(40))
def test_against_linear_programming(seed: int) -> None:
    """Whether the likelihood can rise for ever in a direction that makes ties likelier, by a general solver."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 6))
    pairs = [tuple(rng.choice(count, 2, replace=False).tolist()) for _ in range(int(rng.integers(count, 3 * count)))]
    pairs += [(k, k + 1) for k in range(count - 1)]
    results = rng.choice(["win", "tie"], size=len(pairs), p=[0.5, 0.5]).tolist()
    wins = [pair for pair, result in zip(pairs, results, strict=True) if result == "win"]
    ties = [pair for pair, result in zip(pairs, results, strict=True) if result == "tie"]
    rows, limits = [], []
    for kind, both in ((wins, False), (ties, True)):
        for first, second in kind:
            row = np.zeros(count)
            row[[first, second]] = 1, -1
            rows += [row, -row] if both else [-row]
            limits += [2, 2] if both else [-2]
    solved = linprog(np.zeros(count), np.array(rows), np.array(limits), bounds=(None, None))
    expected = solved.status == 0 and bool(ties)
    assert separation(*matrices(count, wins, ties)).unlimited == expected


def test_bad_input_is_refused() -> None:
    refused("two square matrices", separation, np.zeros((2, 3)), np.zeros((2, 3)))
    refused("ties symmetric", separation, np.zeros((2, 2)), np.array([[0.0, 1.0], [0.0, 0.0]]))


# ---- sides -------------------------------------------------------------------------------------------------------

Row = tuple[int, int, int, int]
"""First, second, outcome, side."""


def limited(rows: list[Row]) -> bool:
    first, second, outcome, side = np.array(rows).T
    return side_is_limited(Games.of(int(max(first.max(), second.max())) + 1, first, second, outcome, side=side))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(0, 1, 1, 1), (0, 1, -1, -1)], False),  # the left always won
        ([(0, 1, -1, 1), (0, 1, 1, -1)], False),  # the right did
        ([(0, 1, 1, 1), (0, 1, -1, -1), (0, 1, 0, 1), (0, 1, 0, -1)], False),  # it never lost
        ([(0, 1, 1, 1), (0, 1, -1, 1)], False),  # 0 was always on the left
        ([(0, 1, 1, 1), (0, 1, -1, 1), (0, 1, 1, -1), (0, 1, -1, -1)], True),
        ([(0, 1, 1, 1), (0, 1, -1, 1), (0, 1, 1, 0), (0, 1, -1, 0)], True),  # where nobody knows tells the systems
        ([(0, 1, 0, 1), (0, 1, 0, -1)], False),  # ties alone
        # Always the first on the left, but three pairs in a circle of wins that no strengths explain.
        ([(i, j, outcome, 1) for i, j in ((0, 1), (1, 2), (0, 2)) for outcome in (1, -1)], True),
    ],
)
def test_by_hand(rows: list[Row], expected: bool) -> None:
    assert limited(rows) == expected


@pytest.mark.parametrize("seed", range(12))
def test_against_the_likelihood_far_away(seed: int) -> None:
    """Where nothing limits the advantage, games are as likely as ever with an enormous one, on one of the sides."""
    rng = np.random.default_rng(seed)
    systems = int(rng.integers(2, 4))
    rows: list[Row] = [(k, k + 1, 1, int(rng.choice([1, -1]))) for k in range(systems - 1)]
    for _ in range(int(rng.integers(2, 12))):
        first, second = sorted(rng.choice(systems, 2, replace=False).tolist())
        side = int(rng.choice([1, -1]))
        rows.append((first, second, side * int(rng.choice([1, 0, -1], p=[0.5, 0.2, 0.3])), side))
    best = max(_likelihood(systems, rows, left) for left in (-4.0, -2.0, 0.0, 2.0, 4.0))
    far = max(_likelihood(systems, rows, left) for left in (-40.0, 40.0))
    assert limited(rows) == (far < best - 2)


def _likelihood(systems: int, rows: list[Row], left: float) -> float:
    """The largest log likelihood with this advantage."""
    first, second, outcome, side = np.array(rows).T

    def loss(x: np.ndarray) -> float:
        half = (x[first] - x[second] + left * side) / 2
        log_total = np.logaddexp(np.logaddexp(half, -half), x[-1])
        return float((log_total - np.where(outcome == 0, x[-1], outcome * half)).sum())

    # Concave, but flat far away: begun in several places.
    steps = [(step, nu) for step in (-abs(left), 0.0, abs(left)) for nu in (0.0, abs(left) / 2)]
    starts = [np.append(np.arange(systems) * step, nu) for step, nu in steps]
    found = [minimize(loss, start, method="BFGS") for start in starts]
    return -min(one.fun for one in found)


def test_games_without_sides_are_refused() -> None:
    refused("no sides", side_is_limited, Games.of(2, [0], [1], [1]))


# ---- ranks -------------------------------------------------------------------------------------------------------


def test_places_by_hand() -> None:
    # a > b > d and a > d; nothing is known of c: a 1st or 2nd, b 2nd or 3rd, c anywhere, d 3rd or 4th.
    better = np.zeros((4, 4), dtype=bool)
    better[0, [1, 3]] = better[1, 3] = True
    best, worst = rank_ranges(better)
    assert (best.tolist(), worst.tolist()) == ([1, 2, 1, 3], [2, 3, 4, 4])


@pytest.mark.parametrize("seed", range(5))
def test_the_true_places_lie_in_the_ranges_of_what_is_true(seed: int) -> None:
    rng = np.random.default_rng(seed)
    strengths = rng.normal(size=8)
    truth = np.greater.outer(strengths, strengths)
    best, worst = rank_ranges(truth & (rng.random((8, 8)) < 0.6))
    places = 1 + truth.sum(axis=0)
    assert ((best <= places) & (places <= worst)).all()
    exact = rank_ranges(truth)
    assert (exact[0] == places).all()
    assert (exact[1] == places).all()


def test_ranks_bad_input_is_refused() -> None:
    refused("a square matrix", rank_ranges, np.zeros((2, 3), dtype=bool))
    refused("cannot each be better", rank_ranges, np.ones((2, 2), dtype=bool))


# ---- points ------------------------------------------------------------------------------------------------------


def test_three_for_a_win_one_for_a_draw() -> None:
    assert reference_points([[1, 1, 0, -1], [0, 0, 0, 0], [-1, -1, -1, -1]]).tolist() == [7, 4, 0]


def test_points_bad_input_is_refused() -> None:
    refused("a row per sample and a column per reference", reference_points, [1, 0])
    refused("a row per sample and a column per reference", reference_points, [[], []])
    refused("an outcome is 1, 0 or -1, but one is 2", reference_points, [[1, 2]])
