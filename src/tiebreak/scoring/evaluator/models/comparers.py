"""Three logits for a pair of texts in a given order: from one score each, or from both texts in one sequence.

The scores of two texts give Davidson's probabilities of the three outcomes. The sequence with the context and both
texts is that of learning-to-compare, figure 1; scores of single texts that are compared with none are its baselines
(4.2).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import torch
from torch.nn import functional

from tiebreak.scoring.evaluator.examples.pairs import Pairs
from tiebreak.scoring.evaluator.examples.rated import Rated
from tiebreak.scoring.evaluator.models.encoders import Ids, Tokens, mean_of_tokens, padded
from tiebreak.scoring.evaluator.models.learner import Floats, Learner, Limits, Places, by_length, cut, cut_middle
from tiebreak.scoring.evaluator.models.scorer import ScoredBeside, Scorer


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


class Cross(Comparer):
    """[CLS] context [SEP] A [SEP] B [SEP], and three logits of the mean over its tokens. It is read in both orders.

    A and B have equal numbers of tokens at most; the context gets what they leave.
    """

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, ties: bool = True) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.encoder, self.limits, self.ties = encoder, limits, ties
        self.head = torch.nn.Sequential(torch.nn.Dropout(0.1), torch.nn.Linear(width, 3))
        self._kinds = int(getattr(encoder.config, "type_vocab_size", 0) or 0)

    def always_read(self, tokens: Tokens) -> Limits:
        """Of a context, beside the longest of these texts."""
        room = tokens.longest - 4
        text = min(self.limits.text, room // 3 if any(tokens.contexts) else room // 2)
        longest = min(max(map(len, tokens.texts), default=0), text)
        return Limits(min(self.limits.context, room - 2 * longest), text, shared=True)

    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        """Of both orders: the first n of (a, b), as (a, b) sees them; the next n of (b, a), turned round."""
        rows = [self._row(tokens, context, x, y) for x, y in zip(a, b, strict=True)]
        swapped = [self._row(tokens, context, y, x) for x, y in zip(a, b, strict=True)]
        found = self._read([*rows, *swapped], tokens)
        return torch.cat([found[: a.size], found[a.size :].flip(1)])

    def orders(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> tuple[Floats, Floats]:
        self.eval()
        rows = [self._row(tokens, context, x, y) for x, y in zip(a, b, strict=True)]
        rows += [self._row(tokens, context, y, x) for x, y in zip(a, b, strict=True)]
        found = np.empty((len(rows), 3))
        with torch.inference_mode():
            for batch in by_length([len(ids) for ids, _ in rows], at_once):
                logits = self._read([rows[number] for number in batch], tokens)
                found[batch] = functional.softmax(logits.float(), dim=1).double().cpu().numpy()
        return found[: a.size], found[a.size :, ::-1]

    def _read(self, rows: list[tuple[Ids, Ids]], tokens: Tokens) -> torch.Tensor:
        ids, mask = padded([ids for ids, _ in rows], tokens.padding, self.device)
        more: dict[str, Any] = {}
        if self._kinds > 1:
            more["token_type_ids"] = padded([kinds for _, kinds in rows], 0, self.device)[0]
        found: torch.Tensor = self.head(mean_of_tokens(self.encoder, ids, mask, **more))
        if not self.ties:
            found = found + torch.tensor([0.0, -30.0, 0.0], device=found.device)
        return found

    def _row(self, tokens: Tokens, context: Places, a: int, b: int) -> tuple[Ids, Ids]:
        """Numbers, and which of the two kinds of sentence each belongs to."""
        room = tokens.longest - 4
        each = min(self.limits.text, room // 3 if tokens.contexts[context[a]] else room // 2)
        texts = [cut(tokens.texts[number], each) for number in (a, b)]
        about = cut_middle(tokens.contexts[context[a]], min(self.limits.context, room - sum(map(len, texts))))
        first = [tokens.first, *about, tokens.end, *texts[0], tokens.end]
        second = [*texts[1], tokens.end]
        return [*first, *second], [0] * len(first) + [1] * len(second)


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
