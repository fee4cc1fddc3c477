from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from tests.kernels.checks import refused

from tiebreak.kernels import length_matching
from tiebreak.kernels.length_matching import LengthTolerance, has_partner, match_lengths

TWO = LengthTolerance(2, relative=False)
FIFTH = LengthTolerance(0.2, relative=True)
TOLERANCES = st.one_of(
    st.builds(LengthTolerance, st.integers(0, 6), st.just(False)),
    st.builds(LengthTolerance, st.sampled_from([0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.9]), st.just(True)),
)
LENGTHS = st.lists(st.integers(0, 25), max_size=6)


def allowed(one: int, other: int, tolerance: LengthTolerance) -> bool:
    """The rule as its documentation says it."""
    apart, longer = abs(one - other), max(one, other)
    return apart <= tolerance.amount * longer + 1e-9 if tolerance.relative else apart <= tolerance.amount


def worth(pairs: NDArray[np.intp], a: list[int], b: list[int]) -> tuple[int, int]:
    """(pairs, minus the sum of differences): the larger the better."""
    return len(pairs), -sum(abs(a[i] - b[j]) for i, j in pairs)


def best_by_brute_force(a: list[int], b: list[int], tolerance: LengthTolerance) -> tuple[int, int]:
    """Over every way to line the shorter list up with the longer one; pairs that are not allowed are left out."""
    if len(a) > len(b):
        a, b = b, a
    best = (0, 0)
    for chosen in permutations(range(len(b)), len(a)):
        pairs = [(i, j) for i, j in enumerate(chosen) if allowed(a[i], b[j], tolerance)]
        best = max(best, worth(np.array(pairs, dtype=np.intp).reshape(-1, 2), a, b))
    return best


def check_matching(pairs: NDArray[np.intp], a: list[int], b: list[int], tolerance: LengthTolerance) -> None:
    assert pairs.shape == (len(pairs), 2)
    for side in (0, 1):
        assert len(set(pairs[:, side].tolist())) == len(pairs)
    assert all(allowed(a[i], b[j], tolerance) for i, j in pairs)
    assert [a[i] for i in pairs[:, 0]] == sorted(a[i] for i in pairs[:, 0])


def test_by_hand() -> None:
    # The two texts of length 5 are nearest, but pairing them leaves 7 with 3, which are 4 apart.
    rng = np.random.default_rng(1)
    assert match_lengths([5, 7], [5, 3], TWO, rng).tolist() == [[0, 1], [1, 0]]
    # One pair either way; the nearer partner is taken.
    assert match_lengths([10], [12, 11, 9, 13], TWO, rng)[0, 1] in (1, 2)
    # 20 % of the longer: 4 and 5 are 1 = .2 * 5 apart, 3 and 4 are 1 > .8 apart.
    assert match_lengths([4], [5], FIFTH, rng).tolist() == [[0, 0]]
    assert match_lengths([4], [3], FIFTH, rng).tolist() == []
    assert match_lengths([0, 0], [0], FIFTH, rng).shape == (1, 2)


@settings(deadline=None, max_examples=300)
@given(LENGTHS, LENGTHS, TOLERANCES, st.integers(0, 3))
def test_against_brute_force(a: list[int], b: list[int], tolerance: LengthTolerance, seed: int) -> None:
    pairs = match_lengths(a, b, tolerance, np.random.default_rng(seed))
    check_matching(pairs, a, b, tolerance)
    assert worth(pairs, a, b) == best_by_brute_force(a, b, tolerance)
    mirrored = match_lengths(b, a, tolerance, np.random.default_rng(seed))
    assert worth(mirrored, b, a) == worth(pairs, a, b)


@pytest.mark.parametrize("tolerance", [TWO, FIFTH, LengthTolerance(0, relative=False)])
def test_against_an_assignment_solver(tolerance: LengthTolerance) -> None:
    rng = np.random.default_rng(2)
    for sizes in ((80, 80), (30, 120), (1, 200)):
        a, b = (rng.poisson(12, size).tolist() for size in sizes)
        pairs = match_lengths(a, b, tolerance, rng)
        check_matching(pairs, a, b, tolerance)
        # A pair that is not allowed costs more than all that are together.
        costs = [[abs(i - j) if allowed(i, j, tolerance) else 10_000 for j in b] for i in a]
        rows, columns = linear_sum_assignment(np.array(costs))
        kept = [(i, j) for i, j in zip(rows, columns, strict=True) if allowed(a[i], b[j], tolerance)]
        assert worth(pairs, a, b) == worth(np.array(kept), a, b)


@settings(deadline=None)
@given(LENGTHS, LENGTHS, TOLERANCES)
def test_has_partner(own: list[int], others: list[int], tolerance: LengthTolerance) -> None:
    expected = [any(allowed(one, other, tolerance) for other in others) for one in own]
    assert has_partner(own, others, tolerance).tolist() == expected


def test_chance_decides_between_equals_and_favours_no_side() -> None:
    rng = np.random.default_rng(3)
    # One text of length 10, partners of 9 and of 11.
    shorter = sum(match_lengths([10], [9, 11], TWO, rng)[0, 1] == 0 for _ in range(400))
    assert 160 <= shorter <= 240
    # Equal lengths: every text is left out equally often.
    taken = np.zeros(4)
    for _ in range(400):
        taken[match_lengths([5, 5], [5, 5, 5, 5], TWO, rng)[:, 1]] += 1
    assert ((taken > 150) & (taken < 250)).all()
    # Many at once: half of the partners are shorter.
    pairs = match_lengths([10] * 100, [9] * 150 + [11] * 150, TWO, rng)
    assert 30 <= (pairs[:, 1] < 150).sum() <= 70


def test_large_groups_are_cut_into_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    a, b = rng.poisson(15, 900).tolist(), rng.poisson(16, 1_000).tolist()
    whole = worth(match_lengths(a, b, FIFTH, rng), a, b)
    monkeypatch.setattr(length_matching, "CELLS_AT_ONCE", 250 * 250)
    pairs = match_lengths(a, b, FIFTH, rng)
    check_matching(pairs, a, b, FIFTH)
    parts = worth(pairs, a, b)
    assert 0.97 * whole[0] <= parts[0] <= whole[0]


@pytest.mark.parametrize("lengths", [[-1], [1.5], [[1]], [2**31 + 1]])
def test_bad_lengths_are_refused(lengths: list[object]) -> None:
    refused("first must be lengths: whole numbers from 0", match_lengths, lengths, [1], TWO, np.random.default_rng(9))


def test_bad_tolerances_are_refused() -> None:
    refused("a number >= 0, but it is -1", LengthTolerance, -1, False)
    refused("a number >= 0, but it is nan", LengthTolerance, float("nan"), True)
    refused("below 100%, but it is 100%", LengthTolerance, 1.0, True)
