"""The rules of the papers on one pair, by hand and against independent computations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import beta, dirichlet
from tests.rules.one_pair import Judged, judged

from tiebreak.kernels.metric_error import metric_error_posterior
from tiebreak.kernels.reproduced import dirichlet_posterior

COUNTS = [(30, 20, 10), (12, 5, 11), (3, 40, 17), (0, 10, 0), (61, 0, 39), (25, 25, 8)]
Floats = NDArray[np.float64]


# ---- hoeffding ---------------------------------------------------------------------------------------------------


def test_hoeffding_by_hand() -> None:
    # d = .05: t(n) = sqrt(2.9957/(2n)). All wins: 1 - 1/2 > t first at n = 6 (t(5) = .547, t(6) = .4997).
    found = judged("hoeffding", np.ones(20))
    assert (found.verdict, found.stopped_at) == ("a", 6)
    # In differences the bound is twice as wide: 2 sqrt(2.9957/40) = .547 around 1.
    assert found.summary.low == pytest.approx(1 - 2 * math.sqrt(-math.log(0.05) / 40))
    assert found.summary.high == 1.0
    assert judged("hoeffding", np.zeros(500)).verdict == "undecided"


def test_hoeffding_keeps_its_first_crossing() -> None:
    found = judged("hoeffding", np.concatenate([np.ones(8), -np.ones(60)]))
    assert (found.verdict, found.stopped_at) == ("a", 6)
    assert found.summary.high < 0  # the rule contradicts its own verdict later: one reason not to use it


# ---- dirichlet ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", COUNTS)
def test_dirichlet_against_the_beta_and_against_draws(counts: tuple[int, int, int]) -> None:
    wins, ties, losses = counts
    found = judged("dirichlet", np.repeat([1.0, 0.0, -1.0], counts), 0.1)
    theta = float(beta.sf(0.5, wins + 1, losses + 1))
    assert found.summary.theta == pytest.approx(theta)
    assert found.verdict == ("a" if theta > 0.95 else "b" if theta < 0.05 else "undecided")
    draws = dirichlet.rvs([wins + 1, ties + 1, losses + 1], size=40_000, random_state=np.random.default_rng(22))
    differences = draws[:, 0] - draws[:, 2]
    low, high = np.quantile(differences, [0.05, 0.95])
    assert (found.summary.low, found.summary.high) == pytest.approx((low, high), abs=0.015)
    assert found.summary.estimate == pytest.approx(differences.mean(), abs=0.005)


# ---- posterior ---------------------------------------------------------------------------------------------------


def numbers(codes: str) -> Floats:
    """`+` 1, `0` 0, `-` -1, `?` NaN."""
    return np.array([{"+": 1.0, "0": 0.0, "-": -1.0, "?": np.nan}[code] for code in codes])


def by_metric(human: Floats, metric: Floats, *, forced: bool = False) -> Judged:
    """The posterior of labels, the first of the items that the metric tells of."""
    return judged("posterior", human, metric_outcomes=metric, forced_choice=forced)


def test_the_counts_that_go_into_the_model() -> None:
    # Labelled, human over metric: (+,+) 6, (+,0) 2, (0,0) 1, (-,+) 1, (-,-) 3, and one + without a metric value.
    # Unlabelled: + 4, 0 2, - 1, and one without a value, which says nothing.
    human = numbers("++++++" + "++" + "0" + "-" + "---" + "+")
    metric = numbers("++++++" + "00" + "0" + "+" + "---" + "?" + "++++00-?")
    found = by_metric(human, metric).summary
    expected = metric_error_posterior([[6, 0, 1], [2, 1, 0], [0, 0, 3]], [4, 2, 1], [1, 0, 0])
    assert (found.theta, found.estimate, found.k_hat) == (expected.theta, expected.difference_mean, expected.k_hat)
    assert (found.low, found.high) == (expected.difference_low, expected.difference_high)
    assert found.mean_p == tuple(expected.mean_p)


def test_a_mean_label_counts_as_the_side_it_is_on() -> None:
    values = np.tile([1.0, 0.5, -0.25, 0.0], 5)
    metric = np.tile([1.0, 1.0, -1.0, 0.0], 5)
    assert by_metric(values[:16], metric) == by_metric(np.sign(values[:16]), metric)


@pytest.mark.parametrize(("labelled", "verdict", "flag"), [(9, "undecided", True), (10, "a", False)])
def test_fewer_than_ten_labels_stay_undecided(labelled: int, verdict: str, flag: bool) -> None:
    # Nine wins without a loss are beyond 1 - gamma/2 all the same.
    found = by_metric(np.ones(labelled), np.ones(60))
    assert (found.summary.theta or 0.0) > 0.975
    assert (found.verdict, "few-labels" in found.summary.flags) == (verdict, flag)


@pytest.mark.parametrize(
    ("metric", "forced", "two_classes"), [("+-?-", True, True), ("+--0", True, False), ("+---", False, False)]
)
def test_two_classes_are_where_nobody_and_nothing_ever_ties(metric: str, forced: bool, two_classes: bool) -> None:
    human = np.tile(numbers("+-+-"), 5)
    found = by_metric(human, np.concatenate([np.tile(numbers(metric), 5), numbers("+-?")]), forced=forced).summary
    assert (found.mean_p[1] == 0.0) is two_classes


def test_forced_choices_have_two_classes() -> None:
    human, metric = numbers("+" * 12 + "-" * 5), numbers("+" * 10 + "--" + "-" * 4 + "+")
    everything = np.concatenate([metric, numbers("+" * 12 + "-" * 8)])
    found = by_metric(human, everything, forced=True).summary
    expected = metric_error_posterior([[10, 1], [2, 4]], [12, 8], [0, 0])
    assert found.theta == expected.theta
    assert found.mean_p == (expected.mean_p[0], 0.0, expected.mean_p[1])
    three = by_metric(human, everything).summary
    assert three.mean_p[1] > 0
    assert "unseen-category" in three.flags


def test_without_further_items_it_is_the_posterior_of_the_labels() -> None:
    human = numbers("+" * 14 + "0" * 6 + "-" * 4)
    found = by_metric(human, -human)
    expected = dirichlet_posterior(14, 6, 4)
    assert found.summary.theta == pytest.approx(expected.theta)
    assert (found.summary.k_hat, found.verdict) == (None, "a")
