from __future__ import annotations

import csv
import itertools
from collections.abc import Callable
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import cohens_kappa as statsmodels_cohen
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from tiebreak.errors import UnidentifiedError, UsageError
from tiebreak.kernels.agreement import (
    Agreement,
    bootstrap_interval,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    pairwise_agreement,
)

LEVELS = ("nominal", "ordinal", "interval")
Long = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def ratings(n_items: int, n_annotators: int, categories: int, missing: float, seed: int) -> NDArray[np.float64]:
    """Table (annotators, items) of noisy ratings of a common truth, NaN where missing."""
    random = np.random.default_rng(seed)
    truth = random.integers(categories, size=n_items)
    noise = random.integers(-1, 2, size=(n_annotators, n_items))
    table = np.clip(truth + noise, 0, categories - 1).astype(float)
    table[random.random(table.shape) < missing] = np.nan
    return table


def long_form(table: NDArray[np.float64]) -> Long:
    annotator, item = np.nonzero(~np.isnan(table))
    return item, annotator, table[annotator, item]


def all_coefficients() -> list[Callable[..., Agreement]]:
    def alpha(level: str) -> Callable[..., Agreement]:
        return lambda *labels, **options: krippendorff_alpha(*labels, level, **options)

    return [pairwise_agreement, fleiss_kappa, cohen_kappa, *(alpha(level) for level in LEVELS)]


# Two annotators, four items: (0, 0), (0, 1), (1, 1), (1, 1).
HAND: Long = (
    np.array([0, 1, 2, 3, 0, 1, 2, 3]),
    np.array([0, 0, 0, 0, 1, 1, 1, 1]),
    np.array([0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]),
)


def test_hand_derived() -> None:
    # Agreement 3/4. Fleiss: shares 3/8, 5/8, chance 34/64, kappa = (.75 - .53125)/.46875 = .46667.
    # Cohen: chance 1/2 * 1/4 + 1/2 * 3/4 = 1/2, kappa 1/2.
    # Krippendorff: observed 2/8, expected 2 * 3 * 5/(8 * 7) = .53571, alpha 1 - .25/.53571 = .53333.
    assert pairwise_agreement(*HAND, rng=rng()).estimate == pytest.approx(0.75)
    assert fleiss_kappa(*HAND, rng=rng()).estimate == pytest.approx(0.4666667)
    assert cohen_kappa(*HAND, rng=rng()).estimate == pytest.approx(0.5)
    for level in LEVELS:  # two categories: the levels agree
        assert krippendorff_alpha(*HAND, level, rng=rng()).estimate == pytest.approx(0.5333333)
    counted = fleiss_kappa(*HAND, rng=rng())
    assert (counted.n_items, counted.n_labels, counted.n_annotators) == (4, 8, 2)


def test_hand_derived_uneven_numbers_of_labels() -> None:
    # Item 0: 0 0 1 (1 of 3 pairs agrees), item 1: 1 1 (1 of 1), item 2: one label, dropped.
    # Pairs: 2/4. Fleiss: mean of 1/3 and 1 is 2/3; shares 2/5, 3/5, chance .52, kappa (.66667 - .52)/.48 = .30556.
    labels = ([0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 1, 0])
    assert pairwise_agreement(*labels, rng=rng()).estimate == pytest.approx(0.5)
    result = fleiss_kappa(*labels, rng=rng())
    assert result.estimate == pytest.approx(0.3055556)
    assert (result.n_items, result.n_labels, result.n_annotators) == (2, 5, 3)


def test_krippendorffs_published_example() -> None:
    # Krippendorff 2011, "Computing Krippendorff's alpha-reliability", example C (4 observers, 12 units, missing
    # data): nominal .743, ordinal .815, interval .849.
    nan = np.nan
    table = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
            [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
        ]
    )
    for level, published in zip(LEVELS, (0.743, 0.815, 0.849), strict=True):
        result = krippendorff_alpha(*long_form(table), level, rng=rng())
        assert result.estimate == pytest.approx(published, abs=5e-4)
    assert (result.n_items, result.n_labels, result.n_annotators) == (11, 40, 4)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", LEVELS)
