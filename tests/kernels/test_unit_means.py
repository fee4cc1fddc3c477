"""Means of several labels and of clusters, one look: by hand, brute force, monotone, symmetric, seeded error rates."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import binomtest, t, ttest_1samp
from tests.kernels.checks import check_agreement, refused

from tiebreak.errors import UsageError
from tiebreak.kernels.one_look import OneLook
from tiebreak.kernels.score_interval import NullScore
from tiebreak.kernels.unit_means import ClusterPool, Pool, cluster_means, effective_clusters, panel_means

Floats = NDArray[np.float64]


def panel(rng: np.random.Generator, a: Floats, b: Floats, labels: int) -> tuple[Floats, Floats]:
    """Values and label variances (n,) of items that a label calls for a, or b, with these probabilities (n,)."""
    drawn = rng.random((a.size, labels))
    votes = np.where(drawn < a[:, None], 1.0, np.where(drawn < (a + b)[:, None], -1.0, 0.0))
    return votes.mean(axis=1), votes.var(axis=1, ddof=1)


def thirds(count: int, seed: int, shift: float = 0.1) -> Floats:
    rng = np.random.default_rng(seed)
    return np.rint(np.clip(rng.normal(shift, 0.6, count), -1, 1) * 3) / 3


def clusters(count: int, seed: int, shift: float = 0.1) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 21, count)
    towards = np.clip(rng.normal(0.5 + shift / 2, 0.25, count), 0, 1)
    return 2.0 * rng.binomial(sizes, towards) - sizes, sizes.astype(float)


def score_p(values: Floats, null: float) -> float:
    """The score test of single items, from its definition: the variance of the likeliest distribution of the null."""
    scores = values - null
    limit = 1 / max(1 + null, -scores.min())

    def pull(tilt: float) -> float:
        return float((scores / (1 + tilt * scores)).sum())

    at = limit if scores.min() > -1 - null and pull(limit) >= 0 else brentq(pull, 0, limit * (1 - 1e-12), xtol=1e-15)
    n, mean = scores.size, scores.mean()
    return float(t.sf(mean / math.sqrt((mean / at - mean**2) / (n - 1)), n - 1))


def flips_p(values: Floats) -> float:
    """P(a random half of the items has a sum <= 0), by adding up one item after the other."""
    steps = np.rint(values[values != 0] * 3).astype(int)
    whole = np.ones(1)
    for step in np.abs(steps):
        whole = np.convolve(whole, [0.5, *[0.0] * (step - 1), 0.5])
    return float(whole[: 1 - steps[steps < 0].sum()].sum())


# ---- by hand, and beside other packages --------------------------------------------------------------------------


def test_golden() -> None:
    """Forty items of three labels: the interval runs from -2/63 to 23/63, means of subsets."""
    values = np.repeat([1.0, 1 / 3, 0.0, -1 / 3, -1.0], [10, 10, 8, 8, 4])
    test = panel_means(values, np.full(40, 3))
    assert test.estimate == pytest.approx(1 / 6)
    assert test.p_a == pytest.approx(max(flips_p(values), score_p(values, 0.0)), abs=1e-11)
    assert test.p_a == pytest.approx(0.0569063, abs=1e-7)
    assert_allclose(test.interval(0.025), (-0.031746, 0.365079), atol=1e-6)
    assert test.smallest_p == 0.5**32


def test_the_score_test_decides_where_it_is_the_larger() -> None:
    """Fifteen items with one vote more for a each: flips have p 2^-15, but a strong item of b's may be unseen."""
    values = np.full(15, 1 / 3)
    test = panel_means(values, np.full(values.size, 3))
    assert test.p_a == pytest.approx(score_p(values, 0.0), rel=1e-6)
    assert test.p_a > flips_p(values)


def test_the_interval_is_about_that_of_t() -> None:
    values = thirds(100, 4)
    low, high = panel_means(values, np.full(100, 3)).interval(0.025)
    half = float(t.ppf(0.975, 99)) * values.std(ddof=1) / 10
    assert low == pytest.approx(values.mean() - half, abs=0.02)
    assert high == pytest.approx(values.mean() + half, abs=0.02)


