from __future__ import annotations

import math

import choix
import evalica
import numpy as np
import pytest
from benchmarks.worlds.leaderboards import all_pairs
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import approx_fprime, minimize
from tests.kernels.checks import refused

from tiebreak.errors import NotConvergedError
from tiebreak.kernels.davidson import DavidsonFit, davidson, information, outcome_probabilities

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Davidson (1970), table of preferences among six brands of chocolate pudding:
# brands i and j, preferences for i, preferences for j, no preference.
PUDDINGS = np.array(
    [
        (1, 2, 19, 22, 16),
        (1, 3, 16, 19, 12),
        (2, 3, 19, 19, 10),
        (1, 4, 18, 23, 13),
        (2, 4, 23, 19, 9),
        (3, 4, 19, 20, 15),
        (1, 5, 13, 19, 18),
        (2, 5, 16, 20, 12),
        (3, 5, 16, 15, 17),
        (4, 5, 17, 14, 16),
        (1, 6, 18, 21, 12),
        (2, 6, 22, 20, 12),
        (3, 6, 13, 18, 10),
        (4, 6, 14, 19, 18),
        (5, 6, 11, 21, 12),
    ]
)


def simulated(rng: np.random.Generator, strengths: Floats, log_nu: float, games: int) -> tuple[Integers, Floats]:
    """All pairs, and outcomes of `games` games of each."""
    pairs = all_pairs(len(strengths))
    shares = outcome_probabilities(strengths[pairs[:, 0]] - strengths[pairs[:, 1]], log_nu)
    return pairs, rng.multinomial(games, shares).astype(np.float64)


def negative_log_posterior(x: Floats, pairs: Integers, counts: Floats, spread: float, tie_spread: float) -> float:
    """Written from the formulas, one row and one outcome at a time; shares no code with the kernel."""
    total = 0.0
    for (i, j), (wins, ties, losses) in zip(pairs, counts, strict=True):
        difference, nu = x[i] - x[j], math.exp(x[-1])
        whole = math.exp(difference / 2) + nu + math.exp(-difference / 2)
        total += wins * math.log(math.exp(difference / 2) / whole)
        total += ties * math.log(nu / whole)
        total += losses * math.log(math.exp(-difference / 2) / whole)
    return -total + float((x[:-1] ** 2).sum()) / (2 * spread**2) + x[-1] ** 2 / (2 * tie_spread**2)


def same(one: DavidsonFit, other: DavidsonFit) -> None:
    assert_allclose(one.beta, other.beta, atol=1e-9)
    assert one.log_nu == pytest.approx(other.log_nu, abs=1e-9)
    assert_allclose(one.covariance, other.covariance, atol=1e-9)


# ---- by hand, and against others -----------------------------------------------------------------------------------


def test_two_systems_by_hand() -> None:
    # Without priors the fit of one pair is exact. 40 wins, 20 ties, 10 losses:
    # exp(d) = 40/10, so d = log 4; nu = P(tie)/sqrt(P(win) P(loss)) = 20/sqrt(400) = 1, so log nu = 0.
    # Var(d): d = log(w/l) of a multinomial, by the delta method 1/40 + 1/10 = .125.
    # Var(log nu): log t - (log w + log l)/2, so 1/20 + (1/40 + 1/10)/4 = .08125.
    fit = davidson(2, [(0, 1)], [(40, 20, 10)], strength_spread=1e4, tie_spread=1e4)
    assert_allclose(fit.beta, [math.log(4) / 2, -math.log(4) / 2], atol=1e-6)
    assert fit.log_nu == pytest.approx(0.0, abs=1e-6)
    assert float(fit.variance_of_difference(np.array(0), np.array(1))) == pytest.approx(0.125, rel=1e-4)
    assert fit.covariance[2, 2] == pytest.approx(0.08125, rel=1e-4)


