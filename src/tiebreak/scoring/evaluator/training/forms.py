"""What there is to train: a model, how good it is, and what guessing would be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from tiebreak.scoring.evaluator.examples.pairs import Rows, as_pairs
from tiebreak.scoring.evaluator.models.comparers import Comparer, Cross, Discriminator, Regressor, Siamese
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.models.learner import Learner, Limits
from tiebreak.scoring.evaluator.models.scorer import Scorer
from tiebreak.scoring.evaluator.training.measured import (
    HeldOutMeasures,
    measure_pairs,
    measure_ratings,
    measure_writers,
)
from tiebreak.scoring.evaluator.training.settings import Form, TrainSettings
from tiebreak.scoring.evaluator.training.trainer import Measure


@dataclass(frozen=True, slots=True)
class FormTask:
    """How a form is measured on rows of its kind, and the least loss that the same answer to all of them has."""

    measure: Measure
    guessing: Callable[[Rows], float]

    def measured(
        self, model: Learner, tokens: Tokens, context: NDArray[np.intp], rows: Rows, bound: float | None
    ) -> HeldOutMeasures:
        """With the answers that it gives; `bound`: the probability from which on one is a tie, of what compares."""
        if bound is None or not isinstance(model, Comparer):
            return self.measure(model, tokens, context, rows)
        return measure_pairs(model, tokens, context, as_pairs(rows), bound)


def guessing_of_pairs(rows: Rows) -> float:
    """Either way round: ln 3 of better, tie and worse alike, ln 2 without ties."""
    tie = float(as_pairs(rows).shares[:, 1].mean())
    shares = np.array([(1 - tie) / 2, tie, (1 - tie) / 2])
    return float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())


_COMPARING: Final = FormTask(measure_pairs, guessing_of_pairs)
TASKS: Final[Mapping[Form, FormTask]] = {
    "siamese": _COMPARING,
    "cross": _COMPARING,
    "discriminator": FormTask(measure_writers, lambda _: float(np.log(2))),
    "regressor": FormTask(measure_ratings, lambda _: 1.0),
}


def make_model(encoder: torch.nn.Module, settings: TrainSettings) -> Comparer | Scorer:
    """A model of the form, whose head is drawn by the seed."""
    limits = Limits(settings.context_tokens, settings.text_tokens)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        if settings.form == "discriminator":
            return Discriminator(encoder, limits)
        if settings.form == "regressor":
            return Regressor(encoder, limits)
        return (Siamese if settings.form == "siamese" else Cross)(encoder, limits, ties=settings.ties)
