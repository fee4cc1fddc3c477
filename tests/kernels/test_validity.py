"""Error rates of processes at every look, and labels to a decision."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from benchmarks.worlds.simulation import chunks, iid_outcomes, largest_rate, mean_labels, pool_outcomes
from numpy.typing import NDArray
from tests.kernels.crossings import (
    arrival_order,
    clustered_outcomes,
    count_boundary,
    crossings,
    equivalence_labels,
    first_crossing,
    pool_direction_labels,
    standard_error,
    sup_both_directions,
)

from tiebreak.kernels import bet_mixture, bounded_mean

# ---- validity ----------------------------------------------------------------------------------------------------

Floats = NDArray[np.float64]

ALPHAS = (0.05, 0.01)
SMALL_RUNS = 400
FULL_RUNS = 4_000
PRIORS: dict[str, Callable[[], bet_mixture.BetPrior]] = {
    "default": bet_mixture.default_prior,
    "beta10": lambda: bet_mixture.truncated_beta_prior(10.0),
    "log-uniform": bet_mixture.log_uniform_prior,
}
KAPPAS = bounded_mean.kappa_prior()

each_prior = pytest.mark.parametrize("name", PRIORS)
each_tie_share = pytest.mark.parametrize("tie_share", [0.0, 0.3, 0.6])
each_size = pytest.mark.parametrize(
    ("size", "runs"),
    [(300, SMALL_RUNS), *(pytest.param(size, FULL_RUNS, marks=pytest.mark.full) for size in (300, 3_000))],
)
each_difference = pytest.mark.parametrize("difference", [0.0, 0.1, 0.3])


def mean_path(values: Floats, null: float = 0.0, pool_size: int | None = None) -> Floats:
    return bounded_mean.log_e_path(np.asarray(values, dtype=float), KAPPAS, null, pool_size)


def check_rates(sup_log_e: Floats) -> None:
    """No more runs with a verdict than alpha allows; and an e-process that never moved would be no test."""
    for alpha in ALPHAS:
        assert crossings(sup_log_e, alpha) <= largest_rate(alpha, len(sup_log_e)), alpha
    assert np.median(sup_log_e.max(axis=1)) > 0.2


# ---- `items`: pools without a difference, drawn to the end -----------------------------------------------------


@each_size
@each_tie_share
def test_items_bounded_mean(tie_share: float, size: int, runs: int) -> None:
    outcomes = pool_outcomes(np.random.default_rng(101), runs, size, 0.0, tie_share)
    check_rates(sup_both_directions(partial(mean_path, pool_size=size), outcomes))


# ---- `inputs`: fresh items from a population without a difference ----------------------------------------------


@each_prior
@each_size
@each_tie_share
def test_inputs_mixture(name: str, tie_share: float, size: int, runs: int) -> None:
    prior = PRIORS[name]()
    for alpha in ALPHAS:
        boundary = count_boundary(prior, math.log(2 / alpha), size)
        rng = np.random.default_rng(104)
        wrong, compared = 0, False
        for chunk in chunks(runs, 1_000):
            outcomes = iid_outcomes(rng, chunk, size, 0.0, tie_share)
            verdicts = np.stack([first_crossing(side, boundary) for side in (outcomes, -outcomes)]) > 0
            wrong += int(verdicts.any(axis=0).sum())
            if not compared:  # the boundary decides as the kernel's own paths do
                paths = sup_both_directions(lambda run: bet_mixture.log_e_path(run, prior), outcomes[:60])
                np.testing.assert_array_equal(math.log(2 / alpha) <= paths.T, verdicts[:, :60])
                compared = True
        assert wrong / runs <= largest_rate(alpha, runs), alpha


@each_size
def test_inputs_mean_labels_of_several_annotators(size: int, runs: int) -> None:
    check_rates(sup_both_directions(mean_path, mean_labels(np.random.default_rng(105), runs, size)))


@each_tie_share
@pytest.mark.parametrize(
    ("clusters", "runs"),
    [(30, SMALL_RUNS), *(pytest.param(count, FULL_RUNS, marks=pytest.mark.full) for count in (30, 300))],
)
def test_inputs_one_bet_per_cluster(clusters: int, tie_share: float, runs: int) -> None:
    outcomes = clustered_outcomes(np.random.default_rng(106), runs, clusters, 10, 0.3, tie_share)
    check_rates(sup_both_directions(mean_path, outcomes.mean(axis=2)))


# ---- confidence sequences and equivalence ----------------------------------------------------------------------


def sup_at_the_truth(kind: str, difference: float, size: int, runs: int, seed: int) -> Floats:
    """Running maxima (runs, 2) of both processes at the true difference: the sequence misses where one crosses."""
    rng = np.random.default_rng(seed)
    if kind == "pool":
        outcomes = pool_outcomes(rng, runs, size, difference, 0.3)
        pool_size: int | None = size
    else:
        outcomes, pool_size = iid_outcomes(rng, runs, size, difference, 0.3), None
    sup = np.empty((runs, 2))
    prior = bet_mixture.default_prior()
    for k, run in enumerate(outcomes):
        for side, sign in enumerate((1, -1)):
            if kind == "mixture":
                path = bet_mixture.log_e_path(sign * run, prior, sign * difference)
            else:
                path = mean_path(sign * run, sign * difference, pool_size)
            sup[k, side] = path.max()
    return sup


@each_difference
@each_size
@pytest.mark.parametrize("kind", ["pool", "inputs", "mixture"])
def test_confidence_sequence_holds_the_truth_at_all_times(kind: str, difference: float, size: int, runs: int) -> None:
    check_rates(sup_at_the_truth(kind, difference, size, runs, 107))


def equivalent_sup(kind: str, size: int, runs: int, tie_share: float, seed: int, margin: float) -> Floats:
    """For each run min over the two sides of the running maximum of log E, the true difference being the margin."""
    rng = np.random.default_rng(seed)
    make = pool_outcomes if kind == "pool" else iid_outcomes
    pool_size = size if kind == "pool" else None
    prior = bet_mixture.default_prior()
    result = np.empty(runs)
    for k, run in enumerate(make(rng, runs, size, margin, tie_share)):
        if kind == "mixture":
            sides = [bet_mixture.log_e_path(sign * run, prior, -margin).max() for sign in (1, -1)]
        else:
            sides = [mean_path(sign * run, -margin, pool_size).max() for sign in (1, -1)]
        result[k] = min(sides)
    return result


@each_size
@each_tie_share
@pytest.mark.parametrize("kind", ["pool", "inputs", "mixture"])
def test_equivalent_at_exactly_the_margin(kind: str, size: int, tie_share: float, runs: int) -> None:
    sup = equivalent_sup(kind, size, runs, tie_share, 110, 0.2)
    for alpha in ALPHAS:
        assert np.mean(sup >= math.log(1 / alpha)) <= largest_rate(alpha, runs), alpha


def test_inside_the_margin_the_same_rule_finds_equivalence() -> None:
    run = iid_outcomes(np.random.default_rng(111), 1, 1_000, 0.0, 0.6)[0]
    assert min(mean_path(sign * run, -0.2).max() for sign in (1, -1)) >= math.log(100)


# ---- labels that never come ------------------------------------------------------------------------------------


def abandoned_sup(outcomes: NDArray[np.int8], missing: NDArray[np.bool_], pool_size: int | None) -> Floats:
    """The rule: an item without a label counts as a loss in E+ and as a win in E-."""
    sup = np.empty((len(outcomes), 2))
    for k, (run, gone) in enumerate(zip(outcomes, missing, strict=True)):
        sup[k, 0] = mean_path(np.where(gone, -1.0, run), pool_size=pool_size).max()
        sup[k, 1] = mean_path(np.where(gone, -1.0, -run), pool_size=pool_size).max()
    return sup


@pytest.mark.parametrize("pool_size", [None, 300])
def test_abandoned_items_cannot_make_a_verdict_wrong(pool_size: int | None) -> None:
    rng = np.random.default_rng(112)
    make = iid_outcomes if pool_size is None else pool_outcomes
    outcomes = make(rng, SMALL_RUNS, 300, 0.0, 0.3)
    # The worst case: of the losses a fifth is never labelled, of the wins and ties none.
    missing = (outcomes < 0) & (rng.random(outcomes.shape) < 0.2)
    check = abandoned_sup(outcomes, missing, pool_size)
    for alpha in ALPHAS:
        assert crossings(check, alpha) <= largest_rate(alpha, SMALL_RUNS)
    # Leaving the same items out instead, as if there had never been more, invents a difference.
    kept = [run[~gone] for run, gone in zip(outcomes, missing, strict=True)]
    naive = np.empty((SMALL_RUNS, 2))
    for k, run in enumerate(kept):
        rest = None if pool_size is None else run.size
        naive[k] = [mean_path(sign * run, pool_size=rest).max() for sign in (1, -1)]
    assert crossings(naive, 0.05) > 0.10


# ---- what must fail, fails -------------------------------------------------------------------------------------


def items_process_on_fresh_inputs(runs: int, tie_share: float) -> Floats:
    outcomes = iid_outcomes(np.random.default_rng(114), runs, 300, 0.0, tie_share)
    return sup_both_directions(partial(mean_path, pool_size=300), outcomes)


def test_the_items_process_does_not_serve_inputs() -> None:
    # A fully labelled pool has almost never a difference of exactly zero.
    assert crossings(items_process_on_fresh_inputs(150, 0.3), 0.05) > 0.8


def ignoring_clusters(runs: int) -> Floats:
    outcomes = clustered_outcomes(np.random.default_rng(115), runs, 100, 10, 0.3)
    shuffled = np.random.default_rng(116).permuted(outcomes.reshape(runs, -1), axis=1)
    prior = bet_mixture.truncated_beta_prior(10.0)
    return sup_both_directions(lambda run: bet_mixture.log_e_path(run, prior), shuffled)


def test_ignoring_clusters_errs_and_one_bet_per_cluster_does_not() -> None:
    assert crossings(ignoring_clusters(SMALL_RUNS), 0.05) > 0.09
    outcomes = clustered_outcomes(np.random.default_rng(106), SMALL_RUNS, 100, 10, 0.3)
    check_rates(sup_both_directions(mean_path, outcomes.mean(axis=2)))


def in_order_of_arrival(runs: int, size: int) -> tuple[Floats, Floats]:
    """Running maxima (runs, 2) betting in order of arrival, and on the longest completed prefix of the sealed order.

    30 labels in flight, losses of a twice as slow as its wins, no ties, no difference.
    """
    rng = np.random.default_rng(117)
    prior = bet_mixture.default_prior()
    outcomes = iid_outcomes(rng, runs, size, 0.0, 0.0)
    arrival, sealed = np.empty((runs, 2)), np.empty((runs, 2))
    for k, run in enumerate(outcomes):
        order, prefixes = arrival_order(rng, run, 30, 2.0)
        arrived = run[order]
        for side, sign in enumerate((1, -1)):
            arrival[k, side] = bet_mixture.log_e_path(sign * arrived, prior).max()
            by_prefix = np.concatenate([[0.0], bet_mixture.log_e_path(sign * run, prior)])
            sealed[k, side] = by_prefix[prefixes].max()
    return arrival, sealed


def test_betting_in_order_of_arrival_errs_and_the_sealed_order_does_not() -> None:
    arrival, sealed = in_order_of_arrival(SMALL_RUNS, 300)
    assert crossings(arrival, 0.05) > 0.2
    check_rates(sealed)


# ---- power -------------------------------------------------------------------------------------------------------


def check_no_worse(labels: Floats, reference: float) -> None:
    """The mean is at most the reference plus 5 % and three standard errors of this run."""
    assert labels.mean() <= 1.05 * reference + 3 * standard_error(labels), (labels.mean(), reference)
    # Far below the reference something else would be wrong: the references are within a factor of their bounds.
    assert labels.mean() >= 0.6 * reference, (labels.mean(), reference)


@pytest.mark.parametrize(
    ("pool_size", "reference", "runs"), [(1_000, 292, 150), pytest.param(100_000, 513, 2_000, marks=pytest.mark.full)]
)
def test_bounded_mean_on_a_pool(pool_size: int, reference: float, runs: int) -> None:
    """Difference .1, 30 % ties, alpha .05."""
    outcomes = pool_outcomes(np.random.default_rng(207), runs, pool_size, 0.1, 0.3, min(pool_size, 5_000))
    check_no_worse(pool_direction_labels(outcomes, pool_size, 0.05), reference)


@pytest.mark.parametrize(
    ("pool_size", "reference", "runs"), [(1_000, 422, 150), pytest.param(5_000, 663, 2_000, marks=pytest.mark.full)]
)
def test_equivalence_on_a_pool(pool_size: int, reference: float, runs: int) -> None:
    """Difference 0, 30 % ties, margin .1, alpha .05."""
    rng, labels = np.random.default_rng(208), []
    for chunk in chunks(runs, 1_000):
        outcomes = pool_outcomes(rng, chunk, pool_size, 0.0, 0.3)
        labels.append(equivalence_labels(outcomes, pool_size, 0.1, 0.05))
    check_no_worse(np.concatenate(labels), reference)