def test_the_puddings_of_davidson() -> None:
    # The maximum likelihood estimates of the R package PlackettLuce (its vignette, which reproduces Davidson's): worths
    # .1388, .1730, .1617, .1654, .1587, .2024 and tie parameter .7468, from iterations not quite run to the end.
    fit = davidson(6, PUDDINGS[:, :2] - 1, PUDDINGS[:, [2, 4, 3]], strength_spread=1e4, tie_spread=1e4)
    worths = np.exp(fit.beta) / np.exp(fit.beta).sum()
    assert_allclose(worths, [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855], atol=3e-5)
    assert math.exp(fit.log_nu) == pytest.approx(0.7468147, abs=3e-5)
    assert fit.gradient_norm < 1e-8


def test_golden_case() -> None:
    # The default priors on the same counts; mode by Nelder-Mead on `negative_log_posterior`, to six digits.
    fit = davidson(6, PUDDINGS[:, :2] - 1, PUDDINGS[:, [2, 4, 3]])
    expected = [-0.175198, 0.043346, -0.023348, -0.001394, -0.042302, 0.198895]
    assert_allclose(fit.beta, expected, atol=5e-6)
    assert fit.log_nu == pytest.approx(-0.291493, abs=5e-6)
    assert float(fit.variance_of_difference(np.array(0), np.array(5))) == pytest.approx(0.036714, abs=5e-6)


