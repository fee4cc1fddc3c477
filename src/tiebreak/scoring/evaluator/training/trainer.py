"""One stage of a training after the other, each by transformers' Trainer."""

# ruff: noqa: ARG002  (the Trainer says what its methods and callbacks are given)

from __future__ import annotations

import math
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch.utils.data import DataLoader
from transformers import (
    EarlyStoppingCallback,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    get_linear_schedule_with_warmup,
)
from transformers.trainer_callback import TrainerState

from tiebreak.errors import TiebreakError
from tiebreak.files import write_bytes
from tiebreak.scoring.evaluator.examples.rows import SOURCES, Rows, Source
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.models.model import Model
from tiebreak.scoring.evaluator.settings import TrainSettings
from tiebreak.scoring.evaluator.training.measures import measure
from tiebreak.scoring.evaluator.training.stages import Stage, texts_learned

RATES: Final = {"encoder": 1.0, "head": 20.0, "log_nu": 100.0}
"""Learning rates of the encoder, the head and the tie term, as multiples of the encoder's."""

LOOKS: Final = 20
"""At held-out rows, in a stage."""

_DECAY: Final = 0.01
_LARGEST_GRADIENT: Final = 1.0
_WARM_UP: Final = 0.07
_PART_AT_END: Final = 0.2
_SAVE_AFTER: Final = 60.0  # seconds
_SAVE_EVERY = 200  # steps
_END: Final = "end.json"
_WEIGHTS: Final = "model.safetensors"
_STATE: Final = "trainer_state.json"

Report = Callable[[Stage, int, float], None]


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


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """A model and all that it learns and is measured on. `report` is called after each step, with its loss; where
    somebody `interrupted` the training, it is saved after the step.
    """

    model: Model
    tokens: Tokens
    context: NDArray[np.intp]
    settings: TrainSettings
    report: Report
    interrupted: Callable[[], bool]

    def run(self, stages: Sequence[Stage], folder: Path) -> list[StageEnd]:
        """Trains the model in place, from the start or from what the folder has: it ends in the same weights.

        The word embeddings of a pretrained encoder stay as they are, since few labels say nothing of most words;
        random ones say nothing of any.

        Raises:
            TiebreakError: the loss is no number any more; the rate is too high, or a text broke the encoder.
            KeyboardInterrupt: it was interrupted, and saved.
        """
        if self.settings.weights == "frozen":
            looked = [stage.looks.texts.ravel() for stage in stages if stage.looks is not None]
            texts = np.unique(np.concatenate([texts_learned(stages), *looked]))
            self.model.freeze(self.tokens, self.context, texts)
        else:
            self.model.encoder.get_input_embeddings().requires_grad_(self.settings.weights == "random")
        ends = []
        for number, stage in enumerate(stages):
            place = folder.resolve() / stage.source
            if (place / _END).is_file():
                self.model.load_state_dict(load_file(place / _WEIGHTS))
            else:
                with _own_randomness():
                    end = self._learn(number, stage, place)
                write_bytes(place / _END, msgspec.json.encode(end))
                for checkpoint in place.glob("checkpoint-*"):
                    shutil.rmtree(checkpoint)
            ends.append(msgspec.json.decode((place / _END).read_bytes(), type=StageEnd))
        return ends

    def _learn(self, number: int, stage: Stage, folder: Path) -> StageEnd:
        callbacks: list[TrainerCallback] = [_Watch(self, stage)]
        if stage.looks is not None:
            callbacks.append(EarlyStoppingCallback(self.settings.patience))
        trainer = StageTrainer(self, stage, _arguments(self.settings, number, stage, folder), callbacks)
        trainer.train(resume_from_checkpoint=_last_checkpoint(folder))
        trainer.save_model()
        losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
        last = losses[-max(int(_PART_AT_END * len(losses)), 1) :]
        end = StageEnd(stage.source, trainer.state.global_step, float(np.mean(last)), None, None)
        if stage.looks is None:
            return end
        held_out = measure(self.model, self.tokens, self.context, stage.looks)
        return replace(end, kept=trainer.state.best_global_step, held_out=asdict(held_out))


