"""When a training stops, by two rules and dev loss: writes benchmarks/results/learning_stop_rules.csv.

python benchmarks/papers/stop_training.py [--scale 1] [--seed 1] [--write]

Some ten minutes of one processor for 2,000 trainings a row. A made-up training has a quality after each checkpoint; of
two checkpoints the better one wins more often by the difference of their qualities, and a third of the comparisons are
ties. The evaluator is right here: the figures are about rules, not about evaluators.

- *plateau*: nothing ever changes. *Without ties*: nor are there ties.
- *gains*: quality rises by .05 with each check. A rule that stops is wrong. *Uneven gains*: the same in the mean, but
  each checkpoint is off that by an amount of its own (standard deviation .15).
- *gains, then a plateau*: it rises by .05 until check 20, then stays. *Then falls*: it falls from there.
- *so many texts*: each checkpoint has written one text for so many inputs, which are good or bad by chance.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is no installed package

from benchmarks.results import Value, machine, parser, write_rows

from tiebreak.scoring.evaluator.following import Check, Follower, NoGain
from tiebreak.scoring.evaluator.settings import FollowSettings

TRAININGS = 2_000
"""Of each row."""
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


def row(world: World, name: str, ends: list[End]) -> tuple[Value, ...]:
    """Delay: checks after the last gain, of trainings that a rule stopped then. Too early: before the last gain. Lost:
    how much worse the kept checkpoint is than the best when it stopped.
    """
    at = np.array([end.at for end in ends])
    early = np.array([end.stopped and end.at < max(world.turn, 1) for end in ends])
    lost = np.array([world.quality[: end.at + 1].max() - world.quality[end.kept] for end in ends])
    few, many = (float(of) for of in np.quantile(at, [0.1, 0.9]))
    delays = [end.at - world.turn for end in ends if end.stopped and end.at >= world.turn]
    stopped = float(np.mean([end.stopped for end in ends]))
    delay = float(np.mean(delays)) if delays and world.turn < MOST else None
    return world.name, name, stopped, float(at.mean()), few, many, delay, float(early.mean()), float(lost.mean())


Make = Callable[[np.random.Generator], World]
OF_TEXTS: tuple[tuple[Make, tuple[tuple[str, Rule], ...]], ...] = (
    (with_texts(FEW, None), (*RULES[:2], ("no-gain, gain 0.2", by_following(0.2)))),
    (with_texts(MANY, None), (("no-gain, gain 0.1", by_following(0.1)), ("no-gain, gain 0.05", by_following(0.05)))),
    (with_texts(FEW, 0.2), (("no-gain, gain 0.2", by_following(0.2)),)),
    (with_texts(MANY, 0.1), (("no-gain, gain 0.1", by_following(0.1)),)),
    (with_texts(MANY, 0.05), (("no-gain, gain 0.05", by_following(0.05)),)),
)
"""Trainings with few texts, and the rules that follow them."""
HEADER = ("training", "rule", "stopped", "checks", "checks low", "checks high", "delay", "too early", "lost")


def rows(trainings: int, seed: int) -> Iterator[tuple[Value, ...]]:
    """One row for each training and rule; a tenth of the trainings where texts are fixed, which take long."""
    same = [(lambda _, world=world: world, RULES) for world in worlds()]
    for place, (make, rules) in enumerate((*same, *OF_TEXTS)):
        for number, (name, rule) in enumerate(rules):
            generator = np.random.default_rng([seed, place, number])
            world = make(generator)
            many = max(1, trainings // FIXED) if isinstance(world, TextsWorld) else trainings
            yield row(world, name, [rule(make(generator), generator) for _ in range(many)])


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options = parser(__doc__, "benchmarks/results/learning_stop_rules.csv").parse_args(arguments)
    trainings = max(1, round(TRAININGS * options.scale))
    folder = options.results if options.write else options.cache / "results"
    command = "python benchmarks/papers/stop_training.py --write"
    print(write_rows("learning_stop_rules", HEADER, rows(trainings, options.seed), command, machine(), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
