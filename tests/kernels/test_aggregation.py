"""MACE, and Dawid and Skene's model, against crowd-kit's, and what they find in made panels."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from crowdkit.aggregation import MACE, DawidSkene

from tiebreak.errors import UsageError
from tiebreak.kernels.aggregation import dawid_skene, mace


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
    assert oracle.probas_ is not None
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
    assert oracle.probas_ is not None
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
    with pytest.raises(UsageError, match=r"must be (three sequences|from 0 to 2)"):
        mace(*labels, 3, rng=np.random.default_rng(0))
    with pytest.raises(UsageError, match=r"must be (three sequences|from 0 to 2)"):
        dawid_skene(*labels, 3)
