"""One score per text given its context, and Davidson's probabilities of the three outcomes of two scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import torch
from torch.nn import functional

from tiebreak.scoring.evaluator.models.comparer import Comparer, Floats, Limits, Places, cut, cut_middle
from tiebreak.scoring.evaluator.models.encoders import Ids, Tokens, padded
from tiebreak.scoring.evaluator.models.matching import FEATURES, masked_mean, matching

_HIDDEN: Final = 128
_TEXTS_AT_ONCE: Final = 64
"""In judging: the cosines of all their words with all words of their contexts are in memory at once."""


class Siamese(Comparer):
    """A small network on the mean of a text's states, its product with that of the context, and how words match.

    Texts and contexts are read by themselves: n texts about c contexts take n + c passes through the encoder, for all
    pairs of them. With d the difference of two scores the logits are d/2, log nu and -d/2 (Davidson 1970, nu free), so
    that both orders of a pair always agree.
    """

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, ties: bool = True) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.encoder, self.limits, self.ties = encoder, limits, ties
        self.head = torch.nn.Sequential(
            torch.nn.Linear(2 * width + FEATURES, _HIDDEN),
            torch.nn.GELU(),
            torch.nn.Dropout(0.1),
            torch.nn.Linear(_HIDDEN, 1),
        )
        self.log_nu = torch.nn.Parameter(torch.zeros(()))

    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        texts, places = np.unique(np.concatenate([a, b]), return_inverse=True)
        scores = self._scores(tokens, context, texts)
        at = torch.from_numpy(places).to(scores.device)
        return self._davidson(scores[at[: a.size]] - scores[at[a.size :]])

    def probabilities(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> Floats:
        return self.comparing(tokens, context, at_once)(a, b)

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

    def flips(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> float:  # noqa: ARG002
        return 0.0

    def scores(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Floats:
        """The score of each of some texts (n,), for judging: one pass for each, and one for each context."""
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
        contexts, place = np.unique(context[texts], return_inverse=True)
        longest = tokens.longest - 2
        text, text_mask = self._read(
            [cut(tokens.texts[number], min(self.limits.text, longest)) for number in texts], tokens
        )
        about, about_mask = self._read(
            [cut_middle(tokens.contexts[number], min(self.limits.context, longest)) for number in contexts], tokens
        )
        at = torch.from_numpy(place).to(about.device)
        about, about_mask = about[at], about_mask[at]
        mean = masked_mean(text, text_mask.to(text.dtype))
        product = mean * masked_mean(about, about_mask.to(about.dtype)) * 3
        inputs = torch.cat([mean, product, matching(text, text_mask, about, about_mask)], 1)
        found: torch.Tensor = self.head(inputs).squeeze(1)
        return found

    def _read(self, rows: list[Ids], tokens: Tokens) -> tuple[torch.Tensor, torch.Tensor]:
        """States (n, T, width) of [CLS] tokens [SEP], and where there is a token."""
        ids, mask = padded([[tokens.first, *ids, tokens.end] for ids in rows], tokens.padding, self.device)
        return self.encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state, mask.bool()

    def _davidson(self, difference: torch.Tensor) -> torch.Tensor:
        tie = self.log_nu if self.ties else torch.full_like(self.log_nu, -30.0)
        half = difference.to(tie.dtype) / 2
        return torch.stack([half, tie.expand_as(half), -half], dim=1)
