"""A metric's help at the ends of looks: valid whatever it says and whenever anybody looks; what it has in common with
the help one label at a time; and that it is fixed when a look begins.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from tiebreak.kernels import metric_help
from tiebreak.kernels.bounded_mean import KappaPrior
from tiebreak.kernels.control_variate import control_items
from tiebreak.kernels.log_space import log_sum_exp
from tiebreak.kernels.looks import Expected, log_e_at_looks, pool_growth
from tiebreak.kernels.looks_help import HelpAtLooks, control_at_looks, regression_at_looks
from tiebreak.kernels.looks_help import log_e_at_looks as log_e_with_help
from tiebreak.kernels.metric_help import wide_prior
from tiebreak.kernels.outcome_regression import regress_items

Floats = NDArray[np.float64]
PRIOR = wide_prior()
SMALL_BETS = KappaPrior(np.array([0.01, 0.02]), np.log([0.5, 0.5]))


def world(count: int, pool: int, noise: float, seed: int = 0) -> tuple[Floats, Floats]:
    """Outcomes of a pool and its metric: the difference behind the outcomes with so much noise."""
    rng = np.random.default_rng([seed, count, pool])
    latent = rng.normal(0.1, 1.0, pool)
    outcomes = np.where(np.abs(latent) < 0.4, 0.0, np.sign(latent))
    return outcomes, latent + noise * rng.normal(size=pool)


def helped(outcomes: Floats, metric: Floats, ends: NDArray[np.intp], *, linear: bool = False) -> HelpAtLooks:
    count, pool = int(ends[-1]), outcomes.size
    known = np.ones(count, dtype=np.bool_), np.ones(pool - count, dtype=np.bool_)
    if linear:
        return control_at_looks(outcomes[:count], metric[:count, None], metric[count:, None], known, ends)
    return regression_at_looks(outcomes[:count], metric[:count], metric[count:], known, ends)


def largest_expectation(counts: list[int], values: list[float], predicted: list[float], variance: float) -> float:
    """Of what a look leaves of the wealth, over all rules of when to look that know the labels and the metric.

    The pool holds `counts` units of each kind, with a value and a prediction; the null is true, at its edge. By
    recursion over what was drawn so far.
    """
    sizes, h, f = np.array(counts), np.array(values), np.array(predicted)
    pool = int(sizes.sum())
    null, mean, highest = float(sizes @ h / pool), float(sizes @ f / pool), float(f.max())

    def here(drawn: tuple[int, ...]) -> float:
        count = sum(drawn)
        if not count:
            return 1.0
        of_look, expected = np.repeat(h, drawn), Expected(np.repeat(f, drawn), np.array([mean]), np.array([highest]))
        scales = pool / (pool - np.arange(count)) / variance
        growth = pool_growth(of_look, np.array([count]), PRIOR, null, pool, scales, expected)[0]
        return float(np.exp(log_sum_exp(PRIOR.log_weights + growth)))

    @cache
    def best(drawn: tuple[int, ...]) -> float:
        left = sizes - drawn
        if not left.any():
            return here(drawn)
        going_on = 0.0
        for kind in np.flatnonzero(left):
            after = tuple(count + (place == kind) for place, count in enumerate(drawn))
            going_on += left[kind] / left.sum() * best(after)
        return max(here(drawn), going_on)

    return best((0,) * len(counts))


@pytest.mark.parametrize("variance", [0.7, 0.1])
@pytest.mark.parametrize(
    ("counts", "values", "predicted"),
    [
        ([4, 1, 1, 4], [1, 1, -1, -1], [0.7, -0.7, 0.7, -0.7]),  # good
        ([6, 6], [1, -1], [0.8, -0.8]),  # the label itself, sealed before: allowed
        ([6, 6], [1, -1], [-0.8, 0.8]),  # inverted
        ([3, 3, 3, 3], [1, 1, -1, -1], [0.5, -0.5, 0.5, -0.5]),  # useless
        ([3, 1, 2, 2, 1, 3], [1, 1, 0, 0, -1, -1], [0.6, -0.6, 0.6, -0.6, 0.6, -0.6]),
        ([1, 3, 4, 4], [1, 1, -1, -1], [0.9, -0.2, 0.1, -0.9]),
        ([17, 3, 2], [0.5, 0.5, -1], [-0.09, -0.04, 0.1]),  # with five orders 1.05
        ([10, 1, 1, 1], [1, -1, 0.5, -0.5], [-0.26, 0.33, -0.49, -0.44]),
        ([12, 2, 2, 1], [-1, 0, -1, 1], [0, 0, 0, 0]),
    ],
)
def test_peeking_at_labels_and_metric_does_not_pay(
    counts: list[int], values: list[float], predicted: list[float], variance: float
) -> None:
    assert largest_expectation(counts, values, predicted, variance) <= 1.0001


@pytest.mark.full
def test_peeking_does_not_pay_in_any_pool() -> None:
    rng = np.random.default_rng(11)
    for _ in range(300):
        kinds = int(rng.integers(2, 7))
        pool = int(rng.integers(10, [0, 0, 60, 30, 24, 17, 15][kinds]))
        counts = rng.multinomial(pool - kinds, rng.dirichlet(np.full(kinds, 0.7))) + 1
        values = rng.choice([-1, -0.5, 0, 0.5, 1], kinds)
        predicted = rng.uniform(-1, 1, kinds) * rng.choice([0, 0.1, 0.5, 1])
        if np.prod(counts + 1) < 2500:
            found = largest_expectation(counts.tolist(), values.tolist(), predicted.tolist(), rng.choice([0.7, 0.2]))
            assert found <= 1.0001, (counts, values, predicted)


def test_one_label_a_look_is_the_help_label_by_label() -> None:
    """Where no bet is near its limit, the two forms are one."""
    outcomes, metric = world(60, 200, 0.4)
    ends = np.arange(1, 61)
    for linear, found in (
        (False, regress_items(outcomes[:60], metric[:60], metric[60:])),
        (True, control_items(outcomes[:60], metric[:60], metric[60:])),
    ):
        ours = helped(outcomes, metric, ends, linear=linear)
        for side, null in ((1, 0.0), (-1, 0.1)):
            theirs = metric_help.log_factors(outcomes[:60], found, SMALL_BETS, side, null)
            scales = metric_help.shrinking(60, 200) / ours.variances
            growth = pool_growth(side * outcomes[:60], ends, SMALL_BETS, null, 200, scales, ours.expected(side))
            assert_allclose(growth, theirs, atol=1e-9)


def test_a_look_is_not_told_by_its_own_labels() -> None:
    """Other labels in the last look change nothing of what was expected of it."""
    outcomes, metric = world(60, 200, 0.4)
    ends = np.array([30, 60])
    turned = np.concatenate([outcomes[:30], -outcomes[30:]])
    for linear in (False, True):
        ours, theirs = (helped(values, metric, ends, linear=linear) for values in (outcomes, turned))
        for name in ("predictions", "means", "highest", "lowest", "variances", "begins"):
            assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12)


def test_looks_that_come_change_nothing_of_those_before() -> None:
    outcomes, metric = world(90, 200, 0.3)
    three = helped(outcomes, metric, np.array([20, 50, 90]))
    two = helped(outcomes, metric, np.array([20, 50]))
    assert_allclose(three.predictions[:50], two.predictions)
    assert_allclose(three.variances[:2], two.variances)
    assert min(three.begins, 2) == two.begins == 1


def test_help_waits_until_labels_show_that_the_metric_predicts_them() -> None:
    ends = np.arange(10, 91, 10)
    outcomes, good = world(90, 300, 0.2)
    assert 1 <= helped(outcomes, good, ends).begins <= 2
    useless = np.random.default_rng(5).normal(size=300)
    assert helped(outcomes, useless, ends).begins == ends.size


def test_evidence_grows_with_the_help_and_is_the_labels_alone_before() -> None:
    outcomes, metric = world(90, 300, 0.2, seed=2)
    ends = np.arange(15, 91, 15)
    found = helped(outcomes, metric, ends)
    alone = log_e_at_looks(outcomes[:90], ends, PRIOR, 0.0, 300)
    path = log_e_with_help(alone, outcomes[:90], ends, found, PRIOR, 1, 0.0)
    assert_allclose(path[: found.begins], alone[: found.begins])
    assert path[-1] > alone[-1] + 1


def test_evidence_falls_in_the_null() -> None:
    outcomes, metric = world(90, 300, 0.3)
    ends = np.array([20, 50, 90])
    found = helped(outcomes, metric, ends)
    nulls = np.linspace(-0.6, 0.6, 25)
    for side in (1, -1):
        values = side * outcomes[:90]
        paths = [
            log_e_with_help(
                log_e_at_looks(values, ends, PRIOR, null, 300), values, ends, found, PRIOR, side, float(null)
            )
            for null in nulls
        ]
        assert (np.diff(np.array(paths), axis=0) <= 1e-9).all()


def test_units_without_a_value_have_the_mean_of_the_others() -> None:
    outcomes, metric = world(60, 200, 0.3)
    ends = np.array([30, 60])
    known = np.random.default_rng(8).random(200) < 0.7
    found = regression_at_looks(outcomes[:60], metric[:60], metric[60:], (known[:60], known[60:]), ends)
    assert_allclose(found.predictions[30:][~known[30:60]], found.means[1])
    nothing = np.zeros(200, dtype=np.bool_)
    empty = regression_at_looks(outcomes[:60], metric[:60], metric[60:], (nothing[:60], nothing[60:]), ends)
    for found_nothing in (empty.predictions, empty.highest, empty.lowest):
        assert not found_nothing.any()