def test_all_alike_is_not_certain() -> None:
    """Where every label is a's, the mean may still be below 1: near the exact bound of 2 (.025^(1/n)) - 1."""
    for count in (8, 20, 100, 1_000):
        low, high = panel_means(np.ones(count), np.full(count, 3)).interval(0.025)
        exact = 2 * 0.025 ** (1 / count) - 1
        assert high == 1.0
        assert (1 - exact) * 0.6 < 1 - low < (1 - exact) * 2


# ---- small panels: no label for one side helps the other ---------------------------------------------------------


def test_a_further_item_against_a_side_never_helps_it() -> None:
    """Nineteen items of three labels, and a twentieth on which everybody prefers b: a is found by both, or by none."""
    values = np.repeat([1.0, 2 / 3, 1 / 3, -1 / 3, -2 / 3], [6, 3, 5, 4, 1])
    before, after = (panel_means(of, np.full(of.size, 3)) for of in (values, np.append(values, -1.0)))
    assert before.p_a == pytest.approx(0.00535, abs=1e-5)
    assert after.p_a == pytest.approx(0.02035, abs=1e-5)


@pytest.mark.parametrize("count", [4, 6])
def test_no_panel_of_three_is_hurt_by_a_friendly_label(count: int) -> None:
    """All panels: with one third more of a's on any item, p of a is no larger, and p of b no smaller."""
    steps = np.arange(-3, 4)
    known: dict[tuple[int, ...], tuple[float, float]] = {}
    for panel_of in itertools.combinations_with_replacement(steps, count):
        test = panel_means(np.array(panel_of) / 3, np.full(count, 3))
        known[tuple(int(step) for step in panel_of)] = (test.p_a, test.p_b)
    for panel_of, (p_a, p_b) in known.items():
        for place, step in enumerate(panel_of):
            if step < 3:
                better = known[tuple(sorted((*panel_of[:place], step + 1, *panel_of[place + 1 :])))]
                assert better[0] <= p_a + 1e-10
                assert better[1] >= p_b - 1e-10


@pytest.mark.parametrize("count", [15, 20, 60])
def test_friendly_labels_never_hurt(count: int) -> None:
    rng = np.random.default_rng(count)
    for seed in range(60):
        values = thirds(count, seed, shift=float(rng.uniform(0, 0.6)))
        raised = values.copy()
        place = int(rng.integers(count))
        raised[place] = min(raised[place] + rng.integers(1, 7) / 3, 1.0)
        one, other = (panel_means(of, np.full(count, 3)) for of in (values, raised))
        assert other.p_a <= one.p_a + 1e-10
        assert other.p_b >= one.p_b - 1e-10


@pytest.mark.parametrize(("count", "people"), [(8, 3), (15, 3), (15, 5), (30, 3)])
def test_power_beside_the_sign_test_of_majorities(count: int, people: int) -> None:
    """Items lean by N(.5, 1), seen with as much noise: at least .9 times as often found, and in fact more often."""
    rng, ours, theirs = np.random.default_rng(21), 0, 0
    for _ in range(400):
        seen = rng.normal(0.5, 1, count)[:, None] + rng.normal(size=(count, people))
        values = np.where(np.abs(seen) < 0.3, 0.0, np.sign(seen)).mean(axis=1)
        ahead, behind = int((values > 1e-9).sum()), int((values < -1e-9).sum())
        ours += panel_means(values, np.full(count, people)).p_a <= 0.025
        theirs += binomtest(ahead, ahead + behind, alternative="greater").pvalue <= 0.025 if ahead + behind else 0
    assert ours >= theirs > 0


# ---- items: a pool of known size ---------------------------------------------------------------------------------


def test_a_pool_labelled_once_is_certain() -> None:
    values = np.array([1.0, -1.0, 1.0, 0.0])
    test = panel_means(values, np.ones(4, dtype=np.intp), Pool(4, np.zeros(4)))
    assert (test.p_a, test.p_b, test.interval(0.025)) == (0.0, 1.0, pytest.approx((0.25, 0.25), abs=2e-7))
    equal = panel_means(np.array([0.5, -0.5, 1.0, -1.0]), np.ones(4, dtype=np.intp), Pool(4, np.zeros(4)))
    assert (equal.p_a, equal.p_b) == (1.0, 1.0)


