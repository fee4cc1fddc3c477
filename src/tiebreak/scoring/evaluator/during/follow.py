"""Follows a training, checkpoint by checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tiebreak.data.study import Study
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.scoring.evaluator.during.checks import Compare, Outputs, check_against, common_items
from tiebreak.scoring.evaluator.during.rules import Check, NoGain, Stop, streak
from tiebreak.scoring.evaluator.during.settings import FollowSettings


@dataclass(slots=True)
class Follower:
    """Give it the outputs of each checkpoint when there is one; it says when to stop, and which to keep.

    `names` of the checkpoints in the order in which they came; `checks`: of each but the first.
    """

    compare: Compare
    settings: FollowSettings
    names: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    stopped: Stop | None = None
    _outputs: list[Outputs] = field(default_factory=list)
    _no_gain: NoGain | None = None

    def add(self, name: str, outputs: Outputs) -> Check | None:
        """Compare a new checkpoint; None for the first. After a stop, nothing is compared any more.

        Raises:
            UsageError: it has no item in common with an earlier one.
        """
        if self.stopped is not None:
            return None
        self.names.append(name)
        self._outputs.append(outputs)
        if len(self._outputs) == 1:
            return None
        generator = np.random.default_rng([self.settings.seed, len(self.checks)])
        rivals, wanted = self._rivals(), self.settings.comparisons
        if self.settings.rule == "no-gain":  # its test counts each comparison, and one text twice is no more evidence
            wanted = min(wanted, max(common_items(outputs, rivals), 1))
        check = check_against(outputs, rivals, wanted, self.compare, generator)
        self.checks.append(check)
        if self.settings.rule == "streak":
            self.stopped = streak(self.checks, self.settings.in_a_row)
        elif self._test().add(check):
            self.stopped = self._test().stop
        return check

    @property
    def best(self) -> str:
        """The checkpoint to keep: by the rule where it stopped, else the last that did not lose, or of rule `no-gain`
        the best so far.
        """
        if self.stopped is not None:
            return self.names[self.stopped.keep + 1]
        if self.settings.rule == "no-gain":
            return self.names[self._test().best + 1]
        kept = [number for number, check in enumerate(self.checks) if not check.is_worse]
        return self.names[kept[-1] + 1 if kept else 0]

    def to_dict(self) -> dict[str, object]:
        """JSON-ready: the counts of each checkpoint but the first, whether to stop, and which to keep."""
        counts = [
            {"checkpoint": name, "wins": check.wins, "ties": check.ties, "losses": check.losses}
            for name, check in zip(self.names[1:], self.checks, strict=False)
        ]
        stop = None if self.stopped is None else self.names[self.stopped.after + 1]
        return {"checkpoints": self.names, "checks": counts, "rule": self.settings.rule, "stop_after": stop,
                "keep": self.best if self.names else None}  # fmt: skip

    def _rivals(self) -> Sequence[Outputs]:
        if self.settings.rule == "streak":
            return self._outputs[-1 - self.settings.previous : -1]
        return (self._outputs[self._test().best + 1],)

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
