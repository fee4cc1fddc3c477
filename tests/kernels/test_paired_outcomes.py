"""Paired outcomes: by hand, brute force, exact errors and power; shares are left out only where they cannot matter."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom
from tests.kernels.checks import refused
from tests.kernels.outcome_worlds import Floats, all_outcomes, probabilities

from tiebreak.kernels.metric_means import fair_tails
from tiebreak.kernels.paired_outcomes import critical_score, paired_outcomes, score_of
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.kernels.worst_share import BESIDE, BLOCK, FAR, SMALL, WorstShare

LEVELS = (0.025, 0.005, 0.0005, 0.05 / 960, 5e-6)
SHARES = np.sin(np.linspace(0.01, np.pi / 2, 60)) ** 2


def test_two_items_by_hand() -> None:
    # Share s of untied items. Two wins: s^2/4, at most 1/4 (s = 1). A win and a tie scores 1 + (1 - 3)/12 = .833, two
    # wins sqrt(2) + (2 sqrt(2) - 3 sqrt(2))/24 = 1.355: P = s (1 - s) + s^2/4, highest at s = 2/3: 1/3.
    result = paired_outcomes([2, 1, 0, 1], [0, 1, 2, 0], [0, 0, 0, 1])
    np.testing.assert_allclose(result.score, [1.3553, 0.8333, 0, 0], atol=1e-4)
    np.testing.assert_allclose(result.p_a, [1 / 4, 1 / 3, 1, 1], rtol=2e-5)
    np.testing.assert_array_equal(result.p_b, [1, 1, 1, 1])


def test_golden() -> None:
    # n 300, 30 % ties, difference .15, .025 a side.
    wins, ties, losses = all_outcomes(300)
    p = probabilities(wins, ties, losses, 0.7, 0.15)
    likely = p > 1e-10
    wins, ties, losses, p = wins[likely], ties[likely], losses[likely], p[likely]
    result = paired_outcomes(wins, ties, losses)
    assert p[sign_test(wins, losses).p_a <= 0.025].sum() == pytest.approx(0.8638, abs=5e-5)
    assert p[result.p_a <= 0.025].sum() == pytest.approx(0.8756, abs=5e-5)
    low, high = result.interval(0.025)
    wald = 2 * 1.959964 * np.sqrt((wins + losses) / 300 - ((wins - losses) / 300) ** 2) / np.sqrt(300)
    assert (p * (high - low)).sum() / (p * wald).sum() == pytest.approx(1.0080, abs=5e-4)
    critical = [critical_score(n, 0.025) for n in (20, 50, 100, 300, 1000)]
    np.testing.assert_allclose(critical, [2.01042, 1.98293, 2.00167, 1.97671, 1.97064], atol=1e-5)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_against_brute_force(n: int) -> None:
    # Every outcome of n items under every share of a fine grid.
    wins, ties, losses = all_outcomes(n)
    result = paired_outcomes(wins, ties, losses)
    ahead = np.flatnonzero(wins > losses)
    reached = result.score >= result.score[ahead, None] * (1 - 1e-12)
    grid = np.sin(np.linspace(0, np.pi / 2, 1500)[1:]) ** 2
    p = np.array([probabilities(wins, ties, losses, share, 0.0) for share in grid])
    expected = (p @ reached.T).max(axis=0)
    assert (expected * (1 - 1e-12) <= result.p_a[ahead]).all()
    assert (result.p_a[ahead] <= expected * 1.00003).all()


@pytest.mark.full
def test_against_a_finer_grid_of_shares() -> None:
    rng = np.random.default_rng(1)
    for n in (5, 17, 60, 250):
        grid = np.sin(np.linspace(0, np.pi / 2, int(300 * np.sqrt(n)))[1:]) ** 2
        for _ in range(6):
            untied = int(rng.integers(1, n + 1))
            wins = int(rng.integers(untied // 2 + 1, min(untied, untied // 2 + 3 * np.sqrt(untied) + 1) + 1))
            score = float(score_of(wins, untied - wins))
            m = np.arange(n + 1)
            needed = [int(np.argmax(score_of(np.arange(k + 2), k - np.arange(k + 2)) >= score * (1 - 1e-12)))
                      if score_of(k, 0) >= score * (1 - 1e-12) else k + 1 for k in m]  # fmt: skip
            tails = binom.sf(np.array(needed) - 1, m, 0.5) * (m > 0)
            expected = max(float(binom.pmf(m, n, share) @ tails) for share in grid)
            p = float(paired_outcomes(wins, n - untied, untied - wins).p_a)
            assert expected * (1 - 1e-12) <= p <= expected * 1.00003, (n, wins, untied)


def test_far_scores_are_bounded() -> None:
    # From a score of 8 and above 2,000 items p is exp(-score^2/2), which is above it for every number of untied items.
    wins, losses = np.array([2_001, 1_200, 70, 1_100, 1_090]), np.array([0, 700, 0, 700, 705])
    result = paired_outcomes(wins, 2_001 - wins - losses, losses)
    assert (np.diff(result.p_a[np.argsort(result.score)]) <= 0).all()
    assert (result.p_a >= sign_test(wins, losses).p_a * 0.99).all()
    assert (result.p_a[result.score > 8] <= 1e-12).all()
    m, wins = np.meshgrid(np.arange(1.0, 400), np.arange(1.0, 400))
    score = score_of(wins, m - wins)
    known = (wins <= m) & (score >= np.sqrt(3))
    assert (sign_test(wins[known], (m - wins)[known]).p_a <= np.exp(-(score[known] ** 2) / 2)).all()


def false_directions(n: int, levels: tuple[float, ...], shares: Floats) -> Floats:
    """P(p_a <= level) over the level, shape (levels, shares), where a and b are equally good."""
    wins, ties, losses = all_outcomes(n)
    p_a = paired_outcomes(wins, ties, losses).p_a
    rejected = np.array([p_a <= level for level in levels])
    p = np.array([probabilities(wins, ties, losses, share, 0.0) for share in shares])
    return np.asarray((rejected @ p.T) / np.array(levels)[:, None])


@pytest.mark.parametrize("n", [4, 9, 20, 50, 101])
def test_false_directions_are_exact(n: int) -> None:
    rate = false_directions(n, LEVELS, SHARES)
    assert rate.max() <= 1.0
    if n >= 20:
        assert rate[0].max() > 0.85  # and a level is used, not only kept


@pytest.mark.full
@pytest.mark.parametrize("n", [20, 30, 50, 80, 100, 150, 200, 300])
def test_false_directions_are_exact_in_full(n: int) -> None:
    shares = np.sin(np.linspace(0.005, np.pi / 2, 300)) ** 2
    assert false_directions(n, (*LEVELS, 0.1, 0.05, 0.01, 0.001), shares).max() <= 1.0


def power_gained(n: int, level: float) -> list[float]:
    """Power less that of the exact sign test, for 0 to 90 % ties and many differences."""
    wins, ties, losses = all_outcomes(n)
    here, sign = paired_outcomes(wins, ties, losses).p_a <= level, sign_test(wins, losses).p_a <= level
    gained = here.astype(float) - sign
    return [
        float(probabilities(wins, ties, losses, share, difference) @ gained)
        for share in (1.0, 0.7, 0.4, 0.2, 0.1)
        for difference in np.linspace(0.1, 1.0, 10) * share
    ]


@pytest.mark.parametrize("n", [20, 50, 100])
@pytest.mark.parametrize("level", LEVELS)
def test_power_is_never_below_the_sign_test(n: int, level: float) -> None:
    gained = power_gained(n, level)
    assert min(gained) >= -1e-12
    if n >= 50:
        assert max(gained) > 0.02


@pytest.mark.full
@pytest.mark.parametrize("n", [10, 15, 25, 30, 40, 60, 75, 99, 101, 120, 150, 200, 250, 300])
def test_power_is_never_below_the_sign_test_in_full(n: int) -> None:
    for level in LEVELS:
        assert min(power_gained(n, level)) >= -1e-12, level


def test_verdict_interval_and_critical_score_agree() -> None:
    wins, ties, losses = all_outcomes(45)
    result = paired_outcomes(wins, ties, losses)
    for level in (0.3, *LEVELS, float(result.p_a[(wins == 20) & (losses == 9)][0])):
        low, high = result.interval(level)
        np.testing.assert_array_equal(low > 0, result.p_a <= level)
        np.testing.assert_array_equal(high < 0, result.p_b <= level)
        np.testing.assert_array_equal(result.p_a <= level, result.score > critical_score(45, level))


def test_nothing_to_reject() -> None:
    assert critical_score(0, 0.025) == 0.0
    # Four wins of four have p = 1/16: nothing is rejected at .025, and their own score is not exceeded.
    assert critical_score(4, 0.025) > float(score_of(4, 0))
    low, high = paired_outcomes([0, 0, 4], [0, 7, 0], [0, 0, 0]).interval(0.025)
    assert (low[0], high[0]) == (-1.0, 1.0)
    assert -1 < low[1] == -high[1] < 0
    assert low[2] <= 0 < high[2] == 1


@pytest.mark.parametrize(("level", "most"), [(0.025, 1.6), (0.05 / 90, 8.0)])
def test_intervals_of_very_few_outcomes(level: float, most: float) -> None:
    # Both sides together, over twice the level. One win of one, or three of three at the level of 45 pairs, once had an
    # interval from 0 on, which missed a difference of -.01 in .5 and .12 of studies.
    for n in range(1, 11):
        wins, ties, losses = all_outcomes(n)
        low, high = paired_outcomes(wins, ties, losses).interval(level)
        streak = (wins == n).argmax()
        assert low[streak] <= 2 * level ** (1 / n) - 1 + 1e-9 or 0.5**n <= level
        for untied in (0.5, 0.8, 1.0):
            for difference in (-0.8, -0.5, -0.2, -0.01, 0.2):
                if abs(difference) <= untied:
                    chance = probabilities(wins, ties, losses, untied, difference)
                    missed = chance[(low > difference + 1e-12) | (high < difference - 1e-12)].sum()
                    assert missed <= most * 2 * level, (n, untied, difference)


@pytest.mark.parametrize(("n", "most_without_ties"), [(50, 1.3), (100, 1.2)])
def test_interval_errors(n: int, most_without_ties: float) -> None:
    # P(low > difference); by symmetry also that of the other side at the opposite difference.
    wins, ties, losses = all_outcomes(n)
    low, _ = paired_outcomes(wins, ties, losses).interval(0.025)
    for untied in (0.3, 0.6, 0.9, 1.0):
        for difference in np.linspace(-0.8, 0.8, 9) * untied:
            if n * (untied - abs(difference)) / 2 >= 5:
                most = 1.1 if untied < 1 else most_without_ties
                error = probabilities(wins, ties, losses, untied, difference)[low > difference + 1e-12].sum()
                assert error <= most * 0.025, (untied, difference)


def test_swapping_the_systems_mirrors_everything() -> None:
    wins, ties, losses = all_outcomes(18)
    forward, backward = paired_outcomes(wins, ties, losses), paired_outcomes(losses, ties, wins)
    np.testing.assert_array_equal(forward.p_a, backward.p_b)
    np.testing.assert_array_equal(forward.score, -backward.score)
    np.testing.assert_array_equal(forward.interval(0.01)[0], -backward.interval(0.01)[1])
    assert (np.maximum(forward.p_a, forward.p_b) == 1).all()


def test_bad_input_raises() -> None:
    refused(r"ties must be whole numbers >= 0, but one of them is 0\.5", paired_outcomes, 1, 0.5, 0)
    refused(r"level of a side must be below 0\.5, but it is 0\.7", paired_outcomes(1, 0, 0).interval, 0.7)
    refused("level must lie strictly between 0 and 1, but it is 0", critical_score, 5, 0)
    refused("number of items must be at least 0, but it is -3", critical_score, -3, 0.025)


def test_a_large_sample_that_just_decides_has_an_interval_that_just_excludes_zero() -> None:
    # The critical scores of their neighbours say that these do not decide.
    low, _ = paired_outcomes([93, 647, 926], [1441, 525, 758], [68, 578, 843]).interval(0.025)
    assert ((low > 1e-6) & (low < 1e-4)).all()


# ---- worst share ---------------------------------------------------------------------------------------------------


def everything(share: WorstShare, tails: Floats) -> Floats:
    return np.ones((len(share._blocks), tails.shape[1]))


def test_no_binomial_probability_exceeds_herzogs_bound() -> None:
    shares = np.linspace(0, 1, 401)[1:-1]
    for n in (1, 2, 3, 5, 12, 60, 400):
        highest = binom.pmf(np.arange(n + 1)[:, None], n, shares).max(axis=0)
        assert (highest <= 1 / np.sqrt(2 * np.e * n * shares * (1 - shares)) * (1 + 1e-12)).all()


@pytest.mark.parametrize("n", [40, 700, 6_000])
def test_no_share_of_a_block_exceeds_its_bound(n: int) -> None:
    # Also between the shares of the grid, and those next to the block.
    scores = np.array([0.1, 0.5, 1.0, 1.7, 2.4, 3.3, 5.0])
    worst = WorstShare(n)
    tails = fair_tails(n, scores, worst._log_factorial)
    bounds = worst._bounds(tails)
    rng = np.random.default_rng(n)
    m = np.arange(n + 1)
    for block, bound in list(zip(worst._blocks, bounds, strict=True))[:: max(1, len(worst._blocks) // 12)]:
        grid = worst._shares[max(block.first - BESIDE, 0) : block.first + BLOCK + BESIDE]
        for share in [grid[0], grid[-1], *rng.uniform(grid[0], grid[-1], 6)]:
            weights = binom.pmf(m, n, share)
            assert weights[: block.start].sum() + weights[block.stop :].sum() < 1e-14
            assert (weights @ tails <= bound * (1 + 1e-9)).all()


@pytest.mark.parametrize("n", [SMALL + 1, 3_333, 9_000])
def test_what_is_left_out_changes_no_p_value(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(n).uniform(0.02, FAR, 12)
    found = np.concatenate([WorstShare(n).p_values(scores[k : k + 1]) for k in range(scores.size)])
    together = WorstShare(n).p_values(scores)
    monkeypatch.setattr(WorstShare, "_bounds", everything)
    wanted = WorstShare(n).p_values(scores)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    np.testing.assert_allclose(together, wanted, rtol=1e-12)


def test_beyond_the_farthest_score_nothing_is_searched_that_cannot_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    # Up to 8.3 or so p at 8 is smaller than the bound, beyond 8.5 it is not.
    scores = np.array([8.0, 8.2, 8.4, 8.6, 9.0, 20.0])
    worst = WorstShare(5_000)
    at_far = worst._searched(np.array([FAR]))[0]
    np.testing.assert_allclose(worst.p_values(scores), np.minimum(np.exp(-(scores**2) / 2), at_far), rtol=1e-12)
    monkeypatch.setattr(WorstShare, "_highest", lambda *_: pytest.fail("searched"))
    np.testing.assert_allclose(WorstShare(5_000).p_values(scores[3:]), np.exp(-(scores[3:] ** 2) / 2), rtol=1e-12)