def test_label_noise_of_a_whole_pool_by_hand() -> None:
    # 50 items, three labels a, a, b each: s^2 = 4/3, v = 4/9 an item, one more 4/9 for the dissent: the variance of the
    # mean is 51 * (4/9) / 50^2, with 51 * 2 degrees of freedom. With nothing of the pool
    # unseen the score test is t.
    values, labels = np.full(50, 1 / 3), np.full(50, 3)
    test = panel_means(values, labels, Pool(50, np.full(50, 4 / 3)))
    error = math.sqrt(51 * 4 / 9) / 50
    assert test.at_most(0.25) == pytest.approx(t.sf((1 / 3 - 0.25) / error, 102))


def test_pairs_of_equal_labels_leave_room_for_few_others() -> None:
    """No dissent in 40 pairs of labels: what stays unseen counts as one of them, by t with two degrees of freedom."""
    values = np.repeat([1.0, -1.0], [24, 16])
    low, high = panel_means(values, np.full(40, 2), Pool(40, np.zeros(40))).interval(0.025)
    assert_allclose((high - low) / 2, t.ppf(0.975, 2) / 40, atol=2e-3)
    rng, dissent, runs = np.random.default_rng(8), 0.02, 800
    truth, wrong = 0.2 * (1 - 2 * dissent), 0
    for _ in range(runs):
        for_a = np.where(values > 0, 1 - dissent, dissent)
        votes, variances = panel(rng, for_a, 1 - for_a, 2)
        low, high = panel_means(votes, np.full(40, 2), Pool(40, variances)).interval(0.025)
        wrong += not low <= truth <= high
    assert binomtest(wrong, runs, 0.05, alternative="greater").pvalue > 1e-3  # fails at twice the level in 0.98


def test_a_pool_narrows_the_interval() -> None:
    values = thirds(100, 5)
    labels, variances = np.full(100, 3), np.full(100, 0.4)
    widths = []
    for pool in (None, Pool(10**9, variances), Pool(200, variances), Pool(120, variances), Pool(100, variances)):
        low, high = panel_means(values, labels, pool).interval(0.025)
        widths.append(high - low)
    assert widths[0] == pytest.approx(widths[1], rel=1e-4)
    assert widths[1] > widths[2] > widths[3] > widths[4] > 0


# ---- what must not matter ----------------------------------------------------------------------------------------


def check_sides(one: OneLook, moved: OneLook, swapped: OneLook) -> None:
    """Units in another order change nothing, and systems exchanged exchange the sides."""
    assert_allclose([moved.p_a, moved.p_b], [one.p_a, one.p_b], atol=1e-12)
    assert_allclose([swapped.p_b, swapped.p_a], [one.p_a, one.p_b], atol=1e-12)
    low, high = one.interval(0.025)
    assert_allclose(moved.interval(0.025), (low, high), atol=1e-9)
    assert_allclose(swapped.interval(0.025), (-high, -low), atol=1e-9)


@pytest.mark.parametrize("count", [12, 60, 700])
@pytest.mark.parametrize("whole", [False, True])
def test_order_and_sides(count: int, whole: bool) -> None:
    values, labels = thirds(count, 6), np.full(count, 3)
    variances = np.where(np.abs(values) == 1, 0.0, 1.0)
    order = np.random.default_rng(2).permutation(count)
    one = panel_means(values, labels, Pool(2 * count, variances) if whole else None)
    moved = panel_means(values[order], labels, Pool(2 * count, variances[order]) if whole else None)
    swapped = panel_means(-values, labels, Pool(2 * count, variances) if whole else None)
    assert_allclose([moved.p_a, moved.p_b], [one.p_a, one.p_b], rtol=1e-12)
    assert_allclose(moved.interval(0.025), one.interval(0.025), atol=1e-12)
    check_sides(one, moved, swapped)


def test_verdict_and_interval_agree_at_every_level() -> None:
    for seed in range(40):
        count = (10, 25, 60, 450)[seed % 4]
        values = thirds(count, seed, shift=0.15)
        pool = Pool(count * 2, np.full(count, 0.5)) if seed % 3 == 0 else None
        test = panel_means(values, np.full(count, 3), pool)
        check_agreement(test, (0.025, 0.0005, test.p_a, test.p_b))


