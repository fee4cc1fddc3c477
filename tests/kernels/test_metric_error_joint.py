"""The joint metric-error posterior: the paper's model as a special case, what each part adds, and its coverage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.papers.metric_error_joint import PEOPLE, Found, World
from scipy.stats import beta

from tiebreak.errors import UsageError
from tiebreak.kernels.metric_error import metric_error_posterior
from tiebreak.kernels.metric_error_joint import CLASSES, JointLabels, JointPosterior, joint_posterior

TABLES = (
    ([[14, 3, 4], [3, 6, 2], [2, 3, 9]], [120, 40, 90], [3, 1, 2]),
    ([[5, 1, 0], [2, 4, 1], [1, 3, 20]], [10, 200, 30], [0, 0, 6]),
)
ONE = np.zeros(1, dtype=np.intp), np.ones(1)


def labels_of(paired: list[list[int]], metric_only: list[int], human_only: list[int]) -> JointLabels:
    """One row, whose labels are by one person and one for each item."""
    counts = np.array(paired)
    metric, answer = (np.repeat(at, counts[counts > 0]) for at in np.nonzero(counts))
    metric = np.concatenate([metric, np.full(sum(human_only), -1)])
    answer = np.concatenate([answer, np.repeat(np.arange(CLASSES), human_only)])
    none = np.zeros(answer.size, dtype=np.intp)
    return JointLabels(none, metric, np.arange(answer.size), none, answer, np.array([metric_only]))


def paper_model(labels: JointLabels, seed: int = 0) -> JointPosterior:
    rng = np.random.default_rng(seed)
    return joint_posterior(labels, *ONE, annotators_err=False, pooled=False, rng=rng, draws=8_000)


@pytest.mark.parametrize("table", TABLES)
def test_without_its_parts_it_is_the_model_of_the_paper(table: tuple[list[list[int]], list[int], list[int]]) -> None:
    known = metric_error_posterior(*table)
    found = paper_model(labels_of(*table)).differences[:, 0]
    assert (found > 0).mean() == pytest.approx(known.theta, abs=0.02)
    assert found.mean() == pytest.approx(known.difference_mean, abs=0.02)
    low, high = np.quantile(found, [0.025, 0.975])
    assert low == pytest.approx(known.difference_low, abs=0.03)
    assert high == pytest.approx(known.difference_high, abs=0.04)


def test_human_labels_alone_give_a_beta_distribution() -> None:
    """Without metric-only items and ties, p_a ~ Beta(9 + 1, 0 + 4 + 2) under Dir(1, 1, 1)."""
    labels = labels_of([[0] * 3] * 3, [0, 0, 0], [9, 0, 4])
    rng = np.random.default_rng(1)
    found = joint_posterior(labels, *ONE, annotators_err=False, pooled=False, rng=rng, draws=8_000).differences[:, 0]
    drawn = rng.dirichlet([10, 1, 5], 200_000)
    assert (found > 0).mean() == pytest.approx(1 - beta(10, 5).cdf(0.5), abs=0.01)
    assert found.std() == pytest.approx((drawn[:, 0] - drawn[:, 2]).std(), rel=0.04)


def test_systems_exchanged_exchange_the_answer() -> None:
    """By a and b turned round in every label; draws differ, so up to their error."""
    world = World(np.random.default_rng(3), 20.0, people=True)
    of = world.labels
    turned = replace(
        of,
        metric=np.where(of.metric < 0, -1, 2 - of.metric),
        answer=2 - of.answer,
        metric_only=of.metric_only[:, ::-1],
    )
    one, other = (
        joint_posterior(labels, world.pair, world.weight, rng=np.random.default_rng(1), draws=4_000).differences.mean(
            axis=0
        )
        for labels in (of, turned)
    )
    np.testing.assert_allclose(one, -other, atol=0.03)


def test_who_is_right_how_often_is_found() -> None:
    world = World(np.random.default_rng(5), 20.0, people=True)
    found = joint_posterior(world.labels, world.pair, world.weight, rng=np.random.default_rng(6))
    np.testing.assert_allclose(found.accuracy, PEOPLE, atol=0.07)


def test_matrices_that_are_alike_are_pooled_and_others_are_not() -> None:
    strengths = []
    for strength in (300.0, 3.0):
        world = World(np.random.default_rng(7), strength)
        found = joint_posterior(
            world.labels, world.pair, world.weight, annotators_err=False, rng=np.random.default_rng(8)
        )
        strengths.append(found.strength)
    assert strengths[0] > 40 > 10 > strengths[1]


def coverage(model: str, studies: int) -> tuple[float, float]:
    """Of intervals at 95%: how many hold the truth, and their mean width."""
    found = Found()
    for study in range(studies):
        rng = np.random.default_rng([9, study])
        world = World(rng, 20.0, people=True)
        err = model == "err"
        labels = world.labels if err else world.majorities()
        of = joint_posterior(
            labels,
            world.pair,
            world.weight,
            annotators_err=err,
            pooled=model != "alone",
            rng=rng,
            draws=600,
            settle=150,
        )
        found.add(of, world.differences)
    return float(np.mean(found.inside)), float(np.mean(found.widths))


@pytest.mark.full
def test_intervals_hold_where_annotators_err_and_those_of_majorities_do_not() -> None:
    """Of 150 intervals of ten pairs a study, which depend on one another: at .90 as many hold in one of three tests."""
    assert coverage("err", 15)[0] >= 0.91
    assert coverage("majority", 15)[0] < 0.91


def test_labels_of_perfect_annotators_that_differ_are_refused() -> None:
    one = np.zeros(1, dtype=np.intp)
    twice = JointLabels(one, one, np.zeros(2, dtype=np.intp), np.arange(2), np.array([0, 2]), np.array([[1, 1, 1]]))
    with pytest.raises(UsageError, match="different labels to one item"):
        paper_model(twice)