@pytest.mark.parametrize("seed", range(5))
def test_against_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs, counts = simulated(rng, rng.normal(size=4), -0.5, 6)
    spread, tie_spread = 0.8, 1.1
    fit = davidson(4, pairs, counts, strength_spread=spread, tie_spread=tie_spread)

    def objective(x: Floats) -> float:
        return negative_log_posterior(x, pairs, counts, spread, tie_spread)

    best = minimize(
        objective, np.zeros(5), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxfev": 9000}
    )
    mode = np.append(fit.beta, fit.log_nu)
    assert_allclose(mode, best.x, atol=1e-5)
    # The gradient is 0 there, and the inverse of the covariance is the matrix of second differences.
    assert_allclose(approx_fprime(mode, objective, 1e-6), np.zeros(5), atol=1e-4)
    step = 1e-4 * np.eye(5)
    hessian = [
        [
            (objective(mode + a + b) - objective(mode + a - b) - objective(mode - a + b) + objective(mode - a - b))
            / 4e-8
            for b in step
        ]
        for a in step
    ]
    assert_allclose(np.linalg.inv(fit.covariance), hessian, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_against_another_package_with_ties(seed: int) -> None:
    # evalica's algorithm of Newman (2023) maximises the same likelihood without priors; its tie parameter is nu/2.
    rng = np.random.default_rng(seed)
    pairs, counts = simulated(rng, rng.normal(size=6), -0.3, 40)
    games = [
        (i, j, winner)
        for (i, j), row in zip(pairs.tolist(), counts, strict=True)
        for winner, times in zip((evalica.Winner.X, evalica.Winner.Draw, evalica.Winner.Y), row, strict=True)
        for _ in range(int(times))
    ]
    expected = evalica.newman(*zip(*games, strict=True), tolerance=1e-12, limit=100_000)
    fit = davidson(6, pairs, counts, strength_spread=1e4, tie_spread=1e4)
    strengths = np.log(expected.scores.sort_index().to_numpy())
    assert_allclose(fit.beta, strengths - strengths.mean(), atol=1e-5)
    assert math.exp(fit.log_nu) == pytest.approx(2 * expected.v, rel=1e-5)


def test_the_advantage_of_the_left() -> None:
    # Two equal systems, each shown 100 times on the left, which wins 60 of its 90 decided games there: without ties
    # between sides the odds are exp(gamma) = 2.
    rows, counts = [(0, 1), (1, 0)], [(60, 10, 30), (60, 10, 30)]
    fit = davidson(2, rows, counts, sides=[1, 1], strength_spread=1e4)
    assert fit.left == pytest.approx(math.log(2), rel=0.02)  # its prior, N(0, 2^2), takes a little
    assert_allclose(fit.beta, 0, atol=1e-9)
    turned = davidson(2, [(0, 1), (0, 1)], [counts[0], counts[1][::-1]], sides=[1, -1], strength_spread=1e4)
    assert turned.left == pytest.approx(fit.left)
    assert davidson(2, rows, counts).left is None
    unknown = davidson(2, rows, counts, sides=[0, 0])
    assert unknown.left == 0
    assert unknown.covariance[2, 2] == pytest.approx(4)


def test_without_ties_it_is_bradley_terry() -> None:
    # Nobody tied, so nu is nearly 0 (here 1e-6) and its influence on beta of that order; choix fits the same
    # penalised likelihood without ties (its alpha is 1/(2 spread^2)).
    rng = np.random.default_rng(1)
    pairs, counts = simulated(rng, np.array([0.5, 0.0, -0.3, 1.2]), -50.0, 30)
    games = [
        (first, second)
        for (i, j), (wins, _, losses) in zip(pairs.tolist(), counts, strict=True)
        for first, second, times in ((i, j, wins), (j, i, losses))
        for _ in range(int(times))
    ]
    expected = choix.opt_pairwise(4, games, alpha=1 / (2 * 1.5**2), tol=1e-10)
    fit = davidson(4, pairs, counts, tie_spread=1e3)
    assert math.exp(fit.log_nu) < 1e-4
    assert_allclose(fit.beta, expected, atol=1e-4)


def test_information_is_the_variance_of_the_score() -> None:
    # Equal systems with nu = 2: P = (1/4, 1/2, 1/4), the variance of (win - loss)/2 is (1/4 + 1/4)/4 = 1/8.
    assert float(information(0.0, math.log(2))) == pytest.approx(1 / 8)
    for difference in (-2.0, 0.3, 5.0):
        win, tie, loss = outcome_probabilities(difference, 0.7)
        assert win + tie + loss == pytest.approx(1)
        assert win / loss == pytest.approx(math.exp(difference))
        assert tie / math.sqrt(win * loss) == pytest.approx(math.exp(0.7))
        slope = (outcome_probabilities(difference + 1e-5, 0.7) - outcome_probabilities(difference - 1e-5, 0.7)) / 2e-5
        assert float(information(difference, 0.7)) == pytest.approx((slope[0] - slope[2]) / 2, rel=1e-6)


# ---- the covariance holds what it says -----------------------------------------------------------------------------


def test_the_covariance_covers_the_truth() -> None:
    # Truths drawn from the prior: 90 % intervals of all differences hold them in 90 % of cases, up to Laplace's error.
    rng = np.random.default_rng(2)
    first, second = all_pairs(5).T
    held = []
    for _ in range(200):
        truth = 1.5 * rng.standard_normal(5)
        fit = davidson(5, *simulated(rng, truth, 0.0, 12))
        error = (fit.beta[first] - fit.beta[second]) - (truth[first] - truth[second])
        held.append(np.abs(error) <= 1.645 * np.sqrt(fit.variance_of_difference(first, second)))
    assert 0.87 <= np.mean(held) <= 0.93


# ---- invariances ---------------------------------------------------------------------------------------------------


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[int, Integers, Floats]:
    systems = draw(st.integers(2, 6))
    pairs = all_pairs(systems)
    counts = draw(st.lists(st.tuples(*[st.integers(0, 30)] * 3), min_size=len(pairs), max_size=len(pairs)))
    return systems, pairs, np.array(counts, dtype=np.float64)


@settings(deadline=None, max_examples=60)
@given(tournaments(), st.randoms(use_true_random=False))
def test_names_sides_and_order_do_not_matter(tournament: tuple[int, Integers, Floats], random: object) -> None:
    systems, pairs, counts = tournament
    rng = np.random.default_rng(random.randrange(2**32))  # type: ignore[attr-defined]
    fit = davidson(systems, pairs, counts)
    assert fit.gradient_norm < 1e-8
    assert fit.beta.sum() == pytest.approx(0.0, abs=1e-12)
    assert (np.linalg.eigvalsh(fit.covariance) > 0).all()
    # Sides swapped in some rows, rows permuted.
    swap, order = rng.random(len(pairs)) < 0.5, rng.permutation(len(pairs))
    swapped_pairs = np.where(swap[:, None], pairs[:, ::-1], pairs)
    swapped_counts = np.where(swap[:, None], counts[:, ::-1], counts)
    same(davidson(systems, swapped_pairs[order], swapped_counts[order]), fit)
    # Counts of a pair split over two rows.
    split = np.floor(counts * rng.random(counts.shape))
    same(davidson(systems, np.concatenate([pairs, pairs]), np.concatenate([split, counts - split])), fit)
    # Systems renamed.
    names = rng.permutation(systems)
    renamed = davidson(systems, names[pairs], counts)
    assert_allclose(renamed.beta[names], fit.beta, atol=1e-9)
    rows = np.append(names, systems)
    assert_allclose(renamed.covariance[np.ix_(rows, rows)], fit.covariance, atol=1e-9)
    # All outcomes reversed.
    reversed_ = davidson(systems, pairs, counts[:, ::-1])
    assert_allclose(reversed_.beta, -fit.beta, atol=1e-9)
    assert reversed_.log_nu == pytest.approx(fit.log_nu, abs=1e-9)


# ---- data that no likelihood could decide --------------------------------------------------------------------------


def test_no_games_is_the_prior() -> None:
    fit = davidson(3, [], [])
    assert (fit.beta.tolist(), fit.log_nu, fit.iterations) == ([0.0] * 3, 0.0, 0)
    assert_allclose(fit.covariance, np.diag([2.25, 2.25, 2.25, 4.0]))


def test_groups_that_never_met_stay_unknown() -> None:
    fit = davidson(4, [(0, 1), (2, 3)], [(900, 0, 100), (900, 0, 100)])
    within = fit.variance_of_difference(np.array([0, 2]), np.array([1, 3]))
    between = fit.variance_of_difference(np.array([0, 1]), np.array([2, 3]))
    assert (within < 0.05).all()
    assert (between > 2.0).all()


def test_averaged_labels_count() -> None:
    whole = davidson(2, [(0, 1)], [(3, 2, 1)])
    same(davidson(2, [(0, 1)] * 2, [(1.5, 1, 0.5)] * 2), whole)


# ---- bad input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("systems", "pairs", "counts", "words"),
    [
        (1, [], [], "at least 2 systems, not 1"),
        (3, [(0, 3)], [(1, 0, 0)], "numbered 0 to 2, but a pair names 3"),
        (3, [(0, 1), (2, 2)], [(1, 0, 0)] * 2, "row 1 of pairs compares system 2 with itself"),
        (3, [(0.0, 1.0)], [(1, 0, 0)], "whole numbers of shape"),
        (3, [(0, 1)], [(1, 0)], r"for each of 1 pairs, not of shape \(1, 2\)"),
        (3, [(0, 1)], [(1, -2, 0)], "finite and >= 0, but one of them is -2.0"),
        (3, [(0, 1)], [(1, math.nan, 0)], "but one of them is nan"),
    ],
)
def test_bad_input_is_refused(systems: int, pairs: object, counts: object, words: str) -> None:
    refused(words, davidson, systems, pairs, counts)  # type: ignore[arg-type]


def test_bad_options_are_refused() -> None:
    pairs, counts = [(0, 1), (0, 1)], [(1, 0, 0), (0, 1, 0)]
    refused("strength_spread must be a positive number, but it is 0", davidson, 2, pairs, counts, strength_spread=0)
    refused("tie_spread must be a positive number, but it is inf", davidson, 2, pairs, counts, tie_spread=math.inf)
    for sides in ([1], [1, 2]):
        refused("sides must be 1, 0 or -1 for each of 2 pairs", davidson, 2, pairs, counts, sides=sides)
    refused("must be of 3 systems, not of 2", davidson, 3, pairs, counts, start=davidson(2, pairs, counts))


def test_counts_beyond_what_rounding_bears_raise() -> None:
    refused("too large", davidson, 2, [[0, 1]], [[1e30, 0, 0]], error=NotConvergedError)


def test_too_few_steps_raise() -> None:
    refused("no mode in 1 Newton steps", davidson, 2, [(0, 1)], [(90, 0, 1)], max_iterations=1, error=NotConvergedError)