class StageTrainer(Trainer):
    """Learns the rows of one stage, and looks at held-out rows as often as its arguments say."""

    control: Any

    def __init__(
        self, training: Training, stage: Stage, arguments: TrainingArguments, callbacks: list[TrainerCallback]
    ) -> None:
        super().__init__(training.model, arguments, train_dataset=stage, eval_dataset=stage.looks, callbacks=callbacks)
        self.remove_callback(PrinterCallback)
        self.training, self.stage = training, stage

    def get_train_dataloader(self) -> DataLoader:
        """The rows of one step after the other: a stage says which they are."""
        return DataLoader(self.stage, batch_size=1, shuffle=False, collate_fn=itemgetter(0))

    def create_optimizer(self, model: torch.nn.Module | None = None) -> torch.optim.Optimizer:
        """AdamW with a rate for each part of the model."""
        parts: dict[str, list[torch.nn.Parameter]] = {part: [] for part in RATES}
        for name, parameter in self.model.named_parameters():
            if parameter.requires_grad:
                parts[name.partition(".")[0]].append(parameter)
        rate = self.args.learning_rate
        groups = [
            {"params": params, "lr": rate * RATES[part], "initial_lr": rate * RATES[part]}
            for part, params in parts.items()
            if params
        ]
        self.optimizer = torch.optim.AdamW(groups, weight_decay=self.args.weight_decay)
        return self.optimizer

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> torch.optim.lr_scheduler.LRScheduler:
        """Up over the first steps, then down. It begins behind the usual first step, whose rate is 0."""
        warm_up, end = round(_WARM_UP * num_training_steps), num_training_steps + 1
        self.lr_scheduler = get_linear_schedule_with_warmup(self.optimizer, warm_up, end, last_epoch=0)
        return self.lr_scheduler

    def compute_loss(
        self, model: Any, inputs: dict[str, Rows], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> torch.Tensor:
        """Of the rows of a step; 0 where there are none.

        Raises:
            TiebreakError: it is no number.
        """
        if not len(inputs["rows"]):
            return next(parameter for parameter in model.parameters() if parameter.requires_grad).sum() * 0.0
        with _half(self.args.device):
            loss = self.training.model.loss(self.training.tokens, self.training.context, inputs["rows"])
        if not math.isfinite(float(loss.detach())):
            raise TiebreakError(
                f"the loss of what is learned from {SOURCES[self.stage.source]} is {float(loss.detach())} at step "
                f"{self.state.global_step + 1:,}: nothing can be learned from it; train with a lower --learning-rate"
            )
        return loss

    def evaluate(
        self, eval_dataset: Any = None, ignore_keys: Any = None, metric_key_prefix: str = "eval"
    ) -> dict[str, float]:
        """The loss of held-out rows. A step is saved where it is the best so far. One that ends the stage is saved only
        then: a training that is resumed before it looks, and ends the stage, there again.
        """
        training = self.training
        measured = measure(training.model, training.tokens, training.context, self.eval_dataset)
        metrics = {"eval_loss": math.inf if measured.loss is None else measured.loss}
        is_best = self.state.best_metric is None or metrics["eval_loss"] < self.state.best_metric
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        goes_on = not self.control.should_training_stop
        self.control.should_save = is_best or (self.control.should_save and goes_on)
        return metrics


class _Watch(TrainerCallback):
    """Reports each step, and has the training saved every minute and where it is interrupted."""

    def __init__(self, training: Training, stage: Stage) -> None:
        self.training, self.stage, self.saved = training, stage, time.monotonic()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **others: Any) -> None:
        if "loss" in logs:
            self.training.report(self.stage, state.global_step, logs["loss"])
            if self.training.interrupted() or time.monotonic() - self.saved > _SAVE_AFTER:
                control.should_save = True

    def on_save(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self.saved = time.monotonic()
        if self.training.interrupted():
            raise KeyboardInterrupt


def _arguments(settings: TrainSettings, number: int, stage: Stage, folder: Path) -> TrainingArguments:
    looks = stage.looks is not None
    look_every = max(stage.steps // LOOKS, 1)
    return TrainingArguments(
        output_dir=str(folder),
        seed=int(np.random.SeedSequence([settings.seed, number]).generate_state(1)[0]),  # Trainer takes 32 bits
        max_steps=stage.steps,
        learning_rate=settings.rate * stage.rate,
        weight_decay=_DECAY,
        max_grad_norm=_LARGEST_GRADIENT,
        eval_strategy="steps" if looks else "no",
        eval_steps=look_every,
        load_best_model_at_end=looks,
        metric_for_best_model="loss",
        greater_is_better=False,
        save_strategy="steps",
        save_steps=math.ceil(_SAVE_EVERY / look_every) * look_every,
        save_total_limit=1,
        restore_callback_states_from_checkpoint=True,
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
        use_cpu=not torch.cuda.is_available(),
    )


def _last_checkpoint(folder: Path) -> str | None:
    """The last one that was written to its end, wherever the folder lay then; those that were not are removed."""
    for place in sorted(folder.glob("checkpoint-*"), key=lambda place: -int(place.name.rpartition("-")[2])):
        try:
            state = TrainerState.load_from_json(str(place / _STATE))
        except (OSError, ValueError):
            shutil.rmtree(place)
            continue
        if state.best_model_checkpoint is not None:
            state.best_model_checkpoint = str(folder / Path(state.best_model_checkpoint).name)
            state.save_to_json(str(place / _STATE))
        return str(place)
    return None


@contextmanager
def _own_randomness() -> Iterator[None]:
    """Trainer seeds the generators of Python, NumPy and torch: afterwards they are as before."""
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002


def _half(device: torch.device) -> AbstractContextManager[object]:
    """bf16 where a GPU has it."""
    if device.type == "cuda" and torch.cuda.is_bf16_supported():
        return torch.autocast("cuda", dtype=torch.bfloat16)
    return nullcontext()
