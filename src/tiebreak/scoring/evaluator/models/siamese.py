"""Davidson's probabilities of the three outcomes of two scores, one of each text given its context."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch.nn import functional

from tiebreak.scoring.evaluator.models.comparer import Comparer
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.models.learner import Floats, Limits, Places
from tiebreak.scoring.evaluator.models.scorer import Scorer


class Siamese(Scorer, Comparer):
    """With d the difference of two scores the logits are d/2, log nu and -d/2 (Davidson 1970, nu free), so that both
    orders of a pair always agree.
    """

    at_once = 512
    each_text_once = True

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, ties: bool = True) -> None:
        super().__init__(encoder, limits)
        self.ties = ties
        self.log_nu = torch.nn.Parameter(torch.zeros(()))

    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        first, second = self.scores_of(tokens, context, a, b)
        return self._davidson(first - second)

    def orders(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> tuple[Floats, Floats]:
        found = self.comparing(tokens, context, at_once)(a, b)
        return found, found

    def comparing(self, tokens: Tokens, context: Places, at_once: int) -> Callable[[Places, Places], Floats]:
        """Each text is read when it is first asked for, and never again."""
        scores = np.full(len(tokens.texts), np.nan)

        def probabilities(a: Places, b: Places) -> Floats:
            asked = np.unique(np.concatenate([a, b]))
            fresh = asked[np.isnan(scores[asked])]
            scores[fresh] = self.scores(tokens, context, fresh, at_once)
            difference = torch.from_numpy(scores[a] - scores[b])
            with torch.inference_mode():
                logits = self._davidson(difference.to(self.device))
                return functional.softmax(logits, dim=1).double().cpu().numpy()

        return probabilities

    def _davidson(self, difference: torch.Tensor) -> torch.Tensor:
        tie = self.log_nu if self.ties else torch.full_like(self.log_nu, -30.0)
        half = difference.to(tie.dtype) / 2
        return torch.stack([half, tie.expand_as(half), -half], dim=1)