def test_nothing_and_bad_input() -> None:
    none = panel_means(np.empty(0), np.empty(0, dtype=np.intp))
    assert math.isnan(none.estimate)
    assert (none.p_a, none.p_b, none.interval(0.025)) == (1.0, 1.0, (-1.0, 1.0))
    refused(r"must lie in .-1, 1., but one of them is 1.5", panel_means, np.array([1.5]), np.array([1]))
    refused("at least one label, but one has 0", panel_means, np.array([0.0]), np.array([0]))
    refused("do not fit a pool of 1", panel_means, np.zeros(2), np.array([1, 1]), Pool(1, np.zeros(2)))


# ---- error rates -------------------------------------------------------------------------------------------------


def world(rng: np.random.Generator, name: str, count: int) -> tuple[Floats, Floats]:
    """Probabilities of a and b, (n,) each, drawn so that the mean over all inputs is 0."""
    if name == "strong":  # one in twenty is always a, the others weakly b
        strong = rng.random(count) < 0.05
        return np.where(strong, 1.0, 0.2), np.where(strong, 0.0, 0.2 + 0.05 / 0.95)
    towards = np.clip(rng.normal(0.4, 0.2, count), 0, 0.8)
    return towards, 0.8 - towards


def errors(name: str, count: int, panel_size: int, pool_share: float | None, runs: int) -> tuple[float, float]:
    """How often a wrong direction is found at .025 a side; how often a t test (with the draw's correction) finds it."""
    rng, wrong, by_t = np.random.default_rng(11), 0, 0
    labels = np.full(count, panel_size)
    for _ in range(runs):
        size = count if pool_share is None else round(count / pool_share)
        a, b = world(rng, name, size)
        truth = 0.0 if pool_share is None else float((a - b).mean())
        values, variances = panel(rng, a[:count], b[:count], panel_size)
        test = panel_means(values, labels, None if pool_share is None else Pool(size, variances))
        wrong += test.at_most(truth) <= 0.025 or test.at_least_negated(-truth) <= 0.025
        error = values.std(ddof=1) * math.sqrt((1 - (pool_share or 0.0)) / count)
        by_t += abs(values.mean() - truth) > float(t.ppf(0.975, count - 1)) * error
    return wrong / runs, by_t / runs


def allowed(runs: int, level: float = 0.05) -> float:
    return level + 3 * math.sqrt(level * (1 - level) / runs)


@pytest.mark.parametrize("name", ["strong", "spread"])
def test_error_rate_for_inputs(name: str) -> None:
    wrong, _ = errors(name, 50, 3, None, 600)
    assert 0 < wrong <= allowed(600)


def test_error_rate_for_items_and_the_correction_alone() -> None:
    wrong, by_t = errors("spread", 40, 3, 2 / 3, 600)
    assert 0 < wrong <= allowed(600)
    assert by_t > allowed(600)  # the control: the draw's correction without the labels' noise


@pytest.mark.parametrize("repeats", [1, 19, 20])
def test_error_rate_where_few_of_a_whole_pool_have_a_second_label(repeats: int) -> None:
    rng, wrong, runs = np.random.default_rng(13), 0, 400
    labels = np.where(np.arange(60) < repeats, 2, 1)
    for _ in range(runs):
        a, b = world(rng, "spread", 60)
        draws = [rng.random(60), rng.random(60)]
        first, second = (np.where(u < a, 1.0, np.where(u < a + b, -1.0, 0.0)) for u in draws)
        values = np.where(labels == 2, (first + second) / 2, first)
        test = panel_means(values, labels, Pool(60, (first - second) ** 2 / 2))
        truth = float((a - b).mean())
        wrong += test.at_most(truth) <= 0.025 or test.at_least_negated(-truth) <= 0.025
    assert 0 < wrong / runs <= allowed(runs)


