"""Training, stage by stage, by what a form calls its loss."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from tiebreak.errors import TiebreakError
from tiebreak.scoring.evaluator.examples.pairs import SOURCES, Rows, Source
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.models.learner import Learner
from tiebreak.scoring.evaluator.training.draws import Draws
from tiebreak.scoring.evaluator.training.measured import HeldOutMeasures
from tiebreak.scoring.evaluator.training.schedule import Curriculum, margins_at, rate_at

HEAD_RATE: Final = 20.0
TIE_RATE: Final = 100.0
"""Learning rates of the head and of the tie term, as multiples of the encoder's."""

LAST_RATE: Final = 0.2
"""What people say is learned last, at a fifth of the rate, where something was learned before."""

LOOKS: Final = 20
"""At held-out rows, in a stage."""

_DECAY: Final = 0.01
_LARGEST_GRADIENT: Final = 1.0
_PART_AT_END: Final = 0.2
_SAVE_AFTER: Final = 60.0  # seconds


@dataclass(frozen=True, slots=True)
class Stage:
    """What is learned from one kind of rows. `rate`: a share of the learning rate. `looks`: held-out rows of the same
    kind, at which training looks to keep the best weights; none of them: the last ones are kept.
    """

    source: Source
    draws: Draws
    steps: int
    rate: float
    curriculum: Curriculum = "none"
    smallest_margin: float = 0.0
    looks: Rows | None = None


@dataclass(frozen=True, slots=True)
class StageEnd:
    """`loss`: of what was shown, over the last fifth of the steps; `steps`: done, fewer if it was stopped early;
    `kept`: the step whose weights were the best on held-out rows, and `held_out` how good they are there, JSON-ready;
    None where there were none to look at.
    """

    source: Source
    steps: int
    loss: float
    kept: int | None
    held_out: dict[str, Any] | None


@dataclass
class TrainingProgress:
    """Where a training is, and what it takes to go on from there."""

    stage: int = 0
    step: int = 0
    losses: list[float] = field(default_factory=list)
    best: float = math.inf
    kept: int | None = None
    since: int = 0
    ends: tuple[StageEnd, ...] = ()


Save = Callable[[TrainingProgress, torch.optim.Optimizer | None, dict[str, Any] | None], None]
"""Where it is, the optimizer (None between stages), and the best weights of the stage so far."""
Report = Callable[[Stage, int, float], None]
Measure = Callable[[Any, Tokens, NDArray[np.intp], Any], HeldOutMeasures]
"""How good a model is in judging mode, on rows of its kind; the context of each text (T,) comes before them."""


