"""Agreement of annotators, and models of them: by hand, as published, beside other packages."""

from __future__ import annotations

import csv
import itertools
import math
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pytest
from crowdkit.aggregation import MACE, DawidSkene
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import cohens_kappa as statsmodels_cohen
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss
from tests.kernels.checks import refused

from tiebreak.errors import UnidentifiedError, UsageError
from tiebreak.kernels.aggregation import dawid_skene, mace
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


ALPHAS = [partial(krippendorff_alpha, level=of) for of in LEVELS]
COEFFICIENTS = [pairwise_agreement, fleiss_kappa, cohen_kappa, *ALPHAS]

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


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_invariances(coefficient: Callable[..., Agreement]) -> None:
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
    for coefficient in COEFFICIENTS:
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
        # By model .28 belongs to the first study, where one model wins 88 % of its votes: chance agreement is high.
        ("naturalness-v1", "model", 0.28, 0.005),
        ("naturalness-v2", "model", 0.246, 0.0005),
    ],
)
def test_published_kappas(real_studies, study, coded_by, published, tolerance) -> None:  # type: ignore[no-untyped-def]
    labels = crowd_labels(real_studies / study, coded_by)
    result = fleiss_kappa(*labels, rng=rng())
    assert result.estimate == pytest.approx(published, abs=tolerance)
    assert result.low < published < result.high
    assert (result.n_items, result.n_labels) == (500, 5000)


def test_nothing_to_compare_raises() -> None:
    for coefficient in COEFFICIENTS:
        for labels in (([], [], []), ([0, 1, 2], [0, 1, 0], [1, 0, 1]), ([0, 0, 1], [0, 1, 0], [1, 0, 1])):
            refused("at least two items with two labels", coefficient, *labels, rng=rng(), error=UnidentifiedError)
    same = ([0, 0, 1, 1], [0, 1, 0, 1], [2, 2, 2, 2])
    assert pairwise_agreement(*same, rng=rng()).estimate == 1.0
    for coefficient in COEFFICIENTS[1:]:
        refused("all labels are the same", coefficient, *same, rng=rng(), error=UnidentifiedError)


def test_bad_input_raises() -> None:
    refused("three sequences of one length", fleiss_kappa, [0, 0, 1], [0, 1], [1, 1, 0], rng=rng())
    refused("not a finite number", fleiss_kappa, [0, 0, 1, 1], [0, 1, 0, 1], [1, np.nan, 0, 1], rng=rng())
    refused("two labels on one item", fleiss_kappa, [0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 1], rng=rng())
    refused("these labels name 3", cohen_kappa, [0, 0, 1, 1], [0, 1, 0, 2], [1, 0, 0, 1], rng=rng())
    with pytest.raises(UsageError, match="level must be one of nominal, ordinal, interval"):
        krippendorff_alpha(*HAND, "ratio", rng=rng())  # type: ignore[arg-type]
    refused("confidence", fleiss_kappa, *HAND, rng=rng(), confidence=1.0)
    refused("at least 2 resamples", fleiss_kappa, *HAND, rng=rng(), resamples=1)
    with pytest.raises(UnidentifiedError, match="no resample"):
        bootstrap_interval(lambda weights: np.full(len(weights), np.nan), 3, rng(), 10, 0.95)


# ---- aggregation ---------------------------------------------------------------------------------------------------