def test_t_alone_errs_where_few_items_are_strong() -> None:
    rng, wrong, by_t = np.random.default_rng(12), 0, 0
    for _ in range(400):
        strong = rng.random(30) < 0.05
        values, _ = panel(rng, np.where(strong, 1.0, 0.0), np.where(strong, 0.0, 0.05 / 0.95), 3)
        test = panel_means(values, np.full(30, 3))
        wrong += min(test.p_a, test.p_b) <= 0.025
        by_t += values.any() and ttest_1samp(values, 0.0).pvalue <= 0.05
    assert wrong / 400 <= allowed(400)
    assert by_t / 400 > allowed(400)


@pytest.mark.full
@pytest.mark.parametrize("name", ["strong", "spread"])
@pytest.mark.parametrize("count", [30, 50, 100, 300])
@pytest.mark.parametrize("pool_share", [None, 0.5, 1.0])
def test_error_rates_in_many_runs(name: str, count: int, pool_share: float | None) -> None:
    wrong, _ = errors(name, count, 3, pool_share, 1_000)
    assert wrong <= allowed(1_000, 0.055 if pool_share else 0.05)


def test_equal_single_labels_of_a_share_of_the_pool_are_not_the_whole_pool() -> None:
    """20 of 100 items, all won, one label each: four losses more would go unseen in .4 of draws."""
    for size, lowest, highest in ((100, 0.5, 0.92), (25, 0.85, 0.999), (20, 0.999, 1.001)):
        low, high = panel_means(np.ones(20), np.ones(20, dtype=int), Pool(size, np.zeros(20))).interval(0.025)
        assert lowest < low < highest
        assert high == pytest.approx(1.0)


# ---- clusters ----------------------------------------------------------------------------------------------------


def test_clusters_by_hand() -> None:
    # Sums 4, 2, -1 of sizes 4, 3, 2. Subsets with a sum <= 0: {} and {-1}: 2 of 8. With a sum >= 0: all but {-1}: 7.
    test = cluster_means(np.array([4.0, 2.0, -1.0]), np.array([4.0, 3.0, 2.0]), 1)
    assert test.estimate == pytest.approx(5 / 9)
    assert_allclose([test.p_a, test.p_b, test.smallest_p], [2 / 8, 7 / 8, 1 / 8], atol=1e-11)
    # At .2 a side only {} may lie below: the next mean of a subset is -1/2, that of {-1}. 1 is the mean of {4}.
    low, high = test.interval(0.2)
    assert (low, high) == (pytest.approx(-0.5, abs=2e-7), pytest.approx(1.0, abs=2e-7))


@pytest.mark.parametrize("seed", range(3))
def test_flips_of_clusters_by_brute_force(seed: int) -> None:
    sums, sizes = clusters(9, seed)
    test = cluster_means(sums, sizes, 1)
    for null in (-0.4, -0.1, 0.0):
        scores = sums - null * sizes
        flipped = np.array([np.dot(signs, scores) for signs in itertools.product((1, -1), repeat=9)])
        by_flips = float((flipped >= scores.sum() - 1e-9).mean())
        assert test.at_most(null) == pytest.approx(NullScore.of(sums, sizes, 8.0).raised(null, by_flips), abs=1e-11)


def test_items_count_not_clusters() -> None:
    """Twenty documents with one item for a, ten with nine items for b: b is better by items."""
    test = cluster_means(np.append(np.ones(20), -9 * np.ones(10)), np.append(np.ones(20), 9 * np.ones(10)), 1)
    assert test.estimate == pytest.approx(-70 / 110)
    assert test.p_b < 0.01


def test_effective_clusters_by_hand() -> None:
    assert effective_clusters(np.array([3.0, 3.0, 3.0])) == 3.0
    assert effective_clusters(np.array([1.0, 1.0, 2.0])) == pytest.approx(16 / 6)
    assert effective_clusters(np.empty(0)) == 0.0


