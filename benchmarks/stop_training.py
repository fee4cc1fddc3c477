"""When a training stops, by two rules and dev loss, in made-up trainings: prints a Markdown page; `--write` saves it.

python benchmarks/stop_training.py [--trainings 2000] [--seed 1] [--quick] [--write]

Some ten minutes of one processor; `--quick`: 100 trainings a row.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # its tests import it as a module of benchmarks
from benchmarks.pages import machine, show, table

from tiebreak.scoring.evaluator.during.follow import Follower
from tiebreak.scoring.evaluator.during.rules import Check, NoGain
from tiebreak.scoring.evaluator.during.settings import FollowSettings

MOST = 400
"""Checks after which a training ends whatever the rules say."""

TIES = 1 / 3
TIED = 0.4307 * np.sqrt(2)
"""A third of the pairs of texts of equal quality, normal with deviation 1, are nearer than that."""
FEW, MANY = 100, 1000
"""Inputs for which checkpoints have written."""
FIXED = 10
"""Of so many trainings one is made where texts are fixed: they take long."""
SHORT = 60
"""Checks of the trainings that gain over the best so far."""
PATIENCE = 5
WAIT = 5

PAGE = """# When a training stops

[`tiebreak evaluator follow`](evaluator.md#during-a-training) has two rules. `streak` is that of *Learning to Compare*:
after each checkpoint n comparisons, half with each of the two checkpoints before it; stop after five checks in a row
with fewer wins than losses. `no-gain` compares with the best checkpoint so far. It stops when a sequential test at 5%
shows that the gain is below what is worth going on for (in wins - losses per comparison; 0.05, unless a row says
otherwise), and {wait} checkpoints have come since the best. Beside them the usual rule on a dev loss: stop after five
checks without a new lowest one, keep the lowest. Its noise is such that it tells a step of the quality apart as well as
1,000 comparisons do.

A made-up training has a quality after each checkpoint; of two checkpoints the better one wins more often by the
difference of their qualities, and a third of the comparisons are ties. The evaluator is right here: these figures are
about rules, not about evaluators. Made by `python benchmarks/stop_training.py --write` on {machine}: {trainings:,}
trainings a row (below, of fixed texts, {fixed:,}), seed {seed}, at most {most} checks, {minutes:.0f} minutes of one
processor. By their numbers alone (95% intervals) shares are known to ±{share:.1f} percentage points, of fixed texts
to ±{share_fixed:.1f}, and mean numbers of checks to ±{checks:.0f} at most.

- *plateau*: nothing ever changes. *Without ties*: nor are there ties.
- *gains*: quality rises by 0.05 with each check, for {most} checks. A rule that stops is wrong.
- *uneven gains*: the same in the mean, but each checkpoint is off that by an amount of its own (standard deviation
  0.15).
- *gains, then a plateau*: it rises by 0.05 until check 20, then stays.
- *gains, then falls*: it rises by 0.05 until check 20, then falls by 0.05 with each.

Here every comparison is of texts of its own. Where each checkpoint has written one text for so many inputs, comparisons
of the same two texts come out the same, and texts are good or bad by chance:

- *plateau, so many texts*.
- *gains over the best, so many texts*: each checkpoint is better than the best so far by the gain of the row; {short}
  checks. A rule that stops is wrong.

{table}

*Stopped at*: the mean number of checks, and the 10% and 90% quantiles. *Delay*: the mean number of checks after the
last gain, of trainings that a rule stopped then. *Too early*: before check 20, or at all where it always gains. *Lost*:
how much worse what is kept is than the best checkpoint there was when it stopped.

{words}
"""


@dataclass(frozen=True)
class World:
    """`quality` (checks + 1,), that of the model before the first check first; `turn`: the check after which it gains
    no more; `ties`: the share of comparisons that are.
    """

    name: str
    quality: NDArray[np.float64]
    turn: int
    ties: float = TIES

    def check(self, at: int, rival: int, n: int, generator: np.random.Generator) -> Check:
        """n comparisons of two checkpoints."""
        decided = 1 - self.ties
        mean = float(np.clip(self.quality[at] - self.quality[rival], -decided, decided))
        wins, ties, losses = generator.multinomial(n, [(decided + mean) / 2, self.ties, (decided - mean) / 2])
        return Check(int(wins), int(ties), int(losses))


@dataclass(frozen=True)
class End:
    """A training that a rule has stopped at a check (from 1), or that ended; `kept`: the number of the model kept."""

    stopped: bool
    at: int
    kept: int


@dataclass(frozen=True)
class TextsWorld(World):
    """The same for `texts` (checks + 1, inputs), how good each text is beside the quality of its checkpoint; pairs that
    are nearer than `TIED` are ties. Each input comes once before any comes again. `over_best`: how much quality each
    checkpoint has above the best so far; None: `quality` says it.
    """

    texts: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    over_best: float | None = None

    def check(self, at: int, rival: int, n: int, generator: np.random.Generator) -> Check:
        inputs = self.texts.shape[1]
        asked = np.concatenate([generator.permutation(inputs) for _ in range(-(-n // inputs))])[:n]
        return Check.of(self.outcomes(at, rival, asked))

    def outcomes(self, at: int, rival: int, asked: NDArray[np.intp]) -> NDArray[np.int8]:
        """Of the texts of two checkpoints for these inputs."""
        apart = self.quality[at] - self.quality[rival] + (self.texts[at] - self.texts[rival])[asked]
        return np.where(np.abs(apart) <= TIED, 0, np.sign(apart)).astype(np.int8)


Rule = Callable[[World, np.random.Generator], End]


def gained(quality: float) -> float:
    """Wins - losses per comparison of texts whose checkpoints differ by this quality."""
    ends = norm.cdf((np.array([quality, -quality]) - TIED) / np.sqrt(2))
    return float(ends[0] - ends[1])


def with_texts(inputs: int, gain: float | None) -> Callable[[np.random.Generator], World]:
    """Trainings with other texts each: on a plateau, or with this gain over the best so far."""
    checks = MOST if gain is None else SHORT
    what = "plateau" if gain is None else "gains over the best"
    over = None if gain is None else brentq(lambda quality: gained(quality) - gain, 0, 3)

    def make(generator: np.random.Generator) -> World:
        return TextsWorld(
            f"{what}, {inputs:,} texts", np.zeros(checks + 1), 0 if gain is None else MOST,
            texts=generator.normal(size=(checks + 1, inputs)), over_best=over,
        )  # fmt: skip

    return make


def worlds() -> list[World]:
    steps = np.arange(MOST + 1)
    return [
        World("plateau", np.zeros(MOST + 1), 0),
        World("plateau without ties", np.zeros(MOST + 1), 0, ties=0.0),
        World("gains", 0.05 * steps, MOST),
        World("uneven gains", 0.05 * steps + np.random.default_rng(7).normal(scale=0.15, size=MOST + 1), MOST),
        World("gains, then a plateau", 0.05 * np.minimum(steps, 20), 20),
        World("gains, then falls", 0.05 * (20 - np.abs(steps - 20)), 20),
    ]


def by_streak(n: int) -> Rule:
    def run(world: World, generator: np.random.Generator) -> End:
        row = 0
        for at in range(1, MOST + 1):
            rivals = [at - 1, max(at - 2, 0)]
            parts = [world.check(at, rival, n // 2, generator) for rival in rivals]
            row = row + 1 if sum(p.wins for p in parts) < sum(p.losses for p in parts) else 0
            if row == 5:
                return End(True, at, at - 5)
        return End(False, MOST, MOST)

    return run


def by_no_gain(n: int, wait: int = WAIT) -> Rule:
    def run(world: World, generator: np.random.Generator) -> End:
        test = NoGain(gain=0.05, alpha=0.05, wait=wait)
        for at in range(1, MOST + 1):
            check = world.check(at, test.best + 1, n, generator)
            if test.add(check, check):
                return End(True, at, test.best + 1)
        return End(False, MOST, test.best + 1)

    return run


def by_following(gain: float) -> Rule:
    """Rule no-gain as `evaluator follow` has it, for texts."""

    def run(world: World, generator: np.random.Generator) -> End:
        assert isinstance(world, TextsWorld)

        def compare(items: Sequence[str], texts: Sequence[str], others: Sequence[str]) -> NDArray[np.int8]:
            return world.outcomes(int(texts[0]), int(others[0]), np.array(items, dtype=np.intp))

        items = [str(k) for k in range(world.texts.shape[1])]
        rule = FollowSettings(rule="no-gain", gain=gain, wait=WAIT, seed=int(generator.integers(2**31)))
        follower = Follower(compare, rule)
        for at in range(len(world.texts)):
            if at and world.over_best is not None:
                world.quality[at] = world.quality[int(follower.best)] + world.over_best
            follower.add(str(at), dict.fromkeys(items, str(at)))
            if follower.stopped is not None:
                return End(True, at, int(follower.best))
        return End(False, len(world.texts) - 1, int(follower.best))

    return run


def by_dev_loss(n: int) -> Rule:
    def run(world: World, generator: np.random.Generator) -> End:
        losses = -world.quality + generator.normal(scale=np.sqrt((1 - world.ties) / n / 2), size=MOST + 1)
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
    delays = [end.at - world.turn for end in ends if end.stopped and end.at >= world.turn]
    stopped = np.mean([end.stopped for end in ends])
    return [
        world.name, name, f"{100 * stopped:.0f}%", f"{at.mean():.0f} ({few:.0f} to {many:.0f})",
        f"{np.mean(delays):.0f}" if delays and world.turn < MOST else "", f"{100 * early.mean():.1f}%",
        f"{lost.mean():.2f}",
    ]  # fmt: skip


Make = Callable[[np.random.Generator], World]
OF_TEXTS: tuple[tuple[Make, tuple[tuple[str, Rule], ...]], ...] = (
    (with_texts(FEW, None), (*RULES[:2], ("no-gain, gain 0.2", by_following(0.2)))),
    (with_texts(MANY, None), (("no-gain, gain 0.1", by_following(0.1)), ("no-gain, gain 0.05", by_following(0.05)))),
    (with_texts(FEW, 0.2), (("no-gain, gain 0.2", by_following(0.2)),)),
    (with_texts(MANY, 0.1), (("no-gain, gain 0.1", by_following(0.1)),)),
    (with_texts(MANY, 0.05), (("no-gain, gain 0.05", by_following(0.05)),)),
)
"""Trainings with few texts, and the rules that follow them."""
HEADER = ("training", "rule", "stopped", "stopped at", "delay", "too early", "lost")


def page(trainings: int, seed: int) -> str:
    start = time.process_time()
    rows: list[list[str]] = []
    found: dict[tuple[str, str], float] = {}
    widest = 0.0
    same = [(lambda _, world=world: world, RULES) for world in worlds()]
    for place, (make, rules) in enumerate((*same, *OF_TEXTS)):
        for number, (name, rule) in enumerate(rules):
            generator = np.random.default_rng([seed, place, number])
            world = make(generator)
            many = trainings // FIXED if isinstance(world, TextsWorld) else trainings
            ends = [rule(make(generator), generator) for _ in range(many)]
            rows.append(row(world, name, ends))
            at = [end.at for end in ends]
            found[world.name, name] = float(np.mean(at))
            widest = max(widest, 1.96 * float(np.std(at)) / np.sqrt(many))

    def mean(world: str, rule: str) -> str:
        return f"{found[world, rule]:.0f}"

    long, short, texts = RULES[0][0], RULES[1][0], f"plateau, {FEW} texts"
    words = textwrap.fill(
        f"On a plateau the published rule stops after {mean('plateau', long)} checks on average with 1,000 comparisons "
        f"and after {mean('plateau', short)} with 100, without ties after {mean('plateau without ties', long)} and "
        f"{mean('plateau without ties', short)}: a check is lost with a probability p just below one half, as wins and "
        "losses may be equal, and five lost checks in a row take (1/p^5 - 1)/(1 - p) checks. Of "
        f"{FEW} texts, which neighbouring checks share, it takes {mean(texts, long)} and {mean(texts, short)} "
        f"(trainings that go on longer count as {MOST}): a checkpoint whose texts happen to be bad loses, and the next "
        f"one mostly wins against it. The sequential test takes {mean('plateau', 'no-gain, n = 1,000')} and "
        f"{mean('plateau', 'no-gain, n = 100')} where every comparison is of texts of its own. Of fixed texts each of "
        "the best is evidence once, because it became the best partly by their luck: what the test can show depends "
        "on the number of inputs. Where gains are uneven, every rule that compares with the best so far, on dev loss "
        "too, takes a lucky checkpoint for the end; the published rule, which compares with the two before, does not.",
        120,
    )
    return PAGE.format(
        trainings=trainings, seed=seed, most=MOST, wait=WAIT, short=SHORT, table=table(HEADER, rows), words=words,
        fixed=trainings // FIXED, share_fixed=100 * 1.96 * 0.5 / np.sqrt(trainings // FIXED),
        machine=machine(), minutes=(time.process_time() - start) / 60, share=100 * 1.96 * 0.5 / np.sqrt(trainings),
        checks=widest,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trainings", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="100 trainings")
    parser.add_argument("--write", action="store_true", help="save docs/stop_training.md")
    options = parser.parse_args()
    show(page(100 if options.quick else options.trainings, options.seed), "stop_training.md", options.write)


if __name__ == "__main__":
    main()
