"""When a training should stop, by comparisons of its checkpoints: rules, who follows a training by them, and a callback
that stops one of transformers' Trainer when its outputs get no better.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, logsumexp
from transformers import TrainerCallback

from tiebreak.data.study import Study
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.files import write_bytes
from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.examples.rows import Floats
from tiebreak.scoring.evaluator.settings import FollowSettings

_log = logging.getLogger(__name__)

OUTPUTS: Final = "evaluator_outputs.jsonl"
"""In the folder of a training: what its checkpoints wrote, for one that is resumed."""
_PART: Final = 4
"""Rule `no-gain` compares on one of so many items after each checkpoint."""
_FEWEST: Final = 5
"""Wins in a row that make a checkpoint the best at the usual level."""


@dataclass(frozen=True, slots=True)
class Check:
    """A checkpoint beside earlier ones: how many comparisons it won, drew and lost."""

    wins: int
    ties: int
    losses: int

    @classmethod
    def of(cls, outcomes: NDArray[np.int8]) -> Check:
        """The counts of 1, 0 and -1 among outcomes (n,)."""
        return cls(*(int((outcomes == one).sum()) for one in (1, 0, -1)))

    @property
    def comparisons(self) -> int:
        """How many there were."""
        return self.wins + self.ties + self.losses

    @property
    def is_worse(self) -> bool:
        """Fewer wins than losses; ties count for neither."""
        return self.wins < self.losses


@dataclass(frozen=True, slots=True)
class Stop:
    """`after`: the check (from 0) at which the rule stops; `keep`: the check whose checkpoint is to be kept, -1 for the
    one before the first check.
    """

    after: int
    keep: int


def streak(checks: Sequence[Check], in_a_row: int) -> Stop | None:
    """After so many checks in a row with fewer wins than losses (learning-to-compare, 4.1); None: go on.

    To be kept is the last checkpoint before the row. Where nothing changes any more this takes long: each check is lost
    with a probability just below one half, and five in a row come after about 70, or more where neighbouring checks
    share texts.
    """
    row = 0
    for number, check in enumerate(checks):
        row = row + 1 if check.is_worse else 0
        if row == in_a_row:
            return Stop(number, number - in_a_row)
    return None


@dataclass(slots=True)
class NoGain:
    """A valid sequential test beside it: it compares each checkpoint with the best one so far.

    A checkpoint becomes the best where its comparisons show that it wins more than it loses, and the count begins anew.
    It stops when all comparisons since then show together that the gain over the best is below `gain` (of wins - losses
    per comparison). Both by bets whose wealth is a test martingale: while every checkpoint since the best one gains
    `gain` or more in the mean, the chance of ever stopping is at most alpha in all, however many checks there are. Of
    the g-th best alpha / (g (g + 1)) is spent (Waudby-Smith and Ramdas 2024, section 4, for bounded means). It waits
    for so many checkpoints since the best, because trainings are uneven; that makes a wrong stop rarer still.

    `add` takes one check's counts against the best, and those of them that met a text of the best for the first time;
    True says that the rule stops. The texts of the best are mostly good ones for it by luck where it became the best,
    so that only the others are evidence of what is gained over it.
    """

    gain: float
    alpha: float
    wait: int
    best: int = -1
    seen: int = 0
    _bests: int = 1
    _wealth: Floats = field(default_factory=lambda: np.zeros(2))
    """The logarithm of the wealth of each bet."""

    def __post_init__(self) -> None:
        if not 0 < self.gain < 1:
            raise ValueError(f"gain is {self.gain}, but must lie between 0 and 1")
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha is {self.alpha}, but must lie between 0 and 1")
        if self.wait < 1:
            raise ValueError(f"wait is {self.wait}, but must be at least 1")

    def add(self, check: Check, new: Check) -> bool:
        """One checkpoint, compared with the best so far, whose number is `best` (-1: the one before the first)."""
        number = self.seen
        self.seen += 1
        if _better(check, self.alpha):
            self.best, self._bests, self._wealth = number, self._bests + 1, np.zeros(2)
            return False
        self._wealth = self._wealth + _log_wealth(new, self.gain)
        enough = math.log(self._wealth.size * self._bests * (self._bests + 1) / self.alpha)
        return number - self.best >= self.wait and float(logsumexp(self._wealth)) >= enough

    @property
    def stop(self) -> Stop:
        """Where it stands, if it stops here."""
        return Stop(self.seen - 1, self.best)


def _log_wealth(check: Check, gain: float) -> Floats:
    """Of two bets (2,) on each outcome x (1, 0, -1) that their mean is below `gain`: sums of log(1 + bet (gain - x)).

    Half of the stake is on the bet that grows fastest where wins equal losses and a third of the comparisons are ties,
    half on a large one, which grows faster where a checkpoint is clearly worse.
    """
    bets = np.array([min(gain / (2.0 / 3.0 + gain**2), 0.5), 0.5])
    growth = np.log1p(np.outer(bets, gain - np.array([1.0, 0.0, -1.0])))
    return growth @ np.array([check.wins, check.ties, check.losses])


def _better(check: Check, alpha: float) -> bool:
    """Whether wins exceed losses, by the exact sign test of the decided comparisons (one-sided)."""
    decided = check.wins + check.losses
    return check.wins > 0 and float(bdtrc(check.wins - 1, decided, 0.5)) <= alpha


Outputs = Mapping[str, str | Sequence[str]]
"""By item: what a checkpoint wrote, one text or several samples."""

Compare = Callable[[Sequence[str], Sequence[str], Sequence[str]], NDArray[np.int8]]
"""Of items (n,), texts (n,) and others (n,): 1 where the first is better, -1 where the second is, 0 for a tie."""


def check_outputs(name: str, outputs: Outputs) -> None:
    """Raise UsageError for an item without a text, or with something that is none."""
    if not isinstance(outputs, Mapping):
        raise UsageError(f"{name} has {type(outputs).__name__}: outputs are a dictionary, by item a text or several")
    for item, said in outputs.items():
        samples = (said,) if isinstance(said, str) else said
        if not isinstance(samples, Sequence) or not samples or not all(isinstance(text, str) for text in samples):
            raise UsageError(
                f"{name} has {said!r} for the item {item}: a checkpoint writes a text or a list of texts, and an empty "
                "one is a text, too"
            )


def check_against(
    latest: Outputs, previous: Sequence[Outputs], comparisons: int, compare: Compare, generator: np.random.Generator
) -> Check:
    """`comparisons` in all, equally many with each of the previous checkpoints; items, and samples of them, are drawn,
    each item once before any comes again.

    Raises:
        UsageError: no item has outputs of both.
    """
    asked: list[tuple[str, Outputs]] = []
    for number, earlier in enumerate(previous):
        common = common_items(latest, earlier)
        wanted = comparisons // len(previous) + (number < comparisons % len(previous))
        asked += [(item, earlier) for item in drawn(common, wanted, generator)]
    return Check.of(outcomes_on(latest, asked, compare, generator))


def outcomes_on(
    latest: Outputs, asked: Sequence[tuple[str, Outputs]], compare: Compare, generator: np.random.Generator
) -> NDArray[np.int8]:
    """Of one comparison (n,) for each item and earlier checkpoint; of several samples of either one is drawn."""
    items = [item for item, _ in asked]
    texts = [_one_of(latest[item], generator) for item in items]
    others = [_one_of(earlier[item], generator) for item, earlier in asked]
    return compare(items, texts, others) if items else np.empty(0, dtype=np.int8)


def drawn(items: Sequence[str], wanted: int, generator: np.random.Generator) -> list[str]:
    """So many of the items at random, each once before any comes again."""
    rounds = [generator.permutation(len(items)) for _ in range(-(-wanted // max(len(items), 1)))]
    return [items[int(place)] for place in np.concatenate(rounds)[:wanted]] if rounds else []


def common_items(latest: Outputs, earlier: Outputs) -> list[str]:
    """The items for which both wrote, sorted.

    Raises:
        UsageError: there is none.
    """
    common = sorted(latest.keys() & earlier.keys())
    if not common:
        raise UsageError("two checkpoints have no item in common: let each write outputs for the same items")
    return common


def _one_of(said: str | Sequence[str], generator: np.random.Generator) -> str:
    samples = (said,) if isinstance(said, str) else said
    return samples[int(generator.integers(len(samples)))]


@dataclass(slots=True)
class Follower:
    """Give it the outputs of each checkpoint when there is one; it says when to stop, and which to keep.

    `names` of the checkpoints in the order in which they came; `checks`: of each but the first; `against`: the names of
    those that it was compared with. `used_up`: whether the last one left no item of the best that it has not compared.
    """

    compare: Compare
    settings: FollowSettings
    names: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    against: list[tuple[str, ...]] = field(default_factory=list)
    stopped: Stop | None = None
    used_up: bool = False
    _outputs: list[Outputs] = field(default_factory=list)
    _used: frozenset[str] = frozenset()
    _test: NoGain = field(init=False)

    def __post_init__(self) -> None:
        self._test = NoGain(self.settings.gain, self.settings.wrong_stop, self.settings.wait)

    def add(self, name: str, outputs: Outputs) -> Check | None:
        """Compare a new checkpoint; None for the first. After a stop, nothing is compared any more.

        Raises:
            UsageError: it has no item in common with an earlier one, or no text for an item.
        """
        if self.stopped is not None:
            return None
        check_outputs(name, outputs)
        self.names.append(name)
        self._outputs.append(outputs)
        if len(self._outputs) == 1:
            return None
        generator = np.random.default_rng([self.settings.seed, len(self.checks)])
        is_streak = self.settings.rule == "streak"
        self.against.append(tuple(self.names[-1 - self.settings.previous : -1]) if is_streak else (self.best,))
        compare = self._by_streak if is_streak else self._by_test
        self.checks.append(compare(outputs, generator))
        return self.checks[-1]

    def _by_streak(self, outputs: Outputs, generator: np.random.Generator) -> Check:
        previous = self._outputs[-1 - self.settings.previous : -1]
        check = check_against(outputs, previous, self.settings.comparisons, self.compare, generator)
        self.stopped = streak([*self.checks, check], self.settings.in_a_row)
        return check

    def _by_test(self, outputs: Outputs, generator: np.random.Generator) -> Check:
        """With the best so far, on a fourth of the items. Those of them on which a text of the best meets another for
        the first time tell what is gained.

        A checkpoint becomes the best partly because its texts came out well on that fourth; to meet the same ones again
        would count that luck again. The other items are shared out to the checks until the test may stop.
        """
        test, settings = self._test, self.settings
        best = self._outputs[test.best + 1]
        common = common_items(outputs, best)
        most = min(settings.comparisons, max(len(common) // _PART, min(len(common), _FEWEST)))
        fresh, met = ([item for item in common if (item in self._used) is known] for known in (False, True))
        share = max((len(common) - most) // settings.wait, most - len(met), 1)
        new = drawn(fresh, min(share, most, len(fresh)), generator)
        items = [*new, *drawn(met, most - len(new), generator)]
        outcomes = outcomes_on(outputs, [(item, best) for item in items], self.compare, generator)
        check, before = Check.of(outcomes), test.best
        if test.add(check, Check.of(outcomes[: len(new)])):
            self.stopped = test.stop
        self._used = frozenset(items) | (self._used if test.best == before else frozenset())
        self.used_up = self._used >= set(common)
        return check

    @property
    def best(self) -> str:
        """The checkpoint to keep: by the rule where it stopped, else the last that did not lose, or of rule `no-gain`
        the best so far.

        Raises:
            UsageError: no checkpoint has come yet.
        """
        if not self.names:
            raise UsageError("no checkpoint has come yet")
        if self.stopped is not None:
            return self.names[self.stopped.keep + 1]
        if self.settings.rule == "no-gain":
            return self.names[self._test.best + 1]
        kept = [number for number, check in enumerate(self.checks) if not check.is_worse]
        return self.names[kept[-1] + 1 if kept else 0]

    @property
    def notes(self) -> list[str]:
        """What is to be known of the comparisons."""
        if not self.checks:
            return []
        asked, made = self.settings.comparisons, self.checks[-1].comparisons
        items = len(common_items(self._outputs[-1], self._outputs[self.names.index(self.against[-1][-1])]))
        if self.settings.rule == "no-gain" and made < asked:
            return [
                f"Rule no-gain makes at most one comparison on an item, and leaves items for later checks: the last "
                f"check made {made:,} on {counted(items, 'item')}, not {asked:,}. What a text of the best checkpoint "
                "tells, it tells once."
            ]
        if self.settings.rule == "streak" and asked > items * len(self.against[-1]):
            return [
                f"Each check makes {asked:,} comparisons on {counted(items, 'item')}: where a checkpoint wrote one "
                "text for each, the same two are compared again and again, which tells nothing new."
            ]
        return []

    def to_dict(self) -> dict[str, object]:
        """JSON-ready: the counts of each checkpoint but the first, whether to stop, and which to keep."""
        counts = [
            {"checkpoint": name, "against": list(against),
             "wins": check.wins, "ties": check.ties, "losses": check.losses}
            for name, against, check in zip(self.names[1:], self.against, self.checks, strict=False)
        ]  # fmt: skip
        stop = None if self.stopped is None else self.names[self.stopped.after + 1]
        return {"checkpoints": self.names, "checks": counts, "rule": self.settings.rule, "stop_after": stop,
                "keep": self.best if self.names else None, "items_used_up": self.used_up}  # fmt: skip


def checkpoints_of(study: Study, run: str | None) -> list[tuple[str, Outputs]]:
    """The checkpoints of a run in the order of their steps, with what they wrote, by item.

    Raises:
        UsageError: study.toml names no run, not this one, or several where none was asked for; checkpoints of it have
            no step or the same one; or it has no outputs of the run.
    """
    steps = {
        name: (about.run, about.step) for name, about in study.settings.systems.items()
        if about.run is not None and about.step is not None
    }  # fmt: skip
    runs = sorted({of for of, _ in steps.values() if of is not None})
    if not runs:
        raise UsageError("study.toml names no checkpoints: give systems a run and a step")
    if run is None and len(runs) > 1:
        raise UsageError(f"the study has several runs: name one with --run ({', '.join(runs)})")
    if run is not None and run not in runs:
        raise UsageError(f"no run {run!r}{did_you_mean(run, runs) or '; the study has ' + ', '.join(runs)}")
    chosen = run or runs[0]
    if study.outputs is None:
        raise UsageError("the study has no outputs to compare")
    found: dict[str, dict[str, list[str]]] = {}
    for item, system, text in study.outputs.select("item", "system", "text").iter_rows():
        if system in steps and steps[system][0] == chosen:
            found.setdefault(system, {}).setdefault(item, []).append(text)
    if not found:
        raise UsageError(f"no checkpoint of the run {chosen} has outputs in the study")
    written = set(study.outputs["system"])
    for name, about in study.settings.systems.items():
        if about.run == chosen and about.step is None and name in written:
            raise UsageError(f"{name} is of the run {chosen} and has no step: give it one in study.toml")
    at: dict[int | None, str] = {}
    for name in found:
        if (other := at.setdefault(steps[name][1], name)) != name:
            raise UsageError(f"{other} and {name} have the same step in the run {chosen}: which is the later one?")
    return sorted(found.items(), key=lambda of: (steps[of[0]][1], of[0]))


Generate = Callable[[Any], Outputs]
"""What a model writes for the same items every time: by item, one or several samples."""


class StopByEvaluator(TrainerCallback):
    """After each save of a checkpoint it lets the model write, compares, and ends the training when the rule says so.

    `follower.best` names the checkpoint to keep ("checkpoint-500", as the Trainer calls its folder); `follower.checks`
    has the counts, and so has `trainer.state.log_history`. A stop is a warning in the log of this module. What
    checkpoints wrote is kept in the folder of the training: one that is resumed in a new process compares it again, and
    goes on where it was.
    """

    def __init__(self, follower: Follower, generate: Generate) -> None:
        self.follower, self._generate = follower, generate

    def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Called by the Trainer.

        Raises:
            UsageError: it saves no checkpoints, or deletes some that the rule looks back on.
        """
        if getattr(args.save_strategy, "value", args.save_strategy) == "no":
            raise UsageError('the evaluator compares after each save, and save_strategy is "no"')
        settings, limit = self.follower.settings, args.save_total_limit
        needed = settings.in_a_row + 1 if settings.rule == "streak" else None
        if limit is not None and (needed is None or limit < needed):
            instead = "leave it out" if needed is None else f"let it be {needed} at least, or leave it out"
            raise UsageError(
                f"save_total_limit={limit} deletes checkpoints that rule {settings.rule} may keep: {instead}"
            )
        path = Path(args.output_dir) / OUTPUTS
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
        before = {json.loads(line)["step"]: line for line in lines if json.loads(line)["step"] <= state.global_step}
        if lines:
            write_bytes(path, "".join(before.values()).encode())
        if not self.follower.names:
            for step, line in before.items():
                self.follower.add(f"checkpoint-{step}", json.loads(line)["outputs"])
        if before and state.global_step not in before:  # it was killed before this was kept
            self.on_save(args, state, control, **others)

    def on_save(self, args: Any, state: Any, control: Any, **others: Any) -> Any:
        """Called by the Trainer."""
        model = others["model"]
        training = model.training
        model.eval()
        outputs = self._generate(model)
        model.train(training)
        check = self.follower.add(f"checkpoint-{state.global_step}", outputs)
        with (Path(args.output_dir) / OUTPUTS).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"step": state.global_step, "outputs": outputs}) + "\n")
        if check is not None:
            counts = {f"evaluator_{name}": count for name, count in asdict(check).items()}
            state.log_history.append({**counts, "step": state.global_step})
        if self.follower.stopped is not None:
            _log.warning(
                "The training stops: rule %s is met. Keep %s.", self.follower.settings.rule, self.follower.best
            )
            control.should_training_stop = True
        return control
