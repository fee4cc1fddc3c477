"""How many games an order or a winner takes, by which pair is asked next: Markdown; `--write` saves docs/next_pair.md.

python benchmarks/next_pair.py [--runs 60] [--seed 1] [--write]
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import simulated_page, table  # noqa: E402
from benchmarks.worlds.pair_choice import CHOICES, Measure, agreement, all_pairs, games_to, success, winner_found  # noqa: E402

from tiebreak.kernels.davidson import davidson, outcome_probabilities  # noqa: E402
from tiebreak.kernels.strengths import most_informative, winner_only  # noqa: E402

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Systems, spread of their strengths, share of ties between equal systems, most games
DESIGNS = ((8, 1.0, 1 / 3, 800), (16, 1.0, 1 / 3, 1_600), (16, 0.5, 1 / 3, 2_400), (16, 1.0, 0.01, 1_600))
ORDER_LEVELS = (0.9, 0.95)
WINNER_LEVELS = (0.8, 0.9)
RESAMPLES = 200

INTRODUCTION = """# Which pair to ask next

How many games (one label on one pair) it takes to know an order or a winner, by how the pairs are chosen. Made by
`python benchmarks/next_pair.py --write`: {runs} simulated tournaments per figure, seed {seed}. The strengths of the
systems are quantiles of a normal distribution with the spread given; games follow the Davidson model, in which two
equal systems tie as often as the column says; strengths are estimated by the same model after every 5 games. "times
fewer" is the games of random matching over those of the other way, ± its standard error (bootstrap over tournaments).
Code: `kernels/davidson.py`, `kernels/strengths.py`.
"""

ORDER = """## The whole order

Games until the estimate has 90% and 95% of all pairs in the true order, on average over tournaments. Random matching
takes every pair with the same probability; "most informative" maximises exp(-z²/2) sqrt(v) U, with z the difference of
two systems in standard deviations, v its variance and U noise. Little is saved where systems are close together and
games few: then every pair is about as uncertain as any other.
"""

WINNER = """## The winner only

Games until the system estimated best is the best one in 80% and 90% of tournaments. "winner only" is top-two Thompson
sampling. The last column is what it costs: the share of pairs in the right order at the end of the simulation, beside
random matching after as many games.
"""

SPEED = """## Time

