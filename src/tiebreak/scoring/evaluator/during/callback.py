"""Stops a training by transformers' Trainer when its outputs get no better."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from transformers import TrainerCallback

from tiebreak.errors import UsageError
from tiebreak.scoring.evaluator.during.checks import Outputs
from tiebreak.scoring.evaluator.during.follow import Follower

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