@dataclass
class Trainer:
    """Trains `model` in place. Twenty times in a stage it looks at held-out rows, and ends the stage after `patience`
    looks without a gain. `save` is called every `save_every` steps, every minute, at the ends of stages, and where
    somebody `interrupted` it; `report` after each step, with its loss. `learn_words`: whether the word embeddings are
    learned, too. Those of a pretrained encoder stay as they are, since few labels say nothing of most words; random
    ones say nothing of any.
    """

    model: Learner
    tokens: Tokens
    context: NDArray[np.intp]
    stages: Sequence[Stage]
    rate: float
    seed: int
    measure: Measure
    patience: int = 4
    save: Save | None = None
    save_every: int = 200
    report: Report | None = None
    learn_words: bool = False
    interrupted: Callable[[], bool] = lambda: False

    def run(self, progress: TrainingProgress | None = None, optimizer_state: dict[str, Any] | None = None,
            best_state: dict[str, Any] | None = None) -> tuple[StageEnd, ...]:  # fmt: skip
        """From the start, or from where an earlier one was saved: with the same steps it ends in the same weights.

        Raises:
            TiebreakError: the loss is no number any more; the rate is too high, or a text broke the encoder.
            KeyboardInterrupt: it was interrupted, and saved.
        """
        at = progress or TrainingProgress()
        while at.stage < len(self.stages):
            stage = self.stages[at.stage]
            optimizer = self._optimizer(stage)
            if optimizer_state is not None:
                optimizer.load_state_dict(optimizer_state)
                optimizer_state = None
            best_state = self._stage(stage, at, optimizer, best_state)
            self._end(stage, at, best_state)
            best_state = None
            if self.save is not None:
                self.save(at, None, None)
        return at.ends

    def _stage(
        self, stage: Stage, at: TrainingProgress, optimizer: torch.optim.Optimizer, best: dict[str, Any] | None
    ) -> dict[str, Any] | None:
        saved = time.monotonic()
        while at.step < stage.steps:
            rows = stage.draws.at(at.step, margins_at(at.step, stage.steps, stage.smallest_margin, stage.curriculum))
            if len(rows):
                at.losses.append(self._step(stage, at.stage, at.step, rows, optimizer))
            at.step += 1
            if self.report is not None:
                self.report(stage, at.step, at.losses[-1] if at.losses else math.nan)
            if stage.looks is not None and (at.step % _every(stage) == 0 or at.step == stage.steps):
                best = self._look(stage.looks, at, best)
                if at.since >= self.patience:
                    break
            interrupted, late = self.interrupted(), time.monotonic() - saved > _SAVE_AFTER
            if self.save is not None and (interrupted or late or at.step % self.save_every == 0):
                self.save(at, optimizer, best)
                saved = time.monotonic()
            if interrupted:
                raise KeyboardInterrupt
        return best

    def _step(self, stage: Stage, number: int, step: int, rows: Rows, optimizer: torch.optim.Optimizer) -> float:
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * rate_at(step, stage.steps)
        self.model.train()
        with torch.random.fork_rng(devices=_cuda(self.model.device)):
            torch.manual_seed(_dropout_seed(self.seed, number, step))
            with _half(self.model.device):
                loss = self.model.loss(self.tokens, self.context, rows)
            optimizer.zero_grad()
            loss.backward()
        value = float(loss.detach())
        if not math.isfinite(value):
            raise TiebreakError(
                f"the loss of what is learned from {SOURCES[stage.source]} is {value} at step {step + 1:,}: nothing "
                "can be learned from it; train with a lower --learning-rate"
            )
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), _LARGEST_GRADIENT)
        optimizer.step()
        return value

    def _look(self, rows: Rows, at: TrainingProgress, best: dict[str, Any] | None) -> dict[str, Any] | None:
        found = self.measure(self.model, self.tokens, self.context, rows)
        if found.loss is not None and found.loss < at.best:
            at.best, at.kept, at.since = found.loss, at.step, 0
            return copy.deepcopy(self.model.state_dict())
        at.since += 1
        return best

    def _end(self, stage: Stage, at: TrainingProgress, best: dict[str, Any] | None) -> None:
        if best is not None:
            self.model.load_state_dict(best)
        last = at.losses[-max(int(_PART_AT_END * len(at.losses)), 1) :]
        looks = stage.looks
        held_out = None
        if looks is not None:
            held_out = self.measure(self.model, self.tokens, self.context, looks).to_dict()
        end = StageEnd(stage.source, at.step, float(np.mean(last)) if last else math.nan, at.kept, held_out)
        at.stage, at.step, at.losses, at.best, at.kept, at.since = at.stage + 1, 0, [], math.inf, None, 0
        at.ends = (*at.ends, end)

    def _optimizer(self, stage: Stage) -> torch.optim.Optimizer:
        words = {id(weights) for weights in self.model.encoder.get_input_embeddings().parameters()}
        groups: dict[float, list[torch.nn.Parameter]] = {1.0: [], HEAD_RATE: [], TIE_RATE: []}
        for name, parameter in self.model.named_parameters():
            frozen = id(parameter) in words and not self.learn_words
            parameter.requires_grad_(not frozen)
            if not frozen:
                part = TIE_RATE if name == "log_nu" else 1.0 if name.startswith("encoder.") else HEAD_RATE
                groups[part].append(parameter)
        return torch.optim.AdamW(
            [
                {"params": group, "peak": self.rate * stage.rate * times, "lr": 0.0}
                for times, group in groups.items()
                if group
            ],
            weight_decay=_DECAY,
        )


def _dropout_seed(*numbers: int) -> int:
    """Of one step: what is dropped out depends on nothing else, so that a resumed training drops the same."""
    return int(np.random.SeedSequence([2, *numbers]).generate_state(1)[0])


def _every(stage: Stage) -> int:
    return max(stage.steps // LOOKS, 1)


def _cuda(device: torch.device) -> list[int]:
    return [device.index or 0] if device.type == "cuda" else []


def _half(device: torch.device) -> AbstractContextManager[object]:
    """bf16 where a GPU has it."""
    if device.type == "cuda" and torch.cuda.is_bf16_supported():
        return torch.autocast("cuda", dtype=torch.bfloat16)
    return nullcontext()