Milliseconds on one core (best of 20): to fit all strengths from nothing and after one more game (warm), and to choose
the next game.
"""


def log_nu(tie_share: float) -> float:
    """Two equal systems tie with probability nu/(2 + nu)."""
    return math.log(2 * tie_share / (1 - tie_share))


def curves(
    names: Sequence[str],
    measure: Measure,
    design: tuple[int, float, float, int],
    checkpoints: Integers,
    runs: int,
    seed: int,
) -> dict[str, Floats]:
    """`measure` (runs, checkpoints, ...) of each way of choosing."""
    systems, spread, ties, _ = design
    return {
        name: success(CHOICES[name], measure, systems, spread, checkpoints, runs, seed, log_nu(ties)) for name in names
    }


def checkpoints_of(design: tuple[int, float, float, int]) -> Integers:
    return np.arange(design[3] // 40, design[3] + 1, design[3] // 40)


def games_cell(level: float, checkpoints: Integers, found: Floats) -> str:
    games = games_to(level, checkpoints, found.mean(axis=0))
    return f"over {checkpoints[-1]:,}" if math.isnan(games) else f"{games:,.0f}"


def saving_cell(level: float, checkpoints: Integers, random: Floats, chosen: Floats, seed: int) -> str:
    """Games of random matching over those of the other way, with its bootstrap error; at least so many if censored."""

    def ratio(a: Floats, b: Floats) -> float:
        by_chance, by_choice = (games_to(level, checkpoints, of.mean(axis=0)) for of in (a, b))
        return (checkpoints[-1] if math.isnan(by_chance) else by_chance) / by_choice

    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(RESAMPLES):
        by_chance, by_choice = (of[rng.integers(len(of), size=len(of))] for of in (random, chosen))
        draws.append(ratio(by_chance, by_choice))
    censored = math.isnan(games_to(level, checkpoints, random.mean(axis=0)))
    value = ratio(random, chosen)
    if math.isnan(value):
        return "-"
    return f"over {value:.2f}" if censored else f"{value:.2f} ± {np.nanstd(draws):.2f}"


def design_cells(design: tuple[int, float, float, int]) -> list[str]:
    systems, spread, ties, _ = design
    return [f"{systems}", f"{spread}", f"{ties:.0%}"]


def order_table(runs: int, seed: int) -> str:
    rows = []
    for design in DESIGNS:
        at = checkpoints_of(design)
        found = curves(("random", "most informative"), agreement, design, at, runs, seed)
        random, chosen = found.values()
        rows += [
            [
                *design_cells(design),
                f"{level:.0%}",
                games_cell(level, at, random),
                games_cell(level, at, chosen),
                saving_cell(level, at, random, chosen, seed),
            ]
            for level in ORDER_LEVELS
        ]
    header = ["systems", "spread", "ties", "pairs in order", "random matching", "most informative", "times fewer"]
    return table(header, rows)


def winner_and_order(estimate: Floats, truth: Floats) -> tuple[float, float]:
    return winner_found(estimate, truth), agreement(estimate, truth)


def winner_table(runs: int, seed: int) -> str:
    rows = []
    for design in DESIGNS:
        at = checkpoints_of((*design[:3], design[3] // 2))
        found = curves(("random", "winner only"), winner_and_order, design, at, runs, seed)
        random, chosen = (of[..., 0] for of in found.values())
        costs = [f"{found[name][:, -1, 1].mean():.0%}" for name in ("winner only", "random")]
        rows += [
            [
                *design_cells(design),
                f"{level:.0%}",
                games_cell(level, at, random),
                games_cell(level, at, chosen),
                saving_cell(level, at, random, chosen, seed),
                f"{costs[0]} / {costs[1]}",
            ]
            for level in WINNER_LEVELS
        ]
    header = ["systems", "spread", "ties", "winner found", "random matching", "winner only", "times fewer", "order"]
    return table(header, rows)


def milliseconds(call: Callable[[], object]) -> str:
    times = []
    for _ in range(20):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return f"{1e3 * min(times):.1f}"


def speed_table(seed: int) -> str:
    rows = []
    for systems in (6, 16, 100):
        rng = np.random.default_rng(seed)
        pairs = all_pairs(systems)
        truth = rng.standard_normal(systems)
        shares = outcome_probabilities(truth[pairs[:, 0]] - truth[pairs[:, 1]], 0.0)
        counts = rng.multinomial(20, shares)
        fit = davidson(systems, pairs, counts)
        counts[0, 0] += 1
        rows.append(
            [
                f"{systems}",
                f"{len(pairs):,}",
                milliseconds(lambda p=pairs, c=counts, k=systems: davidson(k, p, c)),  # type: ignore[misc]
                milliseconds(lambda p=pairs, c=counts, k=systems, f=fit: davidson(k, p, c, start=f)),  # type: ignore[misc]
                milliseconds(lambda p=pairs, f=fit, r=rng: most_informative(f, p, 1, r)),  # type: ignore[misc]
                milliseconds(lambda p=pairs, f=fit, r=rng: winner_only(f, p, 1, r)),  # type: ignore[misc]
            ]
        )
    return table(["systems", "pairs", "fit", "fit, warm", "most informative", "winner only"], rows)


def report(runs: int, seed: int) -> str:
    parts = [
        INTRODUCTION.format(runs=f"{runs:,}", seed=seed),
        f"{ORDER}\n{order_table(runs, seed)}\n",
        f"{WINNER}\n{winner_table(runs, seed)}\n",
        f"{SPEED}\n{speed_table(seed)}\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    simulated_page("next_pair.md", __doc__, 60, report)