def test_whole_clusters_drawn_from_a_pool() -> None:
    sums, sizes = clusters(20, 4)
    widths = []
    for pool in (None, 10**9, 40, 24, 20):
        test = cluster_means(sums, sizes, 1, None if pool is None else ClusterPool(pool, np.zeros(20)))
        low, high = test.interval(0.025)
        widths.append(high - low)
    assert widths[0] == pytest.approx(widths[1], rel=1e-4)
    assert widths[2] == pytest.approx(widths[0] * math.sqrt(0.5), rel=0.02)
    assert widths[2] > widths[3] > widths[4]
    assert widths[4] < 1e-6  # every cluster labelled once: about these labels, and certain
    noisy = cluster_means(sums, sizes, 1, ClusterPool(20, sizes * 0.3)).interval(0.025)
    assert noisy[1] - noisy[0] > 0.05


@pytest.mark.parametrize("count", [7, 30, 200])
@pytest.mark.parametrize("denominator", [1, None])
def test_order_and_sides_of_clusters(count: int, denominator: int | None) -> None:
    sums, sizes = clusters(count, 5)
    order = np.random.default_rng(2).permutation(count)
    one = cluster_means(sums, sizes, denominator)
    moved = cluster_means(sums[order], sizes[order], denominator)
    swapped = cluster_means(-sums, sizes, denominator)
    check_sides(one, moved, swapped)


def test_verdict_and_interval_of_clusters_agree() -> None:
    for seed in range(30):
        sums, sizes = clusters((8, 14, 25, 60)[seed % 4], seed, shift=0.3)
        pool = ClusterPool(90, np.zeros(sums.size)) if seed % 3 == 0 else None
        test = cluster_means(sums, sizes, 1, pool)
        check_agreement(test, (0.025, 0.001, test.p_a, test.p_b))


def test_clusters_all_alike_are_not_certain() -> None:
    for count in (6, 12, 100):
        low, high = cluster_means(np.full(count, 10.0), np.full(count, 10.0), 1).interval(0.025)
        assert high == 1.0
        assert 0.5 / count < 1 - low < 12 / count


def test_no_clusters_and_bad_ones() -> None:
    none = cluster_means(np.empty(0), np.empty(0), 1)
    assert (none.p_a, none.p_b, none.interval(0.025)) == (1.0, 1.0, (-1.0, 1.0))
    with pytest.raises(UsageError, match=r"the sum 3.0 of a cluster of 2 items lies beyond its size"):
        cluster_means(np.array([3.0]), np.array([2.0]), 1)
    refused("at least one item, but one has 0", cluster_means, np.array([0.0]), np.array([0.0]), 1)
    refused("do not fit a pool of 1", cluster_means, np.zeros(2), np.ones(2), 1, ClusterPool(1, np.zeros(2)))


def cluster_errors(kind: str, count: int, runs: int) -> tuple[float, float]:
    """Wrong directions at .025 a side where each document leans to a or b: ours, and a t test alone."""
    rng, wrong, by_t = np.random.default_rng(13), 0, 0
    quantile = float(t.ppf(0.975, count - 1))
    for _ in range(runs):
        sizes = rng.integers(2, 21, count) if kind == "2-20" else np.ceil(np.exp(rng.normal(1.8, 1.0, count)))
        towards = 0.5 + rng.choice([-0.25, 0.25], count)
        sums = 2.0 * rng.binomial(sizes.astype(int), towards) - sizes
        test = cluster_means(sums, sizes.astype(float), 1)
        wrong += min(test.p_a, test.p_b) <= 0.025
        residuals = sums - sums.sum() / sizes.sum() * sizes
        by_t += abs(sums.sum()) > quantile * math.sqrt(count / (count - 1) * float(residuals @ residuals))
    return wrong / runs, by_t / runs


def test_error_rate_of_clusters() -> None:
    wrong, _ = cluster_errors("2-20", 12, 600)
    assert 0.01 < wrong <= allowed(600)


def test_error_rate_with_unequal_sizes_beside_a_t_test() -> None:
    wrong, by_t = cluster_errors("lognormal", 10, 600)
    assert 0.005 < wrong <= allowed(600)
    assert by_t > allowed(600)  # the control


@pytest.mark.full
@pytest.mark.parametrize("kind", ["2-20", "lognormal"])
@pytest.mark.parametrize("count", [8, 12, 20, 50, 100])
def test_error_rates_of_clusters_in_many_runs(kind: str, count: int) -> None:
    wrong, _ = cluster_errors(kind, count, 1_000)
    assert wrong <= allowed(1_000)
