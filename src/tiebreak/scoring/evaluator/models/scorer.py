"""One score per text given its context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from tiebreak.scoring.evaluator.models.encoders import Ids, Tokens, padded
from tiebreak.scoring.evaluator.models.learner import Floats, Learner, Limits, Places, cut, cut_middle
from tiebreak.scoring.evaluator.models.matching import FEATURES, masked_mean, matching

_HIDDEN: Final = 128
_TEXTS_AT_ONCE: Final = 64
"""In judging: the cosines of all their words with all words of their contexts are in memory at once."""


@dataclass(frozen=True, slots=True)
class States:
    """What the encoder made of n texts: states (n, T, width) of their tokens, where there is one (n, T), and the means
    (n, width).
    """

    tokens: torch.Tensor
    mask: torch.Tensor
    mean: torch.Tensor

    @classmethod
    def of(cls, tokens: torch.Tensor, mask: torch.Tensor) -> States:
        return cls(tokens, mask, masked_mean(tokens, mask.to(tokens.dtype)))

    def at(self, places: Places) -> States:
        """Those at these places, each as often as it is named."""
        chosen = torch.from_numpy(places).to(self.tokens.device)
        return States.of(self.tokens[chosen], self.mask[chosen])


class Scorer(Learner):
    """A small network on the mean of a text's states, its product with that of the context, and how words match.

    Texts and contexts are read by themselves: n texts about c contexts take n + c passes through the encoder.
    `beside`: how many other texts a text is set beside, its context among them.
    """

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, beside: int = 1) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.encoder, self.limits = encoder, limits
        self.head = torch.nn.Sequential(
            torch.nn.Linear(width + beside * (width + FEATURES), _HIDDEN),
            torch.nn.GELU(),
            torch.nn.Dropout(0.1),
            torch.nn.Linear(_HIDDEN, 1),
        )

    def scores_of(self, tokens: Tokens, context: Places, *numbers: Places) -> list[torch.Tensor]:
        """For training: scores of several rows of texts, each as long as its row; every text is read once."""
        texts = np.unique(np.concatenate(numbers))
        scores = self._scores(tokens, context, texts)
        return [scores[torch.from_numpy(np.searchsorted(texts, row)).to(scores.device)] for row in numbers]

    def scores(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Floats:
        """The score of each of some texts (n,), for judging: one pass for each, and one for each context.

        `context`: of each text (T,); `at_once`: tokens in one batch.
        """
        self.eval()
        found = np.empty(texts.size)
        with torch.inference_mode():
            for batch in self._batches(tokens, context, texts, at_once):
                found[batch] = self._scores(tokens, context, texts[batch]).double().cpu().numpy()
        return found

    def _batches(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Iterator[Places]:
        """Texts of one context stay together, and contexts of like length: little is read twice or padded."""
        long = np.array([min(len(ids), self.limits.context) for ids in tokens.contexts], dtype=np.intp)
        own = np.array([min(len(tokens.texts[number]), self.limits.text) for number in texts], dtype=np.intp)
        order = np.lexsort((own, context[texts], long[context[texts]]))
        first, size = 0, 0
        for place, number in enumerate(order.tolist()):
            of_context = context[texts[number]]
            is_new = place == first or of_context != context[texts[order[place - 1]]]
            more = int(own[number]) + (int(long[of_context]) if is_new else 0)
            if place > first and (size + more > at_once or place - first == _TEXTS_AT_ONCE):
                yield order[first:place]
                first, size, more = place, 0, int(own[number] + long[of_context])
            size += more
        if first < order.size:
            yield order[first:]

    def _scores(self, tokens: Tokens, context: Places, texts: Places) -> torch.Tensor:
        """Scores (n,) of texts, each distinct context read once."""
        read = self._read([self._text(tokens, number) for number in texts], tokens)
        inputs = torch.cat([read.mean, *self._beside(read, tokens, context, texts)], 1)
        found: torch.Tensor = self.head(inputs).squeeze(1)
        return found

    def _beside(self, read: States, tokens: Tokens, context: Places, texts: Places) -> list[torch.Tensor]:
        """What the head reads of texts beside others: (n, ...) of their contexts."""
        contexts, place = np.unique(context[texts], return_inverse=True)
        most = min(self.limits.context, tokens.longest - 2)
        about = self._read([cut_middle(tokens.contexts[number], most) for number in contexts], tokens)
        return matched(read, about, place)

    def _text(self, tokens: Tokens, number: int) -> Ids:
        return cut(tokens.texts[number], min(self.limits.text, tokens.longest - 2))

    def _read(self, rows: Sequence[Ids], tokens: Tokens) -> States:
        """[CLS] tokens [SEP]."""
        ids, mask = padded([[tokens.first, *ids, tokens.end] for ids in rows], tokens.padding, self.device)
        states = self.encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        return States.of(states, mask.bool())


def matched(read: States, others: States, place: Places) -> list[torch.Tensor]:
    """The products of means (n, width) and FEATURES (n, 6) of texts beside the others at these places (n,)."""
    others = others.at(place)
    return [read.mean * others.mean * 3, matching(read.tokens, read.mask, others.tokens, others.mask)]
