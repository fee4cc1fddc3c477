"""Stops a training by transformers' Trainer when its outputs get no better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from transformers import TrainerCallback

from tiebreak.scoring.evaluator.during.checks import Outputs
from tiebreak.scoring.evaluator.during.follow import Follower

Generate = Callable[[Any], Outputs]
"""What a model writes for the same items every time: by item, one or several samples."""


class StopByEvaluator(TrainerCallback):
    """After each save of a checkpoint it lets the model write, compares, and ends the training when the rule says so.

    `follower.best` names the checkpoint to keep ("checkpoint-500", as the Trainer calls its folder); `follower.checks`
    has the counts, and so has the Trainer's log. Let `save_total_limit` keep as many checkpoints as the rule looks back
    on: of `streak` one more than the lost checks in a row, of `no-gain` all.
    """

    def __init__(self, follower: Follower, generate: Generate) -> None:
        self.follower, self._generate = follower, generate

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
            control.should_training_stop = True
        return control
