"""Whether games limit the advantage of the left: by hand, and by the likelihood of an enormous advantage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from tiebreak.errors import UsageError
from tiebreak.kernels.davidson_limits import side_is_limited
from tiebreak.kernels.games import Games

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
    with pytest.raises(UsageError, match="no sides"):
        side_is_limited(Games.of(2, [0], [1], [1]))
