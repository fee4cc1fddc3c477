"""What every way of comparing two texts does: three logits for a pair, in a given order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import torch
from torch.nn import functional

from tiebreak.scoring.evaluator.examples.pairs import Pairs
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.models.learner import Floats, Learner, Places


class Comparer(Learner):
    """Compares texts of one context. Outcomes in the order better, tie, worse.

    `at_once`: what is judged in one go, and kept after it, a minute of work on one processor at most: so many pairs, or
    (`each_text_once`) texts and contexts, of whole items.
    """

    at_once: ClassVar[int] = 128
    each_text_once: ClassVar[bool] = False

    @abstractmethod
    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        """For training (n, 3), or (2n, 3): in both orders. Of pairs (n,) of texts; `context`: of each text (T,)."""

    @abstractmethod
    def orders(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> tuple[Floats, Floats]:
        """For judging (n, 3): as (a, b) is read, and as (b, a) is, turned round; `at_once`: tokens in one batch."""

    def probabilities(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> Floats:
        """The mean of both orders."""
        forth, back = self.orders(tokens, context, a, b, at_once)
        return (forth + back) / 2

    def comparing(self, tokens: Tokens, context: Places, at_once: int) -> Callable[[Places, Places], Floats]:
        """`probabilities` of pairs (n,) of these texts, for many calls."""
        return lambda a, b: self.probabilities(tokens, context, a, b, at_once)

    def loss(self, tokens: Tokens, context: Places, rows: Pairs) -> torch.Tensor:
        """The mean of -log of the probability of what was told (learning-to-compare, equation 1, for shares)."""
        found = self.logits(tokens, context, rows.a, rows.b).float()
        told = torch.from_numpy(rows.shares).float().to(found.device).repeat(found.shape[0] // len(rows), 1)
        return -(told * functional.log_softmax(found, dim=1)).sum(1).mean()