def test_alpha_against_the_krippendorff_package(level: str, seed: int) -> None:
    table = ratings(60, 5, 6, 0.4, seed) * 1.5 + 1000.0
    result = krippendorff_alpha(*long_form(table), level, rng=rng())  # type: ignore[arg-type]
    assert result.estimate == pytest.approx(krippendorff.alpha(table, level_of_measurement=level), abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_reweighted_alpha_equals_alpha_of_the_resampled_table(level: str) -> None:
    # Every resample's coefficient, recomputed by the package on a table with the drawn items as columns.
    table = ratings(25, 4, 4, 0.2, 9)
    table = table[:, (~np.isnan(table)).sum(axis=0) >= 2]
    n_items, draws = table.shape[1], 40
    chosen = np.random.default_rng(0).integers(n_items, size=(draws, n_items))
    expected = [krippendorff.alpha(table[:, row], level_of_measurement=level) for row in chosen]
    result = krippendorff_alpha(*long_form(table), level, rng=rng(), resamples=draws, confidence=0.5)  # type: ignore[arg-type]
    np.testing.assert_allclose([result.low, result.high], np.quantile(expected, [0.25, 0.75]), atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_kappas_against_statsmodels(seed: int) -> None:
    table = ratings(80, 4, 3, 0.0, seed)
    counts, _ = aggregate_raters(table.T)
    assert fleiss_kappa(*long_form(table), rng=rng()).estimate == pytest.approx(statsmodels_fleiss(counts))
    two = table[:2]
    cross = np.zeros((3, 3))
    np.add.at(cross, (two[0].astype(int), two[1].astype(int)), 1)
    assert cohen_kappa(*long_form(two), rng=rng()).estimate == pytest.approx(statsmodels_cohen(cross).kappa)


@pytest.mark.parametrize("coefficient", [pairwise_agreement, fleiss_kappa, cohen_kappa])
def test_resamples_equal_the_coefficient_of_the_drawn_items(coefficient: Callable[..., Agreement]) -> None:
    table = ratings(25, 2, 3, 0.0, 5)
    chosen = np.random.default_rng(0).integers(25, size=(40, 25))
    expected = [coefficient(*long_form(table[:, row]), rng=rng(), resamples=2).estimate for row in chosen]
    result = coefficient(*long_form(table), rng=rng(), resamples=40, confidence=0.5)
    np.testing.assert_allclose([result.low, result.high], np.quantile(expected, [0.25, 0.75]))


def test_pairwise_agreement_against_brute_force() -> None:
    item, annotator, value = long_form(ratings(30, 6, 4, 0.5, 3))
    agree = pairs = 0
    for i, j in itertools.combinations(range(len(item)), 2):
        if item[i] == item[j]:
            pairs += 1
            agree += value[i] == value[j]
    assert pairwise_agreement(item, annotator, value, rng=rng()).estimate == pytest.approx(agree / pairs)


@pytest.mark.parametrize("index", range(6))
def test_invariances(index: int) -> None:
    coefficient = all_coefficients()[index]
    item, annotator, value = long_form(ratings(40, 2, 4, 0.1, 8))
    plain = coefficient(item, annotator, value, rng=rng())
    assert plain.low < plain.estimate < plain.high
    order = np.random.default_rng(2).permutation(len(item))
    assert coefficient(item[order], annotator[order], value[order], rng=rng()) == plain  # order of rows
    recoded = coefficient(item * 7 + 3, 5 - annotator, 3.0 - value, rng=rng())  # codes; a reversed scale
    assert recoded.estimate == pytest.approx(plain.estimate)
    assert recoded.low == pytest.approx(plain.low)


def test_nominal_coefficients_ignore_the_codes_and_interval_does_not() -> None:
    item, annotator, value = long_form(ratings(40, 3, 3, 0.1, 8))
    renamed = np.array([9.0, -4.0, 2.0])[value.astype(int)]
    for coefficient in (pairwise_agreement, fleiss_kappa):
        before, after = (coefficient(item, annotator, v, rng=rng()).estimate for v in (value, renamed))
        assert after == pytest.approx(before)
    before, after = (krippendorff_alpha(item, annotator, v, "interval", rng=rng()).estimate for v in (value, renamed))
    assert abs(after - before) > 0.1


def test_interval_covers() -> None:
    # Two annotators who agree on an item with probability .8, 100 items: 90 % intervals around .8.
    random = np.random.default_rng(21)
    covered = 0
    for _ in range(300):
        first = random.integers(2, size=100)
        second = np.where(random.random(100) < 0.8, first, 1 - first)
        table = np.stack([first, second]).astype(float)
        result = pairwise_agreement(*long_form(table), rng=random, resamples=200, confidence=0.9)
        covered += result.low <= 0.8 <= result.high
    # 4 standard errors (.017 each) on the low side: a percentile interval undercovers a little
    assert 0.83 < covered / 300 <= 0.97


def test_resamples_with_a_single_category_are_left_out() -> None:
    # Two items, one per category: half of the resamples draw one item twice and have no kappa; the others have 1.
    labels = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1])
    for coefficient in all_coefficients():
        result = coefficient(*labels, rng=rng())
        assert (result.estimate, result.low, result.high) == (1.0, None, None)


