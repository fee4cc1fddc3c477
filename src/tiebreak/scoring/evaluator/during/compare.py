"""Comparisons by a trained evaluator, for following a training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from tiebreak.errors import check_known
from tiebreak.scoring.evaluator.models.learner import Lost
from tiebreak.scoring.evaluator.training.calibration import answers
from tiebreak.scoring.evaluator.training.kept import Evaluator
from tiebreak.scoring.evaluator.training.measured import AT_ONCE


class ComparingBy:
    """Compares by an evaluator, with the context of each item; equal texts are a tie without being read.

    Items without a context have an empty one. `lost`: what it did not read of the texts so far, None before the first.
    """

    def __init__(self, evaluator: Evaluator, contexts: Mapping[str, str]) -> None:
        self._evaluator, self._contexts = evaluator, contexts
        self.lost: Lost | None = None

    def __call__(self, items: Sequence[str], texts: Sequence[str], others: Sequence[str]) -> NDArray[np.int8]:
        """Outcomes (n,) of texts and others for items, each n long: 1 where the text is better, -1 if worse, else 0.

        Raises:
            UsageError: an item that is not among the contexts, where there are any.
        """
        evaluator = self._evaluator
        if self._contexts:
            check_known("item", items, tuple(self._contexts), but="there are inputs of")
        numbers: dict[tuple[str, str], int] = {}
        names = list(dict.fromkeys(items))
        for item, text, other in zip(items, texts, others, strict=True):
            for one in (text, other):
                numbers.setdefault((item, one), len(numbers))
        a = np.array([numbers[pair] for pair in zip(items, texts, strict=True)], dtype=np.intp)
        b = np.array([numbers[pair] for pair in zip(items, others, strict=True)], dtype=np.intp)
        place = {item: number for number, item in enumerate(names)}
        context = np.array([place[item] for item, _ in numbers], dtype=np.intp)
        read, about = [text for _, text in numbers], [self._contexts.get(item, "") for item in names]
        tokens = evaluator.read(read, about)
        lost = Lost.of(evaluator.model.always_read(tokens), read, about, tokens)
        self.lost = lost if self.lost is None else self.lost | lost
        with torch.inference_mode():
            found = evaluator.model.probabilities(tokens, context, a, b, AT_ONCE)
        outcome = answers(found, float(evaluator.about["tie_bound"]))
        return np.where(a == b, 0, outcome).astype(np.int8)

    @property
    def notes(self) -> list[str]:
        """What it did not read of the texts that it compared."""
        return [] if self.lost is None else self.lost.notes()
