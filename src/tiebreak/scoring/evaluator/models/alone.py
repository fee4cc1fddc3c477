"""Scores of single texts that are compared with none: the baselines of learning-to-compare (4.2)."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from tiebreak.scoring.evaluator.examples.pairs import Pairs
from tiebreak.scoring.evaluator.examples.rated import Rated
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.models.learner import Floats, Limits, Places
from tiebreak.scoring.evaluator.models.scorer import ScoredBeside, Scorer


class Discriminator(Scorer):
    """The score is the logit of the probability that a text was written by a person and not generated."""

    def __init__(self, encoder: torch.nn.Module, limits: Limits) -> None:
        super().__init__(encoder, limits)

    def loss(self, tokens: Tokens, context: Places, rows: Pairs) -> torch.Tensor:
        """Binary cross-entropy; the first of each pair is a reference, the second an output: as many of either."""
        references, outputs = self.scores_of(tokens, context, rows.a, rows.b)
        return (functional.softplus(-references.float()).mean() + functional.softplus(outputs.float()).mean()) / 2


class Regressor(Scorer):
    """The score is the mean rating that people would give. A text is set beside its context and, where `tokens` names
    one, beside a reference; where there is none, zeros stand for what would be read of it.

    `centre`, `spread`: mean and standard deviation of the ratings that it learns from; it learns standardised ones.
    """

    centre: torch.Tensor
    spread: torch.Tensor

    def __init__(self, encoder: torch.nn.Module, limits: Limits) -> None:
        super().__init__(encoder, limits, beside=2)
        self.register_buffer("centre", torch.zeros((), dtype=torch.float64))
        self.register_buffer("spread", torch.ones((), dtype=torch.float64))

    def standardise(self, centre: float, spread: float) -> None:
        """Learn ratings as so many standard deviations from their mean."""
        self.centre.fill_(centre)
        self.spread.fill_(spread)

    def loss(self, tokens: Tokens, context: Places, rows: Rated) -> torch.Tensor:
        """The mean squared error of standardised ratings."""
        (found,) = self.scores_of(tokens, context, rows.text)
        wanted = (torch.from_numpy(rows.values[:, 0]).to(found.device) - self.centre) / self.spread
        return functional.mse_loss(found.float(), wanted.float())

    def scores(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Floats:
        """Ratings (n,) of some texts, on the scale of those that it learned from."""
        return float(self.centre) + float(self.spread) * super().scores(tokens, context, texts, at_once)

    def _beside(self, tokens: Tokens, context: Places, texts: Places) -> list[ScoredBeside]:
        references = np.full(texts.size, -1) if tokens.references is None else tokens.references[texts]
        known, place = np.unique(references, return_inverse=True)
        rows = [[] if number < 0 else self._text(tokens, number) for number in known]
        return [
            *super()._beside(tokens, context, texts), ScoredBeside(self._read(rows, tokens), place, references >= 0)
        ]  # fmt: skip