def crowd_labels(study: Path, coded_by: str) -> Long:
    people: dict[str, int] = {}
    rows = []
    with (study / "preferences.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            preferred = row["system_a"] if row["outcome"] == "a" else row["system_b"]
            chose_left, chose_cga = preferred == row["left"], preferred == "CGA"
            person = people.setdefault(row["annotator"], len(people))
            rows.append((int(row["item"]), person, chose_left if coded_by == "position" else chose_cga))
    item, annotator, choice = np.array(rows).T
    return item, annotator, choice.astype(float)


@pytest.mark.parametrize(
    ("study", "coded_by", "published", "tolerance"),
    [
        ("naturalness-v1", "position", 0.686, 0.0006),
        ("naturalness-v2", "position", 0.273, 0.0006),
        ("naturalness-v1", "model", 0.28, 0.005),
    ],
)
def test_published_kappas(real_studies, study, coded_by, published, tolerance) -> None:  # type: ignore[no-untyped-def]
    labels = crowd_labels(real_studies / study, coded_by)
    result = fleiss_kappa(*labels, rng=rng())
    assert result.estimate == pytest.approx(published, abs=tolerance)
    assert result.low < published < result.high
    assert (result.n_items, result.n_labels) == (500, 5000)


def test_kappa_of_the_second_study_by_model_against_statsmodels(real_studies: Path) -> None:
    # Coded by model the second study has .246 (the .28 belongs to the first: one model wins 88 % of its votes, so
    # chance agreement is high).
    item, annotator, chose_cga = crowd_labels(real_studies / "naturalness-v2", "model")
    votes = np.bincount(np.unique(item, return_inverse=True)[1], weights=chose_cga)
    expected = statsmodels_fleiss(np.column_stack([votes, 10 - votes]))
    assert expected == pytest.approx(0.246, abs=5e-4)
    assert fleiss_kappa(item, annotator, chose_cga, rng=rng()).estimate == pytest.approx(expected)


def test_nothing_to_compare_raises() -> None:
    for coefficient in all_coefficients():
        for labels in (([], [], []), ([0, 1, 2], [0, 1, 0], [1, 0, 1]), ([0, 0, 1], [0, 1, 0], [1, 0, 1])):
            with pytest.raises(UnidentifiedError, match="at least two items with two labels"):
                coefficient(*labels, rng=rng())
    same = ([0, 0, 1, 1], [0, 1, 0, 1], [2, 2, 2, 2])
    assert pairwise_agreement(*same, rng=rng()).estimate == 1.0
    for coefficient in all_coefficients()[1:]:
        with pytest.raises(UnidentifiedError, match="all labels are the same"):
            coefficient(*same, rng=rng())


def test_bad_input_raises() -> None:
    with pytest.raises(UsageError, match="three sequences of one length"):
        fleiss_kappa([0, 0, 1], [0, 1], [1, 1, 0], rng=rng())
    with pytest.raises(UsageError, match="not a finite number"):
        fleiss_kappa([0, 0, 1, 1], [0, 1, 0, 1], [1, np.nan, 0, 1], rng=rng())
    with pytest.raises(UsageError, match="two labels on one item"):
        fleiss_kappa([0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 1], rng=rng())
    with pytest.raises(UsageError, match="these labels name 3"):
        cohen_kappa([0, 0, 1, 1], [0, 1, 0, 2], [1, 0, 0, 1], rng=rng())
    with pytest.raises(UsageError, match="level must be one of nominal, ordinal, interval"):
        krippendorff_alpha(*HAND, "ratio", rng=rng())  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="confidence"):
        fleiss_kappa(*HAND, rng=rng(), confidence=1.0)
    with pytest.raises(UsageError, match="at least 2 resamples"):
        fleiss_kappa(*HAND, rng=rng(), resamples=1)
    with pytest.raises(UnidentifiedError, match="no resample"):
        bootstrap_interval(lambda weights: np.full(len(weights), np.nan), 3, rng(), 10, 0.95)
