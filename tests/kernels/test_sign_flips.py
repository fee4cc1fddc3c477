"""Sign flips: brute force, the exact sign test, and the three computations beside each other."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import binom, binomtest
from tests.kernels.checks import refused

from tiebreak.kernels.sign_flips import (
    EnumeratedFlips,
    LatticeFlips,
    SaddlepointFlips,
    lugannani_rice,
    sign_flips,
    sign_test,
)

# ---- flips -------------------------------------------------------------------------------------------------------

Floats = NDArray[np.float64]
NULLS = [-0.7, -1 / 3, -0.05, 0.0, 0.02, 0.25, 1 / 3, 0.9]


def brute_force(steps: Floats, sizes: Floats, denominator: int, null: Fraction) -> float:
    """p by flipping signs of the scores, in whole numbers: as often as not the sum is at least the one seen."""
    scores = [
        int(y) * null.denominator - denominator * null.numerator * int(n) for y, n in zip(steps, sizes, strict=True)
    ]
    flips = itertools.product((1, -1), repeat=len(scores))
    sums = [sum(sign * score for sign, score in zip(signs, scores, strict=True)) for signs in flips]
    return sum(of >= sum(scores) for of in sums) / len(sums)


def units(seed: int, count: int, largest: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest + 1, count)
    return rng.integers(-3 * sizes, 3 * sizes + 1).astype(float), sizes.astype(float)


def test_by_hand() -> None:
    # Values 1, 1/3, 0 against the null 0: the subsets with a sum <= 0 are {} and {0}: 2 of 8. Against 1/3 the subsets
    # whose mean is at most 1/3 are also {1/3}, {1/3, 0}, and {1, 0} has 1/2, {1, 1/3, 0} has 4/9: 4 of 8.
    flips = sign_flips(np.array([1.0, 1 / 3, 0.0]), np.ones(3), 3)
    assert flips.at_most(0.0) == pytest.approx(2 / 8, abs=1e-11)
    assert flips.at_most(1 / 3) == pytest.approx(4 / 8, abs=1e-11)
    assert flips.at_most(0.0, slack=0.4) == pytest.approx(4 / 8, abs=1e-11)
    assert flips.mirrored().at_most(0.0) == pytest.approx(1.0, abs=1e-11)


@pytest.mark.parametrize("largest", [1, 4])
@pytest.mark.parametrize("seed", range(4))
def test_brute_force(seed: int, largest: int) -> None:
    steps, sizes = units(seed, 9, largest)
    ways = (
        LatticeFlips.of(steps, sizes, 3),
        EnumeratedFlips.of(steps / 3, sizes),
        LatticeFlips.of(-steps, sizes, 3).mirrored(),
    )
    for null in (Fraction(0), Fraction(1, 3), Fraction(-1, 4), Fraction(2, 7)):
        expected = brute_force(steps, sizes, 3, null)
        for way in ways:
            assert way.at_most(float(null)) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize(("wins", "ties", "losses"), [(9, 3, 2), (0, 4, 6), (60, 0, 40), (700, 500, 600)])
def test_single_labels_are_the_sign_test(wins: int, ties: int, losses: int) -> None:
    values = np.repeat([1.0, 0.0, -1.0], [wins, ties, losses])
    flips = sign_flips(values, np.ones(values.size), 1)
    exact = binomtest(wins, wins + losses, alternative="greater").pvalue
    assert flips.at_most(0.0) == pytest.approx(exact, abs=1e-11)
    other = binomtest(losses, wins + losses, alternative="greater").pvalue
    assert flips.mirrored().at_most(0.0) == pytest.approx(other, abs=1e-11)


def test_a_cut_lattice_equals_the_whole_one() -> None:
    """700 units: what lies outside the window is less than what is added for it."""
    steps, _ = units(5, 700, 1)
    cut = LatticeFlips.of(steps, np.ones(700), 3)
    assert cut.starts.size * 15 < cut.below.size < 700 * 1500
    p = cut.at_most(0.0)
    assert 0 <= p - below_by_adding(steps.astype(np.intp)) <= 6e-12


@pytest.mark.parametrize("seed", range(3))
def test_never_falls_in_null_or_slack(seed: int) -> None:
    for count, largest in ((12, 5), (60, 1), (60, 9)):
        steps, sizes = units(seed, count, largest)
        for way in (sign_flips(steps / 3, sizes, 3), sign_flips(steps / 3, sizes, None)):
            by_null = [way.at_most(null) for null in np.linspace(-1, 1, 201)]
            by_slack = [way.at_most(0.1, slack) for slack in np.linspace(0, 5, 50)]
            assert (np.diff(by_null) >= -1e-11).all()
            assert (np.diff(by_slack) >= -1e-11).all()


def below_by_adding(steps: NDArray[np.intp]) -> float:
    """P(sum over a random subset of whole numbers <= 0), one unit at a time."""
    whole = np.ones(1)
    for step in np.abs(steps):
        wider = np.zeros(whole.size + step)
        wider[: whole.size] += whole / 2
        wider[step:] += whole / 2
        whole = wider
    return float(whole[: 1 - int(steps[steps < 0].sum())].sum())


@pytest.mark.parametrize(("count", "relative"), [(25, 0.05), (100, 0.01), (400, 0.005)])
def test_saddlepoint_error(count: int, relative: float) -> None:
    """Values spread over a lattice of 1/500, too fine to be seen."""
    rng = np.random.default_rng(count)
    checked = 0
    for _ in range(3):
        steps = np.rint(np.clip(rng.normal(0.2, 0.6, count), -1, 1) * 500).astype(np.intp)
        for null in (0, 50, 100):
            exact = below_by_adding(steps - null)
            p = SaddlepointFlips.of(steps / 500, np.ones(count), None).at_most(null / 500)
            if 1e-4 < exact < 0.5:
                assert p == pytest.approx(exact, rel=relative)
                checked += 1
    assert checked > 2


def test_saddlepoint_beside_a_lattice() -> None:
    """Thirds of 400 items: nothing at 0, and at worst half a step of the sum elsewhere, 1/(2 sd) in normal units."""
    steps, _ = units(8, 400, 1)
    exact = LatticeFlips.of(steps, np.ones(400), 3)
    way = SaddlepointFlips.of(steps / 3, np.ones(400), LatticeFlips.of(steps, np.zeros(400), 3))
    assert way.at_most(0.0) == pytest.approx(exact.at_most(0.0), abs=1e-11)
    half_step = 1 / np.sqrt(steps @ steps)
    for null in (-0.1, -0.03, -0.003, 0.001, 0.02, 0.05, 0.1):
        shift = float(ndtri(way.at_most(null)) - ndtri(exact.at_most(null)))
        assert abs(shift) < 1.05 * half_step
        if abs(null) > 0.01:
            assert abs(shift) < 0.004


def test_saddlepoint_at_its_ends() -> None:
    ones = np.ones(4)
    assert lugannani_rice(np.array([0.1, 0.2, 0.5, 0.9]), ones, 0.0) == 1 / 16  # only the empty subset
    assert lugannani_rice(-np.array([0.1, 0.2, 0.5, 0.9]), ones, 0.0) == 1.0
    assert lugannani_rice(np.array([0.1, 0.2]), np.ones(2), 0.31) == 1.0
    assert lugannani_rice(np.array([-0.5, 0.5]), np.array([50.0, 50.0]), 0.0) == 0.5
    assert lugannani_rice(np.empty(0), np.empty(0), 0.0) == 1.0


def test_order_and_sides() -> None:
    for count, largest in ((12, 5), (90, 1), (90, 9)):
        steps, sizes = units(9, count, largest)
        order = np.random.default_rng(1).permutation(count)
        for denominator in (3, None):
            one = sign_flips(steps / 3, sizes, denominator)
            other = sign_flips(steps[order] / 3, sizes[order], denominator)
            swapped = sign_flips(-steps / 3, sizes, denominator).mirrored()
            for null in NULLS:
                assert_allclose([other.at_most(null), swapped.at_most(null)], one.at_most(null), atol=1e-11)


def test_no_units_and_bad_units() -> None:
    nothing = np.empty(0)
    for denominator in (1, None):
        assert sign_flips(nothing, nothing, denominator).at_most(0.0) == 1.0
    refused(r"two rows of equal length, not \(2,\) and \(3,\)", sign_flips, np.ones(2), np.ones(3), 1)
    refused("must be finite, but one of them is nan", sign_flips, np.array([np.nan]), np.ones(1), 1)
    refused("above 0, but one of them is 0", sign_flips, np.ones(1), np.zeros(1), 1)
    refused(r"the sum 0.5 is no multiple of 1/3", sign_flips, np.array([0.5]), np.ones(1), 3)


# ---- sign --------------------------------------------------------------------------------------------------------


def test_hand_derived() -> None:
    # 4 wins, 1 loss: P(X >= 4) = (5 + 1)/32 = 6/32, P(X >= 1) = 31/32 for the other side, z = 3/sqrt(5).
    result = sign_test(4, 1)
    assert float(result.p_a) == pytest.approx(6 / 32)
    assert float(result.p_b) == pytest.approx(31 / 32)
    assert float(result.p_two_sided) == pytest.approx(12 / 32)
    assert float(result.z) == pytest.approx(3 / np.sqrt(5))


def test_against_scipy() -> None:
    wins, losses = (grid.ravel() for grid in np.meshgrid([0, 1, 2, 7, 30, 400], [0, 1, 3, 8, 25, 599]))
    result = sign_test(wins, losses)
    for k, (w, l) in enumerate(zip(wins.tolist(), losses.tolist(), strict=True)):  # noqa: E741
        if w + l == 0:
            continue
        for name, alternative in (("p_a", "greater"), ("p_b", "less"), ("p_two_sided", "two-sided")):
            expected = binomtest(w, w + l, 0.5, alternative=alternative).pvalue
            assert getattr(result, name)[k] == pytest.approx(expected, rel=1e-9, abs=1e-300), (w, l, name)


def test_no_untied_item_is_no_evidence() -> None:
    result = sign_test(0, 0)
    assert (result.p_two_sided, result.p_a, result.p_b, result.z) == (1, 1, 1, 0)


def test_thousands_of_items_are_exact_too() -> None:
    # z = 400/100 = 4, upper tail of the normal 3.167e-5: near, and not the same.
    assert float(sign_test(5200, 4800).p_a) == pytest.approx(3.167e-5, rel=0.05)
    for wins, losses in ((501, 500), (5200, 4800), (50_400, 49_600), (3_002_000, 2_998_000)):
        expected = binomtest(wins, wins + losses).pvalue
        assert float(sign_test(wins, losses).p_two_sided) == pytest.approx(expected, rel=1e-6), wins


def test_the_size_never_exceeds_the_level() -> None:
    # P(p <= .05) at every n from 1,001 to 1,400, summed over the binomial; the normal approximation had up to 5.4 %.
    for n in range(1_001, 1_401):
        wins = np.arange(n + 1)
        rejected = wins[sign_test(wins, n - wins).p_two_sided <= 0.05]
        assert binom.pmf(rejected, n, 0.5).sum() <= 0.05 + 1e-12


def test_swapping_the_systems_swaps_the_directions() -> None:
    wins, losses = np.array([3, 0, 900, 50]), np.array([9, 4, 800, 50])
    forward, backward = sign_test(wins, losses), sign_test(losses, wins)
    np.testing.assert_allclose(forward.p_a, backward.p_b)
    np.testing.assert_allclose(forward.p_two_sided, backward.p_two_sided)
    np.testing.assert_allclose(forward.z, -backward.z)


def test_broadcasts() -> None:
    result = sign_test(np.arange(3)[:, None], np.arange(4))
    assert result.p_a.shape == result.z.shape == (3, 4)
    assert result.p_a[2, 3] == sign_test(2, 3).p_a


@pytest.mark.parametrize("bad", [-1, 1.5, np.nan, np.inf])
def test_impossible_counts_raise(bad: float) -> None:
    refused(r"losses must be whole numbers >= 0, but one of them is", sign_test, 3, [1, bad])
