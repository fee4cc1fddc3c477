"""When a training stops, by two rules and dev loss, in made-up trainings: prints a Markdown page; `--write` saves it.

python benchmarks/stop_training.py [--trainings 2000] [--seed 1] [--write]
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # its tests import it as a module of benchmarks
from benchmarks.pages import show, table

from tiebreak.scoring.evaluator.during.rules import Check, NoGain

MOST = 400
"""Checks after which a training ends whatever the rules say."""

TIES = 1 / 3
PATIENCE = 5
WAIT = 5

PAGE = """# When a training stops

[`tiebreak evaluator follow`](evaluator.md#during-a-training) has two rules. `streak` is that of *Learning to Compare*:
after each checkpoint n comparisons, half with each of the two checkpoints before it; stop after five checks in a row
with fewer wins than losses. `no-gain` compares with the best checkpoint so far. It stops when a sequential test at 5%
shows that the gain is below 0.05 wins - losses per comparison, and {wait} checkpoints have come since the best. Beside
them the usual rule on a dev loss: stop after five checks without a new lowest one, keep the lowest. Its noise is such
that it tells a step of the quality apart as well as 1,000 comparisons do.

A made-up training has a quality after each checkpoint; of two checkpoints the better one wins more often by the
difference of their qualities, and a third of the comparisons are ties. The evaluator is right here: these figures are
about rules, not about evaluators. Made by `python benchmarks/stop_training.py --write`: {trainings:,} trainings a row,
seed {seed}, at most {most} checks.

- *plateau*: nothing ever changes.
- *gains*: quality rises by 0.05 with each check, for {most} checks. A rule that stops is wrong.
- *uneven gains*: the same in the mean, but each checkpoint is off that by an amount of its own (standard deviation
  0.15).
- *gains, then a plateau*: it rises by 0.05 until check 20, then stays. The delay counts from there.
- *gains, then falls*: it rises by 0.05 until check 20, then falls by 0.05 with each.

{table}

*Stopped at*: the mean number of checks, and the 10% and 90% quantiles. *Too early*: before check 20, or at all where it
always gains. *Lost*: how much worse what is kept is than the best checkpoint there was when it stopped.

{words}
"""


@dataclass(frozen=True)
class World:
    """`quality` (checks + 1,), that of the model before the first check first; `turn`: the check after which it gains
    no more.
    """

    name: str
    quality: NDArray[np.float64]
    turn: int


@dataclass(frozen=True)
class End:
    """A training that a rule has stopped at a check (from 1), or that ended; `kept`: the number of the model kept."""

    stopped: bool
    at: int
    kept: int


Rule = Callable[[World, np.random.Generator], End]


def worlds() -> list[World]:
    steps = np.arange(MOST + 1)
    return [
        World("plateau", np.zeros(MOST + 1), 0),
        World("gains", 0.05 * steps, MOST),
        World("uneven gains", 0.05 * steps + np.random.default_rng(7).normal(scale=0.15, size=MOST + 1), MOST),
        World("gains, then a plateau", 0.05 * np.minimum(steps, 20), 20),
        World("gains, then falls", 0.05 * (20 - np.abs(steps - 20)), 20),
    ]


def drawn(difference: float, n: int, generator: np.random.Generator) -> Check:
    mean = float(np.clip(difference, -(1 - TIES), 1 - TIES))
    wins, ties, losses = generator.multinomial(n, [(1 - TIES + mean) / 2, TIES, (1 - TIES - mean) / 2])
    return Check(int(wins), int(ties), int(losses))


def by_streak(n: int) -> Rule:
    def run(world: World, generator: np.random.Generator) -> End:
        row = 0
        for at in range(1, MOST + 1):
            rivals = [at - 1, max(at - 2, 0)]
            parts = [drawn(world.quality[at] - world.quality[rival], n // 2, generator) for rival in rivals]
            row = row + 1 if sum(p.wins for p in parts) < sum(p.losses for p in parts) else 0
            if row == 5:
                return End(True, at, at - 5)
        return End(False, MOST, MOST)

    return run


def by_no_gain(n: int, wait: int = WAIT) -> Rule:
    def run(world: World, generator: np.random.Generator) -> End:
        test = NoGain(gain=0.05, alpha=0.05, wait=wait)
        for at in range(1, MOST + 1):
            if test.add(drawn(world.quality[at] - world.quality[test.best + 1], n, generator)):
                return End(True, at, test.best + 1)
        return End(False, MOST, test.best + 1)

    return run


def by_dev_loss(n: int) -> Rule:
    def run(world: World, generator: np.random.Generator) -> End:
        losses = -world.quality + generator.normal(scale=np.sqrt((1 - TIES) / n / 2), size=MOST + 1)
        best = 0
        for at in range(1, MOST + 1):
            if losses[at] < losses[best]:
                best = at
            elif at - best >= PATIENCE:
                return End(True, at, best)
        return End(False, MOST, best)

    return run


RULES: tuple[tuple[str, Rule], ...] = (
    ("streak, n = 1,000", by_streak(1000)),
    ("streak, n = 100", by_streak(100)),
    ("no-gain, n = 1,000", by_no_gain(1000)),
    ("no-gain, n = 100", by_no_gain(100)),
    ("no-gain without waiting, n = 1,000", by_no_gain(1000, wait=1)),
    ("dev loss", by_dev_loss(1000)),
)


def row(world: World, name: str, ends: list[End]) -> list[str]:
    at = np.array([end.at for end in ends])
    early = np.array([end.stopped and end.at < max(world.turn, 1) for end in ends])
    lost = np.array([world.quality[: end.at + 1].max() - world.quality[end.kept] for end in ends])
    few, many = np.quantile(at, [0.1, 0.9])
    stopped = np.mean([end.stopped for end in ends])
    return [
        world.name, name, f"{100 * stopped:.0f}%", f"{at.mean():.0f} ({few:.0f} to {many:.0f})",
        f"{100 * early.mean():.1f}%", f"{lost.mean():.2f}",
    ]  # fmt: skip


HEADER = ("training", "rule", "stopped", "stopped at", "too early", "lost")


def page(trainings: int, seed: int) -> str:
    rows, plateau = [], {}
    for place, world in enumerate(worlds()):
        for number, (name, rule) in enumerate(RULES):
            generator = np.random.default_rng([seed, place, number])
            ends = [rule(world, generator) for _ in range(trainings)]
            rows.append(row(world, name, ends))
            if world.name == "plateau":
                plateau[name] = float(np.mean([end.at for end in ends]))
    words = textwrap.fill(
        f"On a plateau the published rule stops after {plateau['streak, n = 1,000']:.0f} checks on average with 1,000 "
        f"comparisons and after {plateau['streak, n = 100']:.0f} with 100: each check is lost with a probability just "
        f"below one half. The sequential test takes {plateau['no-gain, n = 1,000']:.0f} and "
        f"{plateau['no-gain, n = 100']:.0f}. Where gains are uneven, every rule that compares with the best so far, on "
        "dev loss too, takes a lucky checkpoint for the end; the published rule, which compares with the two before, "
        "does not.",
        120,
    )
    return PAGE.format(trainings=trainings, seed=seed, most=MOST, wait=WAIT, table=table(HEADER, rows), words=words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trainings", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="save docs/stop_training.md")
    options = parser.parse_args()
    show(page(options.trainings, options.seed), "stop_training.md", options.write)


if __name__ == "__main__":
    main()
