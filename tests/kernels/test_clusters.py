"""Shares, kappas, correlations and means over clusters: by hand, beside other packages, how often intervals hold."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from scipy.special import stdtrit
from scipy.stats import binom
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups
from tests.kernels.checks import refused

from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.clusters import cluster_correlation, cluster_kappa, cluster_share, items_to_half_width
from tiebreak.kernels.two_way import TwoWayMean, fewest_people, two_way_mean

# ---- share -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hits", [0, 3, 250, 500])
def test_of_single_items_it_is_wilsons(hits: int) -> None:
    found = cluster_share((np.arange(500) < hits).astype(float), np.ones(500), 0.05)
    assert found == pytest.approx(proportion_confint(hits, 500, method="wilson"), abs=0.004)


def test_at_the_ends_by_hand() -> None:
    # 20 clusters, all hits: n = 20, t with 19 degrees of freedom, low = n / (n + t^2).
    square = float(stdtrit(19, 0.975)) ** 2
    assert cluster_share(np.full(20, 3.0), np.full(20, 3.0), 0.05) == pytest.approx((20 / (20 + square), 1))
    assert cluster_share(np.zeros(20), np.full(20, 3.0), 0.05) == pytest.approx((0, square / (20 + square)))


def test_misses_are_the_mirror_of_hits() -> None:
    sums, sizes = np.array([1.0, 0, 2, 3, 1, 4]), np.array([2.0, 1, 4, 3, 5, 4])
    low, high = cluster_share(sums, sizes, 0.1)
    assert cluster_share(sizes - sums, sizes, 0.1) == pytest.approx((1 - high, 1 - low))
    assert cluster_share(sums[::-1], sizes[::-1], 0.1) == pytest.approx((low, high))


def test_one_cluster_says_nothing_of_others() -> None:
    refused("two independent units", cluster_share, np.array([3.0]), np.array([4.0]), 0.05, error=UnidentifiedError)


@pytest.mark.parametrize(("clusters", "size"), [(30, 1), (60, 1), (40, 4)])
@pytest.mark.parametrize("share", [0.5, 0.76, 0.91])
def test_it_holds_the_truth(clusters: int, size: int, share: float) -> None:
    """Clusters vary about the share by a beta with a correlation of .2 within them. Of 1,000 intervals at 95% at most
    72 miss; with a true miss rate of .10 more than 72 would in all but 2 of 1,000 tests. Nor are they too wide: 10 miss
    at least."""
    rng = np.random.default_rng([clusters, size, int(100 * share)])
    own = rng.beta(4 * share, 4 * (1 - share), size=(1000, clusters))
    sums = rng.binomial(size, own).astype(float)
    found = [cluster_share(of, np.full(clusters, float(size)), 0.05) for of in sums]
    missed = sum(not low <= share <= high for low, high in found)
    assert 10 <= missed <= 72


def test_it_holds_the_truth_of_unequal_clusters() -> None:
    """30 clusters of 1 to 20 items, half of which come from the four largest; the bounds are as above."""
    rng = np.random.default_rng(9)
    sizes = np.array([20.0, 20, 20, 20, *[3] * 26])
    own = rng.beta(4 * 0.8, 4 * 0.2, size=(1000, 30))
    sums = rng.binomial(sizes.astype(int), own).astype(float)
    found = [cluster_share(of, sizes, 0.05) for of in sums]
    missed = sum(not low <= 0.8 <= high for low, high in found)
    assert 10 <= missed <= 72


def test_of_a_pool_by_hand() -> None:
    """Half of a pool: n is 200 in place of 100, and both ends reach an item of 200 further; at 0 and 1 a unit."""
    hits, ones = np.repeat([1.0, 0.0], [30, 70]), np.ones(100)
    square = float(stdtrit(99, 0.975)) ** 2 / 200
    middle, half = (0.3 + square / 2) / (1 + square), square**0.5 * (0.21 + square / 4) ** 0.5 / (1 + square)
    found = cluster_share(hits, ones, 0.05, seen=0.5)
    assert found == pytest.approx((middle - half - 0.005, middle + half + 0.005), abs=0.001)  # the error's n - 1
    assert cluster_share(hits, ones, 0.05, seen=1.0) == (0.3, 0.3)
    assert cluster_share(hits, ones, 0.05, seen=1e-9) == pytest.approx(cluster_share(hits, ones, 0.05), abs=1e-6)
    low, high = cluster_share(np.zeros(20), np.full(20, 3.0), 0.05, seen=0.5)
    square = float(stdtrit(19, 0.975)) ** 2
    assert (low, high) == pytest.approx((0, square / (40 + square) + 1 / 40))


@pytest.mark.parametrize(("size", "drawn"), [(40, 20), (100, 90), (400, 200)])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.6])
def test_it_holds_the_share_of_a_pool(size: int, drawn: int, share: float) -> None:
    """Of 1,000 intervals at 95% at most 72 miss, as above; as if drawn from many they are too wide for any to."""
    rng = np.random.default_rng([size, int(100 * share)])
    pool = (np.arange(size) < round(share * size)).astype(float)
    true, ones = float(pool.mean()), np.ones(drawn)
    draws = [rng.permutation(pool)[:drawn] for _ in range(1000)]
    ends = [cluster_share(of, ones, 0.05, seen=drawn / size) for of in draws]
    assert sum(not low - 1e-9 <= true <= high + 1e-9 for low, high in ends) <= 72
    wide = [cluster_share(of, ones, 0.05) for of in draws]
    assert np.mean([high - low for low, high in wide]) > 1.15 * np.mean([high - low for low, high in ends])


def test_items_needed_by_hand() -> None:
    """Half of Wilson's interval at a share of 1/2 is t / (2 sqrt(n + t^2)), .05 where n = 99 t^2; by the jackknife 100
    items are worth 99."""
    needed = items_to_half_width(np.array([0.0, 1] * 50), np.ones(100), 0.05, 0.05) or 0
    assert needed == np.ceil(99 * float(stdtrit(needed - 1, 0.975)) ** 2 / 0.99)


@pytest.mark.parametrize("sums", [[0.0, 2, 4, 1, 3] * 6, [2.0, 2, 2, 2, 1] * 6])
@pytest.mark.parametrize("seen", [0.0, 0.25])
def test_items_needed_are_those_of_the_interval_itself(sums: list[float], seen: float) -> None:
    """Clusters that vary more than independent items would, and clusters that vary less: what is there already is what
    its own half-width takes, and with thrice as many alike clusters the interval is as narrow as was projected."""
    some, sizes = np.array(sums), np.full(30, 4.0)
    low, high = cluster_share(some, sizes, 0.05, seen)
    assert items_to_half_width(some, sizes, (high - low) / 2, 0.05, seen) == pytest.approx(120, abs=1)
    low, high = cluster_share(np.tile(some, 3), np.tile(sizes, 3), 0.05, 3 * seen)
    assert items_to_half_width(some, sizes, (high - low) / 2, 0.05, seen) == pytest.approx(360, rel=0.03)


def test_items_needed_are_no_more_than_the_pool_has() -> None:
    assert items_to_half_width(np.array([0.0, 1] * 50), np.ones(100), 0.0001, 0.05, seen=0.5) == 200
    assert items_to_half_width(np.array([0.0, 1] * 50), np.ones(100), 0.0001, 0.05, seen=1.0) == 100


def test_of_what_never_varies_nothing_is_projected() -> None:
    assert items_to_half_width(np.ones(20), np.ones(20), 0.05, 0.05) is None


# ---- kappa -------------------------------------------------------------------------------------------------------

Floats = NDArray[np.float64]


def single(table: object) -> Floats:
    """One cluster per item of a table of counts."""
    counts = np.array(table, dtype=int)
    size = counts.shape[0]
    return np.repeat(np.eye(size * size).reshape(-1, size, size), counts.ravel(), axis=0)


def test_by_hand() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: p_o = .7, p_e = .5 * .6 + .5 * .4 = .5, kappa = .4.
    found = cluster_kappa(single([[20, 5], [10, 15]]), 0.05)
    assert found.estimate == pytest.approx(0.4)
    assert -1 < found.low < 0.4 < found.high < 1


def test_beside_another_package() -> None:
    table = [[231, 45, 145], [60, 80, 71], [97, 29, 166]]
    oracle = cohens_kappa(np.array(table))
    found = cluster_kappa(single(table), 0.05)
    assert found.estimate == pytest.approx(oracle.kappa)
    # Theirs is kappa -+ 1.96 of the asymptotic error; with 924 items both are the same to a hundredth.
    assert found.low == pytest.approx(oracle.kappa_low, abs=0.01)
    assert found.high == pytest.approx(oracle.kappa_upp, abs=0.01)


def test_items_that_repeat_one_another_are_one() -> None:
    tables = single([[20, 5], [10, 15]])
    alone, doubled = cluster_kappa(tables, 0.05), cluster_kappa(2 * tables, 0.05)
    assert doubled.estimate == pytest.approx(alone.estimate)
    assert doubled.low == pytest.approx(alone.low, abs=0.02)  # and not as if there were 100 items


def test_full_agreement_has_an_interval() -> None:
    found = cluster_kappa(single([[30, 0], [0, 30]]), 0.05)
    assert found.estimate == 1
    assert found.high == pytest.approx(1)
    assert 0.8 < found.low < 0.95  # 60 of 60 agree: at 95% more than 94% would, and half of them by chance


def test_raters_who_never_agree_have_an_interval() -> None:
    found = cluster_kappa(single([[0, 12, 8], [9, 0, 4], [3, 9, 0]]), 0.05)
    assert found.low <= found.estimate <= found.high < 0  # 0 of 45 agree, a third would by chance


def test_kappa_one_cluster_says_nothing_of_others() -> None:
    found = cluster_kappa(np.array([[[20.0, 5.0], [10.0, 15.0]]]), 0.05)
    assert found.estimate == pytest.approx(0.4)
    assert (found.low, found.high) == (None, None)


def test_a_rater_who_always_says_the_same() -> None:
    found = cluster_kappa(single([[30, 20], [0, 0]]), 0.05)
    assert found.estimate == 0
    assert (found.low, found.high) == (None, None)
    refused("kappa needs two answers", cluster_kappa, single([[30, 0], [0, 0]]), 0.05, error=UnidentifiedError)


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("agreeing", [0.55, 0.9])
def test_kappa_it_holds_the_truth(size: int, agreeing: float) -> None:
    """40 clusters of 1 or 4 items whose difficulty they share; three outcomes of unequal shares. Of 1,000 intervals at
    95% at most 72 miss; with a true miss rate of .10 more than 72 would in all but 2 of 1,000 tests."""
    rng = np.random.default_rng([size, int(100 * agreeing)])
    shares = np.array([0.5, 0.2, 0.3])
    truth = _kappa(_joint(agreeing, shares))
    missed = 0
    for _ in range(1000):
        # The probability of copying the other rater varies by cluster about its mean.
        copied = np.where(rng.random(40) < 0.5, agreeing - 0.09, agreeing + 0.09)[:, None]
        people = rng.choice(3, p=shares, size=(40, size))
        judge = np.where(rng.random((40, size)) < copied, people, rng.choice(3, p=shares, size=(40, size)))
        tables = np.zeros((40, 3, 3))
        np.add.at(tables, (np.repeat(np.arange(40), size), judge.ravel(), people.ravel()), 1.0)
        found = cluster_kappa(tables, 0.05)
        missed += not found.low <= truth <= found.high
    assert missed <= 72


def _joint(agreeing: float, shares: Floats) -> Floats:
    return agreeing * np.diag(shares) + (1 - agreeing) * np.outer(shares, shares)


def _kappa(table: Floats) -> float:
    agreed, chance = np.trace(table), table.sum(axis=0) @ table.sum(axis=1)
    return float((agreed - chance) / (1 - chance))


def test_of_a_pool_the_rest_is_all_that_is_left_to_chance() -> None:
    rng = np.random.default_rng(4)
    tables = np.zeros((60, 3, 3))
    people = rng.integers(0, 3, size=60)
    judge = np.where(rng.random(60) < 0.7, people, rng.integers(0, 3, size=60))
    np.add.at(tables, (np.arange(60), judge, people), 1.0)
    inputs, half, whole = (cluster_kappa(tables, 0.05, seen) for seen in (0.0, 0.5, 1.0))
    assert whole.low == whole.high == whole.estimate == inputs.estimate
    assert None not in (inputs.low, inputs.high, half.low, half.high)
    ratio = ((half.high or 0) - (half.low or 0)) / ((inputs.high or 0) - (inputs.low or 0))
    assert 0.5**0.5 < ratio < 0.5**0.5 + 0.1  # an item of the pool further on either side


# ---- correlation -------------------------------------------------------------------------------------------------


def test_it_is_the_usual_one() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(size=200)
    second = first + rng.normal(size=200)
    found = cluster_correlation(first, second, np.arange(200), 0.05)
    assert found.estimate == pytest.approx(np.corrcoef(first, second)[0, 1])
    # Fisher's error for normal figures is 1 / sqrt(n - 3).
    assert found.low == pytest.approx(np.tanh(np.arctanh(found.estimate) - 1.97 / np.sqrt(197)), abs=0.03)


def test_both_ways_round_and_in_any_order() -> None:
    rng = np.random.default_rng(2)
    first, second, clusters = rng.integers(-1, 2, 60) / 1, rng.integers(-1, 2, 60) / 1, np.arange(60) // 3
    one = cluster_correlation(first, second, clusters, 0.05)
    other = cluster_correlation(second[::-1], first[::-1], clusters[::-1], 0.05)
    assert one.estimate == pytest.approx(other.estimate)
    assert one.low == pytest.approx(other.low)


def test_the_ends_of_the_scale() -> None:
    values = np.array([1.0, 0.0, -1.0, 1.0])
    assert cluster_correlation(values, values, np.arange(4), 0.05).low is None
    assert cluster_correlation(values, -values, np.arange(4), 0.05).estimate == -1
    refused("does not vary", cluster_correlation, values, np.ones(4), np.arange(4), 0.05, error=UnidentifiedError)


@pytest.mark.parametrize("size", [1, 5])
def test_correlation_it_holds_the_truth(size: int) -> None:
    """60 clusters of outcomes that share a part. Of 1,000 intervals at 95% at most 72 miss; with a true miss rate of
    .10 more than 72 would in all but 2 of 1,000 tests."""
    rng = np.random.default_rng([7, size])
    clusters = np.repeat(np.arange(60), size)

    def drawn(count: int) -> tuple[np.ndarray, np.ndarray]:
        shared = np.repeat(rng.normal(size=count), size)
        common = rng.normal(size=count * size)
        both = [np.sign(shared + common + rng.normal(size=count * size)) for _ in range(2)]
        return both[0], both[1]

    truth = float(np.corrcoef(*drawn(400_000 // size))[0, 1])
    missed = 0
    for _ in range(1000):
        found = cluster_correlation(*drawn(60), clusters, 0.05)
        missed += not found.low <= truth <= found.high
    assert missed <= 72


def test_correlation_of_a_pool_the_rest_is_all_that_is_left_to_chance() -> None:
    rng = np.random.default_rng(4)
    one = rng.normal(size=80)
    other = one + rng.normal(size=80)
    inputs, half, whole = (cluster_correlation(one, other, np.arange(80), 0.05, seen) for seen in (0.0, 0.5, 1.0))
    assert whole.low == whole.high == whole.estimate == inputs.estimate
    on_fishers = [np.arctanh(of.high or 0) - np.arctanh(of.low or 0) for of in (inputs, half)]
    assert on_fishers[1] == pytest.approx(on_fishers[0] * 0.5**0.5)


# ---- means over items and people -----------------------------------------------------------------------------------


def crossed(values: list[list[float]]) -> TwoWayMean:
    """A row per item, a column per person; nan where a person gave no label."""
    table = np.array(values)
    item, person = np.nonzero(~np.isnan(table))
    weights = 1 / (len(table) * np.bincount(item)[item])
    return two_way_mean(table[item, person], weights, item, person, len(table))


def test_means_by_hand() -> None:
    # The mean is 1/2. Strays, each over 4: (1/2, 1/2), (1/2, -3/2) / 4. By item 1/4 and -1/4: 2 * 2/16 = 1/4. By person
    # 1/4 and -1/4: 1/4. By label (1 + 1 + 1 + 9) / 64 = 3/16. People add 1/4 - 3/16.
    found = crossed([[1, 1], [1, -1]])
    assert (found.estimate, found.items, found.people) == (0.5, 2, 2)
    assert found.of_items == pytest.approx(1 / 4)
    assert found.of_people == pytest.approx(1 / 16)


def test_variances_are_those_of_statsmodels() -> None:
    rng = np.random.default_rng(3)
    table = rng.choice([-1.0, 0.0, 1.0], (30, 7)) + rng.normal(0, 0.1, (1, 7))
    table[rng.random(table.shape) < 0.3] = np.nan
    item, person = np.nonzero(~np.isnan(table))
    values = table[item, person]
    found = two_way_mean(values, np.full(values.size, 1 / values.size), item, person, 30)
    fit = sm.OLS(values, np.ones(values.size)).fit()
    both, of_items, of_people = cov_cluster_2groups(fit, item, person, use_correction=False)
    of_labels = of_items + of_people - both
    assert found.of_items == pytest.approx(of_items[0, 0] * 30 / 29)
    assert found.of_people == pytest.approx(max(of_people[0, 0] * 7 / 6 - of_labels[0, 0], 0))


def test_a_turned_pair_is_mirrored() -> None:
    table = [[1, 1, 0], [1, -1, 1], [0, 1, 1], [-1, 1, 1]]
    one, other = crossed(table).look(), crossed([[-value for value in row] for row in table]).look()
    assert (one.p_a, one.p_b) == pytest.approx((other.p_b, other.p_a))
    assert one.interval(0.05) == pytest.approx(tuple(-end for end in reversed(other.interval(0.05))))


def test_ties_that_nobody_gives_add_no_person() -> None:
    values, weights = np.array([1.0, 1.0, 0.0]), np.full(3, 1 / 3)
    found = two_way_mean(values, weights, np.arange(3), np.array([0, 1, -1]), 3)
    assert (found.estimate, found.people) == (pytest.approx(2 / 3), 2)


@pytest.mark.parametrize(("level", "people"), [(0.025, 6), (0.05, 5), (0.5, 2), (0.025 / 6, 8), (2.0**-7, 7)])
def test_so_many_people_decide_if_they_agree_and_no_fewer(level: float, people: int) -> None:
    assert fewest_people(level) == people
    agree = crossed([[1.0] * people] * 40).look()
    assert agree.p_a <= level
    assert agree.smallest_p == pytest.approx(agree.p_a)
    assert crossed([[1.0] * (people - 1)] * 40).look().p_a > level


def simulated(people: int, items: int, own: int | None, tastes: float, rng: np.random.Generator) -> TwoWayMean:
    """Two equal systems: people's tastes for one of them, and items that favour one, are normal; `own`: people of each
    item, None for all, 0: each person has items of their own.
    """
    log_odds = rng.normal(0, tastes, people)[None, :] + rng.normal(0, 0.5, (items, 1))
    answers = np.where(rng.random((items, people)) < 1 / (1 + np.exp(-log_odds)), 1.0, -1.0)
    answers[rng.random(answers.shape) < 0.2] = 0.0
    asked = np.ones(answers.shape, dtype=bool)
    if own == 0:
        asked = np.arange(items)[:, None] % people == np.arange(people)[None, :]
    elif own is not None:
        asked = rng.random(answers.shape).argsort(axis=1) < own
    return crossed(np.where(asked, answers, np.nan).tolist())


RUNS = 1000


@pytest.mark.parametrize("tastes", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize(
    ("people", "items", "own"), [(6, 40, None), (20, 10, None), (8, 160, 0), (12, 60, 3), (40, 20, None)]
)
def test_the_error_is_that_which_is_said(people: int, items: int, own: int | None, tastes: float) -> None:
    rng = np.random.default_rng([people, items, int(10 * tastes)])
    looks = [simulated(people, items, own, tastes, rng).look() for _ in range(RUNS)]
    wrong = sum(min(look.p_a, look.p_b) <= 0.025 for look in looks)
    assert wrong <= binom.ppf(0.999, RUNS, 0.05)  # 72: at twice the level 100 are expected


def test_a_test_over_items_alone_errs_far_more_often() -> None:
    rng = np.random.default_rng(1)
    fits = [simulated(6, 40, None, 1.0, rng) for _ in range(200)]
    assert sum(abs(fit.estimate) > 2.02 * np.sqrt(fit.of_items) for fit in fits) > 60


def test_intervals_of_means_hold_the_truth() -> None:
    rng = np.random.default_rng(2)
    intervals = [simulated(12, 40, None, 0.5, rng).look().interval(0.025) for _ in range(RUNS)]
    assert sum(not low <= 0 <= high for low, high in intervals) <= binom.ppf(0.999, RUNS, 0.05)
