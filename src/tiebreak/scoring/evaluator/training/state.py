"""A training that may be interrupted, on disk."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from tiebreak.errors import InputError, Problem
from tiebreak.files import writing
from tiebreak.scoring.evaluator.models.learner import Learner
from tiebreak.scoring.evaluator.training.train import StageEnd, TrainingProgress


class TrainingState:
    """Weights, optimizer and place of one training, in one file that is replaced whole."""

    def __init__(self, path: Path, model: Learner) -> None:
        self._path, self._model = path, model

    def save(
        self, progress: TrainingProgress, optimizer: torch.optim.Optimizer | None, best: dict[str, Any] | None
    ) -> None:
        """After a step."""
        fresh = self._path.with_suffix(".new")
        with writing(self._path):
            torch.save(
                {
                    "progress": asdict(progress),
                    "model": self._model.state_dict(),
                    "optimizer": None if optimizer is None else optimizer.state_dict(),
                    "best": best,
                },
                fresh,
            )
            fresh.replace(self._path)

    def load(self) -> tuple[TrainingProgress | None, dict[str, Any] | None, dict[str, Any] | None]:
        """Where it was, and the states of the optimizer and of the best weights; the model gets its weights.

        Raises:
            InputError: the file is damaged.
        """
        if not self._path.exists():
            return None, None, None
        try:
            found = torch.load(self._path, map_location=self._model.device, weights_only=True)
            self._model.load_state_dict(found["model"])
            progress = _progress(found["progress"])
        except Exception as error:  # whatever torch says of a damaged file
            message = "the saved training is damaged; remove it to begin again"
            raise InputError([Problem(str(self._path), message)]) from error
        return progress, found["optimizer"], found["best"]

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)
        self._path.with_suffix(".new").unlink(missing_ok=True)


def _progress(found: dict[str, Any]) -> TrainingProgress:
    return TrainingProgress(**(found | {"ends": tuple(StageEnd(**end) for end in found["ends"])}))
