"""Which coefficient of a control variate is safe: prints Markdown; `--write` saves it as docs/control_variates.md.

python benchmarks/control_variate_minimax.py [--runs 200000] [--seed 1] [--write]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import simulated_page, table  # noqa: E402

from tiebreak.kernels.control_variate import algorithm_1, standardised  # noqa: E402
from tiebreak.kernels.held_out_regression import held_out_regression  # noqa: E402

Floats = NDArray[np.float64]
World = Callable[[tuple[int, ...], np.random.Generator], tuple[Floats, Floats, Floats]]
"""From a shape: g with mean 0 and variance 1, f with mean 0, variance 1 and covariance RHO with g, noise of variance
GAMMA."""

RHO, GAMMA, OUTPUTS = 0.6, 1.0, 20
COEFFICIENTS = (0.0, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0)
SIZES = (10, 20, 50, 100)
POOL = 5_000
FEWER = 40  # times fewer runs where a slope is fitted in each

PAGE = """# How safe a control variate is

A metric g, standardised over all outputs, is taken from the ratings of n of them: mean of y - c g. Which coefficient c
is best, when nothing is known of the ratings but how much outputs differ (sigma_f), how much people do (sigma_a) and
how well the metric correlates with what people mean (rho)? Algorithm 1 of [Chaganty, Mussmann and Liang
(2018)](methods.md#sources) takes alpha = Cov(f, g) = rho sigma_f. Made by `python
benchmarks/control_variate_minimax.py --write`: {runs:,} simulated studies per figure, seed {seed}.

## The coefficient

n times the variance of the estimate, {outputs} outputs with one rating each, sigma_f² = 1, sigma_a² = {gamma:g},
rho = {rho:g}, by what ratings look like. *Worst* is the largest of each row; *theory* is
sigma_f² (1 - rho²) + sigma_a² + (c - alpha)², whatever the distribution.

{coefficients}

The worst case is smallest at c = alpha. At each c all distributions have the same variance, up to the error of the
simulation, and for normal ratings no unbiased estimator has less: so none has a better worst case. Without the metric
(c = 0) the variance is {without:.2f} times as large, and with twice alpha as well.

## The price of not knowing it

Algorithm 1 takes alpha from the same ratings, which makes a bias of the order 1/n. tiebreak fits the slope without the
output that it corrects, which makes none. Ratings that follow the square of the metric (*curved*), the metric used
however little it helps: bias and n times the variance.

{plugged}

With 10 ratings the slope without bias costs more variance than the metric takes away, and that of Algorithm 1 less. A
bias does not show in an interval, though, and variance does; and `compare` uses a metric only where it clearly helps.

Code: `kernels/control_variate.py`, `kernels/held_out_regression.py`.
"""


def normal(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    g, rest, noise = rng.standard_normal((3, *shape))
    return g, RHO * g + math.sqrt(1 - RHO**2) * rest, math.sqrt(GAMMA) * noise


def two_valued(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """A metric that says yes or no, outputs that are good or bad, people who err by as much up as down."""
    g = rng.choice([-1.0, 1.0], size=shape)
    agrees = rng.random(shape) < (1 + RHO) / 2
    return g, np.where(agrees, g, -g), math.sqrt(GAMMA) * rng.choice([-1.0, 1.0], size=shape)


def skewed(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    g, rest, noise = rng.standard_exponential((3, *shape)) - 1
    return g, RHO * g - math.sqrt(1 - RHO**2) * rest, -math.sqrt(GAMMA) * noise


def heavy_tailed(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    g, rest, noise = rng.standard_t(5, (3, *shape)) / math.sqrt(5 / 3)
    return g, RHO * g + math.sqrt(1 - RHO**2) * rest, math.sqrt(GAMMA) * noise


def curved(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """What the straight line leaves is the square of the metric."""
    g, noise = rng.standard_normal((2, *shape))
    return g, RHO * g + math.sqrt((1 - RHO**2) / 2) * (g**2 - 1), math.sqrt(GAMMA) * noise


def disputed(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """People agree on all outputs but the tenth that the metric likes best."""
    g, rest, noise = rng.standard_normal((3, *shape))
    at = 1.2815515655446004
    return g, RHO * g + math.sqrt(1 - RHO**2) * rest, math.sqrt(10 * GAMMA) * noise * (g > at)


WORLDS: tuple[tuple[str, World], ...] = (
    ("normal", normal),
    ("two-valued", two_valued),
    ("skewed", skewed),
    ("heavy-tailed", heavy_tailed),
    ("curved", curved),
    ("disputed", disputed),
)


def variances(world: World, runs: int, rng: np.random.Generator) -> Floats:
    """n times the variance of the estimate at each coefficient (C,), as multiples of alpha."""
    g, f, noise = world((runs, OUTPUTS), rng)
    rating, metric = (f + noise).mean(axis=1), g.mean(axis=1)
    return np.array([OUTPUTS * (rating - times * RHO * metric).var() for times in COEFFICIENTS])


def theory(times: float) -> float:
    return 1 - RHO**2 + GAMMA + (times - 1) ** 2 * RHO**2


def plugged_in(count: int, runs: int, seed: int) -> Floats:
    """Bias and n times variance: of the mean, Algorithm 1, the held-out slope (3, 2)."""
    g, f, _ = curved((POOL,), np.random.default_rng(seed))
    rng = np.random.default_rng([seed, count])
    g = standardised(g, g)
    errors = []
    for _ in range(runs):
        drawn = rng.integers(POOL, size=count)
        ratings = f[drawn] + math.sqrt(GAMMA) * rng.standard_normal(count)
        held_out = held_out_regression(ratings, g[drawn, None], g[:, None], "items", always=True)
        errors.append([ratings.mean(), float(algorithm_1(ratings, g[drawn])), held_out.estimate])
    away = np.array(errors) - f.mean()
    return np.column_stack([away.mean(axis=0), count * away.var(axis=0)])


def coefficient_table(runs: int, seed: int) -> tuple[str, Floats]:
    """The table, and the worst variance at each coefficient."""
    found = np.array(
        [variances(world, runs, np.random.default_rng([seed, at])) for at, (_, world) in enumerate(WORLDS)]
    )
    worst = found.max(axis=0)
    header = ("c / alpha", *(name for name, _ in WORLDS), "worst", "theory")
    rows = []
    for place, times in enumerate(COEFFICIENTS):
        figures = [f"{of:.3f}" for of in (*found[:, place], worst[place], theory(times))]
        rows.append([f"{times:.2f}", *(f"**{of}**" if times == 1 else of for of in figures)])
    return table(header, rows), worst


def plugged_table(runs: int, seed: int) -> str:
    rows = []
    for count in SIZES:
        (_, mean), (bias, variance), (left, held_out) = plugged_in(count, runs, seed)
        error = 3 * math.sqrt(variance / count / runs)
        biases = [f"{of:+.3f} ± {error:.3f}" for of in (bias, left)]
        rows.append([str(count), f"{mean:.2f}", biases[0], f"{variance:.2f}", biases[1], f"{held_out:.2f}"])
    header = ("n", "mean: variance", "Algorithm 1: bias", "variance", "held out: bias", "variance")
    return table(header, rows)


def report(runs: int, seed: int) -> str:
    coefficients, worst = coefficient_table(runs, seed)
    return PAGE.format(
        runs=runs,
        seed=seed,
        outputs=OUTPUTS,
        gamma=GAMMA,
        rho=RHO,
        coefficients=coefficients,
        without=worst[0] / worst[COEFFICIENTS.index(1.0)],
        plugged=plugged_table(max(runs // FEWER, 2), seed),
    )


if __name__ == "__main__":
    simulated_page("control_variates.md", __doc__, 200_000, report)