def panel(
    seed: int, questions: int = 150, people: int = 10, each: int = 5, answers: int = 3
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Question, annotator and answer of each label, true answers, and true competences; who first appears is first."""
    rng = np.random.default_rng(seed)
    truth, competence = rng.integers(answers, size=questions), rng.uniform(0.1, 0.95, people)
    habits = rng.dirichlet(np.full(answers, 2.0), people)
    question = np.repeat(np.arange(questions), each)
    person = np.concatenate([rng.choice(people, each, replace=False) for _ in range(questions)])
    guessed = np.array([rng.choice(answers, p=habits[of]) for of in person])
    said = np.where(rng.random(person.size) < competence[person], truth[question], guessed)
    codes, order = pd.factorize(person)
    return question, codes, said, truth, competence[order]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 2))])
def test_it_is_that_of_crowd_kit(seed: int) -> None:
    question, person, said, _, _ = panel(seed)
    codes = pd.factorize(said)[0]  # their parameters follow names only where names come in their order
    oracle = MACE(n_restarts=10, n_iter=50, random_state=seed)
    with warnings.catch_warnings(action="ignore"):  # of pandas, about how they use it
        oracle.fit(pd.DataFrame({"task": question, "worker": person, "label": codes}))
    found = mace(question, person, codes, 3, rng=np.random.default_rng(0))
    np.testing.assert_allclose(oracle.probas_.loc[range(150)][[0, 1, 2]].to_numpy(), found.answers, atol=2e-3)
    theirs = oracle.spamming_[:, 1] / oracle.spamming_.sum(axis=1)
    np.testing.assert_allclose(theirs, found.competence, atol=0.02)  # theirs is no mean of a distribution


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_dawid_and_skene_are_those_of_crowd_kit(seed: int) -> None:
    question, person, said, _, _ = panel(seed)
    codes = pd.factorize(said)[0]
    oracle = DawidSkene(n_iter=30, tol=-math.inf)
    with warnings.catch_warnings(action="ignore"):
        oracle.fit(pd.DataFrame({"task": question, "worker": person, "label": codes}))
    theirs = oracle.probas_.loc[range(150)][[0, 1, 2]].to_numpy()
    found = dawid_skene(question, person, codes, 3, iterations=30, tolerance=-math.inf)
    np.testing.assert_allclose(theirs, found, atol=1e-8)


def test_habits_are_learned_from_who_answers_the_other_way_round() -> None:
    """Two people who know the answer, and one who exchanges 0 and 1: three votes, of which one is always wrong."""
    truth = np.tile([0, 1, 2, 0, 1], 20)
    said = np.concatenate([truth, truth, np.array([1, 0, 2])[truth]])
    found = dawid_skene(np.tile(np.arange(100), 3), np.repeat(np.arange(3), 100), said, 3)
    np.testing.assert_allclose(found, np.eye(3)[truth], atol=1e-6)


def test_who_guesses_is_found_and_the_truth_better_than_by_majorities() -> None:
    right = {"mace": 0.0, "majority": 0.0}
    for seed in range(20):
        question, person, said, truth, competence = panel(seed, each=4)
        found = mace(question, person, said, 3, rng=np.random.default_rng(0))
        counts = np.zeros((150, 3))
        np.add.at(counts, (question, said), 1)
        right["mace"] += float((found.answers.argmax(axis=1) == truth).mean()) / 20
        right["majority"] += float((counts.argmax(axis=1) == truth).mean()) / 20
        assert np.corrcoef(found.competence, competence)[0, 1] > 0.8
    assert right["mace"] > right["majority"] + 0.04


def test_names_of_questions_and_people_change_nothing() -> None:
    question, person, said, _, _ = panel(4)
    found = mace(question, person, said, 3, rng=np.random.default_rng(0))
    turned = mace(149 - question, 9 - person, said, 3, rng=np.random.default_rng(1))
    np.testing.assert_allclose(found.competence, turned.competence[::-1], atol=1e-3)
    np.testing.assert_allclose(found.answers, turned.answers[::-1], atol=1e-3)


@pytest.mark.parametrize("labels", [([0, 1], [0], [0, 1]), ([], [], []), ([0], [0], [3]), ([0], [0], [-1])])
def test_bad_labels_are_refused(labels: tuple[list[int], ...]) -> None:
    refused(r"must be (three sequences|from 0 to 2)", mace, *labels, 3, rng=np.random.default_rng(0))
    refused(r"must be (three sequences|from 0 to 2)", dawid_skene, *labels, 3)
