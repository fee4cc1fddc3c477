from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from tiebreak.errors import UsageError
from tiebreak.kernels.davidson_limits import connected_groups, separation


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
    with pytest.raises(UsageError, match="2 groups that nothing connects"):
        separation(*matrices(5, [(0, 1), (1, 0), (3, 4)], [(2, 3)]))


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
    with pytest.raises(UsageError, match="two square matrices"):
        separation(np.zeros((2, 3)), np.zeros((2, 3)))
    with pytest.raises(UsageError, match="ties symmetric"):
        separation(np.zeros((2, 2)), np.array([[0.0, 1.0], [0.0, 0.0]]))
