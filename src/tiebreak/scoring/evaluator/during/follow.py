"""Follows a training by its checkpoints, and stops one by transformers' Trainer when its outputs get no better."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np
from transformers import TrainerCallback

from tiebreak.data.study import Study
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.during.checks import (
    Compare,
    Outputs,
    check_against,
    check_outputs,
    common_items,
    drawn,
    outcomes_on,
)
from tiebreak.scoring.evaluator.during.rules import Check, FollowSettings, NoGain, Stop, streak

_PART: Final = 4
"""Rule `no-gain` compares on one of so many items after each checkpoint."""
_FEWEST: Final = 5
"""Wins in a row that make a checkpoint the best at the usual level."""


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
    _no_gain: NoGain | None = None

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
        test, settings = self._test(), self.settings
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
            return self.names[self._test().best + 1]
        kept = [number for number, check in enumerate(self.checks) if not check.is_worse]
        return self.names[kept[-1] + 1 if kept else 0]

    @property
    def notes(self) -> list[str]:
        """What is to be known of the comparisons."""
        settings = self.settings
        if settings.rule == "no-gain":
            return self._fewer()
        each = -(-settings.comparisons // min(settings.previous, max(len(self.checks), 1)))
        items = len(common_items(*self._outputs[-2:])) if self.checks else 0
        if not self.checks or each <= items:
            return []
        return [
            f"Each check makes {settings.comparisons:,} comparisons on {counted(items, 'item')}: where a checkpoint "
            "wrote one text for each, the same two are compared again and again, which tells nothing new."
        ]

    def _fewer(self) -> list[str]:
        """Why rule `no-gain` compares less often than was asked for."""
        if not self.checks or self.checks[-1].comparisons >= self.settings.comparisons:
            return []
        best = self._outputs[self.names.index(self.against[-1][0])]
        items = len(common_items(self._outputs[-1], best))
        return [
            f"Rule no-gain makes at most one comparison on an item, and leaves items for later checks: the last check "
            f"made {self.checks[-1].comparisons:,} on {counted(items, 'item')}, not "
            f"{self.settings.comparisons:,}. What a text of the best checkpoint tells, it tells once."
        ]

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

    def _test(self) -> NoGain:
        if self._no_gain is None:
            self._no_gain = NoGain(self.settings.gain, self.settings.wrong_stop, self.settings.wait)
        return self._no_gain


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


_log = logging.getLogger(__name__)

Generate = Callable[[Any], Outputs]
"""What a model writes for the same items every time: by item, one or several samples."""


class StopByEvaluator(TrainerCallback):
    """After each save of a checkpoint it lets the model write, compares, and ends the training when the rule says so.

    `follower.best` names the checkpoint to keep ("checkpoint-500", as the Trainer calls its folder); `follower.checks`
    has the counts, and so has `trainer.state.log_history`. A stop is a warning in the log of this module.
    """

    def __init__(self, follower: Follower, generate: Generate) -> None:
        self.follower, self._generate = follower, generate

    def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:  # noqa: ARG002
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

    def on_save(self, args: Any, state: Any, control: Any, **others: Any) -> Any:  # noqa: ARG002
        """Called by the Trainer."""
        model = others["model"]
        training = model.training
        model.eval()
        check = self.follower.add(f"checkpoint-{state.global_step}", self._generate(model))
        model.train(training)
        if check is not None:
            counts = {f"evaluator_{name}": count for name, count in asdict(check).items()}
            state.log_history.append({**counts, "step": state.global_step})
        if self.follower.stopped is not None:
            _log.warning(
                "The training stops: rule %s is met. Keep %s.", self.follower.settings.rule, self.follower.best
            )
            control.should_training_stop = True
        return control
